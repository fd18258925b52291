"""What a change does to test runs, over all its files."""

from __future__ import annotations

from typing import Any

import pytest

from checks.tampering.alteration import Weight
from checks.tampering.commands.compare import compare_runs
from checks.tampering.commands.matching import Placed, match_runs
from checks.tampering.commands.places import scopes_of
from checks.tampering.commands.runs import PIPED, Hidden, Run
from checks.tampering.kept_tests import KeptTests, kept_tests
from tests.checks.tampering.commands.words import program
from tests.checks.tampering.honest import changes_between

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
NONE_KEPT = KeptTests((), frozenset())


def _found(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, Weight, str]]:
    """Kind, weight and reason of everything that is found."""
    changes = changes_between(before, after)
    found = compare_runs(changes, scopes_of, kept_tests(changes), lambda _: False)
    return [(each.kind, each.weight, each.reason) for each in found]


def _make(*commands: str) -> dict[str, str]:
    return {"Makefile": "test:\n" + "".join(f"\t{command}\n" for command in commands)}


def _kinds(before: str, after: str, *more: str) -> list[tuple[str, Weight]]:
    return [(kind, weight) for kind, weight, _ in _found(_make(before), _make(after, *more))]


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ("pytest", "pytest || true", [("exit-code-swallowed", FAILED)]),
        ("pytest || true", "pytest -q || true", []),
        ("pytest || true", "pytest", []),
        ("pytest", "pytest | cat", [("pipe-without-pipefail", FAILED)]),
        ("ruff check", "ruff check || true", [("exit-code-swallowed", PERSON)]),
        ("pytest", "jest", [("runner-exchanged", RISK)]),
        ("pytest", "jest || true", [("exit-code-swallowed", FAILED), ("runner-exchanged", RISK)]),
        ("pytest -k a", "pytest -k a -x", []),
        ("pytest -k a", "pytest -k 'a and b'", [("collection-narrowed", PERSON)]),
        ("pytest -m a", "pytest -m b", [("collection-narrowed", PERSON)]),
        ("pytest", "pytest --ignore=node_modules", [("collection-narrowed", RISK)]),
        ("pytest", "pytest --ignore=tests/slow", [("collection-narrowed", PERSON)]),
        ("pytest", "pytest --ignore=tests/test_a.py", [("collection-narrowed", FAILED)]),
        ("pytest", "pytest --lf", [("collection-narrowed", PERSON)]),
        ("pytest tests", "pytest tests/unit", [("collection-narrowed", PERSON)]),
        ("pytest tests/unit", "pytest tests", []),
        ("pytest", "pytest --cov-fail-under 3", []),
        ("pytest --cov-fail-under 3", "pytest", [("coverage-bar-lowered", PERSON)]),
        ("pytest --strict-markers", "pytest", [("runner-configuration", RISK)]),
        ("pytest", "true", [("runner-replaced", FAILED)]),
        ("pytest", "./run", [("runner-replaced", PERSON)]),
        ("pytest", "pytest", []),
        ("ruff check", "true", [("test-run-removed", RISK)]),
    ],
)
def test_one_run(before: str, after: str, kinds: list[tuple[str, Weight]]) -> None:
    assert _kinds(before, after) == kinds


