"""What users of approval bots reported in public, and where each is a test here.

Sections "approvals and people" and "files and paths": number and address of the report, and the test that shows the
right behaviour. The features of policy-bot (https://github.com/palantir/policy-bot#readme) are listed the same way.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from checks.finding import Status
from checks.people import Classification
from tests.policies.build import ADA, BEA, COURIER, approval, change, run, snapshot
from tests.policies.rule_case import court, pull

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
WORKFLOW_PATH = ".github/workflows/ci.yml"


def _rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


REPORTS = _rows("public_reports.tsv")
FEATURES = _rows("policy_bot_features.tsv")
TESTS = [*(row[2] for row in REPORTS), *(row[1] for row in FEATURES)]


@cache
def _tests_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize("test", sorted(set(TESTS)))
def test_it_is_there(test: str) -> None:
    path, _, name = test.partition("::")
    assert name in _tests_in(path)


def test_every_report_of_both_sections_has_one() -> None:
    assert [int(row[0]) for row in REPORTS] == list(range(44, 69))


def test_an_agents_work_can_need_more_approvals_than_a_persons() -> None:
    text = "rules: {two: {when: {kinds: [agent]}, require: {approvals: {count: 2}}}}"
    one = pull(approval(ADA, id=1))
    assert court(text, one).rule("two").status is Status.PENDING
    assert court(text, pull(approval(ADA, id=1), approval(BEA, id=2))).rule("two").status is Status.PASSED
    person = court(text, one, who=Classification("person", "They are people."))
    assert person.rule("two").status is Status.SKIPPED


def test_where_every_way_is_left_out_nothing_passes() -> None:
    ways = "{any: [{rule: docs}, {rule: tests}]}"
    text = f"rules:\n  x: {{require: {ways}}}\n" + "".join(
        f"  {name}: {{standalone: false, when: {{only_paths: [{name}/]}}, require: {{approvals: {{}}}}}}\n"
        for name in ("docs", "tests")
    )
    found = court(text, pull(approval(ADA, id=1), **change("src/a.py"))).rule("x")
    assert (found.status, found.words) == (Status.FAILED, "rule `x`: nothing of what it requires applies here")
    assert court(text, pull(approval(ADA, id=1), **change("docs/a.md"))).rule("x").status is Status.PASSED


def test_a_deleted_workflow_that_a_rule_needs_waits_and_says_why() -> None:
    text = f"rules: {{x: {{require: {{condition: {{workflows: [{{path: {WORKFLOW_PATH}}}]}}}}}}}}"
    deleted = snapshot(author=COURIER, runs=(), workflows=())
    found = court(text, deleted).rule("x")
    assert found.status is Status.PENDING
    assert f"`{WORKFLOW_PATH}` has not run on this head" in found.words
    edited = court(text, snapshot(runs=(run(),), workflows=())).rule("x")
    assert edited.status is Status.ERRORED
