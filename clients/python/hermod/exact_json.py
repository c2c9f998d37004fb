"""JSON without rounding: `Decimal` and `RawJson` are sent with every digit."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any


class RawJson(str):
    """JSON text that is sent exactly as written. Raises a ValueError if it is not JSON."""

    def __new__(cls, text: str) -> RawJson:
        json.loads(text, parse_constant=_refuse)
        return super().__new__(cls, text.strip())


def dumps(value: Any) -> str:
    """Writes the JSON text of a request's body."""
    if isinstance(value, RawJson):
        return str(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is no JSON number")
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(str(name))}:{dumps(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(dumps, value)) + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")
