"""No bytes crash a parser: it answers or raises what it says it raises, in little time and memory for their length."""

from __future__ import annotations

import contextlib
import mmap
import re
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.parsers import PARSERS, Parser
from tests.proxy.lasting import QUIET, SOAK

FEW, MANY = 8, 3_000
MOST_SECONDS = 1.0  # of processor, generously: nearly all take a hundredth
MOST_MEMORY = 64 * 1024**2  # bytes; the most that one took was 13 MB
LARGE = 32 * 1024 if SOAK else 8 * 1024  # bytes of a hostile input; under every limit, so that each is read
PIECES = (
    *(b'"', b"'", b"{", b"}", b"[", b"]", b"(", b")", b"<", b">", b",", b"=", b"#", b"@", b"/", b"\\", b"..", b"-"),
    *(b": ", b"- ", b"\n", b"\r\n", b"\t", b"\0", b"&a ", b"*a", b"<<: ", b"|\n  ", b"!!python/object:x ", b"```"),
    *(b"\xff", b"\xed\xa0\x80", b"\\ud800", b"1e999", b"null", b"<!--", b"0000", b"0004", b"fff0"),
    *("\N{RIGHT-TO-LEFT OVERRIDE}".encode(), "\N{FULLWIDTH LATIN SMALL LETTER A}".encode()),
)
# What takes a reader long that goes back, goes deep or copies too much.
HOSTILE = (
    *(b"[", b"- ", b'"', b"\n", b"a.", b"\x80", b"{"),
    *(b'{"a":', b"(", b"a: ", b"> ", b"* ", b"/*", b"<a>", b"&a [*a,", b"\\", b"`", b"#", b"@a ", b"a=", b"\t", b"\0"),
    *(b"0004", b"9", b"e"),
)
NAMES = [f"{parser.module}-{number}" for number, parser in enumerate(PARSERS)]


def _read(parser: Parser, raw: bytes) -> None:
    begun = time.thread_time()
    with contextlib.suppress(*parser.raises):
        parser.reads(raw)
    taken = time.thread_time() - begun
    assert taken < MOST_SECONDS, f"{len(raw)} bytes that begin with {raw[:20]!r} took {taken:.1f} s"


@st.composite
def _damaged(draw: st.DrawFn, parser: Parser) -> bytes:
    raw = draw(st.sampled_from([*parser.samples, b""]))
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(raw)))
        end = min(len(raw), start + draw(st.integers(0, 20)))
        raw = raw[:start] + draw(st.sampled_from(PIECES)) + raw[end:]
    return raw


@pytest.mark.parametrize("parser", PARSERS, ids=NAMES)
def test_any_bytes(parser: Parser) -> None:
    glued = st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join)

    @settings(max_examples=MANY if SOAK else FEW, deadline=None, database=None, suppress_health_check=QUIET)
    @given(st.one_of(_damaged(parser), glued, st.binary(max_size=200)))
    def reads(raw: bytes) -> None:
        _read(parser, raw)

    reads()


@pytest.mark.parametrize("parser", PARSERS, ids=NAMES)
def test_hostile_bytes(parser: Parser) -> None:
    for raw in _hostile():
        _read(parser, raw)


@pytest.mark.parametrize("parser", PARSERS, ids=NAMES)
def test_memory_of_hostile_bytes(parser: Parser) -> None:
    for raw in _hostile():
        peak = _peak(parser, raw)
        assert peak < MOST_MEMORY, f"{len(raw)} bytes that begin with {raw[:20]!r} took {peak / 1e6:.0f} MB"


def _hostile() -> Iterator[bytes]:
    for piece in HOSTILE if SOAK else HOSTILE[:6]:
        yield (piece * LARGE)[:LARGE]


def _peak(parser: Parser, raw: bytes) -> int:
    """Bytes at most that Python's objects took, or the whole process beyond what it had: libraries in C take their own.

    https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html: after a 5 the kernel measures its peak anew.
    """
    Path("/proc/self/clear_refs").write_text("5")
    before = _most_resident()
    tracemalloc.start()
    try:
        with contextlib.suppress(*parser.raises):
            parser.reads(raw)
        return max(tracemalloc.get_traced_memory()[1], _most_resident() - before)
    finally:
        tracemalloc.stop()


def _most_resident() -> int:
    """Bytes."""
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


def _of_a_library(_: bytes) -> None:
    """Memory that the interpreter does not count, freed again; a quarter more, as the kernel counts roughly."""
    with mmap.mmap(-1, MOST_MEMORY * 5 // 4) as taken:
        for _start in range(0, len(taken), 1024**2):
            taken.write(bytes(1024**2))


@pytest.mark.parametrize("takes", [_of_a_library, lambda _: bytes(MOST_MEMORY)], ids=["a library's", "an object's"])
def test_the_measure_sees_memory(takes: Callable[[bytes], object]) -> None:
    assert _peak(Parser("", takes), b"") >= MOST_MEMORY
    assert _peak(Parser("", len), b"") < MOST_MEMORY / 16
