"""The clients: `Hermod` blocks, `AsyncHermod` is for asyncio."""

from __future__ import annotations

import asyncio
import time
from typing import Any, AsyncIterator, Callable, Iterator, Mapping

from ._pull import EMPTY_PAUSE, PageInWork, PulledWebhook, PullOptions
from ._request import Options, Request
from ._resources import AsyncMethods, AsyncWebhooks, Methods, Webhooks
from ._transport import AsyncTransport, Transport
from ._types import DeliveryStatus, ListedDelivery
from .errors import HermodError

_TAIL = "/v1/webhooks/tail"
_CONFLICT = 409


def _receive(endpoint: str, options: PullOptions, report: Mapping[str, Any]) -> Request:
    # A repeat is safe: the service hands a page out again if its answer was lost.
    return Request(
        "POST", "/v1/endpoints/{id}/receive", [endpoint], body=report, patience=options.wait, repeats=True
    )


class FollowedWebhooks(Webhooks):
    def follow(
        self,
        *,
        start: str = "now",
        status: DeliveryStatus | None = None,
        event_type: str | None = None,
        endpoint_id: str | None = None,
        data: Mapping[str, str] | None = None,
        changes: bool = False,
    ) -> Iterator[ListedDelivery]:
        """Follows deliveries as they are accepted, oldest first, without gaps and without end.

        `start` is `now`, `start` or the `iterator` of a list. With `changes`, yields a delivery again whenever it changes.
        """
        query = {"status": status, "event_type": event_type, "endpoint_id": endpoint_id, "data": data}
        names = ("delivery", "update") if changes else ("delivery",)
        return self._transport.live(_TAIL, {**query, "iterator": start}, names)


class Hermod(Methods):
    """A client of a Hermod service.

    Methods raise a HermodError if the service refuses, and a HermodUnreachable if there is no answer, after several tries
    of requests that are safe to repeat: reads, PUT, DELETE, and POST with an `idempotency_key`.
    """

    webhooks: FollowedWebhooks

    def __init__(
        self,
        url: str,
        key: str,
        *,
        account: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 4,
        new_idempotency_key: Callable[[], str] | None = None,
        parse_float: Callable[[str], Any] = float,
    ) -> None:
        transport = Transport(
            Options(url, key, account, timeout, max_retries, new_idempotency_key, parse_float)
        )
        super().__init__(transport)
        self.webhooks = FollowedWebhooks(transport)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Calls any route by its method and path."""
        return self._call(method.upper(), path, query=query, body=body, idempotency_key=idempotency_key)

    def receive(
        self,
        endpoint: str,
        *,
        limit: int = 100,
        wait: float = 20.0,
        lease: int = 30,
        until_empty: bool = False,
    ) -> Iterator[PulledWebhook]:
        """Yields what was sent to an endpoint with `delivery: "pull"`, in its order, without end.

        A webhook is acknowledged once the loop asks for the next one. What the loop has not finished when it ends comes again.
        """
        options = PullOptions(limit, wait, lease, until_empty)
        page: PageInWork | None = None
        has_answer = False
        try:
            while True:
                asked_at = time.monotonic()
                report = {**options.asked(), **(page.report() if page else {})}
                try:
                    answer = self._transport.call(
                        _receive(endpoint, options, report), float("inf") if has_answer else None
                    )
                except HermodError as error:
                    if error.status != _CONFLICT or page is None:
                        raise
                    # The page is no longer this receiver's, and nothing was changed.
                    page = None
                    continue
                has_answer = True
                page = PageInWork(answer, options) if answer["data"] else None
                if page is None:
                    if until_empty:
                        return
                    time.sleep(max(0.0, EMPTY_PAUSE - (time.monotonic() - asked_at)))
                    continue
                for webhook in page.webhooks:
                    yield webhook
                    if page.is_over(webhook):
                        break
        finally:
            if page:
                self._transport.call(_receive(endpoint, options, {"limit": 0, **page.report()}))

    def close(self) -> None:
        """Closes the connections."""
        self._transport.http.close()

    def __enter__(self) -> Hermod:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncFollowedWebhooks(AsyncWebhooks):
    def follow(
        self,
        *,
        start: str = "now",
        status: DeliveryStatus | None = None,
        event_type: str | None = None,
        endpoint_id: str | None = None,
        data: Mapping[str, str] | None = None,
        changes: bool = False,
    ) -> AsyncIterator[ListedDelivery]:
        """Follows deliveries as they are accepted, oldest first, without gaps and without end.

        `start` is `now`, `start` or the `iterator` of a list. With `changes`, yields a delivery again whenever it changes.
        """
        query = {"status": status, "event_type": event_type, "endpoint_id": endpoint_id, "data": data}
        names = ("delivery", "update") if changes else ("delivery",)
        return self._transport.live(_TAIL, {**query, "iterator": start}, names)


class AsyncHermod(AsyncMethods):
    """A client of a Hermod service for asyncio. See `Hermod`."""

    webhooks: AsyncFollowedWebhooks

    def __init__(
        self,
        url: str,
        key: str,
        *,
        account: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 4,
        new_idempotency_key: Callable[[], str] | None = None,
        parse_float: Callable[[str], Any] = float,
    ) -> None:
        transport = AsyncTransport(
            Options(url, key, account, timeout, max_retries, new_idempotency_key, parse_float)
        )
        super().__init__(transport)
        self.webhooks = AsyncFollowedWebhooks(transport)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Calls any route by its method and path."""
        return await self._call(method.upper(), path, query=query, body=body, idempotency_key=idempotency_key)

    async def receive(
        self,
        endpoint: str,
        *,
        limit: int = 100,
        wait: float = 20.0,
        lease: int = 30,
        until_empty: bool = False,
    ) -> AsyncIterator[PulledWebhook]:
        """Yields what was sent to an endpoint with `delivery: "pull"`, in its order, without end.

        A webhook is acknowledged once the loop asks for the next one. What the loop has not finished when it ends comes again.
        """
        options = PullOptions(limit, wait, lease, until_empty)
        page: PageInWork | None = None
        has_answer = False
        try:
            while True:
                asked_at = time.monotonic()
                report = {**options.asked(), **(page.report() if page else {})}
                try:
                    answer = await self._transport.call(
                        _receive(endpoint, options, report), float("inf") if has_answer else None
                    )
                except HermodError as error:
                    if error.status != _CONFLICT or page is None:
                        raise
                    # The page is no longer this receiver's, and nothing was changed.
                    page = None
                    continue
                has_answer = True
                page = PageInWork(answer, options) if answer["data"] else None
                if page is None:
                    if until_empty:
                        return
                    await asyncio.sleep(max(0.0, EMPTY_PAUSE - (time.monotonic() - asked_at)))
                    continue
                for webhook in page.webhooks:
                    yield webhook
                    if page.is_over(webhook):
                        break
        finally:
            if page:
                await self._transport.call(_receive(endpoint, options, {"limit": 0, **page.report()}))

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.http.aclose()

    async def __aenter__(self) -> AsyncHermod:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
