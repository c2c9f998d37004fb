"""Parses server-sent events (HTML standard, 9.2.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

#: A stream that is silent for so many seconds is broken, since the service sends a comment every 15 s.
SILENCE = 45.0


@dataclass(frozen=True)
class LiveEvent:
    #: Empty if only the position has changed.
    name: str
    data: str
    id: str | None


class EventParser:
    """Takes the stream's text as it comes, and yields its events."""

    def __init__(self, last_id: str | None) -> None:
        self._id = last_id
        self._rest = ""
        self._name = ""
        self._data: list[str] = []

    def push(self, text: str) -> Iterator[LiveEvent]:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            event = self._read(line.removesuffix("\r"))
            if event:
                yield event

    def _read(self, line: str) -> LiveEvent | None:
        if line == "":
            return self._end()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
        return None

    def _end(self) -> LiveEvent:
        name = (self._name or "message") if self._data else ""
        event = LiveEvent(name, "\n".join(self._data), self._id)
        self._name, self._data = "", []
        return event
