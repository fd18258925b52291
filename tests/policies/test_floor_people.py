"""Whose word on people, agents and machines counts where a repository's policy and the server's baseline meet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from checks.accounts import Account, Override, Permission
from checks.finding import Status
from policies.evaluate import evaluate
from policies.floor import load_floor, with_floor, with_marks
from policies.load import PolicyState
from tests.policies.build import (
    ADA,
    BODY,
    COURIER,
    HEAD,
    NOW,
    approval,
    commit,
    person_snapshot,
    presets,
    snapshot,
    state,
)

P, F, W = Status.PASSED, Status.FAILED, Status.PENDING

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


ROBO = Account("robo", 77)  # an account of the kind `User`, as agents have them that nobody installed as an App
ASKS = "version: 1\nrequirements: {low: {approvals: 1}}\n"
SILENT = "version: 1\nrequirements: {low: {approvals: 0}}\n"
AS_AGENT = "agents: {apps: [Robo]}\n"
AS_BOT = "dependency_bots: {accounts: [Robo]}\n"
MARKS = (AS_AGENT, AS_BOT)


def _may_write(*accounts: Account) -> dict[str, Permission]:
    return {account.login: Permission.ADMIN for account in accounts}


def _sides(asks: str, silent: str, mark: str) -> list[PolicyState]:
    """One policy asks, and either that one or the other one knows the account; either of them is the server's."""
    return [
        with_floor(state(own), load_floor(floor, presets()))
        for own, floor in (
            (asks, silent + mark),
            (asks + mark, silent),
            (silent + mark, asks),
            (silent, asks + mark),
        )
    ]


@pytest.mark.parametrize("mark", MARKS)
def test_an_approval_of_whom_either_knows_for_a_machine_counts_for_neither(mark: str) -> None:
    of = snapshot(reviews=(approval(ROBO),), permissions=_may_write(ROBO, ADA))
    assert evaluate(with_floor(state(ASKS), load_floor(SILENT, presets())), of).status is P
    for by in _sides(ASKS, SILENT, mark):
        verdict = evaluate(by, of)
        assert (verdict.review.status, verdict.approved_by) == (W, ())
        by_ada = evaluate(by, replace(of, reviews=(approval(ADA),)))
        assert (by_ada.status, by_ada.approved_by) == (P, ("ada",))


@pytest.mark.parametrize("mark", MARKS)
def test_so_does_an_override(mark: str) -> None:
    by_robo, by_ada = (Override(who, "It burns.", HEAD, NOW, 7) for who in (ROBO, ADA))
    of = snapshot(body="", permissions=_may_write(ROBO, ADA))
    override = "override: {permission: admin}\n"
    for by in _sides(ASKS + override, SILENT + override, mark):
        assert evaluate(by, replace(of, overrides=(by_robo,))).status is not P
        assert evaluate(by, replace(of, overrides=(by_robo,))).overridden_by is None
        assert evaluate(by, replace(of, overrides=(by_ada,))).overridden_by == by_ada


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_takes_no_veto_away(mark: str) -> None:
    """Or a repository could silence whom the server gave one, and the other way round."""
    of = snapshot(reviews=(approval(ROBO, state="CHANGES_REQUESTED"),), permissions=_may_write(ROBO))
    veto = SILENT + "veto: {users: [robo]}\n"
    for own, floor in ((veto, SILENT + mark), (SILENT + mark, veto)):
        assert evaluate(with_floor(state(own), load_floor(floor, presets())), of).review.status is F


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_makes_no_co_author_known(mark: str) -> None:
    message = "Faster\n\nCo-authored-by: Robo <robo@users.noreply.github.com>"
    of = snapshot(commits=(commit(COURIER, message=message),))
    for own, floor in ((SILENT, SILENT + mark), (SILENT + mark, SILENT)):
        verdict = evaluate(with_floor(state(own), load_floor(floor, presets())), of)
        assert any(found.check == "review.co-authors" and found.status is F for found in verdict.findings)


def test_a_mark_leads_nobody_past_a_rule_about_people() -> None:
    rule = SILENT + "rules: {x: {when: {kinds: [person]}, require: {approvals: {users: [bea]}}}}\n"
    of = person_snapshot(body=BODY)
    for own, floor in ((rule, SILENT + "agents: {branches: ['*']}\n"), (SILENT + "agents: {branches: ['*']}\n", rule)):
        verdict = evaluate(with_floor(state(own), load_floor(floor, presets())), of)
        assert (verdict.kind, verdict.review.status, verdict.needed) == ("agent", W, ("bea",))


def test_whose_work_it_is_is_a_person_s_where_both_say_so() -> None:
    of = person_snapshot()
    for own, floor in ((SILENT, SILENT + "people: {users: [bea]}\n"), (SILENT + "people: {users: [bea]}\n", SILENT)):
        verdict = evaluate(with_floor(state(own), load_floor(floor, presets())), of)
        assert (verdict.kind, verdict.may_enqueue) == ("agent", False)
    assert evaluate(with_floor(state(SILENT), load_floor(SILENT, presets())), of).kind == "person"


@pytest.mark.parametrize("mark", MARKS)
def test_what_a_marked_account_opens_is_no_person_s(mark: str) -> None:
    of = person_snapshot(author=ROBO, permissions=_may_write(ROBO, ADA))
    assert evaluate(state(SILENT), of).kind == "person"
    for by in _sides(SILENT, SILENT, mark):
        assert evaluate(by, of).kind == "agent"


def test_who_runs_the_agent_may_approve_where_both_let_them() -> None:
    of = snapshot(reviews=(approval(ADA),), operator="ada", session_agent="worker-1")
    lets = ASKS + "review: {allow_operator: true}\n"
    for own, floor, status in ((lets, ASKS, W), (ASKS, lets, W), (lets, lets, P)):
        assert evaluate(with_floor(state(own), load_floor(floor, presets())), of).review.status is status


def test_words_about_others_marks_cost_nothing_where_they_say_the_same() -> None:
    policy = state(SILENT).policy
    assert with_marks(policy, load_floor(SILENT, presets())) is None
    more = with_marks(policy, load_floor(SILENT + "agents: {trailers: [Made-By]}\n", presets()))
    assert more is not None and more.agents.trailers[-1] == "Made-By"
