"""What is known about a counted run beside its outcome: which power it had, and what from outside could steer it.

None of it makes a log say something else by itself. It tells how far a change could reach while it was tested, so the
policy weighs each: allow, let a person decide, refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import re2

from checks.ci_jobs import evidence_of, read_log
from checks.ci_runs import current_jobs
from checks.finding import Evidence, Finding, Fix, failed, needs_person, passed
from checks.runs import Job, WorkflowFile, WorkflowNote, WorkflowRun
from checks.workflow_files import CHECK as FILES
from checks.workflow_files import bare_path

Word = Literal["allow", "person", "refuse"]
ALLOW: Word = "allow"
_SHOWN = 5
_PINNED = re2.compile(r"[^@]+@[0-9a-f]{40}")
# Group names in the API's answers and in logs: of GitHub's own machines, and of those that were registered by hand
# into no group of their own. Larger machines of GitHub may stand in a group of any name.
_GITHUBS = frozenset({"github actions", "default larger runners"})
_OWN = "default"
_SELF_HOSTED = "self-hosted"
_NONE_GIVEN = "None"  # what the runner prints for pull requests from forks


@dataclass(frozen=True, slots=True)
class TrustRule:
    """The weight of each fact. `ephemeral` are labels and groups of runners whose machines are used once."""

    token: Word = ALLOW
    secrets: Word = ALLOW
    cache: Word = ALLOW
    runner: Word = ALLOW
    variables: Word = ALLOW
    calls: Word = ALLOW
    ephemeral: tuple[str, ...] = ()

    def of_group(self) -> TrustRule:
        """For a merge group, which nobody reviews: what a person may decide was decided for its members."""
        return TrustRule(
            _settled(self.token),
            _settled(self.secrets),
            _settled(self.cache),
            _settled(self.runner),
            _settled(self.variables),
            _settled(self.calls),
            self.ephemeral,
        )


def _settled(word: Word) -> Word:
    return ALLOW if word == "person" else word


@dataclass(frozen=True, slots=True)
class _Fact:
    words: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class _Counted:
    """A job that counts, with the workflow files that made it."""

    run: WorkflowRun
    job: Job
    files: tuple[WorkflowFile, ...]

    def notes(self, kind: str) -> Iterator[tuple[WorkflowFile, WorkflowNote]]:
        for file in self.files:
            for note in file.notes:
                if note.kind == kind and may_be(self.job, note.job):
                    yield file, note


def check(
    runs: tuple[WorkflowRun, ...], workflows: Sequence[WorkflowFile], rule: TrustRule, repository: str
) -> list[Finding]:
    """Findings about the runs that count; none for what is not there. `repository` is its full name."""
    counted = [
        _Counted(run, job, _files(run, workflows))
        for run in runs
        for job in current_jobs(run)
        if job.conclusion != "skipped"
    ]
    looks: tuple[tuple[str, Word, Callable[[_Counted], Iterable[str]]], ...] = (
        ("ci.token", rule.token, _token(rule.token)),
        ("ci.secrets", rule.secrets, _secrets),
        ("ci.cache", rule.cache, _cache),
        ("ci.runner", rule.runner, _runner(rule)),
        ("ci.variables", rule.variables, _variables),
    )
    found = [_weighed(name, word, _each(counted, look)) for name, word, look in looks]
    found.append(_weighed(FILES, rule.calls, _calls(runs, repository)))
    return [finding for finding in found if finding is not None]


def may_be(job: Job, name: str) -> bool:
    """Whether a job that its workflow file calls `name` can be this one.

    Expressions in a name are not known, a matrix adds its values, and calls put `caller / ` in front.
    """
    stem, expression, _ = name.partition("${{")
    start = stem if expression else f"{name} ("
    parts = (job.name, *job.name.split(" / "))
    return not name or any(part == name or part.startswith(start) for part in parts)


def explained(finding: Finding, run: WorkflowRun, job: Job, workflows: Sequence[WorkflowFile]) -> Finding:
    """A log that is red while its job is green, with the places of the workflow file that hide the failure."""
    log = read_log(job)
    if log is None or log.report.green is not False:
        return finding
    hidden = list(_Counted(run, job, _files(run, workflows)).notes("hidden-failure"))
    if not hidden:
        return finding
    listed = "; ".join(f"line {note.line} of {file.path} has `{note.text}`" for file, note in hidden[:_SHOWN])
    return replace(finding, reason=f"{finding.reason} The workflow hides failures: {listed}.", fix=_SHOW_FAILURES)


def _files(run: WorkflowRun, workflows: Sequence[WorkflowFile]) -> tuple[WorkflowFile, ...]:
    """The run's workflow file and all that it calls in this repository."""
    waiting = [file for file in workflows if file.path == bare_path(run.path)]
    found: dict[str, WorkflowFile] = {}
    while waiting:
        file = waiting.pop()
        if file.path not in found:
            found[file.path] = file
            waiting += file.called
    return tuple(found.values())


