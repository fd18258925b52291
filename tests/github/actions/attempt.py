"""One attempt of a workflow run: its jobs in the order of `needs`, each with its check run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tests.github import checks
from tests.github.actions import scripted
from tests.github.actions.contexts import github_context, job_contexts, status_before
from tests.github.actions.expressions import UnsupportedExpressionError, holds, interpolate
from tests.github.actions.log import JobLog, timestamp
from tests.github.actions.plan import JobPlan, Outcome, job_name
from tests.github.actions.runner import Runner
from tests.github.actions.scripted import ScriptedJob
from tests.github.actions.workflow_file import JobDefinition, WorkflowFile
from tests.github.events import WorkflowJobChanged, WorkflowRunChanged
from tests.github.state import Artifact, CheckRun, Job, Repository, WorkflowRun

if TYPE_CHECKING:
    from tests.github.actions.engine import Actions


class Attempt:
    """Runs in the background from `start` to its end; `kept` are the jobs that are not run again, by name."""

    def __init__(
        self, actions: Actions, repository: Repository, run: WorkflowRun, workflow: WorkflowFile, kept: dict[str, Job]
    ) -> None:
        self.actions = actions
        self.github = actions.github
        self.repository = repository
        self.run = run
        self.workflow = workflow
        self.kept = kept
        self.number = run.attempt
        self.task: asyncio.Task[None] | None = None
        self.results: dict[str, asyncio.Future[str]] = {}
        self.held: dict[int, asyncio.Future[ScriptedJob]] = {}
        self.switch = asyncio.Event()
        self.tasks: list[asyncio.Task[None]] = []
        self.active = 0  # jobs in work, those held by a script not counted
        self.cut_short: set[asyncio.Task[str]] = set()  # matrix rows that end because another one failed
        self.cancelling = self.waits_for_switch = False

    def start(self) -> None:
        self.task = self.github.background(self._run())

    async def cancel(self) -> None:
        self.cancelling = True
        for task in self.tasks:
            task.cancel()
        self.switch.set()
        if self.task is not None:
            await asyncio.wait([self.task])

    def complete(self, job: Job, outcome: ScriptedJob) -> None:
        self.held[job.id].set_result(outcome)

    def resume(self) -> None:
        self.switch.set()

    @property
    def stuck(self) -> bool:
        """Whether nothing goes on here without help: the switch is off, or a script holds a job."""
        return self.waits_for_switch or (bool(self.held) and not self.active)

    @contextlib.contextmanager
    def _active(self) -> Iterator[None]:
        self.active += 1
        try:
            yield
        finally:
            self.active -= 1

    async def _run(self) -> None:
        try:
            await self._wait_for_switch()
            if not self.cancelling:
                await self._all_jobs()
            await self.actions.finished(self, self._conclusion())
        finally:
            for task in self.tasks:
                task.cancel()
            # Their processes are dead only when they have ended.
            await asyncio.gather(*self.tasks, return_exceptions=True)
            self.actions.forget(self)

    async def _wait_for_switch(self) -> None:
        self.waits_for_switch = not self.github.world.switches.run_actions
        if self.waits_for_switch:
            await self.switch.wait()
        self.waits_for_switch = False

    async def _all_jobs(self) -> None:
        self.run.status = "in_progress"
        actor = self.run.triggering_actor
        await self.github.publish(WorkflowRunChanged(self.repository, self.run, "in_progress", actor))
        loop = asyncio.get_running_loop()
        definitions = self.workflow.jobs
        self.results = {definition.id: loop.create_future() for definition in definitions}
        self.tasks = [asyncio.create_task(self._definition(definition)) for definition in definitions]
        for result in await asyncio.gather(*self.tasks, return_exceptions=True):
            if isinstance(result, Exception):  # a cancelled job is none
                raise result

    async def _definition(self, definition: JobDefinition) -> None:
        result = "cancelled"
        try:
            result = await self._rows(definition)
        except asyncio.CancelledError:
            if not self.cancelling:
                raise
        finally:
            self.results[definition.id].set_result(result)

    async def _rows(self, definition: JobDefinition) -> str:
        for need in definition.needs:
            await asyncio.shield(self.results[need])
        plans = [self._plan(definition, matrix) for matrix in definition.matrix]
        rows = [asyncio.create_task(self._job(plan)) for plan in plans]
        try:
            outcomes = await self._all_rows(rows, fail_fast=definition.fail_fast)
        except asyncio.CancelledError:
            for row in rows:
                row.cancel()
            await asyncio.gather(*rows, return_exceptions=True)
            raise
        if definition.continue_on_error:
            return "success"
        return next((o for o in ("failure", "cancelled", "success", "skipped") if o in outcomes), "success")

    async def _all_rows(self, rows: list[asyncio.Task[str]], *, fail_fast: bool) -> list[str]:
        pending = set(rows)
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            if fail_fast and "failure" in [row.result() for row in done]:
                self.cut_short |= pending
                for row in pending:
                    row.cancel()
        return [row.result() for row in rows]

    def _plan(self, definition: JobDefinition, matrix: dict[str, Any]) -> JobPlan:
        world, run = self.github.world, self.run
        git = self.github.git(self.repository)
        needs = {f"{need}.result": self.results[need].result() for need in definition.needs}
        return JobPlan(
            definition=definition,
            repository=self.repository.full_name,
            bare=self.repository.git,
            checkout_sha=run.checkout_sha,
            checkout_ref=run.checkout_ref,
            github=github_context(world.base_url, self.repository, run, definition.id),
            workspaces=world.root / "jobs",
            matrix=matrix,
            workflow_env=self.workflow.env,
            inputs=run.inputs,
            needs=needs,
            event=run.event_payload,
            tool_folders=self.actions.tool_folders,
            clock_offset=world.clock_offset,
            resolve=git.commit_id,
        )

    async def _job(self, plan: JobPlan) -> str:
        with self._active():
            contexts = job_contexts(plan)
            try:
                name = job_name(plan.definition, plan.matrix, lambda text: interpolate(text, contexts))
                wanted = holds(plan.definition.condition, status_before(plan, contexts))
            except UnsupportedExpressionError as error:
                return await self._refused(plan, str(error))
            if name in self.kept:
                return self.kept[name].conclusion or "success"
            job = await self._create(name, plan)
            if not wanted:
                return await self._complete(job, plan, Outcome("skipped"))
            return await self._carry_out(job, plan)

    async def _refused(self, plan: JobPlan, reason: str) -> str:
        job = await self._create(plan.definition.id, plan)
        log = self.actions.logs[job.id]
        log.error(1, reason)
        job.log = log.job()
        return await self._complete(job, plan, Outcome("failure"))

    async def _create(self, name: str, plan: JobPlan) -> Job:
        world, run = self.github.world, self.run
        now = world.now()
        labels = list(plan.definition.runs_on)
        job = Job(
            world.new_id(), run.id, self.number, name, run.head_sha, created_at=now, started_at=now, labels=labels
        )
        run.jobs[self.number].append(job)
        offset = world.clock_offset
        self.actions.logs[job.id] = JobLog(lambda: timestamp(offset or timedelta(0)))
        await self._publish(job, "queued")
        url = f"{world.base_url}/{self.repository.full_name}/actions/runs/{run.id}/job/{job.id}"
        check_run = CheckRun(
            job.id,
            run.suite_id,
            checks.ACTIONS_APP_ID,
            name,
            run.head_sha,
            external_id=f"{job.id:08x}-0000-5000-8000-{job.id:012x}",
            details_url=url,
            started_at=now,
            job_id=job.id,
            created_at=now,
        )
        await checks.add_run(self.github, self.repository, check_run, checks.actions_app(world).bot_login)
        return job

    async def _carry_out(self, job: Job, plan: JobPlan) -> str:
        try:
            outcome = await self._outcome(job, plan)
        except asyncio.CancelledError:
            if not self.cancelling and asyncio.current_task() not in self.cut_short:
                raise
            outcome = Outcome("cancelled")
        return await self._complete(job, plan, outcome)

    async def _outcome(self, job: Job, plan: JobPlan) -> Outcome:
        script = self.actions.script_for(self.repository, self.run.workflow_path)
        log = self.actions.logs[job.id]
        if script is None:
            async with self.actions.slots:
                await self._began(job)
                outcome = await Runner(plan, job, log).run()
            job.log = log.job()
            return outcome
        await self._began(job)
        given = script(self.run, job)
        if given is None:
            given = await self._hold(job)
        scripted.apply(given, job, log)
        return given.outcome()

    async def _hold(self, job: Job) -> ScriptedJob:
        self.held[job.id] = asyncio.get_running_loop().create_future()
        self.active -= 1
        try:
            return await self.held[job.id]
        finally:
            self.active += 1
            del self.held[job.id]

    async def _began(self, job: Job) -> None:
        now = self.github.world.now()
        job.status, job.started_at = "in_progress", now
        run = self.repository.check_runs[job.id]
        run.status, run.started_at = "in_progress", now
        await self._publish(job, "in_progress")

    async def _complete(self, job: Job, plan: JobPlan, outcome: Outcome) -> str:
        world = self.github.world
        job.status, job.conclusion, job.completed_at = "completed", outcome.conclusion, world.now()
        if job.log is None and outcome.conclusion != "skipped":
            job.log = self.actions.logs[job.id].job()
        del self.actions.logs[job.id]
        self._keep(job, outcome)
        run = self.repository.check_runs[job.id]
        run.status, run.conclusion, run.completed_at = "completed", job.conclusion, job.completed_at
        run.annotations = list(outcome.annotations)
        await self._publish(job, "completed")
        bot = checks.actions_app(world).bot_login
        await checks.changed(self.github, self.repository, run, "completed", bot)
        failed_allowed = plan.definition.continue_on_error and outcome.conclusion == "failure"
        return "success" if failed_allowed else outcome.conclusion

    def _keep(self, job: Job, outcome: Outcome) -> None:
        world = self.github.world
        for upload in outcome.uploads:
            artifact = Artifact(world.new_id(), self.run.id, upload.name, upload.zip, world.now(), job_id=job.id)
            self.run.artifacts.append(artifact)

    async def _publish(self, job: Job, action: str) -> None:
        await self.github.publish(WorkflowJobChanged(self.repository, self.run, job, action, self.run.triggering_actor))

    def _conclusion(self) -> str:
        if self.cancelling:
            return "cancelled"
        results = {future.result() for future in self.results.values()}
        return next((r for r in ("failure", "cancelled", "success", "skipped") if r in results), "success")
