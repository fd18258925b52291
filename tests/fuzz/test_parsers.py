"""No bytes crash a parser: it gives its answer or raises what it says it raises, in little time for their length."""

from __future__ import annotations

import contextlib
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.parsers import PARSERS, Parser
from tests.proxy.lasting import QUIET, SOAK

FEW, MANY = 8, 3_000
MOST_SECONDS = 1.0  # of processor, generously: nearly all take a hundredth
MOST_MEMORY = 64 * 1024**2  # bytes
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
    for piece in HOSTILE if SOAK else HOSTILE[:6]:
        _read(parser, (piece * LARGE)[:LARGE])


@pytest.mark.skipif(not SOAK, reason="counting memory takes four times as long: MERGEGATE_SOAK=1")
@pytest.mark.parametrize("parser", PARSERS, ids=NAMES)
def test_memory_of_hostile_bytes(parser: Parser) -> None:
    for piece in HOSTILE:
        tracemalloc.start()
        with contextlib.suppress(*parser.raises):
            parser.reads((piece * LARGE)[:LARGE])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < MOST_MEMORY, f"{piece!r}: {peak / 1e6:.0f} MB"
