"""The policy's words on reports, the baseline, partial jobs, documentation and other CI systems, as a verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.baseline import BaselineRule
from checks.ci_trust import TrustRule
from checks.finding import Status
from checks.logs.report import LogReport
from checks.other_ci import Witness
from checks.reports.report import TestReport
from checks.runs import Baseline, CheckRun, JobLog, JobTests
from checks.unread import Unread
from policies import rules
from policies.errors import InvalidPolicyError
from policies.evaluate import evaluate
from policies.load import load
from policies.schema import Policy
from policies.verdict import Verdict
from tests.policies.build import (
    ADA,
    BODY,
    DEPENDABOT,
    NOW,
    TARGET,
    approval,
    change,
    person_snapshot,
    presets,
    run,
    snapshot,
    state,
)

P, F, W, S = Status.PASSED, Status.FAILED, Status.PENDING, Status.SKIPPED
WORKFLOW = ".github/workflows/ci.yml"
BEFORE = Baseline(WORKFLOW, 5, TARGET, NOW, (JobTests("test", 20, 0),))
REPORT = TestReport("junit", "junit", 12, 0, 0, 0)


def read(text: str = "") -> Policy:
    return load(f"version: 1\n{text}", presets())


def judged(policy: str = "", **changes: Any) -> Verdict:
    return evaluate(state(f"version: 1\n{policy}"), snapshot(**changes))


def statuses(verdict: Verdict, check: str) -> list[Status]:
    return [finding.status for finding in verdict.findings if finding.check == check]


class TestParameters:
    def test_reports(self) -> None:
        rule = rules.ci_requirement(read("ci: {reports: {artifacts: [r], files: ['*.x'], required: true}}")).reports
        assert rule.artifacts is not None
        assert (rule.artifacts.patterns, rule.required) == (("r",), True)
        assert rules.report_files(read("ci: {reports: {files: ['*.x']}}")).patterns == ("*.x",)

    def test_no_artifact_named_means_none(self) -> None:
        assert rules.ci_requirement(read("ci: {reports: {artifacts: []}}")).reports.artifacts is None

    def test_baseline_and_partial_jobs(self) -> None:
        policy = read(
            "ci: {baseline: {compare: false, fewer_tests: never, more_skips: declared}, partial_jobs: [affected]}"
        )
        assert rules.baseline_rule(policy) == BaselineRule(False, "never", "declared", ("affected",))
        assert rules.ci_requirement(policy).partial == ("affected",)

    def test_documentation(self) -> None:
        found = rules.ci_requirement(read("ci: {documentation: ['*.md']}")).documentation
        assert found is not None
        assert found.patterns == ("*.md",)
        assert rules.ci_requirement(read("ci: {documentation: []}")).documentation is None

    def test_trust_and_attempts(self) -> None:
        words = "token: refuse, secrets: person, cache: refuse, runner: allow, variables: person, calls: refuse"
        found = rules.ci_requirement(read(f"ci: {{trust: {{{words}, ephemeral: [arc]}}, attempts: 5}}"))
        assert found.trust == TrustRule("refuse", "person", "refuse", "allow", "person", "refuse", ("arc",))
        assert found.attempts == 5

    def test_other_ci_systems_by_slug_and_by_id(self) -> None:
        policy = read('ci: {witnesses: [{app: buildkite, checks: [build]}, {app: "72", checks: [a, b]}]}')
        assert rules.ci_requirement(policy).others == (Witness("buildkite", ("build",)), Witness("72", ("a", "b")))

    @pytest.mark.parametrize(
        "text",
        [
            "ci: {reports: {artifacts: ['#x']}}",
            "ci: {reports: {files: ['[z-a]']}}",
            "ci: {documentation: ['']}",
            "ci: {documentation: ['#x']}",
            "ci: {baseline: {fewer_tests: always}}",
            "ci: {witnesses: [{app: Build Kite, checks: [build]}]}",
            "ci: {witnesses: [{app: 72, checks: [build]}]}",
            "ci: {witnesses: [{app: buildkite, checks: []}]}",
            "ci: {witnesses: [{app: buildkite}]}",
            "ci: {trust: {token: never}}",
            "ci: {trust: {ephemeral: ['']}}",
            "ci: {attempts: 0}",
        ],
    )
    def test_words_that_cannot_be_used(self, text: str) -> None:
        with pytest.raises(InvalidPolicyError):
            read(text)

    def test_an_app_that_cannot_be_one_is_told_how_to_be_named(self) -> None:
        with pytest.raises(InvalidPolicyError) as refused:
            read("ci: {witnesses: [{app: Build Kite, checks: [build]}]}")
        (error,) = refused.value.errors
        assert (error.field, error.message) == ("ci.witnesses[0].app", "that is no App's slug or id")
        assert error.hint == 'Write its slug, for example `buildkite`, or its id in quotes: `"72"`'


ARTIFACTS = [
    ("junit", True),
    ("JUnit-3.12", True),
    ("test-results", True),
    ("unit-test-reports", True),
    ("ctrf-report", True),
    ("trx", True),
    ("coverage", False),
    ("playwright-report", False),
    ("dist", False),
]
FILES = [
    ("junit.xml", True),
    ("build/test-results/test/TEST-shop.CartTest.xml", True),
    ("a/test_results.xml", True),
    ("pytest.xml", True),
    ("run.trx", True),
    ("ctrf/ctrf-report.json", True),
    ("gotest.json", True),
    ("coverage.xml", False),
    ("index.html", False),
    ("package.json", False),
]
DOCUMENTATION = [
    ("README.md", True),
    ("docs/how/to.rst", True),
    ("LICENSE", True),
    ("docs/picture.png", True),
    ("docs/notes.txt", True),
    ("requirements.txt", False),
    ("CMakeLists.txt", False),
    ("docs/conf.py", False),
    ("guide.mdx", False),
    ("logo.png", False),
    ("tests/cases/input.md", False),
    ("pkg/testdata/page.md", False),
    ("src/__snapshots__/a.md", False),
    ("app/prompts/system.md", False),
]


class TestDefaults:
    @pytest.mark.parametrize(("name", "wanted"), ARTIFACTS)
    def test_artifacts_that_hold_reports(self, name: str, wanted: bool) -> None:
        artifacts = rules.ci_requirement(read()).reports.artifacts
        assert artifacts is not None
        assert artifacts.matches(name) is wanted

    @pytest.mark.parametrize(("path", "wanted"), FILES)
    def test_files_that_are_reports(self, path: str, wanted: bool) -> None:
        assert rules.report_files(read()).matches(path) is wanted

    @pytest.mark.parametrize(("path", "is_one"), DOCUMENTATION)
    def test_documentation(self, path: str, is_one: bool) -> None:
        documentation = rules.ci_requirement(read()).documentation
        assert documentation is not None
        assert documentation.matches_exactly(path) is is_one

    def test_reports_are_read_but_not_required(self) -> None:
        assert not rules.ci_requirement(read()).reports.required
        assert rules.ci_requirement(read("extends: strict")).reports.required

    def test_what_shrank_and_is_declared_is_for_people(self) -> None:
        assert rules.baseline_rule(read()) == BaselineRule(True, "person", "person", ())
        assert rules.baseline_rule(read("extends: strict")) == BaselineRule(True, "person", "never", ())

    def test_only_kept_machines_are_for_people(self) -> None:
        found = rules.ci_requirement(read())
        assert (found.trust, found.attempts) == (TrustRule(runner="person"), 3)
        strict = rules.ci_requirement(read("extends: strict"))
        assert strict.trust == TrustRule("refuse", "person", "person", "refuse", "person", "person")


class TestVerdict:
    def test_a_report_that_contradicts_the_log(self) -> None:
        assert statuses(judged(runs=(run(reports=(REPORT,)),)), "ci.reports") == [P]
        assert statuses(judged(runs=(run(reports=(replace(REPORT, passed=99),)),)), "ci.reports") == [F]

    def test_a_required_report(self) -> None:
        assert statuses(judged("ci: {reports: {required: true}}"), "ci.reports") == [F]
        assert statuses(judged(), "ci.reports") == []

    def test_fewer_tests_than_on_the_target_branch(self) -> None:
        assert statuses(judged(), "ci.baseline") == [S]
        assert statuses(judged(baselines=(replace(BEFORE, jobs=(JobTests("test", 12, 0),)),)), "ci.baseline") == [P]
        verdict = judged(baselines=(BEFORE,))
        assert statuses(verdict, "ci.baseline") == [F]
        assert verdict.evidence.status is F

    def test_declared_removals_wait_for_a_person_and_are_settled_by_one(self) -> None:
        body = BODY.replace("risk:", "tests: {removed: 8}\nrisk:")
        waiting = judged(baselines=(BEFORE,), body=body)
        assert (waiting.evidence.status, waiting.review.status) == (P, W)
        accepted = judged("ci: {baseline: {fewer_tests: declared}}", baselines=(BEFORE,), body=body)
        assert (accepted.evidence.status, accepted.review.status) == (P, P)

    def test_a_dependency_bot_declares_nothing(self) -> None:
        bots = judged(baselines=(BEFORE,), author=DEPENDABOT, session_agent=None)
        assert statuses(bots, "ci.baseline") == [F]

    def test_a_persons_own_work_is_not_compared(self) -> None:
        verdict = evaluate(state(), person_snapshot(baselines=(BEFORE,)))
        assert statuses(verdict, "ci.baseline") == []

    def test_partial_jobs(self) -> None:
        log = run().jobs[0].log
        assert isinstance(log, JobLog)
        nothing = LogReport(None, None, None, None, None, False, None, (), 9, False, ("no summary was found",))
        bare = (run(jobs=(replace(run().jobs[0], log=replace(log, report=nothing)),)),)
        partial = judged("ci: {partial_jobs: [test]}", runs=bare, baselines=(BEFORE,))
        assert (statuses(partial, "ci.tests"), statuses(partial, "ci.baseline")) == ([P], [P])
        full = judged(runs=bare, baselines=(BEFORE,))
        assert F in statuses(full, "ci.tests") + statuses(full, "ci.baseline")

    def test_documentation_needs_no_run(self) -> None:
        body = BODY.replace("where: ci", "where: local")
        verdict = judged(runs=(), body=body, **change("README.md", "docs/a.rst"))
        assert (statuses(verdict, "ci.runs"), verdict.evidence.status) == ([S], P)
        assert judged("ci: {documentation: []}", runs=(), body=body, **change("README.md")).evidence.status is not P
        assert judged(runs=(), body=body, **change("AGENTS.md")).evidence.status is not P

    def test_another_ci_system_suffices_for_low_risk_only(self) -> None:
        said = (CheckRun(91, "build", 72, "buildkite", "completed", "success"),)
        words = "ci: {witnesses: [{app: buildkite, checks: [build]}]}\n"
        low = {"runs": (), "check_runs": said, "body": BODY.replace("where: ci", "where: local")}
        assert judged(words, **low).evidence.status is P
        assert judged(runs=(), check_runs=said).evidence.status is not P
        areas = "risk: {areas: {totals: {risk: medium, paths: [total.py]}}}"
        medium = judged(words + areas, **{**low, "reviews": (approval(DEPENDABOT),)})
        assert statuses(medium, "ci.runs") == [F]

    def test_a_baseline_that_could_not_be_read(self) -> None:
        assert judged(baselines=Unread("the store is away")).evidence.status is Status.ERRORED

    def test_a_machine_that_is_kept_waits_for_a_person(self) -> None:
        kept = (run(jobs=(replace(run().jobs[0], runner_labels=("self-hosted",)),)),)
        waiting = judged(runs=kept)
        assert (waiting.evidence.status, waiting.review.status) == (P, W)
        assert judged(runs=kept, reviews=(approval(ADA),)).review.status is P
        named = judged("ci: {trust: {ephemeral: [self-hosted]}}", runs=kept)
        assert (named.evidence.status, named.review.status) == (P, P)
        assert judged("ci: {trust: {runner: refuse}}", runs=kept).evidence.status is F
