"""Sends requests: once for programs that block, once for asyncio."""

from __future__ import annotations

import asyncio
import json
import random
import time
from typing import Any, AsyncIterator, Collection, Iterator, Mapping

import httpx

from ._live import SILENCE, EventParser, LiveEvent
from ._request import Options, Request, answer_of, unreachable
from ._retry import wait_before_retry
from .errors import HermodError, HermodUnreachable

_ENDED = "The stream ended"


class Transport:
    def __init__(self, options: Options) -> None:
        self.options = options
        self.http = httpx.Client()

    def call(self, request: Request, max_retries: float | None = None) -> Any:
        """Calls a route. Repeats a request that is safe to repeat after 429, 502, 503, 504 and no answer."""
        request = request.keyed(self.options)
        most = (self.options.max_retries if max_retries is None else max_retries) if request.is_repeatable else 0
        retries = 0
        while True:
            try:
                return answer_of(self._sent(request), self.options)
            except (HermodError, HermodUnreachable) as error:
                wait = wait_before_retry(error, retries, most, random.random())
                if wait is None:
                    raise
                retries += 1
                time.sleep(wait)

    def items(self, request: Request) -> Iterator[Any]:
        """Yields the items of a list, and reads each page when it is needed."""
        query = {"limit": 100, **(request.query or {})}
        while True:
            page = self.call(Request(request.method, request.path, request.ids, query))
            yield from page["data"]
            if page["cursor"] is None:
                return
            query["cursor"] = page["cursor"]

    def live(self, path: str, query: Mapping[str, Any], names: Collection[str]) -> Iterator[Any]:
        """Follows a stream without end, and continues behind the last event after each interruption."""
        last_id: str | None = None
        retries = 0
        while True:
            try:
                for event in self._events(path, query, last_id):
                    last_id, retries = event.id, 0
                    if event.name in names:
                        yield json.loads(event.data, parse_float=self.options.parse_float)
            except (HermodError, HermodUnreachable) as error:
                wait = wait_before_retry(error, retries, self.options.max_retries, random.random())
                if wait is None:
                    raise
                retries += 1
                time.sleep(wait)

    def _sent(self, request: Request) -> httpx.Response:
        try:
            return self.http.send(request.built(self.http, self.options))
        except httpx.HTTPError as cause:
            raise unreachable(self.options, cause) from cause

    def _events(self, path: str, query: Mapping[str, Any], last_id: str | None) -> Iterator[LiveEvent]:
        request = _stream_request(path, query, last_id).built(self.http, self.options)
        response = None
        try:
            response = self.http.send(request, stream=True)
            if not response.is_success:
                response.read()
                answer_of(response, self.options)
            parser = EventParser(last_id)
            for text in response.iter_text():
                yield from parser.push(text)
        except httpx.HTTPError as cause:
            raise unreachable(self.options, cause) from cause
        finally:
            if response is not None:
                response.close()
        raise HermodUnreachable(_ENDED)


class AsyncTransport:
    def __init__(self, options: Options) -> None:
        self.options = options
        self.http = httpx.AsyncClient()

    async def call(self, request: Request, max_retries: float | None = None) -> Any:
        """Calls a route. Repeats a request that is safe to repeat after 429, 502, 503, 504 and no answer."""
        request = request.keyed(self.options)
        most = (self.options.max_retries if max_retries is None else max_retries) if request.is_repeatable else 0
        retries = 0
        while True:
            try:
                return answer_of(await self._sent(request), self.options)
            except (HermodError, HermodUnreachable) as error:
                wait = wait_before_retry(error, retries, most, random.random())
                if wait is None:
                    raise
                retries += 1
                await asyncio.sleep(wait)

    async def items(self, request: Request) -> AsyncIterator[Any]:
        """Yields the items of a list, and reads each page when it is needed."""
        query = {"limit": 100, **(request.query or {})}
        while True:
            page = await self.call(Request(request.method, request.path, request.ids, query))
            for item in page["data"]:
                yield item
            if page["cursor"] is None:
                return
            query["cursor"] = page["cursor"]

    async def live(self, path: str, query: Mapping[str, Any], names: Collection[str]) -> AsyncIterator[Any]:
        """Follows a stream without end, and continues behind the last event after each interruption."""
        last_id: str | None = None
        retries = 0
        while True:
            try:
                async for event in self._events(path, query, last_id):
                    last_id, retries = event.id, 0
                    if event.name in names:
                        yield json.loads(event.data, parse_float=self.options.parse_float)
            except (HermodError, HermodUnreachable) as error:
                wait = wait_before_retry(error, retries, self.options.max_retries, random.random())
                if wait is None:
                    raise
                retries += 1
                await asyncio.sleep(wait)

    async def _sent(self, request: Request) -> httpx.Response:
        try:
            return await self.http.send(request.built(self.http, self.options))
        except httpx.HTTPError as cause:
            raise unreachable(self.options, cause) from cause

    async def _events(self, path: str, query: Mapping[str, Any], last_id: str | None) -> AsyncIterator[LiveEvent]:
        request = _stream_request(path, query, last_id).built(self.http, self.options)
        response = None
        try:
            response = await self.http.send(request, stream=True)
            if not response.is_success:
                await response.aread()
                answer_of(response, self.options)
            parser = EventParser(last_id)
            async for text in response.aiter_text():
                for event in parser.push(text):
                    yield event
        except httpx.HTTPError as cause:
            raise unreachable(self.options, cause) from cause
        finally:
            if response is not None:
                await response.aclose()
        raise HermodUnreachable(_ENDED)


def _stream_request(path: str, query: Mapping[str, Any], last_id: str | None) -> Request:
    resumed = {} if last_id is None else {"last-event-id": last_id}
    return Request("GET", path, query=query, patience=SILENCE, headers={"accept": "text/event-stream", **resumed})
