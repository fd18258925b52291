"""Builds of Jenkins. https://www.jenkins.io/doc/book/using/remote-access-api/; the commit is told by the git plugin."""

from __future__ import annotations

from pydantic import Field

from app.ci.builds import FetchedBuild, FetchedJob
from app.ci.fetching import Answer, CiClient, NotReadable
from app.ci.links import JenkinsBuild
from checks.unread import Unread

_FIELDS = "building,result,actions[lastBuiltRevision[SHA1]]"


class _Revision(Answer):
    sha: str = Field(alias="SHA1")


class _Action(Answer):
    revision: _Revision | None = Field(default=None, alias="lastBuiltRevision")


class _Build(Answer):
    building: bool
    result: str | None = None
    actions: tuple[_Action | None, ...] = ()


async def fetch(client: CiClient, build: JenkinsBuild, head_sha: str) -> FetchedBuild:
    """A build may check out libraries too: it tested the head if one of its checkouts is of that.

    Raises NotReadable.
    """
    told = await client.answer(f"{build.path}/api/json?tree={_FIELDS}", _Build)
    commits = {action.revision.sha for action in told.actions if action is not None and action.revision is not None}
    commit = head_sha if head_sha in commits else next(iter(sorted(commits)), None)
    succeeded = told.result == "SUCCESS" and not told.building
    return FetchedBuild(client.server.api + build.path, commit, succeeded, (await _console(client, build),))


async def _console(client: CiClient, build: JenkinsBuild) -> FetchedJob:
    try:
        return FetchedJob("console", True, (("", await client.log(f"{build.path}/consoleText")),))
    except NotReadable as wrong:
        return FetchedJob("console", True, Unread(str(wrong)))
