from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from checks.logs.decode import MAX_BYTES, MAX_LINE, TextBlocks


def blocks(*chunks: bytes, block: int = 1000) -> str:
    return "".join(TextBlocks(chunks, block=block))


def lines(data: bytes) -> list[str]:
    """Pieces are written as lines of their own."""
    text = blocks(data).replace("\r", "\n")
    return text.removesuffix("\n").split("\n") if text else []


def test_limits() -> None:
    assert (MAX_BYTES, MAX_LINE) == (1_073_741_824, 4096)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"a", ["a"]),
        (b"a\nb\n", ["a", "b"]),
        (b"a\n\nb\n\n", ["a", "", "b", ""]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"old\rnew\n", ["old", "new"]),
        (codecs.BOM_UTF8 + "é".encode(), ["é"]),
        (codecs.BOM_UTF16_LE + "é\nb".encode("utf-16-le"), ["é", "b"]),
        (codecs.BOM_UTF16_BE + "é\nb".encode("utf-16-be"), ["é", "b"]),
        ("ok\n".encode("utf-16-le"), ["ok"]),  # no mark: the NULs vanish
        (b"a\xffb", ["a\ufffdb"]),
        ("é\n".encode() * 600, ["é"] * 600),
        (codecs.BOM_UTF16_LE + "é\n".encode("utf-16-le") * 600, ["é"] * 600),
        (codecs.BOM_UTF16_LE + b"a\0b", ["a\ufffd"]),  # half a unit at the end
        (b"a\x0bb\x85", ["a\x0bb\ufffd"]),  # only line feeds end lines
    ],
)
def test_encodings_and_line_ends(data: bytes, expected: list[str]) -> None:
    assert lines(data) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("\x1b[31m\x1b[1m1 failed\x1b[0m", ["1 failed"]),
        ("\x1b[38;5;196mred\x1b[39;49;00m", ["red"]),
        ("\x1b[?25hInstalling", ["Installing"]),
        ("a\x1b[Kb\x1b[0Kc", ["abc"]),
        ("\x1b]8;;https://example.com\x07link\x1b]8;;\x1b\\", ["link"]),
        ("\x1b]0;= 1 failed =", ["", "= 1 failed ="]),
        ("\x1b]= 1 failed =", ["", "= 1 failed ="]),
        ("\x1b]0;title\x1b[1m= 1 failed =", ["", "title= 1 failed ="]),
        ("a\x1b[1;31mb\x1b[?1049hc", ["abc"]),
        ("a\x1b[31\x1b[1mb", ["a\x1b[31b"]),
        ("a\x1b[" + "1" * 128 + "mb", ["ab"]),
        ("a\x1b[" + "1" * 129 + "mb", ["a\x1b[" + "1" * 129 + "mb"]),
        ("a\x1b[" + "1" * 128 + "Gb", ["a", "b"]),
        ("a\x1b[0" + " " * 8 + "mb", ["ab"]),
        ("a\x1b[0" + " " * 9 + "mb", ["a\x1b[0" + " " * 9 + "mb"]),
        ("a\x1b]" + "1" * 4096 + "\x07b", ["ab"]),
        ("a\x1b]" + "x" * 4097 + "\x07b", ["a", "x" * 4096]),
        ("x\b= 1 failed =", ["x", "= 1 failed ="]),
        ("\x1b(Bplain\x1b=", ["plain"]),
        ("\x1b[1G ok\x1b[2Bnext\x1b[1;1Hhome\x1b[3fcol", ["", " ok", "next", "home", "col"]),
        ("\x1b[4Jgone", ["", "gone"]),
        ("\x1b[1Kkept", ["kept"]),
        ("lone \x1b", ["lone \x1b"]),
    ],
)
def test_escape_sequences_go_and_cursor_moves_start_a_piece(raw: str, expected: list[str]) -> None:
    assert lines(raw.encode()) == expected


