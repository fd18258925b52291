"""Whole changes to settings, commands and workflows: cheats by their weight, and honest work that nothing holds."""

from __future__ import annotations

import pytest

from checks.tampering import configuration, workflow_edits
from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change
from checks.tampering.configuration import removed_folders
from tests.checks.tampering.honest import Honest, changes_between, cheating_cases, honest_cases

WORDS = [weight.value for weight in (Weight.FAILED, Weight.PERSON)]


def _found(changes: tuple[Change, ...]) -> list[Alteration]:
    return [*configuration.alterations(changes), *workflow_edits.alterations(changes)]


def _cheats(area: str) -> list[object]:
    return [
        pytest.param(word, case, id=f"{word}-{case.name}")
        for word in WORDS
        for case in cheating_cases(f"{area}_{word}")
    ]


@pytest.mark.parametrize(("word", "case"), [*_cheats("settings"), *_cheats("workflows")])
def test_a_cheat_is_found_with_its_weight(word: str, case: Honest) -> None:
    found = _found(case.changes())
    assert case.kinds
    assert case.kinds <= {each.kind for each in found if each.weight.value == word}
    for each in found:
        assert each.subject == each.path
        assert each.reason.endswith(".")
        assert len(each.before) <= LONGEST_QUOTE
        assert len(each.after) <= LONGEST_QUOTE


@pytest.mark.parametrize(
    "case", [*honest_cases("settings"), *honest_cases("workflows")], ids=lambda case: getattr(case, "name", "")
)
def test_honest_work_is_not_held(case: Honest) -> None:
    assert [each for each in _found(case.changes()) if each.weight is not Weight.RISK] == []


def test_the_whole_tree_tells_whether_an_exclusion_takes_tests_out() -> None:
    """Without the tree, only the changed files are known to be tests."""
    before, after = "[pytest]\naddopts = -q\n", "[pytest]\naddopts = -q --ignore=src/shop\n"
    changes = changes_between({"pytest.ini": before}, {"pytest.ini": after})
    (unknown,) = configuration.alterations(changes)
    (known,) = configuration.alterations(changes, ["pytest.ini", "src/shop/test_cart.py"])
    assert (unknown.weight, known.weight) == (Weight.RISK, Weight.FAILED)


def test_the_tree_counts_for_workflows_too() -> None:
    path = ".github/workflows/ci.yml"
    text = "on: pull_request\njobs:\n  a:\n    steps:\n      - run: pytest {}\n"
    changes = changes_between({path: text.format("")}, {path: text.format("--ignore=src/shop")})
    (unknown,) = workflow_edits.alterations(changes)
    (known,) = workflow_edits.alterations(changes, ["src/shop/test_cart.py"])
    assert (unknown.weight, known.weight) == (Weight.RISK, Weight.FAILED)


def test_where_it_is_found() -> None:
    (found,) = configuration.alterations(
        changes_between(
            {"Makefile": "a:\n\ttrue\ntest:\n\tpytest\n"}, {"Makefile": "a:\n\ttrue\ntest:\n\tpytest || :\n"}
        )
    )
    assert found == Alteration(
        "exit-code-swallowed",
        "Makefile",
        4,
        "pytest",
        "pytest || :",
        "`|| :` throws the exit code of a run away; before, the failure of this run decided.",
        Weight.FAILED,
        "Makefile",
    )


def test_a_workflow_is_compared_once() -> None:
    """`configuration` leaves workflow files to `workflow_edits`."""
    path = ".github/workflows/ci.yml"
    text = "on: pull_request\njobs:\n  a:\n    steps:\n      - run: pytest\n"
    changes = changes_between({path: text}, {path: text.replace("pytest", "pytest || true")})
    assert list(configuration.alterations(changes)) == []
    assert [each.kind for each in workflow_edits.alterations(changes)] == ["exit-code-swallowed"]


def test_a_change_that_touches_nothing_of_it_has_no_alteration() -> None:
    assert _found(changes_between({"a.py": "x = 1\n"}, {"a.py": "x = 2\n", "b.md": "text\n"})) == []
    assert _found(()) == []


@pytest.mark.parametrize(
    ("before", "after", "folders"),
    [
        ({"a/b/x.py": "1"}, {}, {"a", "a/b"}),
        ({"a/b/x.py": "1", "a/y.py": "1"}, {"a/y.py": "2"}, {"a/b"}),
        ({"a/b/x.py": "1"}, {"a/b/other.md": "text that is new"}, set()),
        ({"x.py": "1"}, {}, set()),
        ({"ci/x.sh": "1", "docs/x.md": "1", "data/x.json": "1"}, {}, set()),
    ],
)
def test_folders_that_are_gone(before: dict[str, str], after: dict[str, str], folders: set[str]) -> None:
    assert removed_folders(changes_between(before, after)) == folders


def test_settings_below_a_folder_that_is_gone_are_not_lowered() -> None:
    floor = "[report]\nfail_under = 90\n"
    kept = {"shop/x.py": "x = 1\n"}
    gone = configuration.alterations(changes_between({"old/.coveragerc": floor, "old/x.py": "1", **kept}, {}))
    assert [each.kind for each in gone] == []
    alone = configuration.alterations(changes_between({"old/.coveragerc": floor}, {}))
    assert [each.kind for each in alone] == ["coverage-bar-lowered"]


def test_a_run_that_is_split_loses_nothing_of_a_tree_that_it_covers() -> None:
    before, after = "test:\n\tpytest\n", "test: a b\na:\n\tpytest tests/a\nb:\n\tpytest tests/b\n"
    changes = changes_between({"Makefile": before}, {"Makefile": after})
    covered = ["Makefile", "tests/a/test_x.py", "tests/b/test_y.py", "web/a.test.js"]
    assert list(configuration.alterations(changes, covered)) == []
    kinds = {(each.kind, each.weight) for each in configuration.alterations(changes, [*covered, "shop/test_z.py"])}
    assert kinds == {("collection-narrowed", Weight.PERSON)}
