"""The Test Result that other programs read: the published shape, what it counts, and when there is none."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

import jsonschema_rs
import pytest
from pydantic import TypeAdapter

from checks.finding import Fix, Status, failed, needs_person, passed, pending, skipped
from checks.job_log import read_job_log
from checks.reports.report import TestReport as Report
from checks.runs import Artifact, Job, WorkflowFile
from checks.unread import Unread
from policies import statement
from policies.evaluate import evaluate
from policies.explain import explain
from policies.fit import LIMIT, size
from policies.subject import subject_of
from policies.tree import group, required
from policies.verdict import Counts, JudgedRun, Subject, Verdict
from tests.policies.build import (
    ADA,
    BODY,
    HEAD,
    LOG,
    NOW,
    approval,
    person_snapshot,
    run,
    snapshot,
    state,
    verdict,
)

# The fields of https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md with those of
# .../spec/v1/statement.md and .../spec/v1/resource_descriptor.md (one of uri, digest and content must be there).
DIGESTS = {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]+$"}}
DESCRIPTOR = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "digest": DIGESTS, "uri": {"type": "string"}},
    "anyOf": [{"required": ["uri"]}, {"required": ["digest"]}, {"required": ["content"]}],
}
NAMES = {"type": "array", "items": {"type": "string"}}
PUBLISHED = jsonschema_rs.Draft202012Validator(
    {
        "type": "object",
        "required": ["_type", "subject", "predicateType", "predicate"],
        "properties": {
            "_type": {"const": "https://in-toto.io/Statement/v1"},
            "subject": {
                "type": "array",
                "minItems": 1,
                "items": {**DESCRIPTOR, "required": ["digest"]},
            },
            "predicateType": {"const": "https://in-toto.io/attestation/test-result/v0.1"},
            "predicate": {
                "type": "object",
                "required": ["result", "configuration"],
                "properties": {
                    "result": {"enum": ["PASSED", "WARNED", "FAILED"]},
                    "configuration": {"type": "array", "items": DESCRIPTOR},
                    "url": {"type": "string"},
                    "passedTests": NAMES,
                    "warnedTests": NAMES,
                    "failedTests": NAMES,
                },
            },
        },
    }
)
WAIT = Fix("wait", "Wait.")
GOOD, BAD = passed("ci.jobs", "All well."), failed("ci.logs", "A test failed.", fix=WAIT)
OPEN = pending("ci.runs", "It runs.", fix=WAIT)
NOT_GATED = skipped("policy", "This branch is not gated.")
REVIEWED = passed("review", "No approval is needed.")
SUBJECT = Subject("acme/shop", "e5" * 20, runs=(JudgedRun("https://github.com/acme/shop/actions/runs/7", 1, True),))


def stated(judged: Verdict) -> dict[str, Any]:
    """The statement as it would be read again."""
    made = statement.test_result(judged)
    assert made is not None
    read: dict[str, Any] = json.loads(json.dumps(made))
    PUBLISHED.validate(read)
    return read


def predicate(judged: Verdict) -> dict[str, Any]:
    found: dict[str, Any] = stated(judged)["predicate"]
    return found


def of_runs(*runs: JudgedRun) -> dict[str, Any]:
    return predicate(verdict((GOOD,), (REVIEWED,), subject=replace(SUBJECT, runs=runs)))


def test_an_agents_change_that_passed() -> None:
    judged = evaluate(state(), snapshot())
    assert stated(judged) == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "acme/shop", "digest": {"gitCommit": HEAD, "gitTree": "e5" * 20}}],
        "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
        "predicate": {
            "result": "PASSED",
            "configuration": [
                {"name": "policy", "digest": {"sha256": judged.policy_digest.removeprefix("sha256:")}},
                {"name": ".github/workflows/ci.yml", "digest": {"gitBlob": "aa" * 20}},
            ],
            "url": "https://github.com/acme/shop/actions/runs/7",
            "attempt": 1,
            "passedTests": [
                check
                for check in dict.fromkeys(finding.check for finding in judged.evidence.findings)
                if not {each.status for each in judged.evidence.findings if each.check == check} <= {Status.SKIPPED}
            ],
            "warnedTests": [],
            "failedTests": [],
            "counts": {"passed": 12, "failed": 0, "errors": 0, "skipped": 0, "flaky": 0, "total": 12},
            "logDigests": [{"name": "test", "digest": {"sha256": "f" * 64}}],
            "reportDigests": [],
        },
    }


def test_one_that_failed_names_the_checks() -> None:
    log = read_job_log(LOG.replace("12 passed", "1 failed, 11 passed").encode(), "sha256:" + "9" * 64)
    red = run(conclusion="failure", jobs=(replace(run().jobs[0], conclusion="failure", log=log),))
    said = predicate(evaluate(state(), snapshot(runs=(red,))))
    assert said["result"] == "FAILED"
    assert "ci.jobs" in said["failedTests"]
    assert not set(said["failedTests"]) & set(said["passedTests"])
    assert said["counts"] == {"passed": 11, "failed": 1, "errors": 0, "skipped": 0, "flaky": 0, "total": 12}


def test_one_that_failed_before_anything_ran() -> None:
    said = predicate(verdict((GOOD, BAD), (REVIEWED,), subject=replace(SUBJECT, tree=None, runs=())))
    assert said["result"] == "FAILED"
    assert (said["passedTests"], said["failedTests"]) == (["ci.jobs"], ["ci.logs"])
    assert not said.keys() & {"url", "attempt", "counts"}
    assert (
        "gitTree"
        not in stated(verdict((BAD,), (REVIEWED,), subject=replace(SUBJECT, tree=None)))["subject"][0]["digest"]
    )


@pytest.mark.parametrize(
    "judged",
    [
        verdict((GOOD, OPEN), (REVIEWED,), subject=SUBJECT),
        replace(verdict((GOOD,), (REVIEWED,), subject=SUBJECT), evidence=group("evidence", (NOT_GATED,))),
        verdict((GOOD,), (REVIEWED,), subject=None),
        verdict((GOOD,), (REVIEWED,), subject=replace(SUBJECT, runs=())),
        evaluate(state(), snapshot(runs=Unread("GitHub answered 502"))),
        evaluate(state(), person_snapshot()),
        evaluate(state(), snapshot(), gated=False),
    ],
    ids=["pending", "skipped", "an old record", "nothing ran", "errored", "a person's", "not gated"],
)
def test_nothing_is_stated(judged: Verdict) -> None:
    assert statement.test_result(judged) is None


def test_no_approval_is_awaited_for_it() -> None:
    waits = needs_person("review", "0 of 1 approvals.", fix=Fix("ask-person", "Ask."))
    assert predicate(verdict((GOOD,), (waits,), subject=SUBJECT))["result"] == "PASSED"


def test_what_people_must_settle_is_a_warning_once_they_did() -> None:
    lossy = {"body": BODY.replace("strategy: revert", "strategy: revert, data_loss: true")}
    assert statement.test_result(evaluate(state(), snapshot(**lossy))) is None
    judged = evaluate(state(), snapshot(**lossy))
    settled = evaluate(state(), snapshot(**lossy, reviews=(approval(ADA, bundle_digest=judged.bundle_digest),)))
    said = predicate(settled)
    assert (said["result"], said["warnedTests"]) == ("WARNED", ["rollback.data-loss"])
    assert "rollback.data-loss" not in said["passedTests"]


def test_a_check_with_a_question_is_not_called_passed() -> None:
    asked = replace(needs_person("ci.jobs", "Is it so?", fix=WAIT), status=Status.PASSED)
    judged = replace(
        verdict((GOOD,), (REVIEWED,), subject=SUBJECT),
        review=required("review", [group("approvals", (REVIEWED,)), group("questions", (asked,))]),
    )
    said = predicate(judged)
    assert (said["passedTests"], said["warnedTests"]) == ([], ["ci.jobs"])


def test_a_check_that_is_not_settled_is_not_named() -> None:
    evidence = required("evidence", [group("ci", (GOOD, pending("ci.jobs", "One runs.", fix=WAIT), BAD))])
    said = predicate(replace(verdict((GOOD,), (REVIEWED,), subject=SUBJECT), evidence=evidence))
    assert (said["passedTests"], said["failedTests"]) == ([], ["ci.logs"])


def test_the_run_that_decides() -> None:
    lint = JudgedRun("https://github.com/acme/shop/actions/runs/1", 1, True)
    tests = JudgedRun("https://github.com/acme/shop/actions/runs/2", 3, True, Counts(5, 0, 0, None))
    red = JudgedRun(None, 2, False)
    assert (of_runs(lint, tests)["url"][-1], of_runs(lint, tests)["attempt"]) == ("2", 3)
    assert of_runs(lint)["url"][-1] == "1"
    assert of_runs(lint, tests, red)["attempt"] == 2
    assert "url" not in of_runs(lint, tests, red)


def test_counts_are_sums_and_unknown_ones_are_left_out() -> None:
    one, other = Counts(5, 1, 0, 2, flaky=1), Counts(4, 0, 3, None)
    run_of = SUBJECT.runs[0]
    assert of_runs(replace(run_of, counts=one), run_of)["counts"] == {
        "passed": 5, "failed": 1, "errors": 0, "skipped": 2, "flaky": 1, "total": 8,
    }  # fmt: skip
    assert of_runs(replace(run_of, counts=one), replace(run_of, counts=other))["counts"] == {
        "passed": 9, "failed": 1, "errors": 3, "flaky": 1,
    }  # fmt: skip
    assert "counts" not in of_runs(run_of)


def test_names_are_shown_harmlessly_and_lists_have_an_end() -> None:
    logs = tuple((f"job \u202e{number}\n", "sha256:" + "1" * 64) for number in range(60))
    files = tuple((f".github/workflows/{number}.yml", "ab" * 20) for number in range(60))
    reports = (("re\u200bports", "sha256:" + "2" * 64),)
    busy = replace(SUBJECT, files=files, runs=(replace(SUBJECT.runs[0], logs=logs, reports=reports),))
    said = predicate(verdict((GOOD,), (REVIEWED,), subject=busy))
    assert len(said["logDigests"]) == 50
    assert said["logDigests"][0] == {"name": "job ⟨U+202E⟩0", "digest": {"sha256": "1" * 64}}
    assert said["reportDigests"] == [{"name": "re⟨U+200B⟩ports", "digest": {"sha256": "2" * 64}}]
    assert len(said["configuration"]) == 51


CALLED = WorkflowFile(".github/workflows/build.yml", "cc" * 20, "cc" * 20)
FILES = (
    WorkflowFile(".github/workflows/ci.yml", "aa" * 20, "aa" * 20, called=(CALLED, CALLED)),
    WorkflowFile(".github/workflows/docs.yml", "dd" * 20, "dd" * 20),
    WorkflowFile(".github/workflows/ci.yml", None, "aa" * 20),
)


def test_the_files_are_those_that_ran_and_what_they_call() -> None:
    found = subject_of(snapshot(workflows=FILES), (run(path=".github/workflows/ci.yml@refs/heads/main"),))
    assert found.files == ((".github/workflows/ci.yml", "aa" * 20), (".github/workflows/build.yml", "cc" * 20))
    assert subject_of(snapshot(workflows=Unread("gone")), (run(),)).files == ()
    assert (found.repository, found.tree) == ("acme/shop", "e5" * 20)


def _log(text: str, digest: str = "sha256:" + "9" * 64) -> Any:
    return read_job_log(LOG.replace("12 passed", text).encode(), digest)


def test_logs_are_counted_together() -> None:
    job = run().jobs[0]
    lint = read_job_log("\ufeff2026-05-04T11:58:00.0000000Z fine\n".encode(), "sha256:" + "3" * 64)
    jobs = (
        job,
        replace(job, name="flaky", log=_log("4 passed, 2 rerun")),
        replace(job, name="lint", log=lint),
        replace(job, name="unread", log=Unread("gone")),
        replace(job, name="silent", log=None),
    )
    (found,) = subject_of(snapshot(), (run(jobs=jobs, attempt=4),)).runs
    assert found.counts == Counts(16, 0, 0, 0, flaky=_log("4 passed, 2 rerun").report.summaries[0].flaky)
    assert [name for name, _ in found.logs] == ["test", "flaky", "lint"]
    assert (found.attempt, found.succeeded) == (4, True)
    (red,) = subject_of(snapshot(), (run(conclusion="failure", jobs=(replace(job, log=lint),)),)).runs
    assert (red.counts, red.succeeded) == (None, False)


def test_a_count_that_one_log_does_not_tell_is_not_known() -> None:
    known: Any = run().jobs[0].log
    unknown = replace(known, report=replace(known.report, skipped=None))
    jobs: tuple[Job, ...] = (run().jobs[0], replace(run().jobs[0], name="other", log=unknown))
    (found,) = subject_of(snapshot(), (run(jobs=jobs),)).runs
    assert found.counts == Counts(24, 0, 0, None)


def test_reports_are_those_that_were_read() -> None:
    began = {"started_at": NOW, "updated_at": NOW + timedelta(minutes=5)}
    made = Artifact(1, "junit", 9, "sha256:" + "4" * 64, NOW + timedelta(minutes=1), False)
    artifacts = (
        made,
        replace(made, digest="sha256:" + "5" * 64, created_at=NOW - timedelta(hours=1)),
        replace(made, digest=None),
        replace(made, name="image"),
    )
    read = {"artifacts": artifacts, "reports": (Report("junit", "junit", 1, 0, 0, 0),), **began}
    assert subject_of(snapshot(), (run(**read),)).runs[0].reports == (("junit", "sha256:" + "4" * 64),)
    for nothing in ({"reports": None}, {"reports": Unread("x")}, {"artifacts": Unread("x")}):
        assert subject_of(snapshot(), (run(**{**read, **nothing}),)).runs[0].reports == ()


def test_old_records_of_verdicts_can_still_be_read() -> None:
    judged = evaluate(state(), snapshot())
    recorded = json.loads(json.dumps(asdict(judged)))
    adapter: TypeAdapter[Verdict] = TypeAdapter(Verdict)
    assert adapter.validate_python(recorded).subject == judged.subject
    del recorded["subject"]
    assert adapter.validate_python(recorded) == replace(judged, subject=None)


def _machine(text: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(text.removeprefix("```json\n").removesuffix("\n```\n"))
    return read


def test_the_check_run_carries_it() -> None:
    judged = evaluate(state(), snapshot())
    assert _machine(explain(judged, snapshot(), "evidence").text)["test_result"] == stated(judged)
    assert _machine(explain(judged, snapshot(), "observe").text)["test_result"] == stated(judged)
    assert "test_result" not in _machine(explain(judged, snapshot(), "review").text)
    running = evaluate(state(), snapshot(runs=(run(status="in_progress", conclusion=None),)))
    assert "test_result" not in _machine(explain(running, snapshot(), "evidence").text)


def _crowded(length: int) -> Verdict:
    """As many findings as just leave room, and one whose reason has `length` characters."""
    findings = tuple(failed(f"claims.files.{number}", "x" * 900, fix=WAIT) for number in range(56))
    last = failed("claims.last", "x" * length, fix=WAIT)
    return verdict((*findings, last), (REVIEWED,), subject=SUBJECT)


def test_it_gives_way_to_the_findings() -> None:
    """Found by growing a reason until the block is full to the last byte."""
    room = LIMIT - size(explain(_crowded(1), snapshot(), "evidence").text)
    assert 0 < room < 990
    full = _machine(explain(_crowded(1 + room), snapshot(), "evidence").text)
    assert full["test_result"] == stated(_crowded(1))
    assert (full["omitted"], len(full["findings"])) == (0, 57)
    over = explain(_crowded(2 + room), snapshot(), "evidence").text
    assert size(over) <= LIMIT
    found = _machine(over)
    assert (found["test_result"], found["test_result_omitted"], found["omitted"]) == (None, True, 0)
