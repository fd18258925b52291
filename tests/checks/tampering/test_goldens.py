"""Expectation files: what explains that they change, and what does not."""

from __future__ import annotations

import pytest

from checks.diff import FileStatus
from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.goldens import is_golden, rewritten_goldens
from tests.checks.tampering.honest import changes_between

SNAP = "src/__snapshots__/a.test.js.snap"
OLD, NEW = "exports[`a`] = 1;\n", "exports[`a`] = 2;\n"


@pytest.mark.parametrize(
    ("path", "golden"),
    [
        (SNAP, True),
        ("a/__image_snapshots__/b.png", True),
        ("crates/x/src/snapshots/a.snap", True),
        ("tests/__snapshots__/test_a.ambr", True),
        ("e2e/login.spec.ts-snapshots/page.png", True),
        ("pkg/testdata/a.golden", True),
        ("pkg/testdata/want.txt", True),
        ("tests/golden/a.json", True),
        ("tests/expected/a.json", True),
        ("tests/fixtures/a.expected", True),
        ("Tests/a.approved.txt", True),
        ("Tests/a.verified.cs", True),
        ("x/a.golden", True),
        ("golden/retriever.py", False),
        ("src/expected/a.py", False),
        ("tests/test_a.py", False),
        ("pkg/testdata/input.json", False),
        ("docs/snapshot.md", False),
        ("src/\ud800.py", False),
    ],
)
def test_names_of_expectations(path: str, *, golden: bool) -> None:
    assert is_golden(path) is golden


def _found(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, Weight, str]]:
    found = rewritten_goldens(changes_between(before, after))
    return [(each.kind, each.weight, each.reason) for each in found]


WITH_CODE = ("golden-rewritten", Weight.RISK, "An expectation is rewritten with the code.")
ALONE = (
    "golden-rewritten",
    Weight.PERSON,
    "An expectation is rewritten, and nothing else in the change explains why.",
)


@pytest.mark.parametrize(
    ("more_before", "more_after", "found"),
    [
        ({}, {}, [ALONE]),
        ({"README.md": "1"}, {"README.md": "2"}, [ALONE]),
        ({"a/b.snap": "1"}, {"a/b.snap": "2"}, [ALONE, ALONE]),
        ({"src/a.js": "1"}, {"src/a.js": "2"}, [WITH_CODE]),
        ({"src/a.test.js": "1"}, {"src/a.test.js": "2"}, [WITH_CODE]),
        ({"package-lock.json": "1"}, {"package-lock.json": "2"}, [WITH_CODE]),
        ({}, {"src/new.js": "1"}, [WITH_CODE]),
    ],
)
def test_what_explains_a_new_expectation(
    more_before: dict[str, str], more_after: dict[str, str], found: list[tuple[str, Weight, str]]
) -> None:
    assert _found({SNAP: OLD, **more_before}, {SNAP: NEW, **more_after}) == found


def test_an_expectation_that_is_emptied_is_for_a_person() -> None:
    emptied = ("golden-rewritten", Weight.PERSON, "An expectation is emptied.")
    assert _found({SNAP: OLD, "src/a.js": "1"}, {SNAP: "", "src/a.js": "2"}) == [emptied]
    assert _found({SNAP: OLD}, {SNAP: "\n"}) == [emptied]


def test_an_expectation_that_is_taken_away() -> None:
    alone = ("golden-removed", Weight.PERSON, "An expectation is taken away.")
    assert _found({SNAP: OLD}, {}) == [alone]
    assert _found({SNAP: OLD, "src/a.js": "1"}, {"src/a.js": "2"}) == [(alone[0], Weight.RISK, alone[2])]
    assert _found({SNAP: OLD, "src/a.test.js": "x\ny\n"}, {}) == []


def test_new_and_moved_expectations_say_nothing() -> None:
    assert _found({}, {SNAP: NEW}) == []
    assert _found({SNAP: OLD}, {"lib/__snapshots__/a.test.js.snap": OLD}) == []
    assert _found({"src/a.txt": "1\n2\n3\n"}, {"tests/golden/a.txt": "1\n2\n4\n"}) == []


def test_what_was_not_read_says_nothing() -> None:
    large = Version(SNAP, "100644", None)
    assert list(rewritten_goldens([Change(FileStatus.MODIFIED, Version(SNAP, "100644", b"x"), large)])) == []


def test_the_alteration() -> None:
    (found,) = rewritten_goldens(changes_between({SNAP: OLD}, {SNAP: NEW}))
    assert found == Alteration(ALONE[0], SNAP, None, "", "", ALONE[2], Weight.PERSON, SNAP)
