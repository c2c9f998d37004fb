"""Builds requests and reads answers. Does no I/O, so both clients share it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Sequence
from urllib.parse import quote, urlencode

import httpx

from .errors import HermodUnreachable, error_of
from .exact_json import dumps


@dataclass(frozen=True)
class Options:
    url: str
    key: str
    #: Acts for another account, given by its id or `external_id`. Needs the permission `admin`.
    account: str | None = None
    #: Timeout of each try in seconds.
    timeout: float = 30.0
    #: Most retries of a request that is safe to repeat.
    max_retries: int = 4
    #: Makes the Idempotency-Key of each POST without one, for example `lambda: str(uuid.uuid4())`.
    new_idempotency_key: Callable[[], str] | None = None
    #: Reads numbers with a fraction. `decimal.Decimal` keeps every digit.
    parse_float: Callable[[str], Any] = float

    @property
    def origin(self) -> str:
        return self.url.rstrip("/").removesuffix("/v1")

    def __post_init__(self) -> None:
        if not self.url.lower().startswith(("http://", "https://")) or not httpx.URL(self.url).host:
            raise ValueError("url must begin with http:// or https://")


@dataclass(frozen=True)
class Request:
    method: str
    #: The route, with names in braces.
    path: str
    ids: Sequence[str] = ()
    query: Mapping[str, Any] | None = None
    body: Mapping[str, Any] | None = None
    idempotency_key: str | None = None
    #: The timeout beyond the one of the client, for a request that the service lets wait.
    patience: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    #: True if it is safe to repeat although its method says otherwise.
    repeats: bool = False

    def keyed(self, options: Options) -> Request:
        """Gives a POST its Idempotency-Key, once for all its tries."""
        if self.method != "POST" or self.idempotency_key or self.repeats or not options.new_idempotency_key:
            return self
        return Request(**{**self.__dict__, "idempotency_key": options.new_idempotency_key()})

    @property
    def is_repeatable(self) -> bool:
        # A repeated PATCH could overwrite another client's change, so the caller must repeat it.
        if self.method == "POST":
            return self.repeats or self.idempotency_key is not None
        return self.method != "PATCH"

    def built(self, client: httpx.Client | httpx.AsyncClient, options: Options) -> httpx.Request:
        headers = {"accept": "application/json", "authorization": f"Bearer {options.key}", **self.headers}
        if options.account is not None:
            headers["hermod-account"] = quote(options.account, safe="")
        if self.idempotency_key is not None:
            headers["idempotency-key"] = self.idempotency_key
        content = None
        if self.body is not None:
            headers["content-type"] = "application/json"
            content = dumps(self.body).encode()
        timeout = httpx.Timeout(options.timeout + self.patience)
        return client.build_request(
            self.method, options.origin + self._target(), headers=headers, content=content, timeout=timeout
        )

    def _target(self) -> str:
        path = self.path
        for name, value in zip(_names_in(path), self.ids, strict=True):
            path = path.replace("{" + name + "}", _segment(name, value))
        pairs = [pair for name, value in (self.query or {}).items() for pair in _parameters(name, value)]
        return f"{path}?{urlencode(pairs)}" if pairs else path


def answer_of(response: httpx.Response, options: Options) -> Any:
    """Reads an answer. Raises a HermodError for a refusal, and a HermodUnreachable if a gateway sent no JSON."""
    if not response.is_success:
        raise error_of(response.status_code, response.headers, response.text)
    try:
        return json.loads(response.content, parse_float=options.parse_float)
    except ValueError as cause:
        raise HermodUnreachable(f"No answer from {options.origin}: the answer is not JSON") from cause


def unreachable(options: Options, cause: httpx.HTTPError) -> HermodUnreachable:
    reason = "it took too long" if isinstance(cause, httpx.TimeoutException) else str(cause) or type(cause).__name__
    return HermodUnreachable(f"No answer from {options.origin}: {reason}")


def _names_in(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]


def _segment(name: str, value: str) -> str:
    """Refuses an empty segment and dots, which would lead to another path, such as a list (RFC 3986, 5.2.4)."""
    if value in ("", ".", "..", "~", "~.", "~.."):
        raise ValueError(f'{name} can\'t be "{value}"')
    return quote(value, safe="~")


def _parameters(name: str, value: Any) -> list[tuple[str, str]]:
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [(f"{name}.{inner}", str(text)) for inner, text in value.items()]
    # Some names are words of Python, such as `from_`.
    return [(name.rstrip("_"), str(value).lower() if isinstance(value, bool) else str(value))]