@pytest.mark.parametrize("block", [100, 1000, 100_000])
@pytest.mark.parametrize("end", ["", "\n", "\r", "\nz\n"])
def test_pieces_are_cut_to_their_longest(block: int, end: str) -> None:
    long, longest = "a" * 4097, "b" * 4096
    raw = f"x\r{long}\r{longest}\ry\n{longest}\n{long}{end}"
    cut = f"x\r{'a' * 4096}\r{longest}\ry\n{longest}\n{'a' * 4096}{end}"
    assert blocks(raw.encode(), block=block) == cut


def test_short_lines_around_a_long_one_stay() -> None:
    raw = "a\n" * 3000 + "b" * 9000 + "\n" + "c\n" * 3000
    assert blocks(raw.encode(), block=100_000) == raw.replace("b" * 9000, "b" * 4096)


def test_blocks_hold_whole_lines() -> None:
    found = [block for block in TextBlocks([b"ab\ncd\nef\ngh"], block=5) if block]
    assert found == ["ab\n", "cd\nef\n", "gh"]


def test_a_line_that_spans_blocks_is_cut_at_its_pieces() -> None:
    found = [block for block in TextBlocks([b"ab\rcdefghi\rjk\nlm"], block=5) if block]
    assert found == ["ab\r", "cdefghi\rjk\n", "lm"]


def test_a_title_that_is_never_closed_swallows_no_line() -> None:
    text = blocks(b"\x1b]0;hidden\n===== 1 failed in 0.10s =====\n\x07\n")
    assert text == "\rhidden\n===== 1 failed in 0.10s =====\n\x07\n"


@pytest.mark.parametrize(("limit", "truncated"), [(6, False), (5, True), (7, False)])
@pytest.mark.parametrize("chunks", [(b"a\nb\nc\n",), (b"a\nb", b"\nc\n"), (b"a\nb\nc", b"\n"), (b"a\nb\nc\n", b"")])
def test_a_log_is_read_up_to_a_limit(limit: int, truncated: bool, chunks: tuple[bytes, ...]) -> None:
    text = TextBlocks(chunks, max_bytes=limit)
    assert "".join(text) == "a\nb\nc\n"[:limit]
    assert text.truncated is truncated


def test_beyond_the_limit_no_chunk_is_asked_for() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"ab\n"

    text = TextBlocks(endless(), max_bytes=9)
    assert ("".join(text), text.truncated) == ("ab\n" * 3, True)


_SCRAPS = st.sampled_from(
    [
        *("a", "\n", "\r", "\r\n", "\x1b", "\x1b[", "\x1b[1", ";", "m", "G", "\x1b]", "0;", "\x07", "\x1b\\", "\\"),
        *("\x1b(", "B", "\x08", "\0", "é", "\ufeff", "==", " ", "7", "\x1b[0m", "\x1b[1G", "a" * 4000),
    ]
)


@given(
    st.lists(_SCRAPS, max_size=30).map("".join),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.integers(3, 60),
    st.integers(0, 60),
)
@settings(max_examples=300, deadline=None)
@example("\x1b]0;a\x1b\\b", "utf-8", 6, 0)
def test_how_a_log_is_cut_into_blocks_changes_no_line(text: str, encoding: str, block: int, cut: int) -> None:
    raw = text.encode(encoding)
    assert _plain(blocks(raw[:cut], raw[cut:], block=block)) == _plain(blocks(raw, block=10**6))


def _plain(text: str) -> str:
    """Without empty pieces: a cut may add one."""
    return re.sub(r"\r+(?=\n|$)|(?<=\n)\r+|^\r+", "", re.sub(r"\r+", "\r", text))


@given(st.binary(max_size=300), st.integers(3, 10))
def test_any_bytes_come_out_alike_from_any_blocks(raw: bytes, block: int) -> None:
    assert _plain(blocks(raw, block=block)) == _plain(blocks(raw, block=1000))
