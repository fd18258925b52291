"""Builds of Buildkite. https://buildkite.com/docs/apis/rest-api/builds and /jobs; the token needs `read_builds` and
`read_build_logs`."""

from __future__ import annotations

from app.ci.builds import FetchedBuild, FetchedJob, too_many
from app.ci.fetching import Answer, CiClient, NotReadable
from app.ci.links import BuildkiteBuild
from checks.unread import Unread

# A step's condition was not met, or a newer build made it needless: nothing ran, and nothing is claimed.
_NOT_RUN = ("skipped", "broken")


class _Job(Answer):
    id: str
    type: str
    name: str | None = None
    state: str | None = None
    exit_status: int | None = None
    soft_failed: bool | None = False
    retried: bool | None = False

    @property
    def succeeded(self) -> bool:
        return self.state == "passed" and self.exit_status == 0 and not self.soft_failed


class _Build(Answer):
    commit: str | None = None
    state: str
    web_url: str
    jobs: tuple[_Job, ...] = ()


async def fetch(client: CiClient, build: BuildkiteBuild, _head_sha: str) -> FetchedBuild:
    """Raises NotReadable."""
    path = f"/v2/organizations/{build.organization}/pipelines/{build.pipeline}/builds/{build.number}"
    told = await client.answer(path, _Build)
    ran = [job for job in told.jobs if job.type == "script" and not job.retried and job.state not in _NOT_RUN]
    if build.job is not None:
        ran = [job for job in ran if job.id == build.job]
    succeeded = told.state == "passed" or (build.job is not None and bool(ran))
    jobs = [await _fetched(client, path, job, number) for number, job in enumerate(ran)]
    return FetchedBuild(told.web_url, told.commit, succeeded, tuple(jobs))


async def _fetched(client: CiClient, path: str, job: _Job, number: int) -> FetchedJob:
    name, unread = job.name or job.id, too_many(number)
    if unread is not None or not job.succeeded:
        return FetchedJob(name, job.succeeded, unread or Unread("it did not succeed"))
    try:
        return FetchedJob(name, True, (("", await client.log(f"{path}/jobs/{_plain(job.id)}/log.txt")),))
    except NotReadable as wrong:
        return FetchedJob(name, True, Unread(str(wrong)))


def _plain(job_id: str) -> str:
    if not all(sign.isalnum() or sign == "-" for sign in job_id):
        raise NotReadable("the server names a job by what is no id")
    return job_id
