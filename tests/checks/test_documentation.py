"""Changes of documentation alone need no run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.ci import CiRequirement, check
from checks.diff import ChangedFile, Diff, FileStatus
from checks.documentation import is_documentation_only
from checks.finding import Status
from checks.paths import PathPatterns
from checks.snapshot import Snapshot
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import NO_TESTS, diff, file, job, run
from tests.checks.ci_case import LATE, OFFLINE, OPEN, UNREAD, F, P, judge

S = Status.SKIPPED
DOCS = PathPatterns(["*.md", "docs/**/*.png", "!**/tests/**"])
RULES = CiRequirement(documentation=DOCS, jobs=("test",), commands=("pytest -q",))
README = diff("README.md", "docs/a/b.png")
REASON = "Only documentation changes, for which the policy asks for no run."


def changing(*files: ChangedFile | str, **changes: Any) -> Snapshot:
    return build.snapshot(**{"diff": diff(*files), "merge_diff": diff(*files), **changes})


def is_docs(*files: ChangedFile | str, **changes: Any) -> bool:
    return is_documentation_only(changing(*files, **changes), DOCS)


@pytest.mark.parametrize(
    "files",
    [
        ["README.md"],
        ["docs/README.md", "docs/deep/er/x.png"],
        [file("b.md", FileStatus.RENAMED, previous_path="a.md")],
        [file("a.md", FileStatus.ADDED, old_mode="000000")],
        [file("a.md", FileStatus.REMOVED, new_mode="000000")],
        [file("a.md", new_mode="100755")],
    ],
)
def test_documentation(files: list[Any]) -> None:
    assert is_docs(*files)


@pytest.mark.parametrize(
    "files",
    [
        [],
        ["README.md", "src/price.py"],
        ["README.MD"],
        ["x.png"],
        ["tests/golden.md"],
        ["a/tests/b/golden.md"],
        [file("a.md", FileStatus.RENAMED, previous_path="a.py")],
        [file("a.py", FileStatus.RENAMED, previous_path="a.md")],
        [file("a.md", new_mode="120000", symlink_target="src/price.py")],
        [file("a.md", FileStatus.TYPE_CHANGED, old_mode="120000")],
        [file("a.md", new_mode="160000")],
        ["AGENTS.md"],
        ["pkg/CLAUDE.md"],
        [".claude/skills/review.md"],
        [".github/copilot-instructions.md"],
        [".github/workflows/README.md"],
    ],
)
def test_no_documentation(files: list[Any]) -> None:
    assert not is_docs(*files)


@pytest.mark.parametrize("other", [UNREAD, OFFLINE, diff("src/price.py"), replace(README, complete=False), diff()])
def test_both_differences_must_be_known_and_match(other: Diff | Unread) -> None:
    assert not is_docs("README.md", merge_diff=other)
    assert not is_docs("README.md", diff=other)


def test_without_patterns_nothing_is_documentation() -> None:
    assert not is_documentation_only(changing("README.md"), None)


def test_a_ticket_that_asks_for_commands_wants_them_run() -> None:
    assert is_docs("README.md", ticket=build.ticket())
    assert not is_docs("README.md", ticket=build.ticket(verification_commands=("make docs",)))


def of(*runs: Any, files: Any = ("README.md",), **changes: Any) -> list[tuple[str, Status]]:
    result = judge(*runs, rules=RULES, diff=diff(*files), merge_diff=diff(*files), **changes)
    return [(one.check, one.status) for one in result.findings]


@pytest.mark.parametrize("late", [False, True])
def test_documentation_needs_no_run(late: bool) -> None:
    result = judge(late=late, rules=RULES, diff=README, merge_diff=README)
    assert [(one.check, one.status, one.reason) for one in result.findings] == [("ci.runs", S, REASON)]
    assert result.jobs == ()
    assert of(files=("src/price.py",), late=True) == [("ci.runs", F)]


def test_a_run_that_vanished_is_told_all_the_same() -> None:
    assert of(seen_runs=(7,)) == [("ci.runs", F), ("ci.runs", S)]


def test_documentation_judged_without_github() -> None:
    assert of(files=("README.md",)) == [("ci.runs", S)]
    snapshot = {"diff": README, "merge_diff": README}
    assert [one.status for one in _judged(OFFLINE, **snapshot)] == [S]
    assert [one.status for one in _judged(UNREAD, **snapshot)] == [Status.ERRORED]
    assert [one.status for one in _judged(OFFLINE)] == [OPEN]


def _judged(runs: Any, **changes: Any) -> Any:
    return check(build.snapshot(runs=runs, head_seen_at=LATE, **changes), RULES).findings


def test_runs_that_are_there_must_not_be_red() -> None:
    lint = job("lint", log=build.log(NO_TESTS))
    assert of(run(lint)) == [("ci.workflow-files", P), ("ci.runs", P), ("ci.jobs", P), ("ci.logs", P), ("ci.tests", S)]
    assert ("ci.jobs", F) in of(run(job("lint", conclusion="failure"), conclusion="failure"))
    assert ("ci.runs", OPEN) in of(run(lint, status="in_progress", conclusion=None))


def test_the_words_for_runs_without_tests() -> None:
    result = judge(run(job("lint", log=build.log(NO_TESTS))), rules=RULES, diff=README, merge_diff=README)
    assert result.findings[-1].reason == REASON


def test_tests_that_ran_are_shown() -> None:
    assert of(run())[-1] == ("ci.tests", P)
