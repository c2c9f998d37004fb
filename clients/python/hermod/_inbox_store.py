"""The operations on the table of the inbox, as steps: each yields a statement with its values, and gets the rows.

Does no I/O, so both inboxes share it.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generator, Sequence, TypeVar

from . import _inbox_statements as sql
from .exact_json import dumps

T = TypeVar("T")
Rows = list[Sequence[Any]]
Steps = Generator[tuple[str, list[Any]], Rows, T]

#: Numbers of an ordering key whose work commits together.
BATCH = 20
LOG_PAGE = 500
#: At the end of the statement that takes a row for one transaction alone.
TAKING = "for update of r skip locked"
_MOST_LOOKED_AT = 100
_LONGEST_WAIT_MS = 300_000


class NumberCameAgain(Exception):
    """A number came again with another id: Hermod was restored from a backup. Give the inbox another `name`, and `from_`."""


@dataclass(frozen=True)
class InboxEvent:
    """A webhook whose work is to be done once."""

    #: The `webhook-id`.
    id: str
    #: The delivery's number at its endpoint.
    sequence: int
    event: str | None
    ordering_key: str | None
    #: The payload's text. Empty if the delivery needs no work, since it was cancelled or erased.
    text: str
    tries: int = 0

    @property
    def data(self) -> Any:
        return json.loads(self.text)


def logged(number: dict[str, Any]) -> InboxEvent:
    """A number of the endpoint's log."""
    has_work = number["status"] in ("delivered", "failed") and not number["erased"]
    return InboxEvent(
        id=number["webhook_id"] or f"removed {number['sequence']}",
        sequence=number["sequence"],
        event=number["event"],
        ordering_key=number["ordering_key"],
        text=dumps(number["data"]) if has_work else "",
    )


def create_table() -> Steps[None]:
    yield sql.CREATE_TABLE, []
    yield sql.CREATE_INDEX, []


def arrive(inbox: str, event: InboxEvent, *, done: bool) -> Steps[bool]:
    """Writes an arrived number. Returns False if it, or its id with another number, arrived before."""

    def row(id: str | None, text: str, done: bool) -> list[Any]:
        return [inbox, event.sequence, id, event.ordering_key, event.event, text, int(done), _now()]

    if (yield sql.ARRIVE, row(event.id, "" if done else event.text, done)):
        return True
    # A resend has the id of its original. Its number has arrived, and its work is the original's.
    if (yield sql.ARRIVE, row(None, "", True)):
        return False
    [(known,)] = yield sql.READ_ARRIVED, [inbox, event.sequence]
    if known is not None and known != event.id:
        raise NumberCameAgain(f"Number {event.sequence} was {known}, and came again as {event.id}")
    return False


def begin_order(inbox: str, from_: int) -> Steps[None]:
    yield sql.BEGIN_ORDER, [inbox, from_ - 1, _now()]


def move_frontier(inbox: str) -> Steps[None]:
    """Moves the frontier over the numbers that have arrived behind it without a gap."""
    while True:
        rows = yield sql.READ_BEHIND_FRONTIER, [inbox]
        behind = [sequence for i, (sequence, frontier) in enumerate(rows) if sequence == frontier + i + 1]
        if behind:
            yield from move_frontier_to(inbox, behind[-1])
        if len(behind) < _MOST_LOOKED_AT:
            return


def move_frontier_to(inbox: str, frontier: int) -> Steps[None]:
    yield sql.MOVE_FRONTIER, [inbox, frontier]


def read_frontier(inbox: str) -> Steps[int]:
    [(frontier,)] = yield sql.READ_FRONTIER, [inbox]
    return int(frontier)


def take_next(inbox: str, most: int) -> Steps[list[InboxEvent]]:
    """Takes the next numbers of one ordering key whose work may be done. Other transactions take other keys until this one ends."""
    rows = yield sql.TAKE_FIRST + TAKING, [inbox, _now()]
    if not rows:
        return []
    first = _event(rows[0])
    others = yield sql.TAKE_OTHERS, [inbox, first.sequence, first.ordering_key or "", most - 1]
    return [first, *map(_event, others)]


def finish(inbox: str, taken: list[InboxEvent]) -> Steps[None]:
    if taken:
        yield sql.FINISH, [inbox, taken[0].sequence, taken[-1].sequence, taken[0].ordering_key or ""]


def postpone(inbox: str, failed: InboxEvent) -> Steps[None]:
    """Lets failed work wait a second, then twice as long each time, up to five minutes."""
    wait = min(1_000 * 2 ** min(failed.tries, 20), _LONGEST_WAIT_MS)
    yield sql.POSTPONE, [inbox, failed.sequence, _now() + wait]


def prune(inbox: str, before: datetime) -> Steps[None]:
    yield sql.PRUNE, [inbox, int(before.timestamp() * 1_000)]


def positional(text: str, values: Sequence[Any]) -> tuple[str, list[Any]]:
    """Writes $1, $2 … as the drivers for Postgres have them, and repeats the values in the order in which the text names them."""
    order = [int(number) - 1 for number in re.findall(r"\$(\d+)", text)]
    return re.sub(r"\$\d+", "%s", text), [values[i] for i in order]


def _event(row: Sequence[Any]) -> InboxEvent:
    sequence, id, ordering_key, event, text, tries = row
    return InboxEvent(id=str(id), sequence=sequence, event=event, ordering_key=ordering_key, text=text, tries=tries)


def _now() -> int:
    return int(time.time() * 1_000)
