"""How soon GitHub shows what is right: `mergegate serve` as a process, the simulated GitHub without delay in this one.

Both share the machine. A delivery arrives at once, so what is measured is the gate's: storing it, waiting a moment for
more CI events, reading everything again, judging, writing. Times are of the events in the simulated GitHub.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.bench.measured import Row, milliseconds, percentile
from tests.gate.shop import BUNDLE
from tests.github.events import CheckRunChanged, DomainEvent, PullRequestChanged, WorkflowRunChanged
from tests.github.state import PullRequest
from tests.service.town import Town, town

PULLS = 100
CROWD = 200
TOUCHES = 4  # labels of each, beside the edit that makes it right: 1,000 deliveries
AT_ONCE = 16  # deliveries under way
PATIENCE = 300.0  # seconds
WAITING_FOR_PEOPLE = {"mergegate/evidence": "success", "mergegate/review": "in_progress"}
MEDIUM_BUNDLE = BUNDLE.replace("level: low", "level: medium")


@dataclass
class Watch:
    """Listener: when something happened, by the clock of this process."""

    ended: dict[str, float] = field(default_factory=dict)  # head -> the last CI run ended
    queued: dict[int, float] = field(default_factory=dict)  # pull request -> it entered the queue
    shown: dict[str, float] = field(default_factory=dict)  # head -> a check run changed last

    async def note(self, event: DomainEvent) -> None:
        now = time.perf_counter()
        match event:
            case WorkflowRunChanged(run=run, action="completed"):
                self.ended[run.head_sha] = now
            case PullRequestChanged(pull=pull, action="enqueued"):
                self.queued.setdefault(pull.number, now)
            case CheckRunChanged(check_run=run) if run.name.startswith("mergegate/"):
                self.shown[run.head_sha] = now


async def singly(folder: Path, say: Callable[[str], None]) -> list[Row]:
    """One pull request after the other: opened, tested, shown to be right, approved, enqueued."""
    async with town(folder) as place:
        watch, gate = Watch(), place.gate()
        place.github.listeners.append(watch.note)
        await gate.start()
        try:
            await gate.healthy()
            shown, queued = zip(*[await _one(place, watch, number, say) for number in range(PULLS)], strict=True)
        finally:
            await gate.cleanup()
    of = f"{PULLS} pull requests, one after the other, simulated GitHub without delay"
    return [_spread("last CI job ends → checks right", shown, of), _spread("approval → enqueued", queued, of)]


async def _one(place: Town, watch: Watch, number: int, say: Callable[[str], None]) -> tuple[float, float]:
    """Seconds from the end of CI to the right checks, and from the approval to the queue."""
    say(f"pull request {number + 1} of {PULLS}")
    pull = await place.open("payment")
    await _until(lambda: pull.head_sha in watch.ended and _is_right(place, pull))
    shown = watch.shown[pull.head_sha] - watch.ended[pull.head_sha]
    begun = time.perf_counter()
    await place.touch(pull.number)
    await _until(lambda: pull.number in watch.queued)
    return shown, watch.queued[pull.number] - begun


def _is_right(place: Town, pull: PullRequest) -> bool:
    return place.checks(pull.head_sha) == WAITING_FOR_PEOPLE


async def _until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not done():  # noqa: ASYNC110 - what is waited for are records that others change
            await asyncio.sleep(0.01)


def _spread(what: str, durations: Sequence[float], of: str) -> Row:
    figures = (f"p{percent} {milliseconds(percentile(durations, percent))}" for percent in (50, 95))
    return Row(what, f"{', '.join(figures)}, longest {milliseconds(max(durations))}", of)


async def burst(folder: Path, say: Callable[[str], None]) -> list[Row]:
    """Everybody's description is mended at once, and labels come with it."""
    async with town(folder) as place:
        gate = place.gate()
        await gate.start()
        try:
            await gate.healthy()
            pulls = await _crowd(place, say)
            before = len(place.github.world.deliveries)
            place.github.world.switches.deliveries_at_once = AT_ONCE
            say("the burst")
            begun = time.perf_counter()
            for pull in pulls:
                await _mend(place, pull)
            sent = time.perf_counter() - begun
            await _all(pulls, lambda pull: _is_right(place, pull))
            settled = time.perf_counter() - begun
        finally:
            await gate.cleanup()
    deliveries = len(place.github.world.deliveries) - before
    of = f"{deliveries:,} deliveries, our own writes' included, for {CROWD} pull requests; sent within {sent:.1f} s"
    return [Row("burst: until all checks are right", f"{settled:.1f} s", of)]


async def _crowd(place: Town, say: Callable[[str], None]) -> list[PullRequest]:
    """Tested pull requests that only lack a bundle, and are shown so."""
    pulls = []
    for number in range(CROWD):
        say(f"opening pull request {number + 1} of {CROWD} for the burst")
        pull = await place.open("payment")
        await place.github.edit_pull(place.shop, pull.number, "courier[bot]", body="Trust me.")
        pulls.append(pull)
    await _all(pulls, lambda pull: place.checks(pull.head_sha).get("mergegate/evidence") == "failure")
    return pulls


async def _all(pulls: Sequence[PullRequest], done: Callable[[PullRequest], bool]) -> None:
    """Until all are, also those that were before. Each look goes through all check runs, so one is waited for."""
    while not all(map(done, pulls)):
        for pull in pulls:
            await _until(partial(done, pull))


async def _mend(place: Town, pull: PullRequest) -> None:
    await place.github.edit_pull(place.shop, pull.number, "courier[bot]", body=MEDIUM_BUNDLE)
    for label in range(TOUCHES):
        await place.github.add_labels(place.shop, pull.number, "ada", f"label-{label}")
