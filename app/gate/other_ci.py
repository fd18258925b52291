"""Builds of other CI systems behind the check runs that the policy names, fetched once and kept.

The credential for a server stays in this process; what it answers as a log is read in one without any.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from app.ci import buildkite, circleci, jenkins
from app.ci.builds import FetchedBuild, FetchedJob
from app.ci.fetching import CiClient, NotReadable
from app.ci.links import build_of
from app.ci.servers import CiServer
from app.gate.gate import Gate
from app.gate.other_log_process import read_output
from app.store import ci_builds
from checks.other_ci import Witness, newest
from checks.other_ci_log import System
from checks.runs import Build, BuildJob, CheckRun
from checks.unread import Unread
from policies import rules
from policies.schema import Policy

TIME_LIMIT = 180.0  # seconds for all builds of a commit together; an attempt has some minutes
AT_ONCE = 2  # builds, whose logs are in memory together
NO_SERVER = "the gate's settings name no {} server that it may ask"

_BUILD: TypeAdapter[Build] = TypeAdapter(Build)
_FETCH: Mapping[System, Callable[[CiClient, Any, str], Awaitable[FetchedBuild]]] = {
    "buildkite": buildkite.fetch,
    "circleci": circleci.fetch,
    "jenkins": jenkins.fetch,
}


async def with_builds(
    gate: Gate, repository_id: int, check_runs: tuple[CheckRun, ...] | Unread, policy: Policy, head_sha: str
) -> tuple[CheckRun, ...] | Unread:
    """The check runs; those whose raw logs the policy wants read, with their builds once they ended as success."""
    if isinstance(check_runs, Unread):
        return check_runs
    wanted = [
        (run, witness.log)
        for witness in rules.ci_requirement(policy).others
        for run in _green(check_runs, witness)
        if witness.log is not None
    ]
    slots, end = asyncio.Semaphore(AT_ONCE), asyncio.get_running_loop().time() + TIME_LIMIT
    builds = await asyncio.gather(
        *[_in_time(_build(gate, repository_id, run, system, head_sha), slots, end) for run, system in wanted]
    )
    by_id = {run.id: build for (run, _), build in zip(wanted, builds, strict=True)}
    return tuple(replace(run, build=by_id.get(run.id)) for run in check_runs)


async def _in_time(build: Coroutine[Any, Any, Build | Unread], slots: asyncio.Semaphore, end: float) -> Build | Unread:
    """What takes too long is tried again; what was read in time is kept by then."""
    try:
        async with asyncio.timeout_at(end), slots:
            return await build
    except TimeoutError:
        build.close()
        return Unread(f"the servers did not answer all within {TIME_LIMIT:g} s")


def _green(check_runs: tuple[CheckRun, ...], witness: Witness) -> list[CheckRun]:
    runs = (newest(check_runs, witness.app, name) for name in witness.checks)
    return [run for run in runs if run is not None and run.conclusion == "success"]


async def _build(gate: Gate, repository_id: int, run: CheckRun, system: System, head_sha: str) -> Build | Unread:
    stamp = f"{system} {run.completed_at} {run.details_url}"
    async with gate.database.transaction() as connection:
        known = await ci_builds.find(connection, repository_id, run.id, stamp)
    if known is not None:
        return _BUILD.validate_python(known)
    server = next((one for one in gate.ci_servers if one.system == system), None)
    if server is None:
        return Unread(NO_SERVER.format(system))
    build = await _fetched(server, run, head_sha)
    if isinstance(build, Build) and not any(isinstance(job.log, Unread) for job in build.jobs):
        async with gate.database.transaction() as connection:
            await ci_builds.save(connection, repository_id, run.id, stamp, _BUILD.dump_python(build, mode="json"))
    return build


async def _fetched(server: CiServer, run: CheckRun, head_sha: str) -> Build | Unread:
    place = build_of(server, run.details_url)
    if place is None:
        return Unread(f"the check does not link to a build of the {server.system} server of the gate's settings")
    try:
        async with CiClient(server) as client:
            fetched = await _FETCH[server.system](client, place, head_sha)
    except NotReadable as wrong:
        return Unread(str(wrong))
    jobs = [await _read(server.system, job) for job in fetched.jobs]
    return Build(fetched.url, fetched.commit, fetched.succeeded, tuple(jobs))


async def _read(system: System, job: FetchedJob) -> BuildJob:
    log = job.output if isinstance(job.output, Unread) else await read_output(system, job.output)
    return BuildJob(job.name, job.succeeded, log)
