"""Who may read a repository, as GitHub says now: asked with the App's own token, remembered for a minute."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta

from app.github import reads
from app.github.client import GitHubClient
from app.github.errors import NotFound
from app.store import repositories
from app.store.database import Database
from app.store.repositories import Repository
from app.web.sign_in import Person

REMEMBERED = timedelta(minutes=1)
MOST = 10_000  # answers kept
Question = tuple[int, int]  # repository, person


class Readers:
    def __init__(self, database: Database, client: Callable[[int], GitHubClient], now: Callable[[], datetime]) -> None:
        self._database = database
        self._client = client
        self._now = now
        self._answers: OrderedDict[Question, tuple[datetime, bool]] = OrderedDict()

    async def repository(self, person: Person, owner: str, name: str) -> Repository | None:
        """The repository; None if there is none of that name here or the person may not read it.

        Raises GitHubError when GitHub cannot be asked.
        """
        async with self._database.transaction() as connection:
            found = await repositories.named(connection, owner, name)
        if found is None or not await self._may_read(person, found):
            return None
        return found

    async def _may_read(self, person: Person, repository: Repository) -> bool:
        question, now = (repository.repository_id, person.id), self._now()
        at, answer = self._answers.get(question, (None, False))
        if at is not None and now - at < REMEMBERED:
            return answer
        answer = await self._ask(person, repository)
        self._answers[question] = (now, answer)
        if len(self._answers) > MOST:
            self._answers.popitem(last=False)
        return answer

    async def _ask(self, person: Person, repository: Repository) -> bool:
        """A login that was given to somebody else since the sign-in is not that person any more."""
        client = self._client(repository.installation_id)
        try:
            answer = await reads.permission(client, repository.owner, repository.name, person.login)
        except NotFound:
            return False
        return answer.permission != "none" and answer.user is not None and answer.user.id == person.id
