"""Jobs whose outcome is given instead of executed, for tests that need many runs quickly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.github.actions.log import JobLog
from tests.github.actions.plan import Outcome, Upload
from tests.github.state import Job, Step, WorkflowRun


@dataclass(frozen=True)
class ScriptedJob:
    """How a job ends. `steps` are (name, conclusion) pairs; `log` None makes a short log in GitHub's form."""

    conclusion: str = "success"
    log: bytes | None = None
    steps: tuple[tuple[str, str], ...] | None = None
    uploads: tuple[Upload, ...] = ()

    def outcome(self) -> Outcome:
        return Outcome(self.conclusion, self.uploads)


Script = Callable[[WorkflowRun, Job], ScriptedJob | None]


def apply(scripted: ScriptedJob, job: Job, log: JobLog) -> None:
    """Fill the job's record from its script."""
    steps = scripted.steps if scripted.steps is not None else (("Run tests", scripted.conclusion),)
    for number, (name, conclusion) in enumerate(steps, start=2):
        log.write(number, f"{name}: {conclusion}")
        step = Step(name, number, "completed", conclusion, job.started_at, job.started_at)
        step.log = scripted.log or log.step(number)
        job.steps.append(step)
    job.log = scripted.log if scripted.log is not None else log.job()
