"""Commands and pointers of the bundle against runs, jobs, logs and artifacts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.bundle import read_bundle
from checks.claims import check
from checks.finding import Evidence, Finding, Fix, Status
from checks.runs import Artifact, WorkflowRun
from checks.snapshot import Snapshot
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import DIGEST, NO_TESTS, job, log, only, run, step

UNREAD = Unread("HTTP 502")
OFFLINE = Unread("judged locally", offline=True)
WAIT = Fix("wait", "Nothing to do; the gate looks again by itself.")
OPEN = Fix("open-pull-request", "Open a pull request; only GitHub knows them.")
P, F, W, E, S = Status.PASSED, Status.FAILED, Status.PENDING, Status.ERRORED, Status.SKIPPED
OTHER_DIGEST = "sha256:" + "cd" * 32


def _findings(snapshot: Snapshot, *required: str) -> tuple[Finding, ...]:
    return check(snapshot, read_bundle(snapshot), required)


def _says(check_name: str, snapshot: Snapshot | None = None, **fields: Any) -> Finding:
    """The finding of this name, on a bundle with these fields."""
    return only(_findings(replace(snapshot or build.snapshot(), body=build.body(**fields))), check_name)


def _names(snapshot: Snapshot | None = None, **fields: Any) -> set[str]:
    return {each.check for each in _findings(replace(snapshot or build.snapshot(), body=build.body(**fields)))}


# Commands (tricks 1, 2, 10).


NOT_SHOWN = "The bundle says that `pytest -q` ran in CI, but no raw log of this head shows it"
TRUE_CODE = Fix(
    "correct-bundle", "Give the exit codes that the raw logs show, or repair the cause and push.", "commands"
)
FAILED_STEP = (step("Run pytest -q", "failure"),)
SILENT = log(NO_TESTS, commands=("ruff check",))


@pytest.mark.parametrize(
    ("runs", "exit_code", "status", "reason"),
    [
        ((run(),), 0, P, "The raw logs show all 1 commands as the bundle does."),
        ((run(),), 1, F, "The bundle says that `pytest -q` ended with 1, but in job `test` it did not."),
        ((run(job(steps=FAILED_STEP)),), 1, P, "The raw logs show all 1 commands as the bundle does."),
        (
            (run(job(steps=FAILED_STEP)),),
            0,
            F,
            "The bundle says that `pytest -q` ended with 0, but in job `test` it did not.",
        ),
        ((run(job(steps=(), conclusion="failure")),), 2, P, "The raw logs show all 1 commands as the bundle does."),
        (
            (run(job(steps=(step("Run ruff", "failure"),), conclusion="failure")),),
            0,
            F,
            "The bundle says that `pytest -q` ended with 0, but in job `test` it did not.",
        ),
        (
            (run(job(steps=(step("Run pytest -q", None),), conclusion="failure")),),
            0,
            F,
            "The bundle says that `pytest -q` ended with 0, but in job `test` it did not.",
        ),
        ((run(job(steps=(), conclusion=None)),), 0, W, "A job that runs `pytest -q` is not finished."),
        (
            (run(job("a"), job("b", id=2, steps=FAILED_STEP)),),
            0,
            F,
            "The bundle says that `pytest -q` ended with 0, but in job `b` it did not.",
        ),
        ((run(job(log=SILENT)),), 0, F, f"{NOT_SHOWN}."),
        ((), 0, W, f"{NOT_SHOWN} yet."),
        ((run(job(log=SILENT), status="in_progress"),), 0, W, f"{NOT_SHOWN} yet."),
        ((run(job(log=SILENT)), run(id=502, status="queued", jobs=())), 0, W, f"{NOT_SHOWN} yet."),
        (
            (run(job(log=UNREAD)),),
            0,
            E,
            "The log of job `test` could not be compared with the bundle: HTTP 502.",
        ),
        (
            (run(job(log=None)),),
            0,
            E,
            "The log of job `test` could not be compared with the bundle: it was not read.",
        ),
        ((run(job(log=UNREAD, conclusion="skipped")),), 0, F, f"{NOT_SHOWN}."),
        (
            (run(job(log=OFFLINE)),),
            0,
            W,
            "The log of job `test` could not be compared with the bundle: judged locally.",
        ),
        ((run(job(log=SILENT), job("b", id=2)),), 0, P, "The raw logs show all 1 commands as the bundle does."),
        # A re-run: what an earlier attempt shows does not count.
        (
            (run(job(steps=FAILED_STEP), job(id=2, attempt=2), attempt=2),),
            0,
            P,
            "The raw logs show all 1 commands as the bundle does.",
        ),
    ],
)
def test_commands_of_ci(runs: tuple[WorkflowRun, ...], exit_code: int, status: Status, reason: str) -> None:
    finding = _says("claims.commands", build.snapshot(runs=runs), commands=[build.command(exit_code)])
    assert (finding.status, finding.reason) == (status, reason)


def test_commands_say_the_next_step() -> None:
    wrong = _says("claims.commands", commands=[build.command(1)])
    assert wrong.fix == TRUE_CODE
    url = "https://github.com/acme/shop/actions/runs/501/job/5001"
    assert wrong.evidence == (Evidence("job 5001 `test`", url=url, digest=DIGEST),)
    absent = _says("claims.commands", commands=[build.command(command="tox")])
    text = "Give the command exactly as the workflow runs it, or say `where: local`."
    assert absent.fix == Fix("correct-bundle", text, "commands")


def test_only_the_named_job_is_looked_at() -> None:
    jobs = (job("a", id=1, steps=FAILED_STEP), job("b", id=2))
    snapshot = build.snapshot(runs=(run(*jobs), run(job("c", id=3, log=SILENT), id=502)))
    assert _says("claims.commands", snapshot, commands=[build.command(evidence={"job": 2})]).status is P
    assert _says("claims.commands", snapshot, commands=[build.command(evidence={"job": 1})]).status is F
    assert _says("claims.commands", snapshot, commands=[build.command(evidence={"run": 501})]).status is F
    assert _says("claims.commands", snapshot, commands=[build.command(evidence={"run": 502})]).reason == f"{NOT_SHOWN}."


def test_every_false_command_is_told() -> None:
    findings = _findings(
        build.snapshot(body=build.body(commands=[build.command(1), build.command(command="tox"), build.command()]))
    )
    assert [each.status for each in findings if each.check == "claims.commands"] == [F, F]


def test_local_commands_are_never_evidence() -> None:
    reason = "All commands of the bundle ran locally, which is never evidence."
    assert _says("claims.commands", commands=[build.command(where="local")]) == Finding("claims.commands", S, reason)
    both = _says("claims.commands", commands=[build.command(), build.command(1, "local", "tox")])
    assert both.reason == "The raw logs show all 1 commands as the bundle does."
    assert "claims.commands" not in _names(commands=None)
    assert "claims.commands" not in _names(commands=[])


@pytest.mark.parametrize(("runs", "status"), [(UNREAD, E), (OFFLINE, W)])
def test_runs_that_could_not_be_read(runs: Unread, status: Status) -> None:
    snapshot = build.snapshot(runs=runs)
    for name, fields in (
        ("commands", {}),
        ("evidence", {"evidence": [{"run": 1}]}),
        ("tests", {"tests": {"added": 1}}),
    ):
        finding = _says(f"claims.{name}", snapshot, **fields)
        assert (finding.status, finding.reason) == (
            status,
            f"The workflow runs could not be compared with the bundle: {runs.because}.",
        )


# Pointers (tricks 4, 30).

ARTIFACT = Artifact(32, "other", 1, None, build.NOON, expired=True)


@pytest.mark.parametrize(
    ("pointer", "reason"),
    [
        ({"run": 501}, None),
        ({"job": 5001}, None),
        ({"run": 501, "job": 5001}, None),
        ({"job": 5001, "digest": DIGEST}, None),
        ({"artifact": 31}, None),
        ({"artifact": 31, "digest": DIGEST}, None),
        ({"run": 501, "job": 5001, "artifact": 31, "digest": DIGEST}, None),
        ({"run": 502, "job": 5002}, None),
        ({"run": 500}, "Run 500 is no workflow run on this head."),
        ({"job": 9}, "Job 9 belongs to no workflow run on this head that the bundle names."),
        ({"run": 502, "job": 5001}, "Job 5001 belongs to no workflow run on this head that the bundle names."),
        ({"job": 5001, "digest": OTHER_DIGEST}, f"The log of job 5001 has the digest {DIGEST}."),
        ({"artifact": 9}, "Artifact 9 belongs to no workflow run on this head that the bundle names."),
        ({"run": 502, "artifact": 31}, "Artifact 31 belongs to no workflow run on this head that the bundle names."),
        ({"artifact": 31, "digest": OTHER_DIGEST}, f"Artifact 31 has the digest {DIGEST}."),
        ({"artifact": 32}, "Artifact 32 has expired and cannot be looked at any more."),
        ({"job": 9, "artifact": 31}, "Job 9 belongs to no workflow run on this head that the bundle names."),
    ],
)
@pytest.mark.parametrize("in_command", [False, True])
def test_pointers(pointer: dict[str, Any], reason: str | None, in_command: bool) -> None:
    second = run(job("more", id=5_002), id=502, artifacts=(ARTIFACT,))
    fields = {"commands": [build.command(where="local", evidence=pointer)]} if in_command else {"evidence": [pointer]}
    finding = _says("claims.evidence", build.snapshot(runs=(run(), second)), **fields)
    if reason is None:
        assert finding == Finding("claims.evidence", P, "All 1 pointers lead to runs of this head.")
        return
    fix = Fix("correct-bundle", "Point to runs, jobs and artifacts of this head, or leave the pointer out.", "evidence")
    assert finding == Finding("claims.evidence", F, reason, fix=fix)


@pytest.mark.parametrize(
    ("runs", "pointer", "status", "reason"),
    [
        (
            (run(job(log=UNREAD)),),
            {"job": 5001, "digest": DIGEST},
            E,
            "The log of job 5001 could not be compared: HTTP 502.",
        ),
        (
            (run(job(log=None)),),
            {"job": 5001, "digest": DIGEST},
            E,
            "The log of job 5001 could not be compared: it is not there yet.",
        ),
        (
            (run(artifacts=UNREAD),),
            {"artifact": 31},
            E,
            "The artifacts could not be compared with the bundle: HTTP 502.",
        ),
        (
            (run(artifacts=OFFLINE),),
            {"artifact": 31},
            W,
            "The artifacts could not be compared with the bundle: judged locally.",
        ),
    ],
)
def test_pointers_that_cannot_be_compared(runs: Any, pointer: Any, status: Status, reason: str) -> None:
    finding = _says("claims.evidence", build.snapshot(runs=runs), commands=None, evidence=[pointer])
    assert (finding.status, finding.reason) == (status, reason)


def test_every_strange_pointer_is_told() -> None:
    snapshot = build.snapshot(body=build.body(evidence=[{"run": 1}, {"run": 501}, {"run": 2}]))
    assert [each.status for each in _findings(snapshot) if each.check == "claims.evidence"] == [F, F]
    assert "claims.evidence" not in _names(evidence=[])
    assert "claims.evidence" not in _names()
