"""Typed REST reads of GitHub Actions: runs, attempts, jobs, logs, artifacts.

Source: https://docs.github.com/rest/actions. Logs and archives are other people's bytes: they come with a size limit
and are parsed elsewhere.
"""

from __future__ import annotations

from app.github.addresses import route
from app.github.client import GitHubClient
from app.github.reads import REPO
from app.github.rest_models import Listing
from app.github.run_models import Artifact, ArtifactPage, Job, JobPage, RunPage, WorkflowRun

MEGABYTE = 1024 * 1024
LOG_BYTES = 32 * MEGABYTE
ARCHIVE_BYTES = 32 * MEGABYTE


async def runs_of_head(client: GitHubClient, owner: str, name: str, sha: str) -> Listing[WorkflowRun]:
    """Every workflow run on a commit, of every event, each at its newest attempt, up to 1,000."""
    path = route(REPO + "/actions/runs", owner=owner, name=name)
    pages, complete = await client.pages(path, purpose="read:runs", model=RunPage, params={"head_sha": sha})
    items = tuple(run for page in pages for run in page.workflow_runs)
    return Listing(items=items, complete=complete and len(items) >= pages[-1].total_count)


async def run(client: GitHubClient, owner: str, name: str, run_id: int) -> WorkflowRun:
    path = route(REPO + "/actions/runs/{run_id}", owner=owner, name=name, run_id=run_id)
    return await client.get(path, purpose="read:runs", model=WorkflowRun)


async def run_attempt(client: GitHubClient, owner: str, name: str, run_id: int, attempt: int) -> WorkflowRun:
    """A run as it was at one attempt."""
    template = REPO + "/actions/runs/{run_id}/attempts/{attempt}"
    path = route(template, owner=owner, name=name, run_id=run_id, attempt=attempt)
    return await client.get(path, purpose="read:runs", model=WorkflowRun)


async def jobs(client: GitHubClient, owner: str, name: str, run_id: int) -> Listing[Job]:
    """The jobs of every attempt of a run (`filter=all`), up to 1,000."""
    path = route(REPO + "/actions/runs/{run_id}/jobs", owner=owner, name=name, run_id=run_id)
    pages, complete = await client.pages(path, purpose="read:jobs", model=JobPage, params={"filter": "all"})
    items = tuple(job for page in pages for job in page.jobs)
    return Listing(items=items, complete=complete and len(items) >= pages[-1].total_count)


async def job_log(client: GitHubClient, owner: str, name: str, job_id: int, *, limit_bytes: int = LOG_BYTES) -> bytes:
    """The raw log of a job. Raises NotFound when it has expired or the job never ran, TooLarge over the limit."""
    path = route(REPO + "/actions/jobs/{job_id}/logs", owner=owner, name=name, job_id=job_id)
    return await client.download(path, purpose="read:log", limit_bytes=limit_bytes)


async def artifacts(client: GitHubClient, owner: str, name: str, run_id: int) -> Listing[Artifact]:
    """The artifacts of a run, of all attempts together, up to 1,000."""
    path = route(REPO + "/actions/runs/{run_id}/artifacts", owner=owner, name=name, run_id=run_id)
    pages, complete = await client.pages(path, purpose="read:artifacts", model=ArtifactPage)
    items = tuple(artifact for page in pages for artifact in page.artifacts)
    return Listing(items=items, complete=complete and len(items) >= pages[-1].total_count)


async def artifact_archive(
    client: GitHubClient, owner: str, name: str, artifact_id: int, *, limit_bytes: int = ARCHIVE_BYTES
) -> bytes:
    """The zip archive of an artifact. Compare its SHA-256 with the artifact's `digest` before it is opened."""
    path = route(REPO + "/actions/artifacts/{artifact_id}/zip", owner=owner, name=name, artifact_id=artifact_id)
    return await client.download(path, purpose="read:archive", limit_bytes=limit_bytes)
