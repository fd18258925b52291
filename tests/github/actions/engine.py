"""Workflow runs and their attempts: started by what happens in a repository, executed in the background."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.github import checks
from tests.github.actions import occasions
from tests.github.actions.attempt import Attempt
from tests.github.actions.contexts import github_context
from tests.github.actions.expressions import UnsupportedExpressionError, interpolate
from tests.github.actions.log import JobLog
from tests.github.actions.occasions import Start
from tests.github.actions.scripted import Script, ScriptedJob
from tests.github.actions.triggers import starts
from tests.github.actions.workflow_file import InvalidWorkflowError, WorkflowFile, parse
from tests.github.errors import ApiError
from tests.github.events import CheckSuiteChanged, DomainEvent, WorkflowRunChanged
from tests.github.state import CheckSuite, Job, Repository, WorkflowRun

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

MAXIMUM_ATTEMPTS = 50  # re-runs included, GitHub's limit since 2026-04-10
JOBS_AT_ONCE = 2
OWN_TOOLS = str(Path(sys.executable).parent)  # so that jobs find this environment's python and pytest
CONTAINERS = str(Path(__file__).with_name("bin"))  # `docker`
LOOKS = 50  # between a job's end and the start of one that needs it, an attempt may look stuck for a moment


class Actions:
    """One a simulated GitHub. `tool_folders` are put in front of PATH in every job."""

    def __init__(self, github: SimulatedGitHub, tool_folders: tuple[str, ...] = (OWN_TOOLS, CONTAINERS)) -> None:
        self.github = github
        self.tool_folders = tool_folders
        self.slots = asyncio.Semaphore(JOBS_AT_ONCE)
        self.attempts: dict[int, Attempt] = {}  # run id -> the attempt in work
        self.logs: dict[int, JobLog] = {}  # job id -> log so far
        self.scripts: dict[tuple[int, str | None], Script] = {}
        self.parsed: dict[str, WorkflowFile | None] = {}
        self.refused_events: set[tuple[int, str]] = set()  # (repository id, event): not allowed by an Actions policy

    def script(self, repository: Repository, path: str | None, script: Script | None) -> None:
        """From now on jobs of the workflow at `path` (None: all) are not executed but end as `script(run, job)` says.

        A script that returns None leaves the job in progress until `complete_job`. `script=None` executes again.
        """
        if script is None:
            self.scripts.pop((repository.id, path), None)
        else:
            self.scripts[(repository.id, path)] = script

    def script_for(self, repository: Repository, path: str) -> Script | None:
        return self.scripts.get((repository.id, path)) or self.scripts.get((repository.id, None))

    async def on_event(self, event: DomainEvent) -> None:
        """Listener: start the workflows that ask for this event."""
        for start in await occasions.of(self.github, event):
            await self._start_matching(start)

    async def dispatch(
        self, repository: Repository, path: str, ref: str, inputs: dict[str, str], actor: str
    ) -> WorkflowRun:
        """Start one workflow by hand; ApiError 404 or 422 as GitHub answers."""
        start, text = await occasions.of_dispatch(self.github, repository, path, ref, inputs, actor)
        try:
            workflow = parse(text)
        except InvalidWorkflowError as error:
            raise ApiError(422, f"failed to parse workflow: {error}") from error
        return await self._start(occasions.with_inputs(start, workflow), path, workflow)

    async def rerun(self, repository: Repository, run: WorkflowRun, actor: str, *, failed_only: bool = False) -> None:
        """Start a new attempt on the same commit; ApiError 403 while one is running, or after 50."""
        if run.status != "completed":
            raise ApiError(403, "This workflow is already running")
        if run.conclusion == "startup_failure" or not run.jobs.get(run.attempt):
            raise ApiError(403, "This workflow run cannot be retried")
        if run.attempt >= MAXIMUM_ATTEMPTS:
            raise ApiError(403, f"This workflow run has reached the limit of {MAXIMUM_ATTEMPTS} attempts")
        kept = [job for job in run.jobs[run.attempt] if failed_only and job.conclusion == "success"]
        run.earlier_attempts[run.attempt] = _snapshot(run)
        now = self.github.world.now()
        run.attempt, run.status, run.conclusion, run.triggering_actor = run.attempt + 1, "queued", None, actor
        run.run_started_at = run.updated_at = now
        run.jobs[run.attempt] = list(kept)
        text = await self.github.git(repository).read_file(run.checkout_sha, run.workflow_path)
        await self._launch(repository, run, parse(text or b""), kept)

    async def cancel(self, repository: Repository, run: WorkflowRun) -> None:
        """Kill what runs; ApiError 409 when the run has ended."""
        attempt = self.attempts.get(run.id)
        if run.status == "completed" or attempt is None:
            raise ApiError(409, "Cannot cancel a workflow run that is completed.")
        await attempt.cancel()

    def complete_job(self, job: Job, outcome: ScriptedJob) -> None:
        """End a job whose script returned None."""
        self.attempts[job.run_id].complete(job, outcome)

    def resume(self) -> None:
        """Start the jobs that wait because `switches.run_actions` was off."""
        for attempt in self.attempts.values():
            attempt.resume()

    async def settle(self) -> bool:
        """Settler: whether something was going on that ends by itself; held jobs do not count."""
        for _ in range(LOOKS):
            if any(not attempt.stuck for attempt in self.attempts.values()):
                await asyncio.sleep(0.005)
                return True
            await asyncio.sleep(0)
        return False

    async def _start_matching(self, start: Start) -> None:
        for path, blob in await occasions.workflow_blobs(self.github, start):
            workflow = await self._parsed(start.repository, blob)
            if workflow is None:
                if starts({start.occasion.event: {}}, start.occasion):
                    await self._refuse(start, path)
                continue
            if not await occasions.triggers(self.github, start, workflow):
                continue
            if (start.repository.id, start.occasion.event) in self.refused_events:
                await self._refuse(start, path, workflow.name)
            else:
                await self._start(start, path, workflow)

    async def _parsed(self, repository: Repository, blob: str) -> WorkflowFile | None:
        """The workflow file with that object id, None when it is broken; read once."""
        if blob not in self.parsed:
            try:
                self.parsed[blob] = parse(await self.github.git(repository).blob(blob))
            except InvalidWorkflowError:
                self.parsed[blob] = None
        return self.parsed[blob]

    async def _refuse(self, start: Start, path: str, name: str | None = None) -> None:
        """A broken workflow file, or an event that policy forbids: a run that ended before it had a job."""
        run, suite = self._new_run(start, path, name or path)
        run.status, run.conclusion = "completed", "startup_failure"
        await self.github.publish(WorkflowRunChanged(start.repository, run, "requested", start.actor))
        await self._finished(start.repository, run, suite, start.actor)

    async def _start(self, start: Start, path: str, workflow: WorkflowFile) -> WorkflowRun:
        run, _suite = self._new_run(start, path, workflow.name or path)
        if workflow.run_name is not None:
            context = github_context(self.github.world.base_url, start.repository, run, "")
            with contextlib.suppress(UnsupportedExpressionError):  # it is but a title
                run.display_title = interpolate(workflow.run_name, {"github": context, "inputs": run.inputs})
        run.jobs[1] = []
        await self._launch(start.repository, run, workflow, [])
        return run

    def _new_run(self, start: Start, path: str, name: str) -> tuple[WorkflowRun, CheckSuite]:
        world, repository = self.github.world, start.repository
        app = checks.actions_app(world)
        suite = checks.add_suite(world, repository, app.id, start.head_sha, start.head_branch)
        now = world.now()
        run = WorkflowRun(
            id=world.new_id(),
            workflow_id=self.workflow_id(repository, path),
            workflow_path=path,
            name=name,
            event=start.occasion.event,
            head_sha=start.head_sha,
            head_branch=start.head_branch,
            head_repository_id=start.head_repository_id or repository.id,
            suite_id=suite.id,
            run_number=repository.next_run_number,
            actor=start.actor,
            pull_numbers=list(start.pull_numbers),
            checkout_sha=start.checkout_sha,
            checkout_ref=start.checkout_ref,
            created_at=now,
            updated_at=now,
            run_started_at=now,
            inputs=dict(start.inputs),
            display_title=start.title or name,
            triggering_actor=start.actor,
            context=start.context,
            event_payload=start.payload,
        )
        repository.next_run_number += 1
        suite.run_id = run.id
        repository.runs[run.id] = run
        return run, suite

    def workflow_id(self, repository: Repository, path: str) -> int:
        if path not in repository.workflows:
            repository.workflows[path] = self.github.world.new_id()
        return repository.workflows[path]

    async def _launch(
        self, repository: Repository, run: WorkflowRun, workflow: WorkflowFile, kept: Iterable[Job]
    ) -> None:
        actor = run.triggering_actor
        await self.github.publish(WorkflowRunChanged(repository, run, "requested", actor))
        attempt = Attempt(self, repository, run, workflow, {job.name: job for job in kept})
        self.attempts[run.id] = attempt
        attempt.start()

    async def finished(self, attempt: Attempt, conclusion: str) -> None:
        """Called by an attempt at its end."""
        repository, run = attempt.repository, attempt.run
        run.status, run.conclusion = "completed", conclusion
        await self._finished(repository, run, repository.suites[run.suite_id], run.triggering_actor)

    def forget(self, attempt: Attempt) -> None:
        if self.attempts.get(attempt.run.id) is attempt:  # whoever listened may have started the next one
            del self.attempts[attempt.run.id]

    async def _finished(self, repository: Repository, run: WorkflowRun, suite: CheckSuite, actor: str) -> None:
        run.updated_at = suite.updated_at = self.github.world.now()
        await self.github.publish(WorkflowRunChanged(repository, run, "completed", actor))
        await self.github.publish(CheckSuiteChanged(repository, suite, "completed", actor))


def _snapshot(run: WorkflowRun) -> dict[str, object]:
    return {
        "status": run.status,
        "conclusion": run.conclusion,
        "run_started_at": run.run_started_at,
        "updated_at": run.updated_at,
        "triggering_actor": run.triggering_actor,
    }
