"""Other CI systems as witnesses: check runs of their GitHub Apps, which nobody else can post.

A check alone vouches for changes of low risk only. Where the policy says how the system's raw log is read, the gate
fetches that itself, and a log that shows passing tests of this head is worth what one of GitHub Actions is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from checks.finding import Evidence, Finding, Fix, errored, failed, needs_person, passed, pending, skipped
from checks.other_ci_log import System
from checks.paths import PathPatterns
from checks.runs import Build, BuildJob, CheckRun, JobLog
from checks.snapshot import Risk
from checks.unread import Unread

CHECK = "ci.other"
# Whoever can write a workflow chooses its jobs' names, and their logs are read: they are no witness of this kind.
_ACTIONS = "github-actions"
_SHOWN = 5
_CONFIGURED: dict[System, PathPatterns] = {
    "buildkite": PathPatterns([".buildkite/"]),
    "circleci": PathPatterns([".circleci/"]),
    "jenkins": PathPatterns(["Jenkinsfile*"]),
}


@dataclass(frozen=True, slots=True)
class Witness:
    """`app` is the slug of a GitHub App, or its id in digits; `checks` are names of check runs that it must post.

    `log` is the system whose raw logs these are; None: they are not read.
    """

    app: str
    checks: tuple[str, ...]
    log: System | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """What is judged: a head, at its risk. `changed` are paths that the change touches; empty for a merge group.

    `open_`: what is missing is still awaited.
    """

    head_sha: str
    level: Risk
    changed: Collection[str] = ()
    open_: bool = False


@dataclass(frozen=True, slots=True)
class OtherCiResult:
    """`shows_tests`: a raw log of this head that the gate read shows passing tests, and none speaks against it."""

    findings: tuple[Finding, ...] = ()
    shows_tests: bool = False


def check(check_runs: tuple[CheckRun, ...] | Unread, witnesses: tuple[Witness, ...], judged: Judged) -> OtherCiResult:
    """Findings `ci.other` for every check that a witness must post."""
    if isinstance(check_runs, Unread):
        return OtherCiResult((_unread(check_runs),) if witnesses else ())
    said = [_of_witness(check_runs, one, name, judged) for one in witnesses for name in one.checks]
    findings = tuple(finding for each in said for finding in each.findings)
    return OtherCiResult(findings, any(each.shows_tests for each in said))


def _unread(unread: Unread) -> Finding:
    reason = f"The checks of other CI systems could not be read: {unread.because}."
    if unread.offline:
        return pending(CHECK, reason, fix=Fix("open-pull-request", "Open a pull request; only GitHub has them."))
    return errored(CHECK, reason, fix=_WAIT)


def _of_witness(check_runs: tuple[CheckRun, ...], witness: Witness, name: str, judged: Judged) -> OtherCiResult:
    run = newest(check_runs, witness.app, name)
    said = _said(run, witness.app, name, open_=judged.open_)
    if run is None or run.conclusion != "success" or witness.log is None:
        return OtherCiResult((said,))
    read = _of_build(_Named(name, witness.app, run), judged)
    return OtherCiResult((said, *_of_configuration(witness.log, judged), *read.findings), read.shows_tests)


def newest(check_runs: tuple[CheckRun, ...], app: str, name: str) -> CheckRun | None:
    """The newest check run of that name which the App has posted; `app` as in a `Witness`."""
    return max(_of(check_runs, app, name), key=lambda one: one.id, default=None)


def _said(run: CheckRun | None, app: str, name: str, *, open_: bool) -> Finding:
    if run is None:
        reason = f"`{app}` has posted no check `{name}` on this head"
        return pending(CHECK, f"{reason} yet.", fix=_WAIT) if open_ else failed(CHECK, f"{reason}.", fix=_START)
    at = _evidence(run)
    if run.status != "completed":
        return pending(CHECK, f"`{name}` of `{app}` is not finished: {run.status}.", at, fix=_WAIT)
    if run.conclusion != "success":
        return failed(CHECK, f"`{name}` of `{app}` ended as {run.conclusion}.", at, fix=_REPAIR)
    return passed(CHECK, f"`{name}` of `{app}` ended as success.", at)


def _of(check_runs: tuple[CheckRun, ...], app: str, name: str) -> Iterator[CheckRun]:
    for run in check_runs:
        if run.name == name and app in (run.app_slug, str(run.app_id)) and run.app_slug != _ACTIONS:
            yield run


def _of_configuration(system: System, judged: Judged) -> tuple[Finding, ...]:
    """What the system runs is written in the repository, and the head's own file is what it ran."""
    paths = sorted(path for path in judged.changed if _CONFIGURED[system].matches(path))
    if not paths:
        return ()
    reason = f"The change alters what {system} runs: {', '.join(paths[:_SHOWN])}."
    return (needs_person(CHECK, reason, fix=_LOOK_AT_FILE),)


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    app: str
    run: CheckRun

    @property
    def words(self) -> str:
        return f"`{self.name}` of `{self.app}`"


