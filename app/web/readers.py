"""What a person may do on a repository, as GitHub says now: asked with the App's own token, remembered for a minute."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta

from app.gate.people import WORDS
from app.github import reads
from app.github.client import GitHubClient
from app.github.errors import NotFound
from app.store import repositories
from app.store.database import Database
from app.store.repositories import Repository
from app.web.sign_in import Person
from checks.accounts import Permission

REMEMBERED = timedelta(minutes=1)
MOST = 10_000  # answers kept
Question = tuple[int, int]  # repository, person


class Readers:
    def __init__(self, database: Database, client: Callable[[int], GitHubClient], now: Callable[[], datetime]) -> None:
        self._database = database
        self._client = client
        self._now = now
        self._answers: OrderedDict[Question, tuple[datetime, Permission]] = OrderedDict()

    async def repository(self, person: Person, owner: str, name: str) -> Repository | None:
        """The repository; None if there is none of that name here or the person may not read it.

        Raises GitHubError when GitHub cannot be asked.
        """
        async with self._database.transaction() as connection:
            found = await repositories.named(connection, owner, name)
        if found is None or await self.permission(person, found) < Permission.READ:
            return None
        return found

    async def permission(self, person: Person, repository: Repository) -> Permission:
        """Raises GitHubError when GitHub cannot be asked."""
        question, now = (repository.repository_id, person.id), self._now()
        kept = self._answers.get(question)
        if kept is not None and now - kept[0] < REMEMBERED:
            return kept[1]
        answer = await self._ask(person, repository)
        self._answers[question] = (now, answer)
        if len(self._answers) > MOST:
            self._answers.popitem(last=False)
        return answer

    async def _ask(self, person: Person, repository: Repository) -> Permission:
        """A login that was given to somebody else since the sign-in is not that person any more."""
        client = self._client(repository.installation_id)
        try:
            answer = await reads.permission(client, repository.owner, repository.name, person.login)
        except NotFound:
            return Permission.NONE
        if answer.user is None or answer.user.id != person.id:
            return Permission.NONE
        return WORDS.get(answer.role_name) or WORDS.get(answer.permission, Permission.NONE)
