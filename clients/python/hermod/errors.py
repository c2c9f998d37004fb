"""The errors that requests raise."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Mapping


class HermodError(Exception):
    """The service refused a request, or failed."""

    def __init__(
        self, status: int, code: str | None, message: str, request_id: str | None, retry_after: float | None
    ) -> None:
        super().__init__(message)
        self.status = status
        #: The error's code; None if the answer came from another server, such as a proxy.
        self.code = code
        self.message = message
        #: The answer's `x-request-id`, by which the service's log shows the request.
        self.request_id = request_id
        #: The seconds to wait before the next try; None if the service names none.
        self.retry_after = retry_after


class HermodUnreachable(Exception):
    """No answer: the service is unreachable, or took longer than the timeout."""


class WebhookVerificationError(Exception):
    """The webhook was not signed with the endpoint's secret in the last five minutes."""


def error_of(status: int, headers: Mapping[str, str], text: str) -> HermodError:
    """Builds the error of an answer."""
    code, message = _detail_in(text) or (None, f"The answer was HTTP {status}")
    return HermodError(status, code, message, headers.get("x-request-id"), _retry_after_in(headers))


def _detail_in(text: str) -> tuple[str, str] | None:
    try:
        detail = json.loads(text)["error"]
        return str(detail["code"]), str(detail["message"])
    except (ValueError, KeyError, TypeError):
        return None


def _retry_after_in(headers: Mapping[str, str]) -> float | None:
    """Reads seconds or, as proxies often write, a date (RFC 9110, 10.2.3)."""
    text = headers.get("retry-after")
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (at.replace(tzinfo=at.tzinfo or timezone.utc) - datetime.now(timezone.utc)).total_seconds())
