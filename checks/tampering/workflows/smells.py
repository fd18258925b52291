"""What makes the runs of one workflow file prove less than they seem to, whatever it was before.

A `pull_request` run of the target branch's own file may have such places for good reasons; a change that adds one
must give them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import re2

from checks.tampering.alteration import Weight
from checks.tampering.commands.runners import TESTS
from checks.tampering.workflows.model import Job, Step, Workflow
from checks.tampering.workflows.scopes import step_runs

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK


@dataclass(frozen=True, slots=True)
class Smell:
    """`text` is the source that it rests on, without its place, so that it stays the same when it moves."""

    kind: str
    weight: Weight
    line: int | None
    text: str
    reason: str
    area: str = "ci"


def smells(workflow: Workflow) -> Iterator[Smell]:
    """Everything but hidden test runs, which `hidden_runs` lists."""
    yield from _triggers(workflow)
    yield from _grants(workflow.permissions, workflow.line_of("permissions"))
    yield from _runner_environment(workflow.environment, workflow.line_of("env"))
    for job in workflow.jobs:
        tests = [step for step in job.steps if _runs_tests(step, job, workflow)]
        yield from _of_job(job, runs_tests=bool(tests))
        for step in job.steps:
            yield from _of_step(step, runs_tests=step in tests)
            if step in tests:
                yield from _shell(step.shell or job.shell, step.line)


def hidden_runs(workflow: Workflow) -> Iterator[Smell]:
    """Test runs whose failure does not fail their job: this is how a log is red while the job is green."""
    for job in workflow.jobs:
        for step in job.steps:
            for run in step_runs(step, job, workflow):
                if run.hidden is not None and run.program.purpose == TESTS:
                    reason = f"The job `{_short(job.name)}` passes although `{_short(run.text)}` fails."
                    yield Smell(run.hidden.kind, FAILED, run.line, run.hidden.by, reason)


def _runs_tests(step: Step, job: Job, workflow: Workflow) -> bool:
    return any(run.program.purpose == TESTS for run in step_runs(step, job, workflow))


def _triggers(workflow: Workflow) -> Iterator[Smell]:
    for event, filters in workflow.events.items():
        line = workflow.line_of("on", event)
        if event in _WITH_OTHERS_CODE:
            reason = f"It runs on `{event}`: with the target's rights, but not on the change itself."
            yield Smell("event-proves-nothing", PERSON, line, event, reason)
        if event not in _JUDGED:
            continue
        for name in ("paths", "paths-ignore", "branches", "branches-ignore", "types"):
            for item in filters.get(name, ()):
                if not (name == "branches" and item in _ALL_BRANCHES):
                    reason = f"On `{event}` it runs only as `{name}` lets it: `{_short(item)}`."
                    yield Smell("trigger-filtered", PERSON, line, f"{event} {name} {item}"[:300], reason)
    yield from _cache(workflow.cache_mode, workflow, workflow.line_of("cache-mode"))
    for job in workflow.jobs:
        yield from _cache(job.cache_mode, workflow, job.line)


def _cache(mode: str, workflow: Workflow, line: int | None) -> Iterator[Smell]:
    """https://github.blog/changelog/2026-09-10-control-github-actions-cache-access-with-cache-mode/"""
    for event in sorted(set(workflow.events) & _LOW_TRUST) if mode in ("write", "write-only") else ():
        reason = f"On `{event}`, which anybody can cause, it writes to the cache that trusted runs read."
        yield Smell("cache-written", PERSON, line, f"{event} {mode}", reason)


def _of_job(job: Job, *, runs_tests: bool) -> Iterator[Smell]:
    yield from _grants(job.permissions, job.line)
    yield from _runner_environment(job.environment, job.line)
    if runs_tests:
        yield from _conditional(job.condition, job.line, "job")
        yield from _variables(job.condition, job.line)
    if job.secrets == "inherit":
        yield Smell("secrets-inherited", PERSON, job.line, "secrets: inherit", "It hands all secrets on.", "secrets")
    if "self-hosted" in job.runs_on.lower():
        reason = f"It runs on a machine that is kept between runs: `{_short(job.runs_on)}`."
        yield Smell("self-hosted", PERSON, job.line, job.runs_on[:300], reason, "infrastructure")
    if job.uses:
        yield from _called(job.uses, job.line)


