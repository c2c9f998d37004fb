"""What becomes of the pages of a pulled endpoint. Does no I/O, so both clients share it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

#: Least seconds between two requests while nothing is there. A service that is busy answers at once instead of waiting.
EMPTY_PAUSE = 1.0
_LONGEST_ERROR = 1_024


@dataclass(frozen=True)
class PullOptions:
    #: Most webhooks of a page, 1 to 500.
    limit: int = 100
    #: The seconds for which a request waits for a webhook, up to 30.
    wait: float = 20.0
    #: The seconds for the work on a page, up to 600. Work that takes longer comes again.
    lease: int = 30
    #: Ends the loop once nothing is there to be read.
    until_empty: bool = False

    def asked(self) -> dict[str, Any]:
        return {"limit": self.limit, "wait": 0 if self.until_empty else self.wait, "lease": self.lease}


class PulledWebhook:
    """A webhook of a pulled endpoint. It is acknowledged once the loop asks for the next one."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.id: str = fields["id"]
        self.event: str | None = fields["event"]
        self.ordering_key: str | None = fields["ordering_key"]
        #: The delivery's number at its endpoint.
        self.sequence: int = fields["sequence"]
        #: Counts from 1.
        self.attempt: int = fields["attempt"]
        self.created_at: str = fields["created_at"]
        self.data: Any = fields["data"]
        self._failure: dict[str, Any] | None = None

    def fail(self, error: object, *, retry_after: float | None = None) -> None:
        """Reports that the work failed. The endpoint's retry schedule repeats it, after `retry_after` seconds at least."""
        self._failure = {"id": self.id, "error": str(error)[:_LONGEST_ERROR] or "failed"}
        if retry_after is not None:
            self._failure["retry_after"] = retry_after


class PageInWork:
    """A page that the loop works on, webhook by webhook."""

    def __init__(self, page: dict[str, Any], options: PullOptions) -> None:
        self.webhooks = [PulledWebhook(fields) for fields in page["data"]]
        self._receipt: str = page["receipt"]
        self._through: int | None = None
        self._failure: dict[str, Any] | None = None
        # Half of the lease, so that the rest of the time is for the webhook in work.
        self._until = time.monotonic() + options.lease / 2

    def is_over(self, finished: PulledWebhook) -> bool:
        """Notes what became of a webhook. True if the rest is to be read again: behind a failure, and after half of the lease."""
        self._failure = finished._failure
        if self._failure is None:
            self._through = finished.sequence
        return self._failure is not None or time.monotonic() >= self._until

    def report(self) -> dict[str, Any]:
        """What became of the page. The service hands out at once what the loop has not finished."""
        through = {} if self._through is None else {"ack_through": self._through}
        failed = {} if self._failure is None else {"fail": [self._failure]}
        return {"receipt": self._receipt, "release": True, **through, **failed}