def _of_build(named: _Named, judged: Judged) -> OtherCiResult:
    build = named.run.build or Unread("nobody asked for it")
    if isinstance(build, Unread):
        return OtherCiResult((_without_log(f"The raw log of {named.words}", build, named, judged),))
    wrong = _wrong(named, build, judged) or _against(named, build, judged)
    if wrong is not None:
        return OtherCiResult((wrong,))
    shown = [job for job in build.jobs if isinstance(job.log, JobLog) and job.log.report.green is True]
    if shown:
        listed = ", ".join(f"`{job.name}` ({_counts(job)})" for job in shown[:_SHOWN])
        at = tuple(_evidence_of_job(build, job) for job in shown[:_SHOWN])
        return OtherCiResult(
            (passed(CHECK, f"The raw logs of {named.words} show passing tests: {listed}.", *at),), True
        )
    reason = f"The raw logs of {named.words} show no passing tests of a known test runner."
    if judged.level is Risk.LOW:
        return OtherCiResult((skipped(CHECK, reason, _evidence(named.run)),))
    return OtherCiResult((failed(CHECK, reason, _evidence(named.run), fix=_SHOW),))


def _without_log(what: str, unread: Unread, named: _Named, judged: Judged) -> Finding:
    reason = f"{what} could not be read: {unread.because}."
    if judged.level is Risk.LOW:
        return skipped(CHECK, f"{reason} At low risk the check alone suffices.", _evidence(named.run))
    return errored(CHECK, reason, _evidence(named.run), fix=_SETTINGS)


def _wrong(named: _Named, build: Build, judged: Judged) -> Finding | None:
    """What the system's own API says against it, whatever its App posted."""
    at = Evidence(f"build of {named.words}", build.url)
    if build.commit != judged.head_sha:
        commit = build.commit[:12] if build.commit else "no commit that it names"
        return failed(CHECK, f"{named.words} tested {commit}, not this head.", at, fix=_START)
    if not build.succeeded:
        return failed(CHECK, f"By the system's own word the build of {named.words} did not succeed.", at, fix=_REPAIR)
    bad = next((job for job in build.jobs if not job.succeeded), None)
    if bad is not None:
        return failed(
            CHECK, f"The build of {named.words} passed although its job `{bad.name}` did not.", at, fix=_REPAIR
        )
    return None


def _against(named: _Named, build: Build, judged: Judged) -> Finding | None:
    """The first raw log that speaks against the build, or does not tell."""
    for job in build.jobs:
        if isinstance(job.log, Unread):
            return _without_log(f"The raw log of job `{job.name}` of {named.words}", job.log, named, judged)
        report, at = job.log.report, _evidence_of_job(build, job)
        why = "; ".join(report.reasons[:3])
        if report.green is False:
            reason = f"Job `{job.name}` of {named.words} ended as success, but its log does not: {why}."
            return failed(CHECK, reason, at, fix=_REPAIR)
        if report.green is None and (report.runner is not None or report.truncated) and judged.level is not Risk.LOW:
            reason = f"It cannot be told from the log of job `{job.name}` of {named.words} whether tests passed: {why}."
            return failed(CHECK, reason, at, fix=_SHOW)
    return None


def _counts(job: BuildJob) -> str:
    assert isinstance(job.log, JobLog)
    return f"{job.log.report.passed} passed, {job.log.report.skipped or 0} skipped"


def _evidence(run: CheckRun) -> Evidence:
    return Evidence(f"check run {run.id} `{run.name}`")


def _evidence_of_job(build: Build, job: BuildJob) -> Evidence:
    assert isinstance(job.log, JobLog)
    line = job.log.report.summaries[-1].line if job.log.report.summaries else None
    return Evidence(f"job `{job.name}`", build.url, None, line, line, job.log.digest)


_WAIT = Fix("wait", "Nothing to do; the gate looks again by itself.")
_START = Fix("push", "See that the CI system builds this head, or push again.")
_REPAIR = Fix("push", "Read that system's log, repair the cause and push.")
_SHOW = Fix("push", "Let the build run its tests so that the runner prints its closing summary with counts.")
_SETTINGS = Fix("ask-person", "Ask whoever runs the gate to look at its settings for that CI system, or wait.")
_LOOK_AT_FILE = Fix("ask-person", "A person looks whether the tests still run as before.")
