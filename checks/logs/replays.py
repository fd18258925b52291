"""Tools that print the output of an earlier run again, from a cache: turbo, nx, moon.

What such output says is true of the run in which it was made, and nothing else tells it from a fresh one. So summaries
in it are no evidence of this run. Sources: the tools' own logs (tests/checks/logs/real/monorepos),
https://turborepo.com/docs/crafting-your-repository/caching, https://nx.dev/docs/features/cache-task-results,
https://moonrepo.dev/docs/concepts/cache.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import re2

from checks.logs.report import Reader, Reading, Summary

# Sought within lines where the beginning varies: an automaton that counts signs at every line's beginning is slow.
# Ends of groups are not sought: every step has some, and the next task or the end of all comes right after them.
INTEREST = r"^cache (?:hit|miss|bypass)\b|> nx run |NX   [A-Z]|^ Tasks: +\d| \(cached[,)]"
MOST_REPLAYS = 5_000
REASON = "its output was replayed from a cache, it is not a fresh run"

_NX = r"^(?:(?:##\[group\]|::group::)\S{1,4} )?> nx run .{1,500}"
_BEGINS = re2.compile(
    rf"^cache hit(?: \([^()]{{0,80}}\))?, replaying (?:logs|output)\b|{_NX}  \[[^\[\]]*cache[^\[\]]*\]$"
)
# The next task, or the end of all.
_ENDS = re2.compile(
    rf"^cache (?:hit|miss|bypass)\b|{_NX}|^(?: >)? *NX   (?:Successfully ran|Ran|Running) target "
    r"|^ Tasks: +\d"
)
# moon says it before or after the replay, which carries the task's name like any other output.
_MOON = re2.compile(r"^\S{1,8} (\S{1,300}:\S{1,200}) \(cached\b.*\)$")


class ReplayReader:
    """Reads no summary: `spans` are lines where a replay begins, and where it surely has ended (None: by the step).

    `tasks` are names of tasks whose whole output is a replay.
    """

    def __init__(self) -> None:
        self.spans: list[tuple[int, int | None]] = []
        self.tasks: set[str] = set()
        self._start: int | None = None

    def feed(self, number: int, line: str) -> None:
        if _BEGINS.match(line):
            self._close(number)
            self._start = number
        elif _ENDS.match(line):
            self._close(number)
        elif moon := _MOON.match(line):
            self._task(moon.group(1))

    def boundary(self) -> None:
        self._close(None)

    def finish(self) -> Reading:
        return Reading((), ())

    def _task(self, name: str) -> None:
        if len(self.tasks) < MOST_REPLAYS:
            self.tasks.add(name)

    def _close(self, number: int | None) -> None:
        if self._start is not None and len(self.spans) < MOST_REPLAYS:
            # With very many replays all that follows counts as one: fresh output is not told apart any more.
            last = len(self.spans) == MOST_REPLAYS - 1
            self.spans.append((self._start, None if last else number))
        self._start = None


def told_apart(streams: Iterable[tuple[str, Sequence[Reader]]], steps: Sequence[int]) -> Iterator[Reading]:
    """The readings of all streams (name, readers), with the summaries that were replayed marked as such.

    `steps` holds the first line of every step after the first, rising.
    """
    known = list(streams)
    named = [one.tasks for _, readers in known for one in readers if isinstance(one, ReplayReader)]
    many = any(len(tasks) >= MOST_REPLAYS for tasks in named)  # then any may be one of those that were not kept
    tasks = set().union(*named)
    for name, readers in known:
        yield from _of_stream(readers, steps, whole=many or name in tasks)


def _of_stream(readers: Iterable[Reader], steps: Sequence[int], *, whole: bool) -> Iterator[Reading]:
    readings, spans = [], [(0, 2**63)] if whole else []
    for reader in readers:
        if isinstance(reader, ReplayReader):
            spans += [(start, _step_after(start, steps) if end is None else end) for start, end in reader.spans]
        readings.append(reader.finish())
    for reading in readings:
        yield replace(reading, summaries=tuple(_marked(one, spans) for one in reading.summaries))


def _step_after(line: int, steps: Sequence[int]) -> int:
    at = bisect_right(steps, line)
    return steps[at] if at < len(steps) else 2**63


def _marked(summary: Summary, spans: Collection[tuple[int, int]]) -> Summary:
    """One that is red stays as red as it is, whoever printed it again."""
    if summary.green is False or not any(start <= summary.line < end for start, end in spans):
        return summary
    return replace(summary, green=False, cached=True, reasons=(*summary.reasons, REASON))
