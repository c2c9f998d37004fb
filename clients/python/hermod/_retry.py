"""Decides whether a failed request is repeated, and when."""

from __future__ import annotations

from .errors import HermodError

#: The first wait in seconds if the service names none. Doubles each time.
_FIRST_WAIT = 0.2
_LONGEST_WAIT = 10.0
#: The longest Retry-After that the client waits for. Beyond it the caller gets the error.
_LONGEST_RETRY_AFTER = 60.0
#: Statuses of a temporary failure, of the service or its gateway. All other answers are final.
_PASSING = (429, 502, 503, 504)


def wait_before_retry(error: Exception, retries: int, max_retries: float, random: float) -> float | None:
    """Returns the wait before the next try in seconds; None for no retry. `random` is from 0 to 1."""
    if retries >= max_retries:
        return None
    # Full jitter, so that clients that failed together do not come back together.
    backoff = random * min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(retries, 10))
    if not isinstance(error, HermodError):
        return backoff
    if error.status not in _PASSING:
        return None
    asked = error.retry_after or 0.0
    return None if asked > _LONGEST_RETRY_AFTER else asked + backoff
