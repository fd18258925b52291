from __future__ import annotations

import codecs

import pytest

from checks.logs.decode import MAX_BYTES, MAX_LINE, MAX_LINES, clean, decode_log, stamp

STAMP = "2022-06-16T22:17:31.2678286Z"


def lines(data: bytes) -> list[str]:
    return [piece for line in decode_log(data).lines for piece in clean(line)]


def test_limits() -> None:
    assert (MAX_BYTES, MAX_LINES, MAX_LINE) == (67_108_864, 1_000_000, 4096)


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
        (b"a  \t\n", ["a"]),
        (b"  a", ["  a"]),
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


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (f"{STAMP} text", "text"),
        (f"{STAMP} ", ""),
        (f"{STAMP}  text", " text"),
        (f"\ufeff{STAMP} text", "text"),
        (f"{STAMP}text", f"{STAMP}text"),
        ("2022-06-16 22:17:31.2678286Z text", "2022-06-16 22:17:31.2678286Z text"),
        (f"test\tRun tests\t{STAMP} text", "text"),
        (f"test\tRun tests\t\ufeff{STAMP} text", "text"),
        ("ok  \texample.test/shop\t0.1s", "ok  \texample.test/shop\t0.1s"),
        ("test_1  | Tests: 1 total", "Tests: 1 total"),
        ("web-12 |  x", " x"),
        ("web-12 |", ""),
        ("web_1 | a | b", "a | b"),
        ("web | x", "web | x"),
        ("  10 | const x", "  10 | const x"),
        (f"{STAMP} test_1 | text", "text"),
        ("12200 [INFO] 1 passed", "1 passed"),
        ("[INFO] 1 passed", "1 passed"),
        ("[DEBUG] x", "x"),
        ("    [junit] Ran 1 test", "Ran 1 test"),
        ("[exec] x", "x"),
        ("[java] x", "x"),
        ("[py-test] x", "x"),
        ("[gw0] [ 50%] PASSED a", "[gw0] [ 50%] PASSED a"),
        ("x [INFO] y", "x [INFO] y"),
        ("12200 [WARN] y", "12200 [WARN] y"),
    ],
)
def test_stamps_and_known_prefixes_are_taken_off(raw: str, expected: str) -> None:
    assert list(clean(raw)) == [expected]


def test_compose_prefix_far_to_the_right_is_left_alone() -> None:
    near, far = "a" * 76 + "-1 | x", "a" * 77 + "-1 | x"
    assert list(clean(near)) == ["x"]
    assert list(clean(far)) == [far]


def test_logger_prefix_far_to_the_right_is_left_alone() -> None:
    near, far = "1" * 15 + " [INFO] x", "1" * 16 + " [INFO] x"
    assert list(clean(near)) == ["x"]
    assert list(clean(far)) == ["x"]
    assert list(clean("1" * 17 + " [INFO] x")) == ["1" * 17 + " [INFO] x"]


@pytest.mark.parametrize("ending", ["", "\rb"])
def test_long_lines_are_cut(ending: str) -> None:
    assert next(clean("a" * 5000 + ending)) == "a" * 4096
    assert list(clean("b\r" + "a" * 5000)) == ["b", "a" * 4096]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"{STAMP} x", STAMP),
        (f"\ufeff{STAMP} x", STAMP),
        (STAMP, STAMP),
        (f"{STAMP}x", None),
        ("2022-06-16T22:17:31.267828Z x", None),
        ("2022-06-16T22:17:31,2678286Z x", None),
        ("2022-06-16 22:17:31.2678286Z x", None),
        ("2o22-06-16T22:17:31.2678286Z x", None),
        ("", None),
    ],
)
def test_stamp(line: str, expected: str | None) -> None:
    assert stamp(line) == expected


def test_all_of_a_small_log_is_read() -> None:
    text = decode_log(b"a\nb\nc\n", max_bytes=6, max_lines=3)
    assert (text.lines, text.total, text.gap, text.truncated) == (["a", "b", "c"], 3, 0, False)
    assert [text.number(index) for index in range(3)] == [1, 2, 3]


def test_too_many_lines_keep_head_and_tail_with_their_numbers() -> None:
    text = decode_log(b"1\n2\n3\n4\n5\n6\n", max_lines=4)
    assert (text.lines, text.total, text.truncated) == (["1", "2", "5", "6"], 6, True)
    assert [text.number(index) for index in range(4)] == [1, 2, 5, 6]


def test_too_many_bytes_keep_whole_lines_of_head_and_tail() -> None:
    data = b"".join(b"%03d\n" % number for number in range(1, 101))  # 400 bytes
    text = decode_log(data, max_bytes=22)  # 10 bytes a side: two whole lines and a half
    assert text.lines == ["001", "002", "099", "100"]
    assert (text.total, text.truncated) == (100, True)
    assert [text.number(index) for index in range(4)] == [1, 2, 99, 100]


def test_too_many_bytes_in_utf16_keep_units_whole() -> None:
    body = "".join(f"{number:03d}\n" for number in range(1, 101)).encode("utf-16-le")
    text = decode_log(codecs.BOM_UTF16_LE + body + b"x", max_bytes=44)
    assert text.truncated
    assert text.lines[:2] == ["001", "002"]
    assert text.lines[2:4] == ["099", "100"]
    assert text.number(2) == 99


def test_both_limits_at_once() -> None:
    data = b"".join(b"%03d\n" % number for number in range(1, 101))
    text = decode_log(data, max_bytes=40, max_lines=4)
    assert text.lines == ["001", "002", "099", "100"]
    assert [text.number(index) for index in range(4)] == [1, 2, 99, 100]


def test_too_many_rewrites_are_dropped_and_said() -> None:
    assert decode_log(b"a\rb\rc\n", max_lines=2).truncated is False
    text = decode_log(b"a\rb\rc\rd\n", max_lines=2)
    assert (text.lines, text.truncated) == (["abcd"], True)


def test_a_title_that_is_never_closed_swallows_no_line() -> None:
    text = decode_log(b"\x1b]0;hidden\n===== 1 failed in 0.10s =====\n\x07\n")
    assert text.lines[1] == "===== 1 failed in 0.10s ====="
    assert text.total == 3
