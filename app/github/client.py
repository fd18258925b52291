"""The client of one installation, or of the App itself: every request goes through `GitHubClient`."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from urllib.parse import urlencode

import httpx

from app.github.addresses import graphql_url, next_page, origin, redirect_target, repository_of
from app.github.answers import failure, graphql_data, parsed
from app.github.budgets import Budget, WriteBucket, WriteLimits, for_checks, present_urgency
from app.github.counts import REDIRECT
from app.github.credentials import AppKeys, InstallationTokens
from app.github.errors import GitHubDown, NotFound, UnexpectedAnswer
from app.github.etags import LIMIT, EtagStore, Stored
from app.github.identity import AppIdentity
from app.github.tokens import Token
from app.github.wire import Answer, Authorizer, Call, Wire, transport
from app.secret import SecretStr

T = TypeVar("T")
Params = Mapping[str, str | int]
MEGABYTE = 1024 * 1024
_REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True)
class Settings:
    """Limits of a client. Time-outs are for a whole exchange, minting included, in seconds; sizes are in bytes."""

    timeout: float = 20.0
    download_timeout: float = 60.0
    answer_bytes: int = 8 * MEGABYTE
    graphql_bytes: int = 16 * MEGABYTE
    etag_bytes: int = LIMIT
    concurrent: int = 16
    writes: WriteLimits = field(default_factory=WriteLimits)
    now: Callable[[], float] = time.time
    clock: Callable[[], float] = time.monotonic  # seconds that never go back, for the pace of writes


class GitHubClient:
    """Requests in the name of one installation (`installation_id`), or of the App itself (None).

    Every method raises the errors of `app.github.errors` and nothing of HTTP. A `purpose` is one of the identity's
    purposes, with an optional label after a colon (`read:runs`); requests are counted under the whole text.
    """

    def __init__(
        self,
        identity: AppIdentity,
        installation_id: int | None,
        *,
        inner: httpx.AsyncBaseTransport | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.identity = identity
        self.installation_id = installation_id
        self._settings = settings or Settings()
        self.budget = Budget(self._settings.now)
        self._wire = Wire(identity.api_url, inner or transport(), installation_id)
        self._content = WriteBucket(self._settings.writes, self._settings.clock)
        self._checks = WriteBucket(for_checks(self._settings.writes), self._settings.clock)
        self.etags = EtagStore(self._settings.etag_bytes)
        self._flights: dict[str, asyncio.Task[Stored]] = {}
        self._slots = asyncio.Semaphore(self._settings.concurrent)
        self._keys = AppKeys(identity, self._settings.now)
        self._tokens = InstallationTokens(self._keys, installation_id, self._wire, self.budget)

    @property
    def counts(self) -> Counter[str]:
        """Requests sent, by purpose; minting and redirects under `mint` and `redirect`."""
        return self._wire.counts

    async def aclose(self) -> None:
        await self._wire.aclose()

    def forget_tokens(self) -> None:
        """After a change of permissions or repositories: mint anew for the next request."""
        self._tokens.forget_all()

    async def token(self, purpose: str, *, repository: str) -> Token:
        """A token for a program that talks to GitHub by itself (git): one purpose, one repository by name."""
        return await self._tokens.get(purpose, repository)

    def refused_token(self, purpose: str, *, repository: str, token: SecretStr) -> None:
        """GitHub refused a token that `token` handed out; the next one will be new."""
        self._tokens.forget(purpose, repository, token)

    async def get(self, path: str, *, purpose: str, model: type[T], params: Params | None = None) -> T:
        """One object. Conditional on what was read before, and joined with the same read already under way."""
        call = self._call("GET", path, purpose, params=params)
        return parsed(call, (await self._read(call)).body, model)

    async def pages(
        self,
        path: str,
        *,
        purpose: str,
        model: type[T],
        params: Params | None = None,
        most: int = 10,
        enough: Callable[[T], bool] = lambda _: False,
        keep: Callable[[T], T] = lambda page: page,
        again: bool = True,
    ) -> tuple[list[T], bool]:
        """The pages of a list, up to one that is `enough`, at most `most`; and whether that was all that was wanted.

        `keep` takes from each page what is to be held until the last one is read. Where nobody asks for the same
        addresses `again`, as with cursors into what grows, no answer is remembered. A next page on another host is
        refused, because the token would follow it there.
        """
        call = self._call("GET", path, purpose, params={"per_page": 100, **(params or {})})
        pages: list[T] = []
        for _ in range(most):
            stored = await (self._read(call) if again else self._unremembered(call))
            page = parsed(call, stored.body, model)
            pages.append(keep(page))
            following = next_page(stored.link)
            if following is None or enough(page):
                return pages, True
            call = replace(call, url=self._same_origin(call, following), params=None)
        return pages, False

    async def download(self, path: str, *, purpose: str, limit_bytes: int) -> bytes:
        """A log or archive: exactly one redirect is followed, and to another host without the token.

        Raises TooLarge as soon as `limit_bytes` are exceeded; NotFound when it has expired.
        """
        call = replace(
            self._call("GET", path, purpose), limit_bytes=limit_bytes, timeout=self._settings.download_timeout
        )
        answer = await self._send(call, frozenset({200, *_REDIRECTS}))
        if answer.status == 200:
            return answer.body
        return (await self._follow(call, answer, abroad=True)).body

    async def post(self, path: str, *, purpose: str, model: type[T], json: Any = None) -> T:
        return await self.write("POST", path, purpose=purpose, model=model, json=json)

    async def patch(self, path: str, *, purpose: str, model: type[T], json: Any = None) -> T:
        return await self.write("PATCH", path, purpose=purpose, model=model, json=json)

    async def put(self, path: str, *, purpose: str, model: type[T], json: Any = None) -> T:
        return await self.write("PUT", path, purpose=purpose, model=model, json=json)

    async def delete(self, path: str, *, purpose: str, json: Any = None) -> None:
        await self.write("DELETE", path, purpose=purpose, model=object, json=json)

    async def write(self, method: str, path: str, *, purpose: str, model: type[T], json: Any = None) -> T:
        """Sent once, never again by itself; GitHubDown then says whether it may have happened."""
        call = self._call(method, path, purpose, json=json, writes=True)
        answer = await self._send(call, frozenset(range(200, 300)))
        return parsed(call, answer.body, model)

    async def write_answered(
        self, method: str, path: str, *, purpose: str, model: type[T], json: Any, statuses: frozenset[int]
    ) -> tuple[int, T]:
        """A write whose other `statuses` are answers too, with a body of the same shape."""
        call = self._call(method, path, purpose, json=json, writes=True)
        answer = await self._send(call, statuses)
        return answer.status, parsed(call, answer.body, model)

    async def graphql(
        self, document: str, variables: Mapping[str, Any], *, purpose: str, repository: str | None, model: type[T]
    ) -> T:
        """The document's `data`. Raises an error when GitHub reports any, also beside data."""
        text = document.strip()
        call = self._call("POST", graphql_url(self.identity.api_url), purpose, repository=repository)
        call = replace(
            call,
            name=f"GraphQL {text.partition('(')[0].partition('{')[0].strip()}",
            json={"query": text, "variables": dict(variables)},
            writes=text.startswith("mutation"),
            limit_bytes=self._settings.graphql_bytes,
        )
        answer = await self._send(call, frozenset({200}), resource="graphql")
        return graphql_data(call, answer, model, self.budget)

    def _call(
        self,
        method: str,
        path: str,
        purpose: str,
        *,
        params: Params | None = None,
        json: Any = None,
        writes: bool = False,
        repository: str | None = None,
    ) -> Call:
        return Call(
            method=method,
            url=path if "://" in path else self.identity.api_url.rstrip("/") + path,
            name=f"{method} {path}",
            purpose=purpose,
            authorizer=self._authorizer(purpose, repository or repository_of(path)),
            writes=writes,
            params=params,
            json=json,
            limit_bytes=self._settings.answer_bytes,
            timeout=self._settings.timeout,
        )

    def check_content(self) -> None:
        """Raises RateLimited where a write of content would be refused now."""
        self._content.check("a write", self._settings.now())

    def _authorizer(self, purpose: str, repository: str | None) -> Authorizer:
        if self.installation_id is None:
            return self._keys.authorizer()
        return self._tokens.authorizer(purpose, repository)

    async def _send(self, call: Call, expected: frozenset[int], resource: str = "core") -> Answer:
        """Raises the error for every status that is not among the expected ones."""
        self.budget.admit(call.name, resource)
        if call.writes:
            bucket = self._checks if call.purpose == "checks" else self._content
            await bucket.turn(call.name, self._settings.now())
            self._flights.clear()
        try:
            async with self._slots:
                answer = await self._wire.send(call)
        except GitHubDown:
            self.budget.failed()
            raise
        finally:
            if call.writes:
                # A read that began before this write must not answer one that comes after it.
                self._flights.clear()
        self.budget.note(resource, answer)
        if answer.status in expected:
            return answer
        raise failure(call, answer, self.budget)

    async def _read(self, call: Call) -> Stored:
        """A GET, conditional and joined: callers of the same address at the same time share one request."""
        key = f"{call.purpose.partition(':')[0]} {call.url}?{urlencode(call.params or {})}"
        # Whoever may still ask must not join one that may not.
        flight = f"{present_urgency()} {key}"
        task = self._flights.get(flight)
        if task is None:
            task = self._flights[flight] = asyncio.create_task(self._conditional(call, key))
            task.add_done_callback(lambda done: self._landed(flight, done))
        return await asyncio.shield(task)

    def _landed(self, key: str, task: asyncio.Task[Stored]) -> None:
        if self._flights.get(key) is task:
            del self._flights[key]
        if not task.cancelled():
            task.exception()

    async def _conditional(self, call: Call, key: str) -> Stored:
        kept = self.etags.get(key)
        if kept is not None:
            call = replace(call, headers={"If-None-Match": kept.etag})
        answer = await self._send(call, frozenset({200, 304, *_REDIRECTS}))
        if answer.status == 304:
            return self._unchanged(call, kept)
        if answer.status in _REDIRECTS:
            answer = await self._follow(call, answer, abroad=False)
        stored = Stored(answer.headers.get("etag", ""), answer.body, answer.headers.get("link", ""))
        if stored.etag.isascii() and stored.etag:
            self.etags.put(key, stored)
        return stored

    async def _unremembered(self, call: Call) -> Stored:
        answer = await self._send(call, frozenset({200}))
        return Stored("", answer.body, answer.headers.get("link", ""))

    def _unchanged(self, call: Call, kept: Stored | None) -> Stored:
        if kept is None:
            raise UnexpectedAnswer(call.name, "GitHub answered 304 to a request that was not conditional")
        return kept

    async def _follow(self, call: Call, answer: Answer, *, abroad: bool) -> Answer:
        """The target of one redirect, on another host only if `abroad`: what is read as GitHub's word comes from it.

        Raises UnexpectedAnswer for a second redirect or an address that is not followed.
        """
        target = redirect_target(call.url, answer.headers.get("location", ""))
        home = target is not None and origin(target) == origin(call.url)
        if target is None or not (home or abroad):
            raise UnexpectedAnswer(call.name, "the redirect leads to an address that is not followed")
        authorizer = call.authorizer if home else None
        onward = replace(call, url=target, purpose=REDIRECT, params=None, headers={}, authorizer=authorizer)
        return await self._arrived(onward, home)

    async def _arrived(self, call: Call, home: bool) -> Answer:
        if home:
            return await self._send(call, frozenset({200}))
        answer = await self._wire.send(call)
        if answer.status == 200:
            return answer
        if answer.status in (404, 410):
            raise NotFound(call.name, "the redirect's target is gone")
        if answer.status in _REDIRECTS:
            raise UnexpectedAnswer(call.name, "a second redirect is not followed")
        raise GitHubDown(call.name, f"the redirect's target answered {answer.status}")

    def _same_origin(self, call: Call, url: str) -> str:
        if origin(url) != origin(self.identity.api_url):
            raise UnexpectedAnswer(call.name, "the next page is on another host; the token does not go there")
        return url
