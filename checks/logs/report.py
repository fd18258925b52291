"""What a raw log says: closing summaries of test runners, and the fold over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Summary:
    """One closing summary of a test runner, or (in `Reading.unfinished`) a run that never printed one.

    `passed` and `skipped` are None where the runner does not print them. `failed` counts tests, `errors` counts what
    broke outside a test (set-up, collection, a suite that did not load, a package that did not build). `line` is
    1-based in the raw file. `green` is None when this summary proves nothing either way. `counted` is False for a
    summary that a later one of the same run replaces. `silent`: tests ran, and their runner printed no counts at all;
    such a summary is not `counted` either.
    """

    runner: str
    line: int
    text: str
    passed: int | None
    failed: int
    errors: int
    skipped: int | None
    green: bool | None
    reasons: tuple[str, ...] = ()
    cached: bool = False
    interrupted: bool = False
    counted: bool = True
    silent: bool = False
    deselected: int = 0
    flaky: int = 0
    xfailed: int = 0
    xpassed: int = 0


@dataclass(frozen=True, slots=True)
class Red:
    """A line that speaks against green, whatever the summaries say."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What one runner's reader found in a whole log."""

    summaries: tuple[Summary, ...]
    unfinished: tuple[Summary, ...]
    reds: tuple[Red, ...] = ()


class Listener(Protocol):
    """Is given the lines of a log that it wants, in order, and no others."""

    def feed(self, number: int, line: str, /) -> bool | None:
        """Take one cleaned, non-empty line; `number` is its 1-based line in the raw file.

        True asks for the next line of this step as well, whatever it is.
        """

    def boundary(self) -> None:
        """A new step of the job begins, or the log has ended: what is still open never closed."""


class Reader(Listener, Protocol):
    """Reads one runner's grammar; one module a family.

    The module's constant `INTEREST` is the RE2 pattern of the lines that the reader wants, searched for in each
    cleaned line. Most of a log must not match, because that is what makes reading quick.
    """

    def finish(self) -> Reading:
        """What was read so far. Whole after the last line and a last `boundary`."""


class Counter(Reader, Protocol):
    """A reader whose runner can print millions of lines that only count.

    `PLAIN` is the RE2 pattern of such lines, each as a whole and narrow: ASCII without carriage returns.
    """

    PLAIN: str

    def many(self, number: int, lines: bytes, count: int, /) -> None:
        """The same as `feed` with each of `count` plain lines, with time stamps or without, the first of `number`.

        It never asks for the next line.
        """


@dataclass(frozen=True, slots=True)
class LogReport:
    """The whole log. `green` is None for "unknown", which is not green.

    The counts are sums over the counted summaries and the unfinished runs; None means that the log does not tell.
    `complete`: at least one closing summary, every run that began was closed, and all of the log was read.
    `truncated`: the log was over a limit and only its beginning was read.
    """

    runner: str | None
    passed: int | None
    failed: int | None
    errors: int | None
    skipped: int | None
    complete: bool
    green: bool | None
    summaries: tuple[Summary, ...]
    lines: int
    truncated: bool
    reasons: tuple[str, ...]
