"""A baseline that says nothing of people takes neither agents nor strangers for people."""

from __future__ import annotations

from dataclasses import replace

import pytest

from checks.finding import Status
from checks.snapshot import Permission
from policies.evaluate import evaluate
from policies.floor import load_floor, with_floor
from tests.policies.build import BODY, person_snapshot, presets, snapshot, state

FLOOR = "version: 1\nrequirements: {low: {approvals: 2}, medium: {approvals: 2}}\n"
OWN = "version: 1\nrequirements: {low: {approvals: 0}, medium: {approvals: 0}}\n"


@pytest.mark.parametrize("more", ["", "agents: {branches: [], apps: [], trailers: []}\n"])
def test_an_agents_branch_is_an_agents_whoever_pushed_it(more: str) -> None:
    of = person_snapshot()
    of = replace(of, head=replace(of.head, ref="refs/heads/agent/12"), body=BODY)
    verdict = evaluate(with_floor(state(OWN + more), load_floor(FLOOR, presets())), of)
    assert verdict.status is not Status.PASSED


def test_marks_that_only_the_repository_knows_hold_for_the_baseline_too() -> None:
    own = state(OWN + "agents: {branches: [robots/*]}\n")
    of = person_snapshot()
    of = replace(of, head=replace(of.head, ref="refs/heads/robots/1"), body=BODY)
    assert evaluate(with_floor(own, load_floor(FLOOR, presets())), of).status is not Status.PASSED


def test_whoever_may_only_read_is_no_person_to_the_baseline() -> None:
    own = state(OWN + "people: {permission: read}\nreview: {people_need_approval: false}\n")
    of = person_snapshot()
    of = replace(of, permissions=dict.fromkeys(of.permissions, Permission.READ))
    assert evaluate(own, of).kind == "person"
    assert evaluate(with_floor(own, load_floor(FLOOR, presets())), of).status is not Status.PASSED


def test_what_passes_both_passes() -> None:
    floor = load_floor("version: 1\n", presets())
    assert evaluate(with_floor(state(OWN), floor), snapshot()).status is Status.PASSED
