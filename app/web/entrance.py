"""The way to a repository's page: who has signed in, what they may do there, and what is said when nobody can tell."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from fastapi import Request
from fastapi.responses import JSONResponse, Response

from app.github.errors import GitHubError
from app.store.database import DatabaseAway
from app.store.repositories import Repository
from app.web.pages import HEADERS, Pages
from app.web.readers import Readers
from app.web.recent import TooManyWait
from app.web.sign_in import Person, SignIn
from checks.accounts import Permission

log = structlog.get_logger(__name__)

AWAY = ("This cannot be shown now.", "GitHub or the database is away. Try again.")
BUSY = ("This cannot be shown now.", "Too many ask at once. Try again in a minute.")


@dataclass(frozen=True, slots=True)
class Visit:
    """A person at a repository that they may read. `permission` is theirs there, at most a minute old."""

    person: Person
    repository: Repository
    permission: Permission

    @property
    def path(self) -> str:
        return f"/{self.repository.owner}/{self.repository.name}"


Show = Callable[[Visit], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Entrance:
    readers: Readers
    sign_in: SignIn
    pages: Pages

    async def page(self, request: Request, owner: str, name: str, show: Show) -> Response:
        """The page; the sign-in, "nothing here" and "not now" are pages too."""
        person = self.sign_in.person(request)
        if person is None:
            return self.sign_in.ask(request)

        async def visited() -> Response:
            visit = await self._visit(person, owner, name)
            return self.pages.not_found() if visit is None else await show(visit)

        return await self.guarded(visited)

    async def guarded(self, show: Callable[[], Awaitable[Response]]) -> Response:
        """Whatever a page needs may be away, or too much asked for."""
        try:
            return await show()
        except TooManyWait:
            return self.pages.message(*BUSY, 503)
        except (GitHubError, DatabaseAway) as wrong:
            log.warning("a page could not be shown", error=str(wrong))
            return self.pages.message(*AWAY, 503)

    async def record(self, request: Request, owner: str, name: str, show: Show) -> Response:
        """The same for programs, which are answered in JSON."""
        person = self.sign_in.person(request)
        if person is None:
            return refused("Sign in with a browser first.", 401)
        try:
            visit = await self._visit(person, owner, name)
            return refused("There is nothing here for you.", 404) if visit is None else await show(visit)
        except TooManyWait:
            return refused(BUSY[1], 503)
        except (GitHubError, DatabaseAway) as wrong:
            log.warning("a record could not be shown", error=str(wrong))
            return refused(AWAY[1], 503)

    async def _visit(self, person: Person, owner: str, name: str) -> Visit | None:
        repository = await self.readers.repository(person, owner, name)
        if repository is None:
            return None
        return Visit(person, repository, await self.readers.permission(person, repository))


def refused(because: str, status: int) -> Response:
    return JSONResponse({"error": because}, status, HEADERS)
