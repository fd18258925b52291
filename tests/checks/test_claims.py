"""The bundle against the facts: a true word passes, a false one fails, an open one waits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.bundle import read_bundle
from checks.claims import FIELDS, check, check_given_logs, is_given
from checks.diff import FileStatus
from checks.finding import Evidence, Finding, Fix, Status
from checks.snapshot import Snapshot
from checks.unread import Unread
from tests.checks import build
from tests.checks.build import DIGEST, HEAD, NO_TESTS, OTHER, TREE, job, log, only, report, run

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


TRUE_CODE = Fix(
    "correct-bundle", "Give the exit codes that the raw logs show, or repair the cause and push.", "commands"
)


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


def test_no_bundle_in_a_local_judgement() -> None:
    snapshot = build.snapshot(number=None, body="")
    assert _findings(snapshot) == (Finding("bundle", S, "No evidence bundle is asked for."),)
    assert _findings(snapshot, "reason") == (
        Finding(
            "bundle",
            W,
            "No evidence bundle was handed over; only GitHub knows whether there is one.",
            fix=Fix("add-bundle", "Write a bundle and hand it over (`--bundle FILE`). It needs: reason."),
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
    (finding,) = _findings(build.snapshot(body="```mergegate\nreson: a\nriks: b\n```"))
    text = "Repair it: reson: did you mean `reason`?; riks: did you mean `risk`?"
    assert finding.fix == Fix("correct-bundle", text, "reson")
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


def test_ten_files_are_listed_whole() -> None:
    claimed = ["src/price.py", *(f"f{number}" for number in range(10))]
    snapshot = build.snapshot(diff=build.diff("src/price.py"))
    assert _says("claims.files", snapshot, changed_files=claimed).reason.endswith("`f8`, `f9`, which did not change.")


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
        (RED, [build.command()], True),
        (RED, [build.command(where="local")], True),
        (RED, [build.command(), build.command(1)], False),
        (RED, [], False),
        (RED, None, False),
        (log(), [build.command()], False),
        (log(NO_TESTS), [build.command()], False),
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


@pytest.mark.parametrize(
    ("tests", "logs", "contradicts"),
    [
        ({"added": 14}, {"a": log()}, True),
        ({"skipped": 2}, {"a": log()}, True),
        ({"added": 13, "skipped": 1}, {"a": log()}, False),
        ({"added": 14}, {"a": log(), "b": log()}, False),
        ({"added": 27}, {"a": log(), "b": log()}, True),
        ({"added": 14}, {"a": log(), "b": log(NO_TESTS)}, False),
        ({"added": 14}, {}, False),
        (None, {"a": log()}, False),
    ],
)
def test_counts_of_given_logs(tests: Any, logs: Any, contradicts: bool) -> None:
    reading = read_bundle(build.snapshot(body=build.body(tests=tests)))
    wrong = [each for each in check_given_logs(reading, logs) if each.status is F]
    ran = 13 * len(logs)
    reason = f"The bundle counts more tests than the given logs, which have {ran}, of which {len(logs)} were skipped."
    fix = Fix("correct-bundle", "Correct the counts.", "tests")
    assert wrong == ([Finding("claims.logs", F, reason, fix=fix)] if contradicts else [])


def test_given_logs_without_a_bundle() -> None:
    reading = read_bundle(build.snapshot(body=""))
    assert [each.status for each in check_given_logs(reading, {"a": RED, "b": log()})] == [S, S]
    assert check_given_logs(reading, {}) == ()
