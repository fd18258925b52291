"""Builds from doubles of the servers: what is asked, with which credential, and what is not followed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from app.ci import buildkite, circleci, fetching, jenkins
from app.ci.builds import FetchedBuild
from app.ci.fetching import CiClient, NotReadable
from app.ci.links import BuildkiteBuild, CircleciBuild, JenkinsBuild
from app.ci.servers import CiServer
from app.gate.other_log_process import read_output
from app.secret import SecretStr
from checks.runs import JobLog
from checks.unread import Unread
from tests.ci import double as doubles
from tests.ci.double import HEAD, JOB, WORKFLOW, Double, serving

pytestmark = pytest.mark.anyio
SECRET = "very-secret"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def double() -> Iterator[Double]:
    with serving() as made:
        yield made


def server(double: Double, system: Any = "buildkite") -> CiServer:
    return CiServer(system, double.url, "Authorization", SecretStr(SECRET), frozenset({"buildkite.com"}))


async def fetch_buildkite(double: Double, job: str | None = None) -> FetchedBuild:
    async with CiClient(server(double)) as client:
        return await buildkite.fetch(client, BuildkiteBuild("acme", "shop", 7, job), HEAD)


async def fetch_circleci(double: Double, **build: Any) -> FetchedBuild:
    async with CiClient(server(double, "circleci")) as client:
        return await circleci.fetch(client, CircleciBuild(**(build or {"workflow": WORKFLOW})), HEAD)


async def fetch_jenkins(double: Double) -> FetchedBuild:
    async with CiClient(server(double, "jenkins")) as client:
        return await jenkins.fetch(client, JenkinsBuild("/job/shop/job/PR-7/12"), HEAD)


async def shown(system: Any, build: FetchedBuild) -> list[tuple[str, int | None, bool | None]]:
    """What each job's output says once it is read, outside of this process."""
    logs = [await read_output(system, job.output) for job in build.jobs if not isinstance(job.output, Unread)]
    assert all(isinstance(log, JobLog) for log in logs), logs
    read = [log.report for log in logs if isinstance(log, JobLog)]
    return [(job.name, one.passed, one.green) for job, one in zip(build.jobs, read, strict=True)]


async def test_a_build_of_buildkite(double: Double) -> None:
    doubles.buildkite(double)
    build = await fetch_buildkite(double)
    assert (build.commit, build.succeeded) == (HEAD, True)
    assert build.url == "https://buildkite.com/acme/shop/builds/7"
    assert await shown("buildkite", build) == [(":pytest: Tests", 3, True)]
    assert {headers["authorization"] for _, headers in double.asked} == {SECRET}
    assert await fetch_buildkite(double, job=JOB) == build


@pytest.mark.parametrize(
    "job", [{"soft_failed": True, "exit_status": 1}, {"exit_status": 3}, {"state": "failed"}, {"state": "timed_out"}]
)
async def test_a_job_of_buildkite_that_failed_softly_or_not(double: Double, job: dict[str, Any]) -> None:
    doubles.buildkite(double, **job)
    (only,) = (await fetch_buildkite(double)).jobs
    assert (only.succeeded, only.output) == (False, Unread("it did not succeed"))
    assert len(double.asked) == 1, "its log is not fetched"


@pytest.mark.parametrize("job", [{"retried": True}, {"state": "broken"}, {"type": "trigger"}])
async def test_jobs_of_buildkite_that_claim_nothing(double: Double, job: dict[str, Any]) -> None:
    doubles.buildkite(double, **job)
    assert (await fetch_buildkite(double)).jobs == ()


async def test_a_workflow_of_circleci(double: Double) -> None:
    doubles.circleci(double)
    build = await fetch_circleci(double)
    assert (build.commit, build.succeeded, build.url) == (HEAD, True, "https://circleci.com/gh/acme/shop/12")
    assert await shown("circleci", build) == [("tests", 3, True)]
    assert build.jobs[0].output == (("pytest", double.answers["/output/0"][2]),)
    assert await fetch_circleci(double, workflow=WORKFLOW, job=12) == build


