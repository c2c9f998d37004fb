"""Does the work for each webhook once, in the receiver's Postgres, and in order if that is wanted."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, AbstractContextManager
from datetime import datetime
from typing import Any, Awaitable, Callable, Literal, Mapping, Required, Sequence, TypedDict, TypeVar, Unpack

from . import _inbox_store as store
from ._inbox_store import InboxEvent, NumberCameAgain, Steps
from ._verify import verify
from .client import AsyncHermod, Hermod
from .errors import WebhookVerificationError

__all__ = ["AsyncInbox", "Inbox", "InboxEvent", "InboxOptions", "NumberCameAgain"]

T = TypeVar("T")
#: The receiver's work. Whatever it writes with the connection commits together with the note that it is done.
Work = Callable[[Any, InboxEvent], object]
AsyncWork = Callable[[Any, InboxEvent], Awaitable[object]]
Failures = list[tuple[InboxEvent, Exception]]
Taken = Literal["done", "stored"]


class InboxOptions(TypedDict, total=False):
    #: The endpoint's id. Several endpoints may share the table.
    endpoint: Required[str]
    #: The endpoint's signing secret; several while one is being replaced.
    secrets: Required[str | Sequence[str]]
    #: The work is done strictly by number, or by number for each ordering key.
    ordered: bool
    #: Ordered: the first number to do work for; 1 by default.
    from_: int
    #: The name of the inbox in the table: the endpoint's id by default. Another name begins anew.
    name: str


class _Settings:
    def __init__(self, options: InboxOptions) -> None:
        self.endpoint = options["endpoint"]
        self.name = options.get("name", self.endpoint)
        self.ordered = options.get("ordered", False)
        # Deliveries are numbered from 1. Trials of a certification, which are no work, have 0.
        self.first = max(options.get("from_", 1), 1) if self.ordered else 1
        self._secrets = options["secrets"]
        self._has_begun = False

    def _received(self, body: bytes, headers: Mapping[str, str]) -> InboxEvent:
        webhook = verify(body, headers, self._secrets)
        if webhook.sequence is None:
            raise WebhookVerificationError("webhook-sequence must be a number")
        return InboxEvent(webhook.id, webhook.sequence, webhook.event, webhook.ordering_key, body.decode())


class Inbox(_Settings):
    """An inbox in Postgres.

    `transaction` opens one, such as `pool.connection` of psycopg_pool: `with transaction() as db` commits at its end, or rolls back after
    an exception. Several threads and processes may share the table.
    """

    def __init__(self, transaction: Callable[[], AbstractContextManager[Any]], **options: Unpack[InboxOptions]) -> None:
        super().__init__(options)
        self._transaction = transaction

    def create_table(self) -> None:
        """Creates the table `hermod_inbox` unless it exists."""
        self._query(store.create_table())

    def take(self, body: bytes, headers: Mapping[str, str], work: Work) -> Taken:
        """Takes a webhook. Answer 2xx then. Raises a WebhookVerificationError, or the error of the work."""
        event = self._received(body, headers)
        if event.sequence < self.first:
            return "done"
        if not self.ordered:
            with self._transaction() as db:
                if self._run(db, store.arrive(self.name, event, done=True)):
                    work(db, event)
            return "done"
        self._begin()
        self._query(store.arrive(self.name, event, done=False))
        for failed, error in self.work_off(work):
            if failed.ordering_key == event.ordering_key:
                raise error
        return "stored"

    def work_off(self, work: Work) -> Failures:
        """Does the work of all numbers that may be done. Returns what failed: call it every second, so that it is tried again."""
        failures: Failures = []
        self._begin()
        self._query(store.move_frontier(self.name))
        while self._step(work, failures, store.BATCH):
            pass
        return failures

    def catch_up(self, hermod: Hermod, work: Work) -> Failures:
        """Reads the endpoint's log from the first number that has not arrived, and does the work of all that are not done.

        Call it when the receiver starts, and while a number is missing. The client needs the receiver's key, and `parse_float=Decimal`.
        """
        self._begin()
        next = 1 + self._query(store.read_frontier(self.name))
        while True:
            page = hermod.endpoints.log(self.endpoint, from_=next, limit=store.LOG_PAGE)
            self._query(_arrive_all(self.name, next, page["data"]))
            if not page["data"] or page["next_from"] > page["complete_up_to"]:
                return self.work_off(work)
            next = page["next_from"]

    def prune(self, before: datetime) -> None:
        """Deletes numbers whose work was done before. A webhook that is resent later than that is done again."""
        self._query(store.prune(self.name, before))

    def _step(self, work: Work, failures: Failures, most: int) -> bool:
        taken: list[InboxEvent] = []
        done = 0
        try:
            with self._transaction() as db:
                taken = self._run(db, store.take_next(self.name, most))
                for event in taken:
                    if event.text:
                        work(db, event)
                    done += 1
                self._run(db, store.finish(self.name, taken))
            return bool(taken)
        except Exception as error:
            if done == len(taken):
                raise
            if done > 0:  # those before the failure are done again, without it
                return self._step(work, failures, done)
            failures.append((taken[0], error))
            self._query(store.postpone(self.name, taken[0]))
            return True

    def _begin(self) -> None:
        if not self._has_begun:
            self._query(store.begin_order(self.name, self.first))
            self._has_begun = True

    def _query(self, steps: Steps[T]) -> T:
        with self._transaction() as db:
            return self._run(db, steps)

    def _run(self, db: Any, steps: Steps[T]) -> T:
        cursor = db.cursor()
        rows: Any = None
        try:
            while True:
                cursor.execute(*store.positional(*steps.send(rows)))
                rows = cursor.fetchall() if cursor.description else []
        except StopIteration as end:
            return end.value
        finally:
            cursor.close()


class AsyncInbox(_Settings):
    """The same for asyncio. `transaction` is such as `pool.connection` of psycopg_pool's AsyncConnectionPool."""

    def __init__(self, transaction: Callable[[], AbstractAsyncContextManager[Any]], **options: Unpack[InboxOptions]) -> None:
        super().__init__(options)
        self._transaction = transaction

    async def create_table(self) -> None:
        """Creates the table `hermod_inbox` unless it exists."""
        await self._query(store.create_table())

    async def take(self, body: bytes, headers: Mapping[str, str], work: AsyncWork) -> Taken:
        """Takes a webhook. Answer 2xx then. Raises a WebhookVerificationError, or the error of the work."""
        event = self._received(body, headers)
        if event.sequence < self.first:
            return "done"
        if not self.ordered:
            async with self._transaction() as db:
                if await self._run(db, store.arrive(self.name, event, done=True)):
                    await work(db, event)
            return "done"
        await self._begin()
        await self._query(store.arrive(self.name, event, done=False))
        for failed, error in await self.work_off(work):
            if failed.ordering_key == event.ordering_key:
                raise error
        return "stored"

    async def work_off(self, work: AsyncWork) -> Failures:
        """Does the work of all numbers that may be done. Returns what failed: call it every second, so that it is tried again."""
        failures: Failures = []
        await self._begin()
        await self._query(store.move_frontier(self.name))
        while await self._step(work, failures, store.BATCH):
            pass
        return failures

    async def catch_up(self, hermod: AsyncHermod, work: AsyncWork) -> Failures:
        """Reads the endpoint's log, as `Inbox.catch_up` does."""
        await self._begin()
        next = 1 + await self._query(store.read_frontier(self.name))
        while True:
            page = await hermod.endpoints.log(self.endpoint, from_=next, limit=store.LOG_PAGE)
            await self._query(_arrive_all(self.name, next, page["data"]))
            if not page["data"] or page["next_from"] > page["complete_up_to"]:
                return await self.work_off(work)
            next = page["next_from"]

    async def prune(self, before: datetime) -> None:
        """Deletes numbers whose work was done before. A webhook that is resent later than that is done again."""
        await self._query(store.prune(self.name, before))

    async def _step(self, work: AsyncWork, failures: Failures, most: int) -> bool:
        taken: list[InboxEvent] = []
        done = 0
        try:
            async with self._transaction() as db:
                taken = await self._run(db, store.take_next(self.name, most))
                for event in taken:
                    if event.text:
                        await work(db, event)
                    done += 1
                await self._run(db, store.finish(self.name, taken))
            return bool(taken)
        except Exception as error:
            if done == len(taken):
                raise
            if done > 0:  # those before the failure are done again, without it
                return await self._step(work, failures, done)
            failures.append((taken[0], error))
            await self._query(store.postpone(self.name, taken[0]))
            return True

    async def _begin(self) -> None:
        if not self._has_begun:
            await self._query(store.begin_order(self.name, self.first))
            self._has_begun = True

    async def _query(self, steps: Steps[T]) -> T:
        async with self._transaction() as db:
            return await self._run(db, steps)

    async def _run(self, db: Any, steps: Steps[T]) -> T:
        cursor = db.cursor()
        rows: Any = None
        try:
            while True:
                await cursor.execute(*store.positional(*steps.send(rows)))
                rows = await cursor.fetchall() if cursor.description else []
        except StopIteration as end:
            return end.value
        finally:
            await cursor.close()


def _arrive_all(inbox: str, next: int, numbers: Sequence[Any]) -> Steps[None]:
    """Stores a page of the log. Numbers in front of it are older than the retention."""
    if numbers and numbers[0]["sequence"] > next:
        yield from store.move_frontier_to(inbox, numbers[0]["sequence"] - 1)
    for each in numbers:
        yield from store.arrive(inbox, store.logged(each), done=False)
