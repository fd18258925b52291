"""Machines that claim tickets and work on them, well or badly. Each yields the minutes until it does its next thing.

What a machine makes of a ticket is drawn from the night's seed, the ticket and the attempt: whoever claims it then, a
night with the same seed holds the same characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from itertools import chain, repeat
from random import Random
from typing import Any

from app.proxy import ledger, sessions
from app.proxy.grant import Grant
from app.proxy.refusal import Refusal
from tests.fleet.town import Town
from tests.fleet.verdicts import Truth

Minutes = AsyncIterator[float]
SIGN = 4.0  # minutes between two signs of life
DEAREST = Decimal("0.45")  # US dollars of one call of a model, at most
CAUSES = ("missing_information", "requirement_conflict")
FAULTS = ("2 of 41 tests fail", "the change is outside of the allowed paths", "no job of CI ran the tests")


class Over(Exception):
    """The session does nothing any more."""


@dataclass
class Seen:
    """What agents lived through, for the count at the end. `tokens` have their ticket's number."""

    tokens: list[tuple[int, str]] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    spent: list[tuple[datetime, int, Decimal]] = field(default_factory=list)  # calls of models let through
    refused_calls: int = 0
    answers: Counter[int] = field(default_factory=Counter)  # by status


@dataclass
class Job:
    """One claim of one machine."""

    town: Town
    random: Random
    seen: Seen
    number: int
    branch: str
    token: str
    key: str
    says: tuple[str, str]  # two lines of its ticket

    async def ask(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Raises Over where the gate says that nothing of this session goes on."""
        status, said = await self.town.ask(method, path, self.token, body)
        self.seen.answers[status] += 1
        if status in (401, 409):
            raise Over
        return said

    async def sign(self, step: int = 1, steps: int = 8) -> None:
        """Progress, and a call of a model before it."""
        self.call()
        await self.ask("POST", "/session/progress", {"step": min(step, steps), "steps": steps, "doing": "at work"})

    def call(self, cost: Decimal | None = None) -> bool:
        spent = cost or Decimal(self.random.randint(3, 20)) / 100
        assert spent <= DEAREST
        let_through = self.town.litellm.call(self.key, spent)
        if let_through:
            self.seen.spent.append((self.town.clock.now, self.number, spent))
        else:
            self.seen.refused_calls += 1
        return let_through

    async def push(self, fault: str | None) -> None:
        """A commit past the proxy, with the proxy's note of it, and a pull request if there is none."""
        town = self.town
        found = await sessions.find(town.database, self.token)
        if isinstance(found, Refusal):
            raise Over
        entry = await ledger.begin(town.database, found, ledger.PUSH, ref=found.branch)
        if not isinstance(entry, int):
            raise Over
        text = f"{self.number} {self.random.random()}\n"
        head = await town.github.push(town.shop, self.branch, {f"src/t{self.number}.py": text}, author="porter[bot]")
        town.verdicts.truth[head] = Truth(town.clock.now, fault)
        await ledger.end(town.database, entry, "done")
        await self._open(found)

    async def _open(self, grant: Grant) -> None:
        pulls = self.town.shop.pulls.values()
        if any(pull.head_ref == self.branch and pull.issue.state == "open" for pull in pulls):
            return
        title, text = f"Ticket {self.number}", f"For #{grant.ticket}; all tests pass."
        await self.town.github.open_pull(self.town.shop, self.branch, "main", title, text, "porter[bot]")

    async def state(self) -> str:
        return str((await self.ask("GET", "/session/verdict"))["state"])


async def machine(town: Town, name: str, seed: int, seen: Seen) -> Minutes:
    """For ever: claim, work, rest."""
    random = Random(f"{seed} {name}")
    while True:
        status, claim = await town.ask("POST", "/agent/claim", town.enrolment, {"worker": name})
        seen.answers[status] += 1
        if status != 200 or not claim["claimed"]:
            yield random.uniform(4, 8)
            continue
        drawn = Random(f"{seed} {claim['ticket']} {claim['attempt']}")
        kind = drawn.choices(list(KINDS), [weight for weight, _ in KINDS.values()])[0]
        seen.kinds[kind] += 1
        seen.tokens.append((claim["ticket"], claim["token"]))
        job = job_of(town, drawn, seen, claim)
        try:
            async for minutes in KINDS[kind][1](job):
                yield minutes
        except Over:
            pass
        yield random.uniform(0.5, 3)


def job_of(town: Town, drawn: Random, seen: Seen, claim: dict[str, Any]) -> Job:
    lines = (claim["snapshot"]["goal"], claim["snapshot"]["done_when"][0])
    given = (claim["ticket"], claim["branch"], claim["token"], claim["models"]["key"])
    return Job(town, drawn, seen, *given, lines)


async def works(job: Job, signs: int) -> Minutes:
    """Progress every few minutes."""
    yield job.random.uniform(0.2, 2)
    for step in range(1, signs + 1):
        await job.sign(step, signs)
        yield job.random.uniform(0.8, 1.0) * SIGN


async def brings(job: Job, faults: Iterator[str | None]) -> Minutes:
    """Heads with these faults, one after the other as they are sent back, until the session is over."""
    for fault in faults:
        async for minutes in works(job, job.random.randint(3, 9)):
            yield minutes
        await job.push(fault)
        await job.ask("POST", "/session/done", {"summary": "Done, all tests pass, exit code 0."})
        yield SIGN
        while await job.state() != "running":
            yield SIGN


def faulty(job: Job) -> str:
    return job.random.choice(FAULTS)


async def passes(job: Job) -> Minutes:
    async for minutes in brings(job, repeat(None)):
        yield minutes


async def fails_once(job: Job) -> Minutes:
    faults: Sequence[str | None] = (faulty(job),)
    async for minutes in brings(job, chain(faults, repeat(None))):
        yield minutes


async def lies(job: Job) -> Minutes:
    """Whatever is wrong, it says that everything is fine, and brings the same again."""
    async for minutes in brings(job, repeat("the bundle says exit code 0, CI says 1")):
        yield minutes


def question(job: Job, cause: str) -> dict[str, Any]:
    """A conflict goes up to people where it quotes two lines of the ticket."""
    words = f"“{job.says[0]}” and “{job.says[1]}” cannot both hold. Gross or net?"
    return {"question": words, "options": ["gross", "net"], "default": "it rests", "cause": cause}


async def asks(job: Job) -> Minutes:
    async for minutes in works(job, 2):
        yield minutes
    await job.ask("POST", "/session/questions", question(job, job.random.choice(CAUSES)))
    while await job.state() != "running":
        yield 2 * SIGN
    async for minutes in passes(job):
        yield minutes


async def hangs(job: Job) -> Minutes:
    await job.sign()
    yield 45


async def never_starts(_: Job) -> Minutes:
    yield 20


async def gives_up(job: Job) -> Minutes:
    async for minutes in works(job, 2):
        yield minutes
    await job.ask("POST", "/session/failed", {"reason": "The tests need a machine that I do not have."})


async def overspends(job: Job) -> Minutes:
    """Calls the dearest model until it is refused, and goes on trying."""
    yield 1
    while True:
        for _ in range(3):
            job.call(DEAREST)
        await job.ask("POST", "/session/progress", {"doing": "thinking hard"})
        yield SIGN


async def dawdles(job: Job) -> Minutes:
    """Never silent, never done."""
    yield 1
    while True:
        await job.ask("POST", "/session/progress", {"doing": "nearly done", "percent": 99})
        yield SIGN


KINDS: dict[str, tuple[float, Callable[[Job], Minutes]]] = {
    "passes": (48, passes),
    "fails once": (14, fails_once),
    "lies": (7, lies),
    "asks": (8, asks),
    "hangs": (7, hangs),
    "never starts": (3, never_starts),
    "gives up": (4, gives_up),
    "overspends": (6, overspends),
    "dawdles": (3, dawdles),
}