async def test_a_job_of_circleci_by_its_number(double: Double) -> None:
    doubles.circleci(double)
    build = await fetch_circleci(double, project="gh/acme/shop", job=12)
    assert (build.commit, [job.name for job in build.jobs]) == (HEAD, ["job 12"])


async def test_containers_of_circleci_are_logs_of_their_own(double: Double) -> None:
    doubles.circleci(double, containers=2)
    assert await shown("circleci", await fetch_circleci(double)) == [("tests (0)", 3, True), ("tests (1)", 3, True)]


async def test_what_circleci_has_cut_is_not_read(double: Double) -> None:
    doubles.circleci(double, truncated=True)
    (job,) = (await fetch_circleci(double)).jobs
    assert job.output == Unread("the server kept only a part of a step's output")


async def test_outputs_elsewhere_are_fetched_from_named_hosts_alone_and_without_the_credential(double: Double) -> None:
    with serving() as elsewhere:
        doubles.circleci(double, output=elsewhere.url)
        elsewhere.say("/output/0", [])
        (job,) = (await fetch_circleci(double)).jobs
        assert job.output == Unread("it lies on a host that the gate's settings do not name")
        assert elsewhere.asked == []
    named = replace(server(double), outputs=frozenset({"out.test"}))
    async with CiClient(named) as client:
        assert client._headers("https://out.test/output/0?sig=1") == {}
        for other in ("http://out.test/x", "https://out.test:8443/x", "https://a@out.test/x", "https://out.test.evil/"):
            with pytest.raises(NotReadable, match="settings do not name"):
                client._headers(other)


async def test_a_project_that_is_named_oddly_is_not_asked_for(double: Double) -> None:
    doubles.circleci(double)
    double.say(f"/api/v2/workflow/{WORKFLOW}", {"status": "success", "project_slug": "gh/../x"})
    with pytest.raises(NotReadable, match="names the project in a form"):
        await fetch_circleci(double)


async def test_a_cut_list_of_jobs_is_not_read(double: Double) -> None:
    doubles.circleci(double)
    double.say(f"/api/v2/workflow/{WORKFLOW}/job", {"items": [], "next_page_token": "x"})
    with pytest.raises(NotReadable, match="list of jobs is cut"):
        await fetch_circleci(double)
    double.say(f"/api/v2/workflow/{WORKFLOW}/job", {"items": []})
    with pytest.raises(NotReadable, match="no job that ran"):
        await fetch_circleci(double)


async def test_a_build_of_jenkins(double: Double) -> None:
    doubles.jenkins(double)
    build = await fetch_jenkins(double)
    assert (build.commit, build.succeeded, build.url) == (HEAD, True, f"{double.url}/job/shop/job/PR-7/12")
    assert await shown("jenkins", build) == [("console", 3, True)]


@pytest.mark.parametrize(
    ("told", "commit", "succeeded"),
    [
        ({"shas": ()}, None, True),
        ({"shas": ("0d" * 20,)}, "0d" * 20, True),
        ({"result": "UNSTABLE"}, HEAD, False),
        ({"result": None, "building": True}, HEAD, False),
    ],
)
async def test_what_jenkins_tells(double: Double, told: dict[str, Any], commit: str | None, succeeded: bool) -> None:
    doubles.jenkins(double, **told)
    build = await fetch_jenkins(double)
    assert (build.commit, build.succeeded) == (commit, succeeded)


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (401, b"", "does not accept the credential"),
        (403, b"", "may not read it"),
        (404, b"", "has no such build"),
        (500, b"", "answered 500"),
        (204, b"", "answered 204"),
        (200, b"<html>", "not as it documents it"),
        (200, b"{}", "not as it documents it"),
    ],
)
async def test_answers_that_are_none(double: Double, status: int, body: bytes, why: str) -> None:
    double.say("/v2/organizations/acme/pipelines/shop/builds/7", body, status)
    with pytest.raises(NotReadable, match=why) as caught:
        await fetch_buildkite(double)
    assert SECRET not in str(caught.value)


