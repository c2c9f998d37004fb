"""Runs the cases of cases.json with the Python client, and prints what came of each step. Argument: `sync` or `async`."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import sys
from decimal import Decimal
from typing import Any, AsyncIterator, Iterator

from hermod import (
    AsyncHermod,
    Hermod,
    HermodError,
    HermodUnreachable,
    RawJson,
    WebhookVerificationError,
    verify,
)
from hermod.exact_json import dumps


def snake(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def resolved(value: Any, saved: dict[str, Any]) -> Any:
    """Replaces `$name.field` by what an earlier step has saved."""
    if isinstance(value, str) and value.startswith("$"):
        name, *path = value[1:].split(".")
        found = saved[name]
        for part in path:
            found = found[int(part)] if isinstance(found, list) else found[part]
        return found
    if isinstance(value, dict):
        return {name: resolved(inner, saved) for name, inner in value.items()}
    return [resolved(inner, saved) for inner in value] if isinstance(value, list) else value


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    names = {"account": "account", "maxRetries": "max_retries"}
    given = {names[name]: value for name, value in case["client"].items() if name in names}
    timeout = {"timeout": case["client"]["timeoutMs"] / 1000} if "timeoutMs" in case["client"] else {}
    return {**given, **timeout, "parse_float": Decimal}


def method_of(client: Any, name: str) -> Any:
    for part in name.split("."):
        client = getattr(client, snake(part))
    return client


def arguments_of(step: dict[str, Any]) -> dict[str, Any]:
    raw = {name: RawJson(text) for name, text in step.get("raw", {}).items()}
    key = {"idempotency_key": step["key"]} if "key" in step else {}
    return {**step.get("input", {}), **raw, **key}


def pull_options(step: dict[str, Any]) -> dict[str, Any]:
    return {"limit": step.get("limit", 100), "until_empty": not step.get("waits", False)}


def webhook_of(webhook: Any, step: dict[str, Any]) -> dict[str, Any]:
    if "fail" in step:
        webhook.fail(step["fail"])
    return {"sequence": webhook.sequence, "data": webhook.data, "attempt": webhook.attempt}


def run(client: Hermod, step: dict[str, Any]) -> Any:
    most = step.get("take")
    if "call" in step:
        return method_of(client, step["call"])(*step.get("ids", []), **arguments_of(step))
    if "each" in step:
        items = method_of(client, step["each"])(*step.get("ids", []), **step.get("input", {}))
        return list(itertools.islice(items, most))
    if "follow" in step:
        return taken(client.webhooks.follow(start=step["follow"]), most)
    if "receive" in step:
        received = client.receive(step["receive"], **pull_options(step))
        return taken((webhook_of(each, step) for each in received), most)
    webhook = verify(**step["verify"], parse_float=Decimal)
    fields = ("id", "event", "ordering_key", "attempt", "sequence", "data")
    return {name: getattr(webhook, name) for name in fields}


def taken(items: Iterator[Any], most: int | None) -> list[Any]:
    found = list(itertools.islice(items, most))
    del items
    return found


async def run_async(client: AsyncHermod, step: dict[str, Any]) -> Any:
    if "call" in step:
        return await method_of(client, step["call"])(*step.get("ids", []), **arguments_of(step))
    if "each" in step:
        items = method_of(client, step["each"])(*step.get("ids", []), **step.get("input", {}))
        return await taken_async(items, step.get("take"))
    if "follow" in step:
        return await taken_async(client.webhooks.follow(start=step["follow"]), step.get("take"))
    if "receive" in step:
        received = client.receive(step["receive"], **pull_options(step))
        return await taken_async(received, step.get("take"), lambda each: webhook_of(each, step))
    return run(None, step)  # type: ignore[arg-type]


async def taken_async(items: AsyncIterator[Any], most: int | None, of: Any = lambda each: each) -> list[Any]:
    found = []
    async for item in items:
        found.append(of(item))
        if len(found) == most:
            break
    await items.aclose()  # type: ignore[attr-defined]
    return found


def failure_of(error: Exception) -> dict[str, Any]:
    if isinstance(error, HermodError):
        facts = {"status": error.status, "code": error.code, "retryAfter": error.retry_after and int(error.retry_after)}
        return {"kind": "refused", "hasRequestId": error.request_id is not None, **facts}
    if isinstance(error, HermodUnreachable):
        return {"kind": "unreachable"}
    if isinstance(error, WebhookVerificationError):
        return {"kind": "verification"}
    if isinstance(error, ValueError):
        return {"kind": "argument", "message": str(error)}
    return {"kind": "broken", "message": repr(error)}


async def outcomes_of(case: dict[str, Any], is_async: bool) -> list[Any]:
    made = (AsyncHermod if is_async else Hermod)(case["url"], case["key"], **options_of(case))
    saved: dict[str, Any] = {}
    outcomes: list[Any] = []
    for step in case["steps"]:
        try:
            given = resolved({name: inner for name, inner in step.items() if name not in ("expect", "raw")}, saved)
            given |= {"raw": step["raw"]} if "raw" in step else {}
            value = await run_async(made, given) if isinstance(made, AsyncHermod) else run(made, given)
            saved[step.get("save", "")] = value
            outcomes.append({"value": value})
        except Exception as error:
            outcomes.append({"error": failure_of(error)})
    return outcomes


async def main() -> None:
    for case in json.load(sys.stdin, parse_float=Decimal):
        print(dumps({"name": case["name"], "outcomes": await outcomes_of(case, sys.argv[1] == "async")}), flush=True)


asyncio.run(main())