def _of_step(step: Step, *, runs_tests: bool) -> Iterator[Smell]:
    if step.uses:
        yield from _called(step.uses, step.line)
        yield from _checkout(step)
    if runs_tests:
        yield from _conditional(step.condition, step.line, "step")
        for text in (step.run, *step.environment.values()):
            yield from _variables(text, step.line)
    yield from _runner_environment(step.environment, step.line)
    for match in _LATER_STEPS.findall(_encoded(step.run)):
        said = match.decode("utf-8", "replace").strip()
        if _FILLED.search(match):
            continue
        reason = f"It changes how the steps after it are run: `{_short(said)}`."
        yield Smell("runner-environment", PERSON, step.line, said[:300], reason)
    for match in _OTHER_COMMIT.findall(_encoded(step.run)):
        said = match.decode("utf-8", "replace")
        yield Smell(
            "checkout-elsewhere", PERSON, step.line, said, f"It looks at other files than the change's: `{said}`."
        )


def _conditional(condition: str, line: int, what: str) -> Iterator[Smell]:
    """`if:` on a test run. A word that is never true is certain; the rest depends on what only a run knows."""
    bare = condition.removeprefix("${{").removesuffix("}}").strip()
    if bare in _ALWAYS:
        return
    never = bare in _NEVER
    reason = f"A {what} with tests runs {'never' if never else 'only'} if `{_short(bare)}`; a skipped one looks green."
    yield Smell("conditional-test", FAILED if never else PERSON, line, bare[:300], reason)


def _variables(text: str, line: int) -> Iterator[Smell]:
    """Values that are set outside of the repository and that no change shows."""
    for match in _VARIABLE.findall(_encoded(text)):
        said = match.decode("utf-8", "replace")
        reason = f"What runs depends on `{said}`, which is set outside of the repository."
        yield Smell("outside-variable", RISK, line, said, reason)


def _shell(shell: str, line: int) -> Iterator[Smell]:
    """What runs the step's script: https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax."""
    words = shell.split()
    if not words or (len(words) == 1 and words[0] in _SHELLS):
        return
    name = words[0].rpartition("/")[2]
    is_known = name in _SHELLS and not words[0].startswith((".", "$")) and "{0}" in words
    if not is_known or (name in _BOURNE and any(map(_STOPS_SHORT.search, words[1:]))):
        reason = f"The tests' step is run by `{_short(shell)}`."
        yield Smell("shell-replaced", PERSON, line, shell[:300], reason)


def _grants(permissions: Mapping[str, str], line: int | None) -> Iterator[Smell]:
    for name, value in permissions.items():
        if value in ("write", "write-all"):
            said = value if name == "*" else f"{name}: {value}"
            reason = f"Its token may write: `{_short(said)}`."
            yield Smell("permissions-widened", PERSON, line, said[:300], reason, "permissions")


def _runner_environment(environment: Mapping[str, str], line: int | None) -> Iterator[Smell]:
    for name, value in environment.items():
        if _STEERS_RUNNER.fullmatch(name) or (name == "CI" and value.lower() in ("false", "0", "")):
            said = f"{name}={value}"[:300]
            yield Smell("runner-environment", PERSON, line, said, f"It changes how tests are run: `{_short(said)}`.")


def _called(uses: str, line: int) -> Iterator[Smell]:
    """https://docs.github.com/en/actions/reference/security/secure-use: only a full commit id cannot move."""
    if uses.startswith("$/"):
        reason = f"It calls `{_short(uses)}` of this repository, whose content may change with the change itself."
        yield Smell("self-repository", RISK, line, uses[:300], reason)
    elif not uses.startswith(("./", *_GITHUBS_OWN)) and not _PINNED.fullmatch(uses):
        reason = f"It uses `{_short(uses)}`, which others can move to other code."
        yield Smell("action-not-pinned", RISK, line, uses[:300], reason, "dependencies")
    if uses.startswith(_RETRIES):
        reason = f"It tries failing commands again: `{_short(uses)}`."
        yield Smell("retries-raised", PERSON, line, uses.partition("@")[0], reason)


