"""The bundle against the facts: a true word passes, a false one fails, an open one waits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.bundle import read_bundle
from checks.claims import FIELDS, check, check_given_logs, is_given
from checks.finding import Evidence, Finding, Fix, Status
from checks.snapshot import Artifact, FileStatus, Snapshot, Unread, WorkflowRun
from tests.checks import build
from tests.checks.build import DIGEST, HEAD, NO_TESTS, OTHER, TREE, job, log, only, report, run, step

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


# The bundle itself.


def test_no_bundle() -> None:
    snapshot = build.snapshot(body="Rounds prices.")
    assert _findings(snapshot) == (Finding("bundle", S, "No evidence bundle is asked for."),)
    assert _findings(snapshot, "reason", "rollback") == (
        Finding(
            "bundle",
            F,
            "There is no evidence bundle in the pull request's body or its author's comments.",
            fix=Fix(
                "add-bundle",
                "Add a fenced block with the info string `mergegate` to the body. It needs: reason, rollback.",
            ),
        ),
    )


def test_an_unreadable_bundle() -> None:
    snapshot = build.snapshot(body="x\n```mergegate\nreson: a\nhead: b\n```")
    (finding,) = _findings(snapshot, "reason")
    assert (finding.check, finding.status) == ("bundle", F)
    assert finding.reason == (
        "The bundle in the pull request's body cannot be read: line 3, reson: is no known field; "
        "line 4, head: must match pattern '^([0-9a-f]{40}|[0-9a-f]{64})$'."
    )
    assert finding.fix == Fix("correct-bundle", "Repair it: reson: did you mean `reason`?", "reson")
    assert finding.evidence == (
        Evidence("the pull request's body", start_line=3, end_line=3, digest=read_bundle(snapshot).digest),
    )


def test_an_unreadable_bundle_without_hints() -> None:
    (finding,) = _findings(build.snapshot(body="```mergegate\nhead: b\n```"))
    assert finding.fix == Fix("correct-bundle", "Repair the lines named.", "head")
    (finding,) = _findings(build.snapshot(body="```mergegate\n- b\n```"))
    assert finding.fix == Fix("correct-bundle", "Repair it: the block: begin with `reason: …`", None)


def test_many_faults_are_cut() -> None:
    lines = "\n".join(f"zz{number}: 1" for number in range(12))
    (finding,) = _findings(build.snapshot(body=f"```mergegate\n{lines}\n```"))
    assert finding.fix is not None
    assert (finding.reason.count("is no known field"), finding.fix.text.count("remove it")) == (10, 10)


def test_a_complete_bundle() -> None:
    snapshot = build.snapshot()
    finding = only(_findings(snapshot, "reason", "commands", "risk", "risk.known", "rollback", "head"), "bundle")
    assert finding == Finding(
        "bundle",
        P,
        "The bundle in the pull request's body is complete.",
        (Evidence("the pull request's body", start_line=4, digest=read_bundle(snapshot).digest),),
    )


def test_a_bundle_that_leaves_something_out() -> None:
    snapshot = build.snapshot(body=build.body(reason=None))
    finding = only(_findings(snapshot, "head", "reason", "preview", "risk"), "bundle")
    assert (finding.status, finding.reason) == (F, "The bundle in the pull request's body leaves out reason, preview.")
    assert finding.fix == Fix("add-bundle-field", "Add to the bundle: reason, preview.", "reason")
    assert finding.evidence[0].start_line == 4


EVERYTHING: dict[str, Any] = {
    "tree": TREE,
    "evidence": [{"run": 501}],
    "tests": {"added": 1},
    "preview": "https://preview.example.com",
    "producer": {"agent": "claude"},
}


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_can_be_asked_for(field: str) -> None:
    assert is_given(build.bundle(**EVERYTHING), field)
    parts = field.split(".")
    without: Any = None if len(parts) == 1 else {"level": "low"}
    assert not is_given(build.bundle(**{**EVERYTHING, parts[0]: without}), field)


@pytest.mark.parametrize(
    ("field", "fields", "given"),
    [
        ("commands", {"commands": []}, False),
        ("changed_files", {"changed_files": []}, False),
        ("evidence", {"evidence": []}, False),
        ("risk.known", {"risk": {"level": "low", "known": []}}, True),
        ("risk.areas", {"risk": {"level": "low", "areas": []}}, True),
        ("risk.known", {"risk": None}, False),
    ],
)
def test_what_an_empty_list_says(field: str, fields: dict[str, Any], given: bool) -> None:
    assert is_given(build.bundle(**fields), field) is given


def test_the_fields_that_policy_can_name() -> None:
    assert " ".join(FIELDS) == (
        "head tree reason commands changed_files evidence tests risk risk.areas risk.known rollback preview producer"
    )


# Head and tree (trick 16).


def test_the_head() -> None:
    assert _says("claims.head") == Finding("claims.head", P, "The bundle names this head.")
    assert _says("claims.head", head=OTHER) == Finding(
        "claims.head",
        F,
        f"The bundle is about commit {OTHER[:12]}, but the head is {HEAD[:12]}.",
        fix=Fix("correct-bundle", f"Check the bundle again and set head to {HEAD}.", "head"),
    )
    assert "claims.head" not in _names(head=None)


def test_the_tree() -> None:
    assert "claims.tree" not in _names()
    assert _says("claims.tree", tree=TREE) == Finding("claims.tree", P, "The bundle names this head's tree.")
    assert _says("claims.tree", tree=OTHER) == Finding(
        "claims.tree",
        F,
        f"The bundle is about tree {OTHER[:12]}, but the head's is {TREE[:12]}.",
        fix=Fix("correct-bundle", "Correct or remove the tree.", "tree"),
    )
    blind = replace(build.snapshot(), head=replace(build.snapshot().head, tree=None))
    assert _says("claims.tree", blind, tree=TREE) == Finding(
        "claims.tree", E, "The head's tree could not be read, to compare it with the bundle's.", fix=WAIT
    )


# Files (trick 15).

RENAME = build.file("new.py", FileStatus.RENAMED, previous_path="old.py")


@pytest.mark.parametrize(
    ("claimed", "said"),
    [
        (["src/price.py"], "does not name `new.py`"),
        (["new.py"], "does not name `src/price.py`"),
        (["old.py"], "does not name `new.py`, `src/price.py`"),
        (["src/price.py", "new.py", "z", "y"], "names `y`, `z`, which did not change"),
        (["src/price.py", "z"], "does not name `new.py` and names `z`, which did not change"),
        (
            [f"f{number:02}" for number in range(11)],
            "does not name `new.py`, `src/price.py` and names "
            + ", ".join(f"`f{number:02}`" for number in range(10))
            + " and 1 more, which did not change",
        ),
    ],
)
def test_a_false_list_of_files(claimed: list[str], said: str) -> None:
    snapshot = build.snapshot(diff=build.diff("src/price.py", RENAME))
    assert _says("claims.files", snapshot, changed_files=claimed) == Finding(
        "claims.files",
        F,
        f"The bundle's list of changed files {said}.",
        fix=Fix("correct-bundle", "List exactly the paths that the pull request changes.", "changed_files"),
    )


@pytest.mark.parametrize("claimed", [["src/price.py", "new.py"], ["new.py", "old.py", "src/price.py"]])
def test_a_true_list_of_files(claimed: list[str]) -> None:
    snapshot = build.snapshot(diff=build.diff("src/price.py", RENAME))
    reason = "The bundle names all 2 changed files and no other."
    assert _says("claims.files", snapshot, changed_files=claimed) == Finding("claims.files", P, reason)


def test_files_that_cannot_be_compared() -> None:
    assert "claims.files" not in _names(changed_files=None)
    reason = "The changed files could not be compared with the bundle: {}."
    unread = _says("claims.files", build.snapshot(diff=UNREAD))
    assert unread == Finding("claims.files", E, reason.format("HTTP 502"), fix=WAIT)
    offline = _says("claims.files", build.snapshot(diff=OFFLINE))
    assert offline == Finding("claims.files", W, reason.format("judged locally"), fix=OPEN)
    cut = _says("claims.files", build.snapshot(diff=build.diff("src/price.py", complete=False)))
    reason = "The changed files could not be listed as a whole, to compare them with the bundle's."
    assert cut == Finding("claims.files", E, reason, fix=WAIT)


# Commands (tricks 1, 2, 10).


def _command(exit_code: int = 0, where: str = "ci", command: str = "pytest -q", **more: Any) -> dict[str, Any]:
    return {"command": command, "exit_code": exit_code, "where": where, **more}


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
    finding = _says("claims.commands", build.snapshot(runs=runs), commands=[_command(exit_code)])
    assert (finding.status, finding.reason) == (status, reason)


def test_commands_say_the_next_step() -> None:
    wrong = _says("claims.commands", commands=[_command(1)])
    assert wrong.fix == TRUE_CODE
    url = "https://github.com/acme/shop/actions/runs/501/job/5001"
    assert wrong.evidence == (Evidence("job 5001 `test`", url=url, digest=DIGEST),)
    absent = _says("claims.commands", commands=[_command(command="tox")])
    text = "Give the command exactly as the workflow runs it, or say `where: local`."
    assert absent.fix == Fix("correct-bundle", text, "commands")


def test_only_the_named_job_is_looked_at() -> None:
    jobs = (job("a", id=1, steps=FAILED_STEP), job("b", id=2))
    snapshot = build.snapshot(runs=(run(*jobs), run(job("c", id=3, log=SILENT), id=502)))
    assert _says("claims.commands", snapshot, commands=[_command(evidence={"job": 2})]).status is P
    assert _says("claims.commands", snapshot, commands=[_command(evidence={"job": 1})]).status is F
    assert _says("claims.commands", snapshot, commands=[_command(evidence={"run": 501})]).status is F
    assert _says("claims.commands", snapshot, commands=[_command(evidence={"run": 502})]).reason == f"{NOT_SHOWN}."


def test_every_false_command_is_told() -> None:
    findings = _findings(build.snapshot(body=build.body(commands=[_command(1), _command(command="tox"), _command()])))
    assert [each.status for each in findings if each.check == "claims.commands"] == [F, F]


def test_local_commands_are_never_evidence() -> None:
    reason = "All commands of the bundle ran locally, which is never evidence."
    assert _says("claims.commands", commands=[_command(where="local")]) == Finding("claims.commands", S, reason)
    both = _says("claims.commands", commands=[_command(), _command(1, "local", "tox")])
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
    fields = {"commands": [_command(where="local", evidence=pointer)]} if in_command else {"evidence": [pointer]}
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


# Tests.


@pytest.mark.parametrize(
    ("tests", "agrees"),
    [
        ({"added": 13}, True),
        ({"added": 14}, False),
        ({"added": ["a"] * 14}, False),
        ({"skipped": 1}, True),
        ({"skipped": 2}, False),
        ({"removed": 99}, True),
        ({}, True),
    ],
)
def test_counts_of_tests(tests: dict[str, Any], agrees: bool) -> None:
    finding = _says("claims.tests", tests=tests)
    if agrees:
        reason = "The raw logs count 13 tests, 1 skipped; the bundle says no more."
        assert finding == Finding("claims.tests", P, reason)
        return
    reason = "The bundle counts more tests than the raw logs, which have 13, of which 1 were skipped."
    assert finding == Finding("claims.tests", F, reason, fix=Fix("correct-bundle", "Correct the counts.", "tests"))


def test_counts_are_summed_over_all_logs() -> None:
    more = job("b", id=2, log=log(report(passed=4, failed=3, skipped=2)))
    partly = job("c", id=3, log=log(report(passed=1, failed=None, skipped=None)))
    snapshot = build.snapshot(runs=(run(job(), more), run(partly, job("d", id=4, log=log(NO_TESTS)), id=502)))
    assert _says("claims.tests", snapshot, tests={}).reason == (
        "The raw logs count 23 tests, 3 skipped; the bundle says no more."
    )


def test_counts_are_awaited() -> None:
    for runs in ((), (run(job(log=log(NO_TESTS)), job("b", id=2, log=UNREAD)),)):
        assert _says("claims.tests", build.snapshot(runs=runs), tests={}) == Finding(
            "claims.tests", W, "No raw log counts tests yet, to compare them with the bundle's.", fix=WAIT
        )
    assert "claims.tests" not in _names()


# Logs that somebody gives.

RED = log(report(green=False, reasons=("line 1: a", "line 2: b", "line 3: c", "line 4: d")))


@pytest.mark.parametrize(
    ("given", "commands", "contradicts"),
    [
        (RED, [_command()], True),
        (RED, [_command(where="local")], True),
        (RED, [_command(), _command(1)], False),
        (RED, [], False),
        (RED, None, False),
        (log(), [_command()], False),
        (log(NO_TESTS), [_command()], False),
    ],
)
def test_given_logs(given: Any, commands: Any, contradicts: bool) -> None:
    reading = read_bundle(build.snapshot(body=build.body(commands=commands)))
    (finding,) = check_given_logs(reading, {"ci.log": given})
    assert finding.evidence == (Evidence("ci.log", digest=DIGEST),)
    if contradicts:
        assert (finding.check, finding.status, finding.fix) == ("claims.logs", F, TRUE_CODE)
        assert finding.reason == (
            "The bundle says that every command succeeded, but ci.log does not: line 1: a; line 2: b; line 3: c."
        )
        return
    reason = "ci.log does not contradict the bundle. A given log is never proof."
    assert (finding.check, finding.status, finding.reason, finding.fix) == ("claims.logs", S, reason, None)


def test_given_logs_without_a_bundle() -> None:
    reading = read_bundle(build.snapshot(body=""))
    assert [each.status for each in check_given_logs(reading, {"a": RED, "b": log()})] == [S, S]
    assert check_given_logs(reading, {}) == ()
