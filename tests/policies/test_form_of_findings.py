"""The form of every finding: a stable name, a sentence, evidence that is one, and a next step where it is not green."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from checks.accounts import Commit, CommitIdentity, Override, Permission
from checks.finding import Evidence, Finding, Fix, Status
from checks.opinions import Opinions
from checks.reports.report import TestReport
from checks.runs import Baseline, CalledWorkflow, JobTests, WorkflowFile, WorkflowNote
from checks.snapshot import Layer, Stack, Ticket
from checks.tampering.alteration import Alteration, Analysis, Weight
from checks.unread import Unread
from policies.evaluate import evaluate
from policies.load import PolicySource, read_policy
from tests.policies.build import (
    ADA,
    BEA,
    BODY,
    DEPENDABOT,
    NOW,
    TARGET,
    approval,
    change,
    commit,
    person_snapshot,
    presets,
    run,
    snapshot,
    state,
)

AWAY = Unread("GitHub answered 502")
OFFLINE = Unread("GitHub was not asked", offline=True)
OTHER = "3" * 40
NOBODY = CommitIdentity("n", "n@example.org")
REMOVED = Alteration("test-removed", "t.py", 3, "def test_a(): ...", "", "The test is gone.", Weight.FAILED, "test_a")
ONE_WAY = Alteration("migration-without-way-back", "m.py", 3, "", "x", "It cannot go back.", Weight.RISK, "m.py")
REPORT = TestReport("junit", "junit", 12, 0, 0, 0)
BEFORE = Baseline(".github/workflows/ci.yml", 5, TARGET, NOW, (JobTests("test", 20, 0),))
CHECKS = {
    "people", "policy", "ticket", "bundle", "claims.head", "claims.tree", "claims.files", "claims.commands",
    "claims.evidence", "claims.tests", "claims.logs", "scope", "scope.complete", "scope.stack", "scope.commits",
    "origin", "risk", "risk.claim", "rollback",
    "bundle.history", "rollback.data-loss", "rollback.stub", "rollback.revert", "rollback.migration",
    "tampering.migration-without-way-back", "claims.stale", "tampering", "tampering.test-removed",
    "ci.runs", "ci.workflow-files", "ci.jobs", "ci.logs", "ci.commands", "ci.tests",
    "ci.token", "ci.secrets", "ci.cache", "ci.runner", "ci.variables", "ci.attempts",
    "ci.reports", "ci.baseline", "ci.other", "ci.verifier", "judge", "review", "review.changes", "review.co-authors",
    "review.area", "review.github",
    "review.veto", "review.unmapped", "rules.a", "rules.b", "rules.c", "rules.d", "override", "policy.check",
}  # fmt: skip
ACTIONS = {
    "add-bundle", "add-bundle-field", "answer-review", "ask-person", "correct-bundle", "link-ticket", "meet-rule",
    "open-pull-request", "push", "repair-policy", "rerun", "rewrite-commits", "split-pull-request", "update-branch",
    "wait",
}  # fmt: skip


def _job(**changes: Any) -> Any:
    return run(jobs=(replace(run().jobs[0], **changes),))


def _logged(**changes: Any) -> Any:
    log: Any = run().jobs[0].log
    return _job(log=replace(log, **changes))


def _tried(failures: int) -> Any:
    job = run().jobs[0]
    bad = (replace(job, id=number, attempt=number, conclusion="failure") for number in range(1, failures + 1))
    return run(attempt=failures + 1, jobs=(*bad, replace(job, attempt=failures + 1)))


def _bundle(text: str) -> dict[str, str]:
    return {"body": f"```mergegate\n{text}\n```\n"}


CHANGES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "text that becomes a commit message": {"methods_with_body": ("squash",)},
    "a removed test": {"analysis": Analysis((REMOVED,))},
    "a migration without its way back": {"analysis": Analysis((ONE_WAY,))},
    "and without a bundle": {"analysis": Analysis((ONE_WAY,)), "body": ""},
    "nothing removed": {"analysis": Analysis((), tests_before=2, tests_after=2)},
    "a stub": _bundle("reason: x\nrollback: {strategy: manual, steps: [TBD]}"),
    "a stale command": _bundle(
        f"reason: x\ncommands: [{{command: pytest -q, exit_code: 0, where: local, tree: '{OTHER}'}}]"
    ),
    "no bundle": {"body": ""},
    "two bundles": {"body": BODY + BODY},
    "a broken bundle": _bundle("riks: 1"),
    "another commit": _bundle(f"head: {OTHER}\nreason: x"),
    "other files": {"body": BODY.replace("risk:", "changed_files: [other.py]\nrisk:")},
    "its own files": {"body": BODY.replace("risk:", "changed_files: [src/total.py]\nrisk:")},
    "its own tree": {"body": BODY.replace("risk:", f"tree: {'e5' * 20}\nrisk:")},
    "another tree": {"body": BODY.replace("risk:", f"tree: {OTHER}\nrisk:")},
    "a pointer": {"body": BODY.replace("risk:", "evidence: [{run: 7, job: 9}]\nrisk:")},
    "a pointer to nothing": {"body": BODY.replace("risk:", "evidence: [{run: 8}]\nrisk:")},
    "tests that are not there": {"body": BODY.replace("risk:", "tests: {added: 900}\nrisk:")},
    "a false exit code": {"body": BODY.replace("exit_code: 0", "exit_code: 1")},
    "another command": {"body": BODY.replace("pytest -q", "tox")},
    "a lower word": {**change("auth/key.py")},
    "a higher word": {"body": BODY.replace("level: low", "level: high")},
    "a loss of data": {"body": BODY.replace("strategy: revert", "strategy: revert, data_loss: true")},
    "no steps": {"body": BODY.replace("strategy: revert", "strategy: manual")},
    "a migration": {**change("db/migrations/1.sql")},
    "the policy file": {**change(".github/mergegate.yml")},
    "a workflow file": {**change(".github/workflows/ci.yml")},
    "no change": {**change()},
    "a wrong number of files": {"changed_files_total": 7},
    "no runs": {"runs": ()},
    "a run of another event": {"runs": (run(event="push"),)},
    "a run under way": {"runs": (run(status="in_progress", conclusion=None),)},
    "a run that waits for a person": {"runs": (run(status="completed", conclusion="action_required"),)},
    "a run that did not start": {"runs": (run(conclusion="startup_failure", jobs=()),)},
    "a failed job": {"runs": (_job(conclusion="failure"),)},
    "a skipped job": {"runs": (_job(conclusion="skipped"),)},
    "a job without a log": {"runs": (_job(log=None),)},
    "a log that was not read": {"runs": (_job(log=AWAY),)},
    "a report": {"runs": (run(reports=(REPORT,)),)},
    "a report that says more": {"runs": (run(reports=(replace(REPORT, passed=99),)),)},
    "a red report": {"runs": (run(reports=(replace(REPORT, failed=1, failed_names=("t",)),)),)},
    "a report without tests": {"runs": (run(reports=(replace(REPORT, passed=0),)),)},
    "a report of skipped tests": {"runs": (run(reports=(replace(REPORT, passed=0, skipped=1),)),)},
    "a report that was not read": {"runs": (run(reports=AWAY),)},
    "fewer tests": {"baselines": (BEFORE,)},
    "fewer tests, declared": {"baselines": (BEFORE,), "body": BODY.replace("risk:", "tests: {removed: 8}\nrisk:")},
    "no fewer tests": {"baselines": (replace(BEFORE, jobs=(JobTests("test", 9, 0),)),)},
    "a missing job": {"baselines": (replace(BEFORE, jobs=(JobTests("e2e", 9, 0),)),)},
    "a baseline that was not read": {"baselines": AWAY},
    "documentation without runs": {"runs": (), **change("README.md")},
    "another version of the workflow file": {
        "workflows": (WorkflowFile(".github/workflows/ci.yml", "aa" * 20, "bb" * 20),)
    },
    "a call that leads nowhere": {
        "workflows": (WorkflowFile(".github/workflows/ci.yml", "aa" * 20, "aa" * 20, unresolved=("x/y@main",)),)
    },
    "secrets and outside variables": {
        "workflows": (
            WorkflowFile(
                ".github/workflows/ci.yml",
                "aa" * 20,
                "aa" * 20,
                notes=(WorkflowNote("secret", "test", 9, "KEY"), WorkflowNote("variable", "", 10, "vars.X")),
            ),
        )
    },
    "a token that writes": {"runs": (_logged(token_permissions=(("Contents", "write"),), cache_keys=("k",)),)},
    "a machine that is kept": {"runs": (_job(runner_labels=("self-hosted",)),)},
    "a workflow elsewhere": {"runs": (run(called=(CalledWorkflow("o/r/.github/workflows/x.yml@v1", OTHER),)),)},
    "tried again": {"runs": (_tried(1),)},
    "tried too often": {"runs": (_tried(3),)},
    "no workflow file": {"workflows": ()},
    "a ticket": {"ticket": Ticket("T-1", "sha256:t")},
    "outside its ticket": {"ticket": Ticket("T-1", "sha256:t", allowed_paths=("docs/",))},
    "a request for changes": {"reviews": (approval(ADA, state="CHANGES_REQUESTED"),)},
    "an approval": {"reviews": (approval(ADA),)},
    "an approval of another commit": {"reviews": (approval(ADA, commit=OTHER),)},
    "an approval by a reader": {"reviews": (approval(ADA),), "permissions": {"ada": Permission.READ}},
    "a co-author": {"commits": (commit(BEA, message="x\n\nCo-authored-by: Zoe <zoe@example.org>"),)},
    "a dependency bot": {"author": DEPENDABOT, "session_agent": None},
    "an override": {"overrides": (Override(BEA, "It burns.", "a1" * 20, NOW, 9),)},
    "an address of nobody": {"session_agent": None, "commits": (Commit("a1" * 20, "x", NOBODY, NOBODY),)},
    "a draft": {"draft": True},
    "a layer on the ones below": {"stack": Stack(1, "refs/heads/main", TARGET, 2, 2, (Layer(11, OTHER),))},
    "a layer that lost its ground": {"stack": Stack(1, "refs/heads/main", TARGET, 2, 2, (Layer(11, OTHER, False),))},
    "a stack that was not read": {"stack": Stack(1, "refs/heads/main", TARGET, 2, 2, AWAY)},
    "no merge": {"mergeable": False},
    "a judge that can be asked": {"opinions": Opinions(judges=frozenset({"one"}))},
    **{f"{part} {why}": {part: unread}
       for part, (why, unread) in product(
           ("diff", "merge_diff", "analysis", "runs", "workflows", "changed_files_total", "reviews", "commits",
            "author"),
           (("away", AWAY), ("offline", OFFLINE)))},
}  # fmt: skip
POLICIES = {
    "solo": "version: 1\nextends: solo\n",
    "strict": "version: 1\nextends: strict\n",
    "required": "version: 1\nticket: {required: true}\nci: {jobs: [deploy], commands: [tox]}\n",
    "broken": "version: 1\nmode: x\n",
    "witnesses": "version: 1\nci: {witnesses: [{app: buildkite, checks: [build]}]}\n",
    "refused": "version: 1\nci: {trust: {secrets: refuse, cache: refuse, variables: refuse, calls: refuse}}\n",
    "no baseline": "version: 1\nci: {baseline: {compare: false}}\n",
    "given": PolicySource("version: 1", "refs/heads/main", TARGET, given="policy.yml"),
    "judged": "version: 1\njudge: {low: [one], medium: [one], high: [one], critical: [one, two]}\n",
    "rules": "version: 1\nveto: {users: [ada]}\noverride: {permission: admin}\nrules:\n"
    "  a: {require: {approvals: {}}}\n  b: {require: {condition: {signed: true}}}\n"
    "  c: {when: {paths: [db/]}, require: {code_owners: {}}}\n"
    "  d: {require: {condition: {workflows: [{path: .github/workflows/ci.yml}]}}}\n",
    "areas": "version: 1\nrisk: {areas: {tests: {reviewers: {users: [ada]}}, x: {risk: low, paths: ['*'], "
    "reviewers: {teams: [core]}}}}\n",
    "unread": PolicySource(AWAY, "refs/heads/main", TARGET),
}


def assert_form(finding: Finding) -> None:
    assert finding.check in CHECKS
    assert isinstance(finding.reason, str)
    assert finding.reason[0].isupper() or finding.reason[0] in "`0123456789" or finding.reason.startswith("ada ")
    assert all(isinstance(at, Evidence) and at.label and isinstance(at.label, str) for at in finding.evidence)
    if finding.status in (Status.PASSED, Status.SKIPPED):
        assert finding.fix is None
        return
    assert isinstance(finding.fix, Fix)
    assert finding.fix.action in ACTIONS
    assert finding.fix.text[0].isupper()
    assert finding.fix.field is None or finding.fix.field


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_whosever_it_is(changes: dict[str, Any]) -> None:
    away = dict.fromkeys(("author", "commits", "changed_files_total", "reviews", "runs", "workflows"), OFFLINE)
    local: dict[str, Any] = {**away, "number": None, "session_agent": None, "permissions": {}}
    for of in (snapshot(**changes), person_snapshot(**changes), snapshot(**{**local, **changes})):
        for finding in evaluate(state(), of, gated=True).findings:
            assert_form(finding)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize(
    "name",
    [
        "secrets and outside variables",
        "a token that writes",
        "a machine that is kept",
        "a workflow elsewhere",
        "nothing",
        "no bundle",
        "no runs",
        "a migration",
        "runs away",
        "runs offline",
        "reviews away",
        "reviews offline",
        "an approval",
        "a request for changes",
        "an override",
        "an address of nobody",
    ],
)
def test_whatever_the_policy(policy: str | PolicySource, name: str) -> None:
    in_force = state(policy) if isinstance(policy, str) else read_policy(policy, presets())
    for finding in evaluate(in_force, snapshot(**CHANGES[name]), gated=True).findings:
        assert_form(finding)
