"""A runner: carries out the steps of one job, keeps the job's record and writes its log."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
from dataclasses import dataclass, field

from tests.github.actions import token
from tests.github.actions.expressions import Status, UnsupportedExpressionError, holds, interpolate
from tests.github.actions.log import JobLog
from tests.github.actions.plan import JobPlan, Outcome, Upload
from tests.github.actions.process import run_script
from tests.github.actions.uses import KNOWN, ActionFailedError, Use, known_action
from tests.github.actions.workflow_file import StepDefinition
from tests.github.actions.workspace import SCRATCH_FILES, Workspace
from tests.github.state import Job, Step

RUNNER_VERSION = "2.336.0"

# Documented commands of the shells: `bash` named by hand gets pipefail, the default does not.
# https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell
_SHELLS = {
    None: "bash -e {0}",
    "bash": "bash --noprofile --norc -e -o pipefail {0}",
    "sh": "sh -e {0}",
    "python": "python {0}",
}


class StepFailedError(Exception):
    """A step ended badly; the text goes into the log as an error."""


@dataclass
class Runner:
    """Runs `plan` and fills `job` (steps, times) and `log` on the way; use once."""

    plan: JobPlan
    job: Job
    log: JobLog
    failed: bool = False
    uploads: list[Upload] = field(default_factory=list)
    added_env: dict[str, str] = field(default_factory=dict)
    added_path: list[str] = field(default_factory=list)
    annotations: list[dict[str, object]] = field(default_factory=list)
    current: Step | None = None

    async def run(self) -> Outcome:
        """The outcome of the job. When cancelled, the record and the log say so and CancelledError goes on."""
        workspace = Workspace.create(self.plan.workspaces, self.plan.repository_name)
        minutes = self.plan.definition.timeout_minutes
        try:
            async with asyncio.timeout(minutes * 60):
                await self._all_steps(workspace)
            conclusion = "failure" if self.failed else "success"
        except TimeoutError:
            self._interrupt(f"The job has exceeded the maximum execution time of {minutes:g} minutes.")
            conclusion = "cancelled"
        except asyncio.CancelledError:
            self._interrupt("The operation was canceled.")
            raise
        finally:
            workspace.remove()
        return Outcome(conclusion, tuple(self.uploads), tuple(self.annotations))

    async def _all_steps(self, workspace: Workspace) -> None:
        steps = self.plan.definition.steps
        self._set_up()
        for number, definition in enumerate(steps, start=2):
            await self._step(number, definition, workspace)
        self._tidy_up(steps)

    def _set_up(self) -> None:
        step = self._begin(1, "Set up job")
        self.log.write(1, f"Current runner version: '{RUNNER_VERSION}'")
        self.log.group(1, "Runner Image", ["Image: simulated", "Version: 1"])
        outsider = token.is_outsiders(self.plan.github, self.plan.event)
        permissions = token.permissions(self.plan.definition.permissions, outsider=outsider)
        self.log.group(1, "GITHUB_TOKEN Permissions", permissions)
        self.log.write(1, f"Secret source: {token.secret_source(self.plan.github, outsider=outsider)}")
        self.log.write(1, "Prepare workflow directory\nPrepare all required actions")
        problem = self._refused()
        if problem:
            self._fail(1, problem)
        else:
            self.log.write(1, f"Complete job name: {self.job.name}")
        self._end(step, "failure" if problem else "success")

    def _refused(self) -> str | None:
        definition = self.plan.definition
        if definition.refused is not None:
            return definition.refused
        unknown = [step.uses for step in definition.steps if step.uses is not None and not known_action(step.uses)]
        if unknown:
            return f"Unable to resolve action {unknown[0]}: only {', '.join(sorted(KNOWN))} are simulated"
        return None

    async def _step(self, number: int, definition: StepDefinition, workspace: Workspace) -> None:
        step = self._begin(number, definition.name)
        try:
            contexts = self._contexts(definition)
            step.name = interpolate(definition.name, contexts)
            if not holds(definition.condition, Status(self.failed, False, contexts)):
                self._end(step, "skipped")
                return
            await self._limited(number, definition, workspace, step.name)
            self._end(step, "success")
        except (StepFailedError, ActionFailedError, UnsupportedExpressionError) as error:
            self.log.error(number, str(error))
            self._end(step, "success" if definition.continue_on_error else "failure")
            if not definition.continue_on_error:
                self._annotate(str(error))
                self.failed = True

    async def _limited(self, number: int, definition: StepDefinition, workspace: Workspace, name: str) -> None:
        minutes = definition.timeout_minutes
        execute = self._script if definition.run is not None else self._action
        try:
            async with asyncio.timeout(None if minutes is None else minutes * 60):
                await execute(number, definition, workspace)
        except TimeoutError:
            if minutes is None:
                raise
            raise StepFailedError(f"The action '{name}' has timed out after {minutes:g} minutes.") from None

    async def _script(self, number: int, definition: StepDefinition, workspace: Workspace) -> None:
        contexts = self._contexts(definition)
        script = interpolate(definition.run or "", contexts)
        command = _shell(definition.shell)
        path = workspace.temporary / f"script_{number}.sh"
        path.write_text(script if script.endswith("\n") else f"{script}\n", encoding="utf-8")
        self._announce(number, script, command, contexts["env"])
        folder = (workspace.folder / interpolate(definition.working_directory or ".", contexts)).resolve()
        if not folder.is_dir():
            raise StepFailedError(f"An error occurred trying to start process with working directory '{folder}'.")
        arguments = [part.replace("{0}", str(path)) for part in shlex.split(command)]
        environment = self._environment(number, workspace, dict(contexts["env"]))
        code = await run_script(arguments, folder, environment, lambda line: self.log.output(number, line))
        self._collect(number, workspace)
        if code != 0:
            raise StepFailedError(f"Process completed with exit code {code}.")

    def _announce(self, number: int, script: str, command: str, env: object) -> None:
        lines = script.rstrip("\n").split("\n")
        shell = command.replace("bash", shutil.which("bash") or "/usr/bin/bash", 1) if "bash" in command else command
        body = [f"\x1b[36;1m{line}\x1b[0m" for line in lines] + [f"shell: {shell}"]
        self.log.group(number, f"Run {lines[0]}", body + _env_lines(env))

    async def _action(self, number: int, definition: StepDefinition, workspace: Workspace) -> None:
        contexts = self._contexts(definition)
        inputs = {key: interpolate(value, contexts) for key, value in definition.with_inputs.items()}
        shown = [f"  {key}: {value}" for key, value in inputs.items()]
        body = (["with:", *shown] if shown else []) + _env_lines(contexts["env"])
        self.log.group(number, f"Run {definition.uses}", body)
        action = known_action(definition.uses or "")
        if action is None:
            raise ActionFailedError(f"The action {definition.uses} is not simulated")
        await action(Use(inputs, self.plan, workspace, lambda line: self.log.write(number, line), self.uploads))

    def _contexts(self, definition: StepDefinition) -> dict[str, dict[str, str]]:
        plan = self.plan
        contexts: dict[str, dict[str, str]] = {
            "github": plan.github,
            "matrix": {key: str(value) for key, value in plan.matrix.items()},
            "inputs": plan.inputs,
            "needs": plan.needs,
            "secrets": {},
            "vars": {},
            "runner": {"os": "Linux", "arch": "X64"},
            "env": {},
        }
        for layer in (plan.workflow_env, plan.definition.env, self.added_env, definition.env):
            contexts["env"] |= {key: interpolate(value, contexts) for key, value in layer.items()}
        return contexts

    def _environment(self, number: int, workspace: Workspace, own: dict[str, str]) -> dict[str, str]:
        event = workspace.temporary / "event.json"
        event.write_text(json.dumps(self.plan.event), encoding="utf-8")
        folders = [*reversed(self.added_path), *self.plan.tool_folders, os.environ.get("PATH", "/usr/bin:/bin")]
        names = {f"GITHUB_{key.upper()}": value for key, value in self.plan.github.items() if "." not in key}
        return {
            "PATH": os.pathsep.join(folders),
            "HOME": str(workspace.home),
            "LANG": "C.UTF-8",
            "CI": "true",
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(workspace.temporary),
            **names,
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(workspace.folder),
            "GITHUB_EVENT_PATH": str(event),
            **{f"GITHUB_{kind.upper()}": str(workspace.scratch(number, kind)) for kind in SCRATCH_FILES},
            **own,
        }

    def _collect(self, number: int, workspace: Workspace) -> None:
        """Take over what the step wrote to GITHUB_ENV (plain NAME=value lines) and GITHUB_PATH."""
        for line in workspace.scratch(number, "env").read_text("utf-8", "replace").splitlines():
            key, found, value = line.partition("=")
            if found:
                self.added_env[key] = value
        self.added_path += workspace.scratch(number, "path").read_text("utf-8", "replace").splitlines()

    def _tidy_up(self, steps: tuple[StepDefinition, ...]) -> None:
        """Post steps count down from the end, so GitHub's step numbers have gaps."""
        for number, definition in reversed(list(enumerate(steps, start=2))):
            if definition.uses and definition.uses.startswith("actions/checkout") and not self._was_skipped(number):
                post = 2 * len(steps) + 4 - number
                step = self._begin(post, f"Post {definition.name}")
                self.log.write(post, "Post job cleanup.")
                self._end(step, "success")
        last = 2 * len(steps) + 3
        step = self._begin(last, "Complete job")
        self.log.write(last, "Cleaning up orphan processes")
        self._end(step, "success")

    def _was_skipped(self, number: int) -> bool:
        return any(step.number == number and step.conclusion == "skipped" for step in self.job.steps)

    def _begin(self, number: int, name: str) -> Step:
        self.current = Step(name, number, status="in_progress", started_at=self.plan.now())
        self.job.steps.append(self.current)
        return self.current

    def _end(self, step: Step, conclusion: str) -> None:
        step.status, step.conclusion, step.completed_at = "completed", conclusion, self.plan.now()
        step.log = self.log.step(step.number)
        self.current = None

    def _fail(self, number: int, problem: str) -> None:
        self.log.error(number, problem)
        self._annotate(problem)
        self.failed = True

    def _interrupt(self, message: str) -> None:
        self._annotate(message)
        if self.current is not None:
            self.log.error(self.current.number, "The operation was canceled.")
            self._end(self.current, "cancelled")

    def _annotate(self, message: str) -> None:
        place = {"path": ".github", "start_line": 1, "end_line": 1, "start_column": None, "end_column": None}
        text = {"annotation_level": "failure", "title": "", "message": message, "raw_details": ""}
        self.annotations.append({**place, **text})


def _shell(shell: str | None) -> str:
    if shell in _SHELLS:
        return _SHELLS[shell]
    if shell is not None and "{0}" in shell:
        return shell
    raise StepFailedError("Invalid shell option. Shell must be a valid built-in (bash, sh, python) or contain '{0}'")


def _env_lines(env: object) -> list[str]:
    assert isinstance(env, dict)
    return ["env:", *(f"  {key}: {value}" for key, value in env.items())] if env else []
