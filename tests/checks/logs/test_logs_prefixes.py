"""What others put before a program's own line.

The forms of lerna 9, nx 22, turbo 2, pnpm 9 and 12, moon 2 and concurrently 9 are those that these tools printed for a
workspace of two packages, `core` and `@acme/web`.
"""

from __future__ import annotations

import pytest

from checks.logs.prefixes import Packages, Piece, pieces, stamp

STAMP = "2022-06-16T22:17:31.2678286Z"


def texts(line: str) -> list[str]:
    return [piece.text for piece in pieces(line)]


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
        ("web-1  | core:test: x", "core:test: x"),  # one prefix, not more
        ("web_1 | a | b", "a | b"),
        ("web | x", "web | x"),
        ("  10 | const x", "  10 | const x"),
        (f"{STAMP} test_1 | text", "text"),
        ("a  \t", "a"),
        ("  a", "  a"),
        ("web:test | Tests: 1", "Tests: 1"),
        (" web:test |   x", "  x"),
        ("@acme/web:unit-1 |", ""),
        ("web:test| x", "web:test| x"),
        ("a b:test | x", "a b:test | x"),
        ("name:x:y | z", "name:x:y | z"),
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
        ("[0] Tests: 1", "Tests: 1"),
        ("[12]   x", "  x"),
        ("[1234] x", "[1234] x"),
        ("[1/2] x", "[1/2] x"),
        ("[ 50%] x", "[ 50%] x"),
        ("[api] x", "[api] x"),
        ("[ERROR] Tests run: 1", "[ERROR] Tests run: 1"),
        ("[info] x", "[info] x"),
    ],
)
def test_stamps_and_known_prefixes_are_taken_off(raw: str, expected: str) -> None:
    assert texts(raw) == [expected]


@pytest.mark.parametrize(
    ("raw", "name", "text"),
    [
        ("@acme/web: Tests:       2 passed, 2 total", "@acme/web", "Tests:       2 passed, 2 total"),
        ("@acme/web:   indented", "@acme/web", "  indented"),
        ("core:test: Tests:       2 passed, 2 total", "core:test", "Tests:       2 passed, 2 total"),
        ("core:test:unit:   indented", "core:test:unit", "  indented"),
        ("@acme/web:test: ", "", "@acme/web:test:"),  # the blank went with the line's end
        ("@acme/web:test: to stderr", "@acme/web:test", "to stderr"),
        ("packages/core test: Tests:       2 passed, 2 total", "packages/core test", "Tests:       2 passed, 2 total"),
        ("packages/@acme/web test:unit:   indented", "packages/@acme/web test:unit", "  indented"),
        ("packages/web ci: Done", "packages/web ci", "Done"),
        ("core:test:  Test Files  1 failed | 1 passed (2)", "core:test", " Test Files  1 failed | 1 passed (2)"),
        ("core:test: [ 50%] x", "core:test", "[ 50%] x"),
        (" web:unit |   indented", "web:unit", "  indented"),
        ("core:unit | to stderr", "core:unit", "to stderr"),
        ("[0] Tests:       2 passed, 2 total", "[0]", "Tests:       2 passed, 2 total"),
        ("web_1   | text", "web_1", "text"),
        ("web-1  | text", "web-1", "text"),
        ("[INFO] text", "", "text"),
        ("text", "", "text"),
    ],
)
def test_lines_of_containers_packages_and_tasks_have_a_name(raw: str, name: str, text: str) -> None:
    assert list(pieces(raw)) == [Piece(name, text)]
    assert list(pieces(f"{STAMP} {raw}")) == [Piece(name, text)]


@pytest.mark.parametrize(
    "line",
    [
        "core: Tests:       2 passed, 2 total",
        "web test: Tests:       2 passed, 2 total",
        "pytest: error: unrecognized arguments: -x",
        "error: test failed, to rerun pass `--lib`",
        "FAIL: test_a (t.T.test_a)",
        "ERROR: Coverage failure: total of 1 is less than fail-under=2",
        "test result: ok. 1 passed; 0 failed; 0 ignored",
        "make: *** [Makefile:2: test] Error 1",
        "make[1]: *** [Makefile:2: test] Error 1",
        "src/a.c:12:3: error: expected ';'",
        "src/a.py:12: AssertionError",
        "WARNING:root: 1 passed",
        "std::test: x",
        "https://a.test: x",
        "thread 'main' panicked at src/lib.rs:3:5: x",
        "Test Case '-[A b]' passed (0.1 seconds).",
        "Tests run: 3, Failures: 0, Errors: 0, Skipped: 0",
        " a:b: x",
        "a:b:c",
        "a:b c: d",
        "@a: d",
        "panic: test timed out after 1s",
    ],
)
def test_lines_that_only_look_prefixed_stay(line: str) -> None:
    assert texts(line) == [line]


def test_a_carriage_return_starts_a_piece() -> None:
    assert texts(f"{STAMP} old  \rnew\r{STAMP} [INFO] x\r") == ["old", "new", "x", ""]


@pytest.mark.parametrize(
    ("shown", "line", "piece"),
    [
        ("core: > core@1.0.0 test", "core:   5 passing", Piece("core", "  5 passing")),
        ("core: > core@1.0.0 test", "web: x", None),
        ("core: > core@1.0.0 test", "core x", None),
        ("core: > core@1.0.0 test", "core", None),
        ("core: > core@1.0.0 test", "core: core: x", Piece("core", "core: x")),
        ("core: > core@1.0.0", "core: x", None),
        ("core: > web@1.0.0 test", "core: x", None),
        ("x core: > core@1.0.0 test", "core: x", None),
        ("FAIL: > FAIL@1.0.0 test", "FAIL: x", None),
        ("a.b_c~d-1: yarn run v1.22.22", "a.b_c~d-1: x", Piece("a.b_c~d-1", "x")),
        ("core: yarn run tests", "core: x", None),
        ("core test$ jest", "core test: Tests: 1", Piece("core test", "Tests: 1")),
        ("core test:unit$ jest", "core test:unit: x", Piece("core test:unit", "x")),
        ("core test:unit$ jest", "core test: x", None),
        ("core result$ jest", "core result: x", None),
        ("unrelated", ": x", None),
    ],
)
def test_a_package_counts_when_its_tool_has_shown_it(shown: str, line: str, piece: Piece | None) -> None:
    packages = Packages()
    packages.feed(1, shown)
    assert packages.named(line) == (piece or Piece("", line))
    packages.boundary()
    assert packages.named(line) == Piece("", line)


def test_packages_are_bounded() -> None:
    packages = Packages()
    for number in range(1001):
        packages.feed(1, f"p{number}: > p{number}@1.0.0 test")
    assert packages.named("p999: x") == Piece("p999", "x")
    assert packages.named("p1000: x") == Piece("", "p1000: x")


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
