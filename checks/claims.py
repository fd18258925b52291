"""The bundle's words against the facts. They are never proof; a false one fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, get_args

from checks import claimed_runs
from checks.bundle import Bundle, BundleReading, BundleSource
from checks.bundle_schema import Tests
from checks.ci_jobs import read_log
from checks.claimed_runs import TRUE_CODE, WAIT, not_compared
from checks.diff import Diff
from checks.finding import Evidence, Finding, Fix, errored, failed, passed, pending, skipped
from checks.logs.report import LogReport
from checks.runs import JobLog
from checks.snapshot import Snapshot
from checks.unread import Unread

# What policy can ask for, as paths into the bundle.
BundleField = Literal[
    "head",
    "tree",
    "reason",
    "commands",
    "changed_files",
    "evidence",
    "tests",
    "risk",
    "risk.areas",
    "risk.known",
    "rollback",
    "preview",
    "producer",
]
FIELDS: tuple[str, ...] = get_args(BundleField)
_SHOWN = 10  # of a list


def check(snapshot: Snapshot, reading: BundleReading, required: tuple[str, ...]) -> tuple[Finding, ...]:
    """Findings `bundle` and `claims.*`. `required` holds names of FIELDS."""
    source, bundle = reading.source, reading.bundle
    if source is None:
        return (_no_bundle(required, offline=snapshot.number is None),)
    if bundle is None:
        return (_unreadable(reading, source),)
    return (
        _complete(bundle, source, required, reading.digest),
        *_head(snapshot, bundle),
        *_files(snapshot, bundle),
        *claimed_runs.stale(snapshot, bundle),
        *claimed_runs.commands(snapshot, bundle),
        *claimed_runs.pointers(snapshot, bundle),
        *_tests(snapshot, bundle),
    )


def _no_bundle(required: tuple[str, ...], *, offline: bool) -> Finding:
    if not required:
        return skipped("bundle", "No evidence bundle is asked for.")
    fields = ", ".join(required)
    if offline:
        fix = Fix("add-bundle", f"Write a bundle and hand it over (`--bundle FILE`). It needs: {fields}.")
        return pending("bundle", "No evidence bundle was handed over; only GitHub knows whether there is one.", fix=fix)
    fix = Fix("add-bundle", f"Add a fenced block with the info string `mergegate` to the body. It needs: {fields}.")
    return failed("bundle", "There is no evidence bundle in the pull request's body or its author's comments.", fix=fix)


def _unreadable(reading: BundleReading, source: BundleSource) -> Finding:
    listed = "; ".join(str(fault) for fault in reading.faults[:_SHOWN])
    hints = [f"{fault.field or 'the block'}: {fault.hint}" for fault in reading.faults if fault.hint]
    text = "Repair it: " + "; ".join(hints[:_SHOWN]) if hints else "Repair the lines named."
    first = reading.faults[0]
    evidence = Evidence(source.place, start_line=first.line, end_line=first.line, digest=reading.digest)
    fix = Fix("correct-bundle", text, first.field)
    return failed("bundle", f"The bundle in {source.place} cannot be read: {listed}.", evidence, fix=fix)


def _complete(bundle: Bundle, source: BundleSource, required: tuple[str, ...], digest: str | None) -> Finding:
    evidence = Evidence(source.place, start_line=source.first_line, digest=digest)
    missing = [field for field in required if not is_given(bundle, field)]
    if not missing:
        return passed("bundle", f"The bundle in {source.place} is complete.", evidence)
    fix = Fix("add-bundle-field", f"Add to the bundle: {', '.join(missing)}.", missing[0])
    return failed("bundle", f"The bundle in {source.place} leaves out {', '.join(missing)}.", evidence, fix=fix)


def is_given(bundle: Bundle, field: str) -> bool:
    """Whether the bundle has this one of FIELDS. An empty list of known risks is given, an empty other list is not."""
    value: object = bundle
    for part in field.split("."):
        value = getattr(value, part, None)
    return value is not None and (value != () or field in ("risk.known", "risk.areas"))


def _head(snapshot: Snapshot, bundle: Bundle) -> Iterator[Finding]:
    if bundle.head is not None and bundle.head != snapshot.head.sha:
        reason = f"The bundle is about commit {bundle.head[:12]}, but the head is {snapshot.head.sha[:12]}."
        fix = Fix("correct-bundle", f"Check the bundle again and set head to {snapshot.head.sha}.", "head")
        yield failed("claims.head", reason, fix=fix)
    elif bundle.head is not None:
        yield passed("claims.head", "The bundle names this head.")
    if bundle.tree is None:
        return
    if snapshot.head.tree is None:
        yield errored("claims.tree", "The head's tree could not be read, to compare it with the bundle's.", fix=WAIT)
    elif bundle.tree != snapshot.head.tree:
        reason = f"The bundle is about tree {bundle.tree[:12]}, but the head's is {snapshot.head.tree[:12]}."
        yield failed("claims.tree", reason, fix=Fix("correct-bundle", "Correct or remove the tree.", "tree"))
    else:
        yield passed("claims.tree", "The bundle names this head's tree.")


def _files(snapshot: Snapshot, bundle: Bundle) -> Iterator[Finding]:
    if bundle.changed_files is None:
        return
    if isinstance(snapshot.diff, Unread):
        yield not_compared("claims.files", "changed files", snapshot.diff)
    elif not snapshot.diff.complete:
        reason = "The changed files could not be listed as a whole, to compare them with the bundle's."
        yield errored("claims.files", reason, fix=WAIT)
    else:
        yield _compare_files(snapshot.diff, set(bundle.changed_files))


def _compare_files(diff: Diff, claimed: set[str]) -> Finding:
    either = {path for file in diff.files for path in file.paths}
    unnamed = sorted({file.path for file in diff.files} - claimed)
    invented = sorted(claimed - either)
    if not unnamed and not invented:
        return passed("claims.files", f"The bundle names all {len(diff.files)} changed files and no other.")
    parts = [f"does not name {_list(unnamed)}"] if unnamed else []
    parts += [f"names {_list(invented)}, which did not change"] if invented else []
    fix = Fix("correct-bundle", "List exactly the paths that the pull request changes.", "changed_files")
    return failed("claims.files", f"The bundle's list of changed files {' and '.join(parts)}.", fix=fix)


def _list(items: list[str]) -> str:
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(f"`{item}`" for item in items[:_SHOWN]) + more


def _tests(snapshot: Snapshot, bundle: Bundle) -> Iterator[Finding]:
    """No more tests can be new or skipped than the raw logs count; what was removed, only the diff could tell."""
    if bundle.tests is None:
        return
    if isinstance(snapshot.runs, Unread):
        yield not_compared("claims.tests", "workflow runs", snapshot.runs)
        return
    logs = [log for run in snapshot.runs for job in run.jobs if (log := read_log(job)) is not None]
    counted = [log.report for log in logs if log.report.passed is not None]
    if not counted:
        yield pending("claims.tests", "No raw log counts tests yet, to compare them with the bundle's.", fix=WAIT)
        return
    if more := _more_than(bundle.tests, counted):
        reason = f"The bundle counts more tests than the raw logs, which have {more}."
        yield failed("claims.tests", reason, fix=_TRUE_COUNTS)
    else:
        ran, skips = _ran(counted)
        yield passed("claims.tests", f"The raw logs count {ran} tests, {skips} skipped; the bundle says no more.")


def _more_than(tests: Tests, reports: list[LogReport]) -> str | None:
    """What the logs have, where the bundle has more."""
    ran, skips = _ran(reports)
    if tests.count("added") <= ran and tests.count("skipped") <= skips:
        return None
    return f"{ran}, of which {skips} were skipped"


def _ran(reports: list[LogReport]) -> tuple[int, int]:
    """Tests that ran, and those of them that were skipped."""
    ran = sum((report.passed or 0) + (report.failed or 0) + (report.skipped or 0) for report in reports)
    return ran, sum(report.skipped or 0 for report in reports)


def check_given_logs(reading: BundleReading, logs: Mapping[str, JobLog]) -> tuple[Finding, ...]:
    """Logs that somebody handed over, by file name, against the bundle: finding `claims.logs`.

    They never count as proof, so that the best answer is skipped.
    """
    commands = () if reading.bundle is None else reading.bundle.commands or ()
    all_well = bool(commands) and all(command.exit_code == 0 for command in commands)
    single = tuple(_given_log(name, log, all_well=all_well) for name, log in logs.items())
    return (*single, *_given_counts(reading.bundle, [log.report for log in logs.values()]))


def _given_counts(bundle: Bundle | None, reports: list[LogReport]) -> Iterator[Finding]:
    """Counts of tests that none of the given logs can hold, where each of them counts its tests."""
    if bundle is None or bundle.tests is None or not reports or any(report.passed is None for report in reports):
        return
    if more := _more_than(bundle.tests, reports):
        reason = f"The bundle counts more tests than the given logs, which have {more}."
        yield failed("claims.logs", reason, fix=_TRUE_COUNTS)


def _given_log(name: str, log: JobLog, *, all_well: bool) -> Finding:
    evidence = Evidence(name, digest=log.digest)
    if all_well and log.report.green is False:
        why = "; ".join(log.report.reasons[:3])
        reason = f"The bundle says that every command succeeded, but {name} does not: {why}."
        return failed("claims.logs", reason, evidence, fix=TRUE_CODE)
    return skipped("claims.logs", f"{name} does not contradict the bundle. A given log is never proof.", evidence)


_TRUE_COUNTS = Fix("correct-bundle", "Correct the counts.", "tests")
