"""Builds of CircleCI: workflows and their jobs by API v2, steps and outputs by v1.1, which alone has them.

https://circleci.com/docs/api/v2/ and https://circleci.com/docs/api/v1/. A job that runs in parallel has one output for
each container.
"""

from __future__ import annotations

import re

from app.ci.builds import FetchedBuild, FetchedJob, Parts, too_many
from app.ci.fetching import Answer, CiClient, NotReadable
from app.ci.links import CircleciBuild
from checks.unread import Unread

_GOOD = ("success", "fixed")
_NOT_RUN = ("not_run", "not_running")
_PROJECT = re.compile(r"[a-z]{2,20}(?:/[A-Za-z0-9_-][\w.-]{0,99}){2}")


class _Workflow(Answer):
    status: str
    project_slug: str


class _Listed(Answer):
    name: str
    type: str
    status: str
    job_number: int | None = None


class _Jobs(Answer):
    items: tuple[_Listed, ...]
    next_page_token: str | None = None


class _Action(Answer):
    index: int = 0
    output_url: str | None = None
    truncated: bool | None = False


class _Step(Answer):
    name: str
    actions: tuple[_Action, ...] = ()


class _Job(Answer):
    build_url: str
    vcs_revision: str | None = None
    status: str
    steps: tuple[_Step, ...] = ()


async def fetch(client: CiClient, build: CircleciBuild, _head_sha: str) -> FetchedBuild:
    """Raises NotReadable."""
    if build.workflow is None:
        return _joined([await _job(client, build.project or "", build.job or 0, f"job {build.job}", 0)], succeeded=True)
    workflow = await client.answer(f"/api/v2/workflow/{build.workflow}", _Workflow)
    listed = await client.answer(f"/api/v2/workflow/{build.workflow}/job", _Jobs)
    if listed.next_page_token is not None:
        raise NotReadable("the server's list of jobs is cut")
    ran = [one for one in listed.items if one.type == "build" and one.status not in _NOT_RUN]
    if build.job is not None:
        ran = [one for one in ran if one.job_number == build.job]
    found = [await _job(client, workflow.project_slug, one.job_number or 0, one.name, at) for at, one in enumerate(ran)]
    succeeded = workflow.status == "success" or (build.job is not None and bool(found))
    return _joined(found, succeeded=succeeded)


def _joined(found: list[tuple[_Job, list[FetchedJob]]], *, succeeded: bool) -> FetchedBuild:
    if not found:
        raise NotReadable("the workflow has no job that ran")
    commits = {job.vcs_revision for job, _ in found}
    jobs = tuple(each for _, fetched in found for each in fetched)
    return FetchedBuild(found[0][0].build_url, commits.pop() if len(commits) == 1 else None, succeeded, jobs)


async def _job(client: CiClient, project: str, number: int, name: str, at: int) -> tuple[_Job, list[FetchedJob]]:
    if _PROJECT.fullmatch(project) is None:
        raise NotReadable("the server names the project in a form that is not known")
    job = await client.answer(f"/api/v1.1/project/{project}/{number}", _Job)
    unread = too_many(at) or (None if job.status in _GOOD else Unread("it did not succeed"))
    if unread is not None:
        return job, [FetchedJob(name, job.status in _GOOD, unread)]
    containers = sorted({action.index for step in job.steps for action in step.actions}) or [0]
    names = {index: name if len(containers) == 1 else f"{name} ({index})" for index in containers}
    return job, [FetchedJob(names[index], True, await _output(client, job, index)) for index in containers]


async def _output(client: CiClient, job: _Job, index: int) -> Parts | Unread:
    parts: list[tuple[str, bytes]] = []
    for step in job.steps:
        for action in step.actions:
            if action.index != index or action.output_url is None:
                continue
            if action.truncated:
                return Unread("the server kept only a part of a step's output")
            try:
                parts.append((step.name, await client.output(action.output_url)))
            except NotReadable as wrong:
                return Unread(str(wrong))
    return tuple(parts)
