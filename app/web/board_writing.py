"""Comments that people write by a button: each once, in their own name, with a token that lives for that one comment.

Whoever presses is sent to GitHub, which knows them and sends them back at once; the token that this brings writes the
comment and is revoked, so that none is ever kept. The gate hears the comment like every other one, by its delivery or
its resync: right, state and limits are judged there, and the comment stays as the record.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace
from functools import partial

import structlog
from fastapi.responses import Response
from githubkit.exception import GitHubException, RequestFailed
from starlette.responses import RedirectResponse

from app.github.addresses import route
from app.github.issues import ISSUE
from app.store import page_commands, repositories
from app.store.database import Database
from app.store.page_commands import PageCommand
from app.store.repositories import Repository
from app.web.entrance import Entrance, Visit
from app.web.pages import Pages
from app.web.sign_in import Person, UserGitHub
from policies.tickets.page_texts import PAGE_TEXTS
from policies.tickets.words import Language

log = structlog.get_logger(__name__)

SECONDS = 20.0  # for GitHub to take the comment


@dataclass(frozen=True, slots=True)
class Wanted:
    """A comment that is to be written. `page` tells the page with the button from every other one; `ticket` is where
    to go back to."""

    page: str
    thread: int
    ticket: str
    body: str

    def key(self, repository_id: int) -> str:
        """The same button of the same page is one command, however often it is sent."""
        return hashlib.sha256(f"{self.page} {repository_id} {self.thread} {self.body}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Writing:
    database: Database
    entrance: Entrance
    web_url: str

    @property
    def pages(self) -> Pages:
        return self.entrance.pages

    async def press(self, visit: Visit, wanted: Wanted, language: Language) -> Response:
        repository_id = visit.repository.repository_id
        key = wanted.key(repository_id)
        command = PageCommand(key, repository_id, wanted.thread, wanted.ticket, visit.person.id, wanted.body)
        async with self.database.transaction() as connection:
            kept = await page_commands.press(connection, command)
        if kept.begun:
            return self._again(visit.repository, kept, language)
        return self.entrance.sign_in.send(f"{language}:{key}", PAGE_TEXTS[language]["onward"], language)

    async def run(self, github: UserGitHub, person: Person, about: str) -> Response:
        """Write what was pressed, as whom GitHub says has come back, if that is who pressed."""
        return await self.entrance.guarded(partial(self._run, github, person, about))

    async def give_up(self, about: str) -> Response:
        """GitHub did not say who it is: what to say oneself, and where."""
        return await self.entrance.guarded(partial(self._give_up, about))

    async def _run(self, github: UserGitHub, person: Person, about: str) -> Response:
        language, key = _read(about)
        found = await self._pressed(key)
        if found is None:
            return self.told("gone", 409, language)
        repository, kept = found
        if kept.person_id != person.id:
            return self.told("other", 403, language)
        async with self.database.transaction() as connection:
            ours = await page_commands.begin(connection, key)
        if not ours:
            return self._again(repository, kept, language)
        return await self._comment(github, repository, kept, language)

    async def _give_up(self, about: str) -> Response:
        language, key = _read(about)
        found = await self._pressed(key)
        return self.told("gone", 409, language) if found is None else self._to_copy(*found, "denied", language)

    async def _pressed(self, key: str) -> tuple[Repository, PageCommand] | None:
        async with self.database.transaction() as connection:
            kept = await page_commands.find(connection, key)
            repository = None if kept is None else await repositories.find(connection, kept.repository_id)
        return None if kept is None or repository is None else (repository, kept)

    async def _comment(
        self, github: UserGitHub, repository: Repository, kept: PageCommand, language: Language
    ) -> Response:
        path = route(ISSUE + "/comments", owner=repository.owner, name=repository.name, number=kept.thread)
        try:
            async with asyncio.timeout(SECONDS):
                answer = await github.arequest("POST", path, json={"body": kept.body})
            comment_id = int(answer.json()["id"])
        except RequestFailed as wrong:
            return await self._not_written(repository, kept, wrong.response.status_code, language)
        except (GitHubException, TimeoutError, ValueError, KeyError, TypeError) as wrong:
            log.warning("a comment may not have been written", error=type(wrong).__name__)
            return self.told("unsure", 502, language)
        async with self.database.transaction() as connection:
            await page_commands.written(connection, kept.key, comment_id)
        return _result(repository, replace(kept, comment_id=comment_id))

    async def _not_written(
        self, repository: Repository, kept: PageCommand, status: int, language: Language
    ) -> Response:
        """GitHub did nothing where it refuses; where it fails nobody knows."""
        log.warning("a comment was not written", status=status)
        if status >= 500:
            return self.told("unsure", 502, language)
        async with self.database.transaction() as connection:
            await page_commands.unwritten(connection, kept.key)
        return self._to_copy(repository, kept, "refused", language)

    def _again(self, repository: Repository, kept: PageCommand, language: Language) -> Response:
        return self.told("unsure", 409, language) if kept.comment_id is None else _result(repository, kept)

    def _to_copy(self, repository: Repository, kept: PageCommand, because: str, language: Language) -> Response:
        path = f"/{repository.owner}/{repository.name}"
        return self.pages.page(
            "board-copy.html",
            409,
            because=because,
            body=kept.body,
            thread=f"{self.web_url}{path}/issues/{kept.thread}",
            back=f"{path}/board/{kept.ticket}",
            words=PAGE_TEXTS[language],
            language=language,
        )

    def told(self, what: str, status: int, language: Language) -> Response:
        """What became of it, and what to do next."""
        words = PAGE_TEXTS[language]
        return self.pages.message(words[f"m_{what}"], words[f"m_{what}_next"], status, language)


def _read(about: str) -> tuple[Language, str]:
    """The language in which the button stood, and the key of what was pressed."""
    written, _, key = about.partition(":")
    return next((language for language in PAGE_TEXTS if language == written), "en"), key


def _result(repository: Repository, written: PageCommand) -> Response:
    """The page of the ticket, which says what became of it."""
    path = f"/{repository.owner}/{repository.name}/board/{written.ticket}"
    return RedirectResponse(f"{path}?said={written.comment_id}", 303)
