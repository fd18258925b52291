"""What happens to a pull request from opening to landing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.gate.scene import Scene
from tests.gate.shop import BUNDLE, POLICY, WORKFLOW, agent_pull, fail_ci, open_shop, pass_ci
from tests.github.faults import Fault

pytestmark = pytest.mark.anyio

GREEN = {"evidence": "success", "review": "success"}
MEDIUM = POLICY + "risk:\n  areas:\n    payment: {risk: medium}\n"
PAYMENT = {"shop/payment.py": "RATE = 2\n"}
MEDIUM_BUNDLE = BUNDLE.replace("level: low", "level: medium")


async def test_an_honest_low_risk_change_is_merged_by_the_queue(stage: Scene) -> None:
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    assert pull.merged_at is not None


async def test_a_bundle_that_says_the_failing_tests_passed_is_refused(stage: Scene) -> None:
    shop = await open_shop(stage)
    fail_ci(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    assert "claims.commands" in stage.summary(shop, pull, "evidence")
    assert pull.merged_at is None


async def test_red_ci_is_repaired_by_a_push_to_the_same_pull_request(stage: Scene) -> None:
    shop = await open_shop(stage)
    fail_ci(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    red = pull.head_sha
    pass_ci(stage, shop)
    await stage.github.push(shop, "agent/discount", {"shop/discount.py": "RATE = 0.2\n"}, author="courier[bot]")
    await stage.settle()
    assert stage.checks(shop, red)["mergegate/evidence"] == "failure"
    assert pull.merged_at is not None


async def test_a_change_without_bundle_is_refused_and_told_how_to_add_one(stage: Scene) -> None:
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop, body="Trust me.")
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    await stage.github.edit_pull(shop, pull.number, "courier[bot]", body=BUNDLE)
    await stage.settle()
    assert pull.merged_at is not None


async def test_medium_risk_waits_for_a_person_and_is_merged_after_the_approval(stage: Scene) -> None:
    shop = await open_shop(stage, MEDIUM)
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.settle()
    assert stage.verdict(shop, pull) == {"evidence": "success", "review": "in_progress"}
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    assert pull.merged_at is not None


@pytest.mark.parametrize("reviewer", ["eve", "courier[bot]", "stranger"])
async def test_an_approval_that_does_not_count_changes_nothing(stage: Scene, reviewer: str) -> None:
    shop = await open_shop(stage, MEDIUM)
    stage.github.user("stranger")
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    pull.issue.user = "someone[bot]" if reviewer == "courier[bot]" else pull.issue.user
    await stage.settle()
    await stage.github.review(shop, pull.number, reviewer)
    await stage.settle()
    assert stage.verdict(shop, pull)["review"] == "in_progress"
    assert pull.merged_at is None


async def test_a_push_after_the_approval_needs_a_new_one(stage: Scene) -> None:
    shop = await open_shop(stage, MEDIUM.replace("'on'", "'off'"))
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    approved = pull.head_sha
    assert stage.verdict(shop, pull) == GREEN
    await stage.github.push(shop, "agent/payment", {"shop/payment.py": "RATE = 3\n"}, author="courier[bot]")
    await stage.settle()
    assert pull.head_sha != approved
    assert stage.verdict(shop, pull) == {"evidence": "success", "review": "in_progress"}


async def test_a_changed_bundle_needs_a_new_approval(stage: Scene) -> None:
    shop = await open_shop(stage, MEDIUM.replace("'on'", "'off'"))
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    await stage.github.edit_pull(
        shop, pull.number, "courier[bot]", body=MEDIUM_BUNDLE.replace("known: [none]", "known: [rounding]")
    )
    await stage.settle()
    assert stage.verdict(shop, pull)["review"] == "in_progress"


async def test_a_dismissed_approval_does_not_count(stage: Scene) -> None:
    shop = await open_shop(stage, MEDIUM.replace("'on'", "'off'"))
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    review = await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    await stage.github.dismiss_review(shop, pull.number, review, "ada")
    await stage.settle()
    assert stage.verdict(shop, pull)["review"] == "in_progress"


async def test_an_approver_who_loses_write_permission_does_not_count_any_more(stage: Scene) -> None:
    shop = await open_shop(stage, MEDIUM.replace("'on'", "'off'"))
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    shop.collaborators["bob"] = "read"
    await stage.resync()
    await stage.settle()
    assert stage.verdict(shop, pull)["review"] == "in_progress"


async def test_a_broken_policy_blocks_agents_and_lets_a_person_repair_it(stage: Scene) -> None:
    shop = await open_shop(stage, "version: 1\nqueu: {}\n")
    agents = await agent_pull(stage, shop)
    await stage.github.push(shop, "repair", {".github/mergegate.yml": POLICY}, author="ada")
    persons = await stage.github.open_pull(shop, "repair", author="ada")
    await stage.settle()
    assert stage.verdict(shop, agents)["evidence"] == "failure"
    assert "queu" in stage.summary(shop, agents, "evidence")
    assert stage.verdict(shop, persons)["evidence"] == "success"


async def test_without_a_policy_file_the_default_applies_and_the_check_says_so(stage: Scene) -> None:
    shop = await open_shop(stage, None)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    assert "default" in stage.summary(shop, pull, "evidence")
    assert pull.merged_at is None, "the default enqueues only after probation"


async def test_a_persons_pull_request_passes_evidence_and_is_never_enqueued(stage: Scene) -> None:
    shop = await open_shop(stage)
    await stage.github.push(shop, "docs", {"README.md": "Hello\n"}, author="ada")
    pull = await stage.github.open_pull(shop, "docs", author="ada")
    await stage.settle()
    assert stage.verdict(shop, pull) == GREEN
    assert shop.queues.get("main", []) == []
    assert pull.merged_at is None


async def test_an_agents_trailer_makes_a_persons_pull_request_an_agents(stage: Scene) -> None:
    shop = await open_shop(stage)
    message = "Docs\n\nCo-authored-by: Claude <noreply@anthropic.com>"
    await stage.github.push(shop, "docs", {"README.md": "Hello\n"}, author="ada", message=message)
    pull = await stage.github.open_pull(shop, "docs", author="ada", body="No bundle.")
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"


async def test_an_outsiders_fork_needs_a_person(stage: Scene) -> None:
    shop = await open_shop(stage)
    stage.github.user("mallory")
    fork = await stage.github.fork(shop, "mallory")
    await stage.github.push(fork, "fix", {"shop/fix.py": "A = 1\n"}, author="mallory")
    pull = await stage.github.open_pull(shop, "mallory:fix", author="mallory")
    await stage.settle()
    assert stage.verdict(shop, pull)["review"] == "in_progress"


async def test_a_draft_is_judged_but_asks_nobody_and_is_not_enqueued(stage: Scene) -> None:
    shop = await open_shop(stage, MEDIUM)
    await stage.github.push(shop, "agent/payment", PAYMENT, author="courier[bot]")
    pull = await stage.github.open_pull(shop, "agent/payment", body=MEDIUM_BUNDLE, author="courier[bot]", draft=True)
    await stage.settle()
    assert stage.verdict(shop, pull) == {"evidence": "success", "review": "in_progress"}
    assert "draft" in stage.summary(shop, pull, "review").lower()


async def test_a_changed_workflow_proves_nothing(stage: Scene) -> None:
    shop = await open_shop(stage)
    changed = {".github/workflows/ci.yml": WORKFLOW.replace("python -m unittest", "python -m unittest || true")}
    pull = await agent_pull(stage, shop, files=changed)
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"
    assert "ci.workflow-files" in stage.summary(shop, pull, "evidence")


async def test_the_open_checks_of_an_earlier_head_are_closed(stage: Scene) -> None:
    shop = await open_shop(stage, MEDIUM)
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.settle()
    old = pull.head_sha
    await stage.github.push(shop, "agent/payment", {"shop/payment.py": "RATE = 3\n"}, author="courier[bot]")
    await stage.settle()
    assert stage.checks(shop, old) == {"mergegate/evidence": "success", "mergegate/review": "cancelled"}


async def test_a_closed_pull_requests_open_checks_are_closed(stage: Scene) -> None:
    shop = await open_shop(stage, MEDIUM)
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.settle()
    await stage.github.close_pull(shop, pull.number, "ada")
    await stage.settle()
    assert stage.verdict(shop, pull) == {"evidence": "success", "review": "cancelled"}


@pytest.mark.parametrize("reopens", [True, False], ids=["github reopens completed runs", "github does not"])
async def test_a_force_push_back_to_an_old_commit_does_not_revive_its_green(stage: Scene, reopens: bool) -> None:
    shop = await open_shop(stage, MEDIUM.replace("'on'", "'off'"))
    stage.github.world.switches.reopen_completed_check_run = reopens
    pull = await agent_pull(stage, shop, "payment", PAYMENT, MEDIUM_BUNDLE)
    await stage.github.review(shop, pull.number, "bob")
    await stage.settle()
    first = pull.head_sha
    assert set(stage.checks(shop, first).values()) == {"success"}
    await stage.github.edit_pull(shop, pull.number, "courier[bot]", body=MEDIUM_BUNDLE.replace("none", "rounding"))
    await stage.settle()
    newest = {run.name: run for run in sorted(stage.check_runs(shop, first), key=lambda run: run.id)}
    assert newest["mergegate/review"].conclusion is None


async def test_another_pull_request_with_the_same_head_shows_the_worst_verdict(stage: Scene) -> None:
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'") + "branches: [release]\n")
    await stage.github.push(shop, "release", {"VERSION": "1\n"}, author="ada")
    first = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, first) == GREEN
    second = await stage.github.open_pull(shop, "agent/discount", "release", "again", "No bundle.", "courier[bot]")
    await stage.settle()
    assert second.head_sha == first.head_sha
    assert stage.verdict(shop, first)["evidence"] == "failure"
    await stage.github.close_pull(shop, second.number, "ada")
    await stage.settle()
    assert stage.verdict(shop, first)["evidence"] != "success", "its runs may be those of the merge into release"
    await stage.github.push(shop, "agent/discount", {"shop/discount.py": "RATE = 0.3\n"}, author="courier[bot]")
    await stage.settle()
    assert stage.verdict(shop, first) == GREEN


async def test_a_branch_that_is_not_gated_gets_no_checks(stage: Scene) -> None:
    shop = await open_shop(stage)
    await stage.github.push(shop, "playground", {"VERSION": "1\n"}, author="ada")
    await stage.github.push(shop, "agent/x", {"x": "1\n"}, author="courier[bot]", base="playground")
    pull = await stage.github.open_pull(shop, "agent/x", "playground", body="No bundle.", author="courier[bot]")
    await stage.settle()
    assert stage.checks(shop, pull.head_sha) == {}
    await stage.github.edit_pull(shop, pull.number, "courier[bot]", base="main")
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"


async def test_observe_mode_reports_and_never_posts_the_required_names(stage: Scene) -> None:
    shop = await open_shop(stage, "version: 1\nextends: observe\n")
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert set(stage.checks(shop, pull.head_sha)) == {"mergegate/observe"}
    assert pull.merged_at is None


async def test_ci_that_cannot_be_read_stays_open_and_fails_after_thirty_minutes(stage: Scene) -> None:
    shop = await open_shop(stage)
    stage.github.faults.add(Fault("fail", "GET", "/actions/jobs/.*/logs", count=1000, status=404))
    pull = await agent_pull(stage, shop)
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "in_progress"
    stage.clock = timedelta(minutes=31)
    await stage.resync()
    await stage.settle()
    assert stage.verdict(shop, pull)["evidence"] == "failure"