@pytest.mark.parametrize(
    ("before", "after", "more", "kinds"),
    [
        ("pytest", "pytest -k a", "pytest -k 'not a'", [("collection-narrowed", PERSON)]),
        ("pytest", "pytest -m a", "pytest -m 'not a'", [("collection-narrowed", RISK)]),
        ("pytest tests", "pytest tests/a/test_a.py", "pytest tests/b", [("collection-narrowed", PERSON)]),
        ("pytest tests/a tests/b", "pytest tests/a", "pytest tests/b", []),
        ("pytest tests/a tests/b", "pytest tests/a", "pytest", []),
        ("pytest tests/a tests/b", "pytest tests/a", "jest", [("collection-narrowed", PERSON)]),
        (
            "pytest -q tests --dist=x",
            "pytest -q tests/a",
            "pytest -q tests --dist=x --ignore=dist",
            [("collection-narrowed", RISK)],
        ),
        ("pytest", "pytest", "pytest -k a", []),
        ("pytest", "pytest", "pytest -q || true", [("exit-code-swallowed", RISK)]),
        ("pytest", "pytest", "ruff check || true", []),
    ],
)
def test_a_run_that_is_joined_by_another(before: str, after: str, more: str, kinds: list[tuple[str, Weight]]) -> None:
    assert _kinds(before, after, more) == kinds


def test_a_run_that_moves_to_another_file_is_the_same() -> None:
    assert _found(_make("pytest -q"), {"justfile": "test:\n    pytest -q\n"}) == []
    assert [kind for kind, _, _ in _found(_make("pytest -q"), {"justfile": "test:\n    pytest -k a\n"})] == [
        "collection-narrowed"
    ]


def test_a_run_is_compared_with_the_one_in_its_own_place_first() -> None:
    before = {"package.json": '{"scripts": {"test": "jest"}}'}
    after = {"package.json": '{"scripts": {"all": "jest", "test": "jest || true"}}'}
    assert [(kind, weight) for kind, weight, _ in _found(before, after)] == [("exit-code-swallowed", FAILED)]


def test_a_run_that_is_gone() -> None:
    two = {"Makefile": "test:\n\tpytest\nmore:\n\tjest\n"}
    assert _found(two, {"Makefile": "more:\n\tjest\n"}) == [
        ("test-run-removed", RISK, "The test run `pytest` is not run here any more.")
    ]
    assert _found(_make("pytest"), {}) == [
        ("test-run-removed", PERSON, "The test run `pytest` is not run here any more.")
    ]
    assert _found(_make("ruff check"), {}) == [
        ("test-run-removed", RISK, "The check `ruff check` is not run here any more.")
    ]


def test_reasons() -> None:
    long = "a" * 200
    assert _found(_make("pytest"), _make(f"pytest -k {long}")) == [
        ("collection-narrowed", FAILED, f"With `-k {'a' * 116}…` the test run leaves tests out.")
    ]
    assert _found(_make("pytest"), _make("true"))[0][2] == "What ran the tests here now runs `true`."
    assert _found({"a.sh": "pytest\n"}, {"a.sh": "\n"})[0][2] == "What ran the tests here now runs `nothing`."
    assert _found(_make("pytest"), _make("pytest tests/a tests/b"))[0][2] == (
        "The test run names only `tests/a tests/b`, less than before."
    )
    assert _found(_make("pytest --strict --ci"), _make("pytest"))[0][2] == (
        "The run lost `--ci --strict`, which made it stricter."
    )
    assert _found(_make("pytest"), _make("jest"))[0][2] == "Tests that pytest ran are now run by jest."
    assert _found({}, _make("pytest || true"))[0][2] == ("A new test run cannot fail: `|| true` hides its exit code.")


def test_places_and_sources() -> None:
    changes = changes_between(
        {"old.sh": "a\npytest -q\n", "Makefile": "t:\n\tpytest\n"},
        {"Makefile": "x:\n\tls\nt:\n\ttrue\n", "b.sh": "\njest &\n"},
    )
    found = compare_runs(changes, scopes_of, NONE_KEPT, lambda _: False)
    assert [(each.kind, each.path, each.line, each.before, each.after) for each in found] == [
        ("runner-replaced", "Makefile", 4, "pytest", "true"),
        ("test-run-removed", "old.sh", 2, "pytest -q", ""),
        ("exit-code-swallowed", "b.sh", 2, "", "jest"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ("", "addopts = -q", []),
        ("", "addopts = -k a", [("collection-narrowed", FAILED)]),
        ("addopts = -k a", "", []),
        (
            "addopts = --cov-fail-under=3 --strict",
            "",
            [("coverage-bar-lowered", PERSON), ("runner-configuration", RISK)],
        ),
        ("addopts = -q", "addopts = -q tests/test_a.py", []),
    ],
)
def test_options_in_settings(before: str, after: str, kinds: list[tuple[str, Weight]]) -> None:
    text = "[pytest]\n{}\nother = 1\n"
    found = _found({"pytest.ini": text.format(before)}, {"pytest.ini": text.format(after)})
    assert [(kind, weight) for kind, weight, _ in found] == kinds