def _checkout(step: Step) -> Iterator[Smell]:
    if not step.uses.startswith("actions/checkout@"):
        return
    for name in ("ref", "repository"):
        value = step.inputs.get(name, "")
        bare = value.removeprefix("${{").removesuffix("}}").strip()
        if value and bare not in _OF_THE_CHANGE:
            said = f"{name}: {value}"[:300]
            reason = f"It checks out `{_short(said)}` instead of the change."
            yield Smell("checkout-elsewhere", PERSON, step.line, said, reason)


_JUDGED = frozenset({"pull_request", "merge_group"})
_WITH_OTHERS_CODE = frozenset({"pull_request_target", "workflow_run"})
_LOW_TRUST = frozenset({"pull_request_target", "workflow_run", "issue_comment", "pull_request", "issues"})
_ALL_BRANCHES = frozenset({"**", "*"})
_ALWAYS = frozenset({"", "true", "always()", "!cancelled()", "success()", "success() || failure()", "!failure()"})
_NEVER = frozenset({"false", "0", "''", "null", "failure() && success()", "false && always()"})
_OF_THE_CHANGE = frozenset(
    {
        *("github.sha", "github.ref", "github.head_ref", "github.event.pull_request.head.sha"),
        *("github.event.pull_request.head.ref", "github.event.pull_request.merge_commit_sha", "github.repository"),
        *("github.event.pull_request.head.repo.full_name", "github.event.merge_group.head_sha"),
        "github.event.pull_request.head.sha || github.sha",
    }
)
_GITHUBS_OWN = ("actions/", "github/")
_BOURNE = frozenset({"bash", "sh", "dash", "zsh"})
# Those that GitHub knows, and what runs scripts in other environments.
_SHELLS = _BOURNE | {
    *("pwsh", "powershell", "cmd", "python", "python3", "perl", "node", "ruby", "Rscript", "julia", "nu", "fish"),
    *("wsl-bash", "msys2", "micromamba-shell", "alpine.sh", "nix", "nix-shell", "devenv", "pixi", "conda"),
}
_STOPS_SHORT = re2.compile(r"[|;&]|^-[a-z]*[nc]")  # another command, no execution, or a script of its own
_RETRIES = ("nick-fields/retry", "nick-invision/retry", "Wandalen/wretry.action")
_PINNED = re2.compile(r"[^@]+@[0-9a-f]{40}|docker://[^@]+@sha256:[0-9a-f]{64}")
_VARIABLE = re2.compile(rb"\bvars\.[A-Za-z_][A-Za-z0-9_]*")
_OTHER_COMMIT = re2.compile(
    rb"\bgit (?:-C \S+ )?(?:checkout|switch|reset --hard|restore --source)[ =](?:--detach )?(?:-f )?"
    rb"(?:origin/|upstream/|main\b|master\b|HEAD[~^]|FETCH_HEAD|[0-9a-f]{7,40}\b|\$\{?GITHUB_BASE_REF|"
    rb"\$\{\{ *github\.base_ref)[^\n;&|]{0,80}"
)
_STEERS_RUNNER = re2.compile(
    r"PYTEST_ADDOPTS|PYTEST_PLUGINS|PYTHONSTARTUP|NODE_OPTIONS|JEST_\w+|VITEST_\w+|MOCHA_\w+|GOFLAGS|SPEC_OPTS|RUBYOPT|"
    r"PERL5OPT|CARGO_TARGET_\w+_RUNNER|RUSTC_WRAPPER|MAVEN_ARGS|JAVA_TOOL_OPTIONS|LD_PRELOAD|BASH_ENV|DYLD_INSERT_LIBRARIES"
)
# What later steps get by files (https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands), and
# a folder of the repository in front of the search path, but for those that package managers fill.
_LATER_STEPS = re2.compile(
    rb"(?m)^[^\n#]*\b(?:" + _STEERS_RUNNER.pattern.encode() + rb"|PYTHONOPTIMIZE)=[^\n]*GITHUB_ENV.*$"
    rb"|^[^\n#]*(?:\$\{?PWD|\$\(pwd\)|\bGITHUB_WORKSPACE|github\.workspace|\./)[^\n]*GITHUB_PATH.*$"
)
_FILLED = re2.compile(rb"node_modules/\.bin|\.venv|/venv|vendor/bin|/\.local|\.tools|\.cargo|/target/")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else line[:119] + "…"
