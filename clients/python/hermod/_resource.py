"""The bases of the generated resources."""

from __future__ import annotations

import uuid
from typing import Any, AsyncIterator, Iterator, Mapping, Sequence

from ._request import Request
from ._transport import AsyncTransport, Transport


def request_of(
    method: str,
    path: str,
    ids: Sequence[str] = (),
    *,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    idempotency_key: str | None = None,
) -> Request:
    if method == "PUT" and idempotency_key is None and path.endswith("/endpoints/{id}"):
        # Without a key, a retry after a lost answer would change the new endpoint, and its secret would be lost.
        idempotency_key = str(uuid.uuid4())
    if query is not None and method == "GET":
        query = _with_limit(path, query)
    return Request(method, path, ids, query, body, idempotency_key)


def _with_limit(path: str, query: Mapping[str, Any]) -> Mapping[str, Any]:
    """Asks for pages by cursor. Without a limit the service answers these lists in another form."""
    numbered = "page" in query or "per_page" in query or "event" in query
    return {"limit": 20, **query} if path in ("/v1/endpoints", "/v1/webhooks") and not numbered else query


class Resource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _call(self, method: str, path: str, ids: Sequence[str] = (), **given: Any) -> Any:
        return self._transport.call(request_of(method, path, ids, **given))

    def _items(self, path: str, ids: Sequence[str], query: Mapping[str, Any]) -> Iterator[Any]:
        return self._transport.items(Request("GET", path, ids, query))


class AsyncResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def _call(self, method: str, path: str, ids: Sequence[str] = (), **given: Any) -> Any:
        return await self._transport.call(request_of(method, path, ids, **given))

    def _items(self, path: str, ids: Sequence[str], query: Mapping[str, Any]) -> AsyncIterator[Any]:
        return self._transport.items(Request("GET", path, ids, query))