def test_options_in_settings_are_no_run_of_their_own() -> None:
    """They neither make up for a run nor count as one."""
    before = {"pytest.ini": "[pytest]\naddopts = -q\n", **_make("pytest")}
    after = {"pytest.ini": "[pytest]\naddopts = -q -x\n", **_make("true")}
    assert [kind for kind, _, _ in _found(before, after)] == ["runner-replaced"]


def test_a_test_that_is_deleted_may_be_deselected_no_more() -> None:
    before = {"tests/test_a.py": "x = 1\n", **_make("pytest")}
    assert _found(before, _make("pytest --deselect tests/test_a.py::test_x")) == []


def test_what_is_gone_with_its_folder_is_not_missed() -> None:
    changes = changes_between(_make("pytest"), {})
    assert list(compare_runs(changes, scopes_of, NONE_KEPT, lambda change: change.after is None)) == []


def test_an_expression_that_hides_a_failure_is_for_a_person() -> None:
    path = ".github/workflows/a.yml"
    text = "jobs:\n  a:\n    steps:\n      - run: pytest\n"
    more = "        continue-on-error: ${{ x }}\n"
    (found,) = compare_runs(changes_between({path: text}, {path: text + more}), scopes_of, NONE_KEPT, lambda _: False)
    assert (found.kind, found.weight, found.after) == (
        "continue-on-error",
        PERSON,
        "pytest continue-on-error: ${{ x }}",
    )


def _placed(
    line: str, change: int = 0, scope: str = "a", *, hidden: Hidden | None = None, implied: bool = False
) -> Placed:
    return Placed(change, f"{change}.sh", scope, Run(program(line), 1, line, hidden), implied)


def _shown(placed: Placed) -> tuple[int, str, str]:
    return placed.change, placed.scope, placed.run.text


def _pairs(before: list[Placed], after: list[Placed]) -> list[Any]:
    """Pairs, then what has no partner."""
    matching = match_runs(before, after)
    return [
        *((_shown(old), _shown(new)) for old, new in matching.pairs),
        *((_shown(old), None) for old in matching.lost),
        *((None, _shown(new)) for new in matching.added),
    ]