async def test_a_log_that_cannot_be_fetched_is_said_of_its_job(double: Double) -> None:
    doubles.buildkite(double)
    double.say(f"/v2/organizations/acme/pipelines/shop/builds/7/jobs/{JOB}/log.txt", b"", 403)
    (job,) = (await fetch_buildkite(double)).jobs
    assert job.output == Unread("the credential of the settings may not read it")
    doubles.jenkins(double)
    double.say("/job/shop/job/PR-7/12/consoleText", b"", 404)
    (console,) = (await fetch_jenkins(double)).jobs
    assert isinstance(console.output, Unread)


async def test_logs_are_bounded_each_and_together(double: Double, monkeypatch: pytest.MonkeyPatch) -> None:
    doubles.circleci(double, containers=2)
    size = len(double.answers["/output/0"][2])
    monkeypatch.setattr(fetching, "MOST_BYTES", size + 10)
    first, second = (await fetch_circleci(double)).jobs
    assert (isinstance(first.output, tuple), second.output) == (True, Unread("it is longer than 10 bytes"))
    monkeypatch.setattr(fetching, "LOG_BYTES", 5)
    assert (await fetch_circleci(double)).jobs[0].output == Unread("it is longer than 5 bytes")


async def test_one_redirect_is_followed_and_to_named_hosts_alone(double: Double) -> None:
    path = "/v2/organizations/acme/pipelines/shop/builds/7"
    doubles.buildkite(double)
    log = f"{path}/jobs/{JOB}/log.txt"
    double.say("/moved", double.answers[log][2])
    double.say(log, b"", 302, Location="/moved")
    assert await shown("buildkite", await fetch_buildkite(double)) == [(":pytest: Tests", 3, True)]
    double.say("/moved", b"", 302, Location="/again")
    assert (await fetch_buildkite(double)).jobs[0].output == Unread("the server answered 302")
    with serving() as elsewhere:
        elsewhere.say("/x", b"stolen")
        double.say(log, b"", 302, Location=f"{elsewhere.url}/x")
        assert isinstance((await fetch_buildkite(double)).jobs[0].output, Unread)
        assert elsewhere.asked == []


async def test_a_server_that_is_away_or_slow(double: Double, monkeypatch: pytest.MonkeyPatch) -> None:
    doubles.buildkite(double)
    monkeypatch.setattr(fetching, "TIME_LIMIT", 0.0)
    with pytest.raises(NotReadable, match="no whole answer within 0 s"):
        await fetch_buildkite(double)
    monkeypatch.undo()
    double.url = "http://127.0.0.1:9"
    with pytest.raises(NotReadable, match="connection failed"):
        await fetch_buildkite(double)


async def test_very_many_jobs_are_not_all_fetched(double: Double) -> None:
    doubles.buildkite(double)
    path = "/v2/organizations/acme/pipelines/shop/builds/7"
    job = {"id": JOB, "type": "script", "state": "passed", "exit_status": 0}
    told = {"state": "passed", "web_url": "https://buildkite.com/x", "jobs": [job] * 61}
    double.say(path, told)
    build = await fetch_buildkite(double)
    assert build.jobs[-1].output == Unread("only the logs of the first 60 jobs are read")
    double.say(path, {**told, "jobs": [{**job, "id": "../../x"}]})
    (odd,) = (await fetch_buildkite(double)).jobs
    assert odd.output == Unread("the server names a job by what is no id")


async def test_what_is_no_log_is_told_by_the_process_that_reads_it() -> None:
    assert await read_output("circleci", (("", b"<html>"),)) == Unread("a step's output is no JSON")
    hostile = await read_output("jenkins", (("", b"[" * 1000 + b"\nFinished: SUCCESS\n"),))
    assert isinstance(hostile, JobLog)
    assert hostile.report.runner is None
