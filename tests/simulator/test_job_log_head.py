"""What "Set up job" prints of the job's token and secrets, and what the gate reads of it."""

from __future__ import annotations

from typing import Any

import pytest

from checks.job_log import read_job_log_stream
from checks.runs import JobLog
from tests.github.actions import token
from tests.github.server import SimulatedGitHub
from tests.shared import SHARED, needs_shared
from tests.simulator.shop import CI, only_run, pull, run_of, shop, workflow

pytestmark = pytest.mark.anyio

RESTRICTED = (("Contents", "read"), ("Metadata", "read"), ("Packages", "read"))


def read(run: Any) -> JobLog:
    (job,) = run.jobs[1]
    assert job.log is not None
    return read_job_log_stream([job.log])


@pytest.mark.parametrize(
    ("top", "own", "expected"),
    [
        ("", "", RESTRICTED),
        ("permissions: {}", "", (("Metadata", "read"),)),
        (
            "permissions: {contents: write, pull-requests: read, id-token: write, checks: none}",
            "",
            (("Contents", "write"), ("Metadata", "read"), ("PullRequests", "read")),
        ),
        ("permissions: write-all", "permissions: {issues: write}", (("Issues", "write"), ("Metadata", "read"))),
    ],
)
async def test_permissions_are_those_that_the_file_asks_for(
    hub: SimulatedGitHub, top: str, own: str, expected: tuple[tuple[str, str], ...]
) -> None:
    text = f"{top}\n{workflow('true')}".replace("    runs-on", f"    {own}\n    runs-on" if own else "    runs-on")
    _repository, run = await run_of(hub, text)
    log = read(run)
    assert (log.token_permissions, log.secret_source, log.runner_name) == (expected, "Actions", None)


async def test_what_the_job_prints_later_does_not_count(hub: SimulatedGitHub) -> None:
    script = "echo '##[group]GITHUB_TOKEN Permissions'\necho 'Contents: write'\necho 'Secret source: None'"
    _repository, run = await run_of(hub, workflow(script))
    assert (read(run).token_permissions, read(run).secret_source) == (RESTRICTED, "Actions")


@pytest.mark.parametrize("fork", [False, True])
async def test_a_fork_gets_a_reading_token_and_no_secrets(hub: SimulatedGitHub, fork: bool) -> None:
    text = "permissions: {contents: write, checks: write}\n" + workflow("true", on="pull_request")
    repository = await shop(hub, {CI: text})
    if fork:
        await hub.push(await hub.fork(repository, "eve"), "idea", {"idea": "text\n"}, author="eve")
        await hub.open_pull(repository, "eve:idea", author="eve")
    else:
        await pull(hub, repository)
    await hub.settle()
    log = read(only_run(repository))
    level = "read" if fork else "write"
    assert log.token_permissions == (("Checks", level), ("Contents", level), ("Metadata", "read"))
    assert log.secret_source == ("None" if fork else "Actions")


def test_dependabot_is_an_outsider_with_secrets_of_its_own() -> None:
    github = {"event_name": "pull_request", "actor": "dependabot[bot]"}
    event = {"pull_request": {"head": {"repo": {"id": 1}}, "base": {"repo": {"id": 1}}}}
    assert token.is_outsiders(github, event)
    assert token.secret_source(github, outsider=True) == "Dependabot"
    assert token.is_outsiders({**github, "event_name": "push"}, {}) is False


@needs_shared
@pytest.mark.parametrize(
    ("name", "asked", "source"),
    [("gha_pytest_pass_small", "write-all", "Actions"), ("gha_django_runtests_crash_no_summary", "read-all", "None")],
)
def test_the_lines_are_those_of_real_logs(name: str, asked: str, source: str) -> None:
    """Scopes that GitHub added after those logs (attestations, models) are left out."""
    lines = [line[29:] for line in (SHARED / f"logs/{name}.log").read_text(encoding="utf-8").splitlines()]
    start = lines.index("##[group]GITHUB_TOKEN Permissions") + 1
    ours = token.permissions(asked, outsider=False)
    assert lines[start : start + 13] == [line for line in ours if not line.startswith(("Attestations", "Models"))]
    assert lines[start + 13 : start + 15] == ["##[endgroup]", f"Secret source: {source}"]
