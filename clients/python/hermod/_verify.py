"""Verifies webhooks by Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Callable, Mapping, Sequence
from urllib.parse import unquote

from .errors import WebhookVerificationError

#: Seconds that the sender's clock and the way may take, in both directions.
TOLERANCE = 300


@dataclass(frozen=True)
class VerifiedWebhook:
    """A webhook with a valid signature."""

    #: The delivery's id, the same for all its attempts. Receivers recognise repeats by it.
    id: str
    event: str | None
    ordering_key: str | None
    #: The time of this attempt.
    timestamp: datetime
    #: The number of the attempt, from 1.
    attempt: int | None
    #: The delivery's number at its endpoint.
    sequence: int | None
    data: Any


def verify(
    body: bytes | str,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE,
    parse_float: Callable[[str], Any] = float,
) -> VerifiedWebhook:
    """Verifies a webhook, and reads it.

    Needs the body exactly as it arrived, and a signature by one of the secrets that is at most `tolerance` seconds old.
    Raises a WebhookVerificationError.
    """
    content = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    id, sent_at, signatures = (_required(given, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    timestamp = _count(sent_at)
    if timestamp is None:
        raise WebhookVerificationError("webhook-timestamp is no time in seconds")
    if abs(time.time() - timestamp) > tolerance:
        raise WebhookVerificationError(f"webhook-timestamp is more than {tolerance:g} s away from this clock")
    signed = f"{id}.{sent_at}.".encode() + content
    keys = [_key(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not any(_is_signed(signed, signatures, key) for key in keys):
        raise WebhookVerificationError("webhook-signature fits none of the secrets")
    return VerifiedWebhook(
        id=id,
        event=_text(given.get("webhook-event")),
        ordering_key=_text(given.get("webhook-ordering-key")),
        timestamp=datetime.fromtimestamp(timestamp, timezone.utc),
        attempt=_count(given.get("webhook-attempt")),
        sequence=_count(given.get("webhook-sequence")),
        data=_payload(content, parse_float),
    )


def _required(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise WebhookVerificationError(f"The header {name} is missing")
    return value


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    # Everybody knows the empty key.
    if key == b"":
        raise WebhookVerificationError("A secret must be base64 behind whsec_, and not empty")
    return key


def _is_signed(signed: bytes, signatures: str, key: bytes) -> bool:
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    return any([hmac.compare_digest(expected, each.encode()) for each in signatures.split(" ")])


def _payload(content: bytes, parse_float: Callable[[str], Any]) -> Any:
    try:
        return json.loads(content, parse_float=parse_float)
    except ValueError as cause:
        raise WebhookVerificationError("The body is not JSON") from cause


def _text(value: str | None) -> str | None:
    """Decodes percent-encoding. Leaves an invalid text, because the header is not signed and may contain anything."""
    if value is None:
        return None
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        return value


def _count(value: str | None) -> int | None:
    return int(value) if value and value.isascii() and value.isdigit() and len(value) <= 15 else None