def _each(counted: Iterable[_Counted], look: Callable[[_Counted], Iterable[str]]) -> Iterator[_Fact]:
    for each in counted:
        words = list(dict.fromkeys(look(each)))
        if words:
            yield _Fact(f"`{each.job.name}` ({', '.join(words[:_SHOWN])})", evidence_of(each.job))


def _weighed(check: str, word: Word, facts: Iterable[_Fact]) -> Finding | None:
    found = list(facts)
    if not found:
        return None
    what, cure = _WORDS[check]
    reason = f"{what}: {', '.join(fact.words for fact in found[:_SHOWN])}."
    at = [fact.evidence for fact in found[:_SHOWN]]
    if word == "refuse":
        return failed(check, reason, *at, fix=Fix("ask-person", f"Ask a person to {cure}"))
    if word == "person":
        fix = Fix("ask-person", f"Somebody who may approve looks at it, or a person can {cure}")
        return needs_person(check, reason, *at, fix=fix)
    return passed(check, f"{reason} The policy allows that.", *at)


def _token(word: Word) -> Callable[[_Counted], Iterator[str]]:
    """The runner prints the token's permissions before the first step; where it does not, they may be any."""

    def look(counted: _Counted) -> Iterator[str]:
        log = read_log(counted.job)
        if log is None:
            return
        for name, value in log.token_permissions or ():
            if value == "write":
                yield name
        if log.token_permissions is None and word != "allow":
            yield "its log does not tell"

    return look


def _secrets(counted: _Counted) -> Iterator[str]:
    """By the workflow file's text. `Secret source: None` in the log says that there were none to give.

    `Secret source: Actions` says only that the job might have been given some: every run of a repository's own branch
    has that line, whether it has secrets or not.
    """
    log = read_log(counted.job)
    if log is not None and log.secret_source == _NONE_GIVEN:
        return
    for file, note in counted.notes("secret"):
        yield f"{note.text}, line {note.line} of {file.path}"


def _cache(counted: _Counted) -> Iterator[str]:
    """A run restores caches of its own ref first, then of the target and the default branch; its log names no ref.

    https://docs.github.com/en/actions/reference/workflows-and-actions/dependency-caching. A merge group's ref is new.
    """
    log = read_log(counted.job)
    if log is not None and counted.run.event != "merge_group":
        yield from log.cache_keys


def _runner(rule: TrustRule) -> Callable[[_Counted], Iterator[str]]:
    """By the API's labels and group: what a machine prints of itself proves nothing about it.

    A group of another name can be of GitHub's larger machines, which are used once, so only `refuse` counts it.
    """

    def look(counted: _Counted) -> Iterator[str]:
        labels, group = counted.job.runner_labels, counted.job.runner_group or ""
        if {*labels, group} & {*rule.ephemeral}:
            return
        if _SELF_HOSTED in {label.lower() for label in labels}:
            yield f"label {_SELF_HOSTED}"
        elif group.lower() == _OWN or (group and rule.runner == "refuse" and group.lower() not in _GITHUBS):
            yield f"group {group}"

    return look


def _variables(counted: _Counted) -> Iterator[str]:
    for file, note in counted.notes("variable"):
        yield f"{note.text}, line {note.line} of {file.path}"


def _calls(runs: Iterable[WorkflowRun], repository: str) -> Iterator[_Fact]:
    """Workflows of other repositories by branch or tag, with the commit that ran."""
    own = f"{repository.lower()}/"
    for run in runs:
        for called in run.called:
            if not called.path.lower().startswith(own) and not _PINNED.fullmatch(called.path):
                words = f"`{called.path[:200]}` at {called.sha[:12]}"
                yield _Fact(words, Evidence(f"run {run.id} `{run.name}`", run.url, digest=called.sha))


_WORDS = {
    "ci.token": (
        "The token of jobs could write",
        "write `permissions: {contents: read}` at the top of the workflow file.",
    ),
    "ci.secrets": (
        "Jobs were given secrets",
        "move what needs secrets into a workflow that does not run on pull requests.",
    ),
    "ci.cache": (
        "Jobs took caches that earlier runs of this branch can have made",
        "take the cache steps out of the jobs that count.",
    ),
    "ci.runner": (
        "Jobs ran on machines that may keep what earlier jobs left there",
        "let them run on GitHub's machines, or name machines that are used once in the policy's `ci.trust.ephemeral`.",
    ),
    "ci.variables": (
        "Tests depend on values that are set outside of the repository",
        "write the values into the workflow file instead of `vars`.",
    ),
    FILES: (
        "Workflows that others can move were called",
        "call them by full commit id: `uses: owner/repository/path@COMMIT`.",
    ),
}
_SHOW_FAILURES = Fix("ask-person", "Repair the failure and push; ask a person to let the workflow fail when tests do.")
