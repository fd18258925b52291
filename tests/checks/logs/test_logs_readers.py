"""What holds for every reader in the list, also for the next one: which lines it is given, and what it may cost."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.logs.decode import TextBlocks
from checks.logs.markers import starts_step
from checks.logs.parse import _READERS, parse_log
from checks.logs.prefixes import PACKAGES, Packages, Piece, pieces
from checks.logs.report import Listener, Reader, Reading, Red
from checks.logs.sieve import sieve
from checks.logs.walk import Walk
from tests.checks.logs.test_logs_properties import LINES
from tests.shared import SHARED

# Megabytes through readers whose own tests cover them.
pytestmark = pytest.mark.untraced

INTERESTS = [sys.modules[reader.__module__].INTEREST for reader in _READERS]
LOGS = [*sorted((SHARED / "logs").glob("*.log")), *sorted((Path(__file__).parent / "real").rglob("*.log"))]
Given = list[tuple[int, str]]


class Recorder:
    def __init__(self) -> None:
        self.lines: Given = []

    def feed(self, number: int, line: str) -> None:
        self.lines.append((number, line))

    def boundary(self) -> None:
        self.lines.append((0, ""))

    def finish(self) -> Reading:
        return Reading((), (), tuple(Red(number, line) for number, line in self.lines))


def walked(data: bytes, block: int) -> list[Reading]:
    walk = Walk(families=[(interest, Recorder) for interest in INTERESTS])
    walk.through(TextBlocks([data], block=block))
    return [reader.finish() for reader in walk.readers()]


def line_by_line(data: bytes) -> list[Reading]:
    """The slow way: every line is cleaned, and every pattern searched for in it."""
    recorders = {"": [Recorder() for _ in INTERESTS]}
    packages, wanted = Packages(), sieve((*INTERESTS, PACKAGES)).wanted
    for number, piece in _pieces("".join(TextBlocks([data], block=10**8))):
        if not (wanted(piece.text) or piece.name or starts_step(piece.text)):
            piece = packages.named(piece.text)
        if starts_step(piece.text):
            packages.boundary()
            for recorder in chain.from_iterable(recorders.values()):
                recorder.boundary()
        elif to := wanted(piece.text):
            of_name = recorders.setdefault(piece.name, [Recorder() for _ in INTERESTS])
            listeners: list[Listener] = [*of_name, packages]
            for index in to:
                listeners[index].feed(number, piece.text)
    for recorder in chain.from_iterable(recorders.values()):
        recorder.boundary()
    return [recorder.finish() for recorder in chain.from_iterable(recorders.values())]


def _pieces(text: str) -> Iterator[tuple[int, Piece]]:
    for number, line in enumerate(text.split("\n"), 1):
        yield from ((number, piece) for piece in pieces(line) if piece.text)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_of_a_real_log_a_reader_is_given_what_its_pattern_says(path: Path) -> None:
    data = path.read_bytes()
    assert walked(data, block=10_000) == line_by_line(data)


_AT = "2026-11-29T10:00:00.0000000Z "
_BEFORE = ["", "", "", _AT, f"job\tstep\t{_AT}", "web-1  | ", "[INFO] ", "[0] ", "core: ", "core:test: ", "@acme/web: "]
_BEFORE += ["a/b test: ", " a:test | ", "10%\r", "\x1b[1G", "\x1b[31m", "x"]
_AFTER = ["\n", "\n", "\n", "\r\n", "\r", " \t\n", "\x1b[0m\n", "\x1b[K\r\n", "\u00a0\n", "\x08", "x\n"]


@given(
    LINES,
    st.lists(st.sampled_from(_BEFORE), min_size=25, max_size=25),
    st.lists(st.sampled_from(_AFTER), min_size=25, max_size=25),
    st.integers(3, 300),
)
@settings(max_examples=150, deadline=None)
def test_of_any_log_a_reader_is_given_what_its_pattern_says(
    lines: list[str], before: list[str], after: list[str], block: int
) -> None:
    told = zip(before, ["core: > core@1.0.0 test", *lines][:25], after, strict=False)
    data = "".join(part for line in told for part in line).encode()
    assert walked(data, block) == line_by_line(data)


@pytest.mark.parametrize("reader", _READERS)
def test_patterns_have_no_flags_and_no_ends_of_text(reader: type[Reader]) -> None:
    interest = sys.modules[reader.__module__].INTEREST
    assert not re.search(r"\\[AzZBCQ]|\(\?[a-zA-Z]", interest)
    assert not re2.compile(interest).search("")


@pytest.mark.parametrize("path", LOGS[::40], ids=lambda path: path.stem)
def test_a_reader_may_be_asked_in_between(path: Path) -> None:
    once, often = [reader() for reader in _READERS], [reader() for reader in _READERS]
    for number, piece in _pieces("".join(TextBlocks([path.read_bytes()]))):
        for one, other in zip(once, often, strict=True):
            one.feed(number, piece.text)
            other.feed(number, piece.text)
            if number % 50 == 0:
                other.finish()
    for reader in (*once, *often):
        reader.boundary()
    assert [reader.finish() for reader in once] == [reader.finish() for reader in often]


def _words(interest: str) -> list[str]:
    """What stands literally in a pattern, three characters at least."""
    plain = re.sub(r"\\([^a-zA-Z0-9])", r"\1", re.sub(r"\\[a-zA-Z]|\[[^]]*\]|\{[^}]*\}|[()?*+$^|]", "\0", interest))
    return [word for word in plain.split("\0") if len(word) > 2]


@pytest.mark.parametrize("reader", _READERS)
@pytest.mark.parametrize("between", ["", "\r", " 1 "])
def test_one_line_of_a_megabyte_of_its_own_words_is_read_in_linear_time(reader: type[Reader], between: str) -> None:
    """A second at most for each reader; quadratic reading would not come back for hours."""
    words = _words(sys.modules[reader.__module__].INTEREST)
    for line in (*(word + between for word in words), between.join(words) + between):
        size = 5_000 if between == "\r" else 1_000_000
        assert parse_log((line * (size // len(line) + 1)).encode()).green is not True


@pytest.mark.parametrize("reader", _READERS)
def test_many_lines_of_its_own_words_are_read_in_linear_time(reader: type[Reader]) -> None:
    words = _words(sys.modules[reader.__module__].INTEREST)
    for line in (*words, "\n".join(words)):
        assert parse_log((line + "\n").encode() * (10_000 // len(line))).green is not True
