"""Split a job's log into its steps, by the step times of the API.

The log of a job does not name its steps. The API gives their times to the second, so lines of the second in which a
step starts could belong to it or to the step before it; group lines decide where they can. Steps that cannot be told
apart share one part: a guess would let one step's words speak for another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from checks.logs.markers import starts_step
from checks.logs.prefixes import stamp


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a job as the API tells it (REST: `steps` of a workflow job). Times carry their offset, or are None."""

    number: int
    name: str
    started_at: datetime | None
    completed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive lines of a log, `first_line` to `last_line` (1-based, inclusive). More than one step: undecided."""

    steps: tuple[Step, ...]
    first_line: int
    last_line: int
    data: bytes


def split(data: bytes, steps: Iterable[Step]) -> tuple[Part, ...]:
    """The log in parts that together are the whole log, in order. Steps that never started have no lines.

    Without time stamps, or without a step that started, the whole log is one part of all started steps.
    """
    started = sorted((step for step in steps if step.started_at is not None), key=lambda step: step.number)
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        return ()
    cuts = _cuts(lines, started)
    bounds = [0, *(cut for _, cut in cuts), len(lines)]
    firsts = [0, *(index for index, _ in cuts), len(started)]
    return tuple(
        Part(
            tuple(started[firsts[at] : firsts[at + 1]]), bounds[at] + 1, bounds[at + 1], _join(lines, bounds, at, data)
        )
        for at in range(len(bounds) - 1)
    )


def _join(lines: Sequence[bytes], bounds: Sequence[int], at: int, data: bytes) -> bytes:
    joined = b"\n".join(lines[bounds[at] : bounds[at + 1]])
    last = bounds[at + 1] == len(lines)
    return joined if last and not data.endswith(b"\n") else joined + b"\n"


def _cuts(lines: Sequence[bytes], started: Sequence[Step]) -> list[tuple[int, int]]:
    """Pairs of (index of a step, index of its first line) for the steps, after the first, whose start is certain."""
    seconds = [_second(step.started_at) for step in started if step.started_at is not None]
    first, marks = _index(lines, set(seconds))
    cuts: list[tuple[int, int]] = []
    for index in range(1, len(started)):
        cut = _cut(index, seconds, first, marks)
        if cut is not None and cut > (cuts[-1][1] if cuts else 0):
            cuts.append((index, cut))
    return cuts


def _cut(index: int, seconds: list[str], first: dict[str, int], marks: dict[str, list[int]]) -> int | None:
    second = seconds[index]
    together = [at for at, other in enumerate(seconds) if other == second and at > 0]
    if len(marks[second]) == len(together):
        return marks[second][together.index(index)]
    # No group line in that second: only if nothing was printed in it, the next line surely is of this step.
    quiet = not marks[second] and len(together) == 1 and second not in first
    return _first_after(second, first) if quiet else None


def _first_after(second: str, first: dict[str, int]) -> int | None:
    return min((line for later, line in first.items() if later > second), default=None)


def _index(lines: Sequence[bytes], wanted: set[str]) -> tuple[dict[str, int], dict[str, list[int]]]:
    """First line of each second of the log, and the lines in each wanted second where a step seems to begin."""
    first: dict[str, int] = {}
    marks: dict[str, list[int]] = {second: [] for second in wanted}
    for at, line in enumerate(lines):
        text = line[:200].decode("utf-8", errors="replace").removeprefix("\ufeff")
        time = stamp(text)
        if time is None:
            continue
        second = time[:19]
        first.setdefault(second, at)
        if second in wanted and starts_step(text[len(time) + 1 :].rstrip("\r")):
            marks[second].append(at)
    return first, marks


def _second(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