@pytest.mark.parametrize(
    ("before", "after", "pairs"),
    [
        # The same text in the same place comes before anything else.
        (
            [_placed("pytest -q"), _placed("pytest")],
            [_placed("pytest"), _placed("pytest -x")],
            [((0, "a", "pytest"), (0, "a", "pytest")), ((0, "a", "pytest -q"), (0, "a", "pytest -x"))],
        ),
        # The same place comes before the same text elsewhere.
        (
            [_placed("pytest")],
            [_placed("pytest", scope="b"), _placed("pytest -x")],
            [((0, "a", "pytest"), (0, "a", "pytest -x")), (None, (0, "b", "pytest"))],
        ),
        # The same text elsewhere comes before another text in the same file.
        (
            [_placed("pytest")],
            [_placed("pytest -x", scope="b"), _placed("pytest", 1)],
            [((0, "a", "pytest"), (1, "a", "pytest")), (None, (0, "b", "pytest -x"))],
        ),
        ([_placed("pytest")], [_placed("pytest -x", scope="b")], [((0, "a", "pytest"), (0, "b", "pytest -x"))]),
        ([_placed("pytest")], [_placed("pytest -x", 1, "b")], [((0, "a", "pytest"), (1, "b", "pytest -x"))]),
        ([_placed("pytest")], [_placed("jest")], [((0, "a", "pytest"), (0, "a", "jest"))]),
        ([_placed("pytest")], [_placed("jest", scope="b")], [((0, "a", "pytest"), (0, "b", "jest"))]),
        ([_placed("pytest")], [_placed("jest", 1)], [((0, "a", "pytest"), None), (None, (1, "a", "jest"))]),
        ([_placed("pytest")], [_placed("ruff check")], [((0, "a", "pytest"), None), (None, (0, "a", "ruff check"))]),
        (
            [_placed("pytest")],
            [_placed("pytest", implied=True)],
            [((0, "a", "pytest"), None), (None, (0, "a", "pytest"))],
        ),
        (
            [_placed("pytest", hidden=Hidden(PIPED, "| a")), _placed("pytest")],
            [_placed("pytest")],
            [((0, "a", "pytest"), (0, "a", "pytest")), ((0, "a", "pytest"), None)],
        ),
        (
            [_placed("pytest"), _placed("pytest")],
            [_placed("pytest")],
            [((0, "a", "pytest"), (0, "a", "pytest")), ((0, "a", "pytest"), None)],
        ),
        # Among equals in place and tool, those with the most words in common.
        (
            [_placed("pytest -q tests")],
            [_placed("pytest tests/a"), _placed("pytest -q tests -x")],
            [((0, "a", "pytest -q tests"), (0, "a", "pytest -q tests -x")), (None, (0, "a", "pytest tests/a"))],
        ),
        (
            [_placed("pytest -a"), _placed("pytest -b -c")],
            [_placed("pytest -b -d"), _placed("pytest -e")],
            [((0, "a", "pytest -b -c"), (0, "a", "pytest -b -d")), ((0, "a", "pytest -a"), (0, "a", "pytest -e"))],
        ),
        ([], [], []),
    ],
)
def test_pairs(before: list[Placed], after: list[Placed], pairs: list[Any]) -> None:
    assert _pairs(before, after) == pairs


def test_what_is_hidden_stays_with_its_text() -> None:
    hidden = Hidden(PIPED, "| a")
    before, after = (
        [_placed("pytest", hidden=hidden), _placed("pytest")],
        [_placed("pytest"), _placed("pytest", hidden=hidden)],
    )
    assert [(old.run.hidden, new.run.hidden) for old, new in match_runs(before, after).pairs] == [
        (hidden, hidden),
        (None, None),
    ]


def test_very_many_runs_are_paired_in_their_order() -> None:
    before = [_placed(f"pytest -a{number}") for number in range(60)]
    after = [_placed(f"pytest -b{number}") for number in range(58)]
    pairs = _pairs(before, after)
    assert pairs[:58] == [((0, "a", f"pytest -a{at}"), (0, "a", f"pytest -b{at}")) for at in range(58)]
    assert pairs[58:] == [((0, "a", "pytest -a58"), None), ((0, "a", "pytest -a59"), None)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pytest --strict", "pytest"),
        ("pytest", "jest"),
        ("pytest", "pytest -k a"),
        ("pytest --cov-fail-under 9", "pytest"),
    ],
)
def test_both_sides_are_shown(before: str, after: str) -> None:
    found = compare_runs(changes_between(_make(before), _make(after)), scopes_of, NONE_KEPT, lambda _: False)
    assert {(each.before, each.after, each.line) for each in found} == {(before, after, 2)}


def test_targets_of_ignore_may_hold_a_colon() -> None:
    before, after = {"Makefile": "a:\n\tpytest\n"}, {"Makefile": ".IGNORE: a b:c\na:\n\tpytest\n"}
    assert [kind for kind, _, _ in _found(before, after)] == ["exit-code-swallowed"]
