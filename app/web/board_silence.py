"""How long the gate has done nothing and GitHub was not looked at, so that nobody takes old words for the present."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from app.ages import ago
from app.store import repositories, work
from app.store.database import Database
from policies.tickets.page_texts import PAGE_TEXTS
from policies.tickets.words import Language

GITHUB_WAITS = timedelta(minutes=30)  # a resync comes every ten minutes


@dataclass(frozen=True, slots=True)
class Silence:
    """`gate`: how long work has waited. `github`: since the repository was listed last, None if it never was."""

    gate: timedelta
    github: timedelta | None

    def sentences(self, language: Language) -> tuple[str, ...]:
        """What is to be said in red; nothing while all is well."""
        words, found = PAGE_TEXTS[language], []
        if self.gate > work.LATE:
            found.append(words["quiet_gate"].format(age=ago(self.gate, language)))
        if self.github is None:
            found.append(words["never"])
        elif self.github > GITHUB_WAITS:
            found.append(words["quiet_github"].format(age=ago(self.github, language)))
        return tuple(found)

    def record(self) -> dict[str, bool]:
        """Steady while nothing changes, so that its reader's copy stays good."""
        return {"gate": self.gate > work.LATE, "github": self.github is None or self.github > GITHUB_WAITS}


async def silence(database: Database, repository_id: int) -> Silence:
    waits = (await work.counts(database)).oldest
    async with database.transaction() as connection:
        listed, _ = await repositories.since_listing(connection, repository_id)
    return Silence(timedelta(seconds=max(waits, 0.0)), listed)
