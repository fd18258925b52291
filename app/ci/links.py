"""Which build a check run's link means. A link is somebody else's text: only the parts that are understood are used."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from app.ci.servers import LOOPBACK, CiServer

LONGEST = 2000
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_SLUG = r"[A-Za-z0-9_-][\w.-]{0,99}"
_BUILDKITE = re.compile(rf"/({_SLUG})/({_SLUG})/builds/(\d{{1,10}})/?")
_CIRCLECI_WORKFLOW = re.compile(
    rf"/(?:pipelines/(?:{_SLUG}/){{3}}\d{{1,10}}/workflows|workflow-run)/({_UUID})(?:/jobs/(\d{{1,10}}))?(?:/.*)?"
)
_CIRCLECI_JOB = re.compile(rf"/(gh|github|circleci)/({_SLUG})/({_SLUG})/(\d{{1,10}})/?")
_JENKINS = re.compile(r"((?:/job/(?!\.{1,2}/)[\w.%~+ -]{1,200}){1,20}/\d{1,10})/?(?:display/redirect/?)?")


@dataclass(frozen=True, slots=True)
class BuildkiteBuild:
    """`job` is the id of the one job that is meant; None: the whole build."""

    organization: str
    pipeline: str
    number: int
    job: str | None = None


@dataclass(frozen=True, slots=True)
class CircleciBuild:
    """A workflow by its id, with the number of the one job that is meant; or a job of a project (`gh/acme/shop`)."""

    workflow: str | None = None
    project: str | None = None
    job: int | None = None


@dataclass(frozen=True, slots=True)
class JenkinsBuild:
    """`path` follows the server's base address: `/job/shop/job/PR-7/12`."""

    path: str


def build_of(server: CiServer, link: str | None) -> BuildkiteBuild | CircleciBuild | JenkinsBuild | None:
    """None for a link that is not of this server's pages, or not of a build there."""
    parts = _parts(server, link)
    if parts is None:
        return None
    if server.system == "buildkite":
        return _buildkite(parts)
    return _circleci(parts) if server.system == "circleci" else _jenkins(server, parts)


def _parts(server: CiServer, link: str | None) -> SplitResult | None:
    if not link or len(link) > LONGEST:
        return None
    try:
        parts = urlsplit(link)
        host = parts.hostname
    except ValueError:
        return None
    secure = parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK)
    return parts if secure and host in server.pages and "@" not in parts.netloc else None


def _buildkite(parts: SplitResult) -> BuildkiteBuild | None:
    found = _BUILDKITE.fullmatch(parts.path)
    if found is None:
        return None
    job = parts.fragment if re.fullmatch(_UUID, parts.fragment) else None
    return BuildkiteBuild(found[1], found[2], int(found[3]), job)


def _circleci(parts: SplitResult) -> CircleciBuild | None:
    if workflow := _CIRCLECI_WORKFLOW.fullmatch(parts.path):
        return CircleciBuild(workflow[1], job=int(workflow[2]) if workflow[2] else None)
    if job := _CIRCLECI_JOB.fullmatch(parts.path):
        return CircleciBuild(project="/".join(job.groups()[:3]), job=int(job[4]))
    return None


def _jenkins(server: CiServer, parts: SplitResult) -> JenkinsBuild | None:
    base = urlsplit(server.api).path
    found = _JENKINS.fullmatch(parts.path.removeprefix(base)) if parts.path.startswith(f"{base}/job/") else None
    return None if found is None else JenkinsBuild(found[1])
