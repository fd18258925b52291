"""Test reports of workflow runs, from the artifacts of their newest attempt.

Archives cost a request each, so only those are fetched whose names the policy takes for reports, of runs that ended as
success, and once: what they hold is kept with the run. Sources:
https://docs.github.com/rest/actions/artifacts and https://github.com/actions/upload-artifact
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.report_process import REPORTS, Reports, read_archives
from app.github import actions
from app.github.client import GitHubClient
from app.github.errors import NotFound, TooLarge
from app.store import ci_reports
from app.store.stored import storable
from checks.archives import LARGEST
from checks.paths import PathPatterns
from checks.runs import Artifact, WorkflowRun
from checks.unread import Unread
from checks.witnesses import ReportRule, is_of_attempt
from policies import rules
from policies.load import PolicyState
from policies.schema import Policy

MOST_ARTIFACTS = 60  # of one run; as many as logs are read
MOST_BYTES = 64 * 1024**2  # of one run's archives together, which are in memory at once
AT_ONCE = 6  # downloads


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the policy takes for test reports."""

    rule: ReportRule
    files: PathPatterns

    def digest(self) -> str:
        """Other words of the policy take other files for reports."""
        artifacts = self.rule.artifacts.patterns if self.rule.artifacts is not None else ()
        return hashlib.sha256(json.dumps([artifacts, self.files.patterns]).encode()).hexdigest()

    def among(self, run: WorkflowRun) -> list[Artifact]:
        artifacts = () if isinstance(run.artifacts, Unread) else run.artifacts
        return [each for each in artifacts if self.rule.wants(each) and is_of_attempt(run, each)]


async def with_reports(
    gate: Gate,
    client: GitHubClient,
    repository: RepositoryName,
    runs: tuple[WorkflowRun, ...] | Unread,
    policy: Policy,
    events: Sequence[str],
) -> tuple[WorkflowRun, ...] | Unread:
    """The runs of these events with what their reports hold, the others without. Raises GitHub's errors."""
    wanted = _Wanted(rules.ci_requirement(policy).reports, rules.report_files(policy))
    if isinstance(runs, Unread) or wanted.rule.artifacts is None:
        return runs
    read = {run.id: await _with_reports(gate, client, repository, run, wanted) for run in runs if run.event in events}
    return tuple(read.get(run.id, run) for run in runs)


async def with_reports_by_all(
    gate: Gate,
    client: GitHubClient,
    repository: RepositoryName,
    runs: tuple[WorkflowRun, ...] | Unread,
    state: PolicyState,
    events: Sequence[str] = (),
) -> tuple[WorkflowRun, ...] | Unread:
    """The same by the words of every policy that judges: what the server's baseline takes for reports stands beside
    what the repository's does. Without `events` each policy's own are meant."""

    async def by(policy: Policy) -> tuple[WorkflowRun, ...] | Unread:
        counting = events or rules.ci_requirement(policy).events
        return await with_reports(gate, client, repository, runs, policy, counting)

    own = await by(state.policy)
    base = own if state.floor is None else await by(state.floor)
    if state.floor is None or isinstance(own, Unread) or isinstance(base, Unread):
        return own
    return tuple(replace(run, baseline_reports=other.reports) for run, other in zip(own, base, strict=True))


async def _with_reports(
    gate: Gate, client: GitHubClient, repository: RepositoryName, run: WorkflowRun, wanted: _Wanted
) -> WorkflowRun:
    if run.status != "completed" or run.conclusion != "success" or isinstance(run.artifacts, Unread):
        return run
    artifacts, number, by = wanted.among(run), (run.id, run.attempt), wanted.digest()
    if not artifacts:
        return replace(run, reports=())
    async with gate.database.transaction() as connection:
        known = await ci_reports.find(connection, repository.id, number, by)
    if known is not None:
        return replace(run, reports=REPORTS.validate_python(known))
    read = await _read(client, repository, artifacts, wanted.files)
    facts = storable(REPORTS.dump_python(read, mode="json"))
    async with gate.database.transaction() as connection:
        await ci_reports.save(connection, repository.id, number, by, facts)
    return replace(run, reports=REPORTS.validate_python(facts))


async def _read(
    client: GitHubClient, repository: RepositoryName, artifacts: Sequence[Artifact], files: PathPatterns
) -> Reports:
    if len(artifacts) > MOST_ARTIFACTS:
        return Unread(f"{len(artifacts)} artifacts hold reports, more than {MOST_ARTIFACTS} are not read")
    if sum(artifact.size for artifact in artifacts) > MOST_BYTES:
        return Unread(f"its artifacts with reports are more than {MOST_BYTES} bytes together")
    slots = asyncio.Semaphore(AT_ONCE)
    fetched = await asyncio.gather(*[_archive(client, repository, artifact, slots) for artifact in artifacts])
    unread = next((archive for archive in fetched if isinstance(archive, Unread)), None)
    if unread is not None:
        return unread
    archives = [archive for archive in fetched if isinstance(archive, bytes)]
    return await read_archives([(each.name, data) for each, data in zip(artifacts, archives, strict=True)], files)


async def _archive(
    client: GitHubClient, repository: RepositoryName, artifact: Artifact, slots: asyncio.Semaphore
) -> bytes | Unread:
    """The archive's bytes, which must be those that the upload was told to have."""
    try:
        async with slots:
            data = await actions.artifact_archive(
                client, repository.owner, repository.name, artifact.id, limit_bytes=LARGEST
            )
    except NotFound:
        return Unread(f"artifact {artifact.name} is gone")
    except TooLarge:
        return Unread(f"artifact {artifact.name} is larger than {LARGEST} bytes")
    if artifact.digest is not None and artifact.digest != f"sha256:{hashlib.sha256(data).hexdigest()}":
        return Unread(f"artifact {artifact.name} has another digest than GitHub lists")
    return data
