"""The repository acme/shop and callers of the API, as the simulator's own tests use them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
from pydantic import TypeAdapter

from tests.github.auth import Actor
from tests.github.git import Files
from tests.github.queue_entries import DEFAULTS
from tests.github.server import SimulatedGitHub
from tests.github.state import App, Job, PullRequest, Repository, WorkflowRun

ADA = Actor("ada", "user")
BOB = Actor("bob", "user")
ACTIONS = 15368  # the App that GitHub Actions is
CI = ".github/workflows/ci.yml"
VERSION = {"x-github-api-version": "2026-03-10"}
GATE_PERMISSIONS = {
    "actions": "write",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "write",
    "statuses": "write",
}
TEST_WORKFLOW = """\
name: CI
on: [pull_request, merge_group]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: cat README.md
"""


def workflow(script: str, on: str = "push") -> str:
    """A workflow file of one job `test` that checks out and runs `script`."""
    lines = "\n".join(f"          {line}" for line in script.split("\n"))
    return (
        f"name: CI\non: {on}\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n"
        f"      - uses: actions/checkout@v4\n      - run: |\n{lines}\n"
    )


async def shop(hub: SimulatedGitHub, files: Files | None = None) -> Repository:
    """acme/shop with ada (admin), bob and cat (write) and dan (read)."""
    people = {"ada": "admin", "bob": "write", "cat": "write", "dan": "read"}
    content = {"README.md": "A shop\n", **(files or {})}
    return await hub.repository("acme/shop", content, collaborators=people)  # type: ignore[arg-type]


async def pull(hub: SimulatedGitHub, repository: Repository, name: str = "change", **kept: Any) -> PullRequest:
    """A pull request by ada from the branch `name` that adds the file `name`."""
    await hub.push(repository, name, kept.pop("files", {name: "text\n"}), author="ada")
    return await hub.open_pull(repository, name, author="ada", **kept)


def gate(hub: SimulatedGitHub, slug: str = "gate", permissions: Mapping[str, str] = GATE_PERMISSIONS) -> App:
    """An App installed on acme's repositories."""
    app, _key = hub.register_app(slug, permissions, ["check_run", "check_suite"])
    hub.install(app, "acme")
    return app


def as_app(hub: SimulatedGitHub, app: App) -> httpx.AsyncClient:
    installation = next(i for i in hub.world.installations.values() if i.app_id == app.id)
    return client(hub, hub.installation_token(installation))


def as_user(hub: SimulatedGitHub, login: str) -> httpx.AsyncClient:
    return client(hub, hub.user_token(login))


def client(hub: SimulatedGitHub, token: str | None = None) -> httpx.AsyncClient:
    """A caller in process; without a token nobody."""
    headers = VERSION | ({"authorization": f"Bearer {token}"} if token else {})
    transport = httpx.ASGITransport(app=hub.app)
    return httpx.AsyncClient(transport=transport, base_url=hub.world.base_url, headers=headers)


def valid(model: Any, body: Any) -> Any:
    """The body, after githubkit's generated model has accepted it."""
    TypeAdapter(model).validate_python(body)
    return body


def required(context: str, app_id: int | None = None, **parameters: Any) -> dict[str, Any]:
    """A `required_status_checks` rule for one check."""
    check: dict[str, Any] = {"context": context} | ({"integration_id": app_id} if app_id else {})
    base = {"strict_required_status_checks_policy": False, "do_not_enforce_on_create": False}
    return {"type": "required_status_checks", "parameters": base | {"required_status_checks": [check]} | parameters}


def approvals(count: int, **parameters: Any) -> dict[str, Any]:
    """A `pull_request` rule that wants so many approvals."""
    return {"type": "pull_request", "parameters": {"required_approving_review_count": count} | parameters}


def queue(**parameters: Any) -> dict[str, Any]:
    """A `merge_queue` rule with GitHub's defaults."""
    return {"type": "merge_queue", "parameters": DEFAULTS | parameters}


async def opened(hub: SimulatedGitHub, *rules: dict[str, Any]) -> tuple[Repository, PullRequest]:
    repository = await shop(hub)
    if rules:
        await hub.set_ruleset(repository, "main", list(rules))
    return repository, await pull(hub, repository)


async def set_check(hub: SimulatedGitHub, change: PullRequest, name: str = "test", **fields: Any) -> None:
    """A check run by the App `gate`."""
    app = next((a for a in hub.world.apps.values() if a.slug == "gate"), None) or gate(hub)
    async with as_app(hub, app) as api:
        body = {"name": name, "head_sha": change.head_sha, **fields}
        assert (await api.post("/repos/acme/shop/check-runs", json=body)).status_code == 201


async def run_of(hub: SimulatedGitHub, text: str) -> tuple[Repository, WorkflowRun]:
    """The run that a push of this workflow file starts, completed."""
    repository = await shop(hub)
    await hub.push(repository, "main", {CI: text})
    await hub.settle()
    return repository, only_run(repository)


def only_run(repository: Repository) -> WorkflowRun:
    (run,) = repository.runs.values()
    return run


def log_lines(job: Job) -> list[str]:
    assert job.log is not None
    return [line[29:] for line in job.log.decode("utf-8-sig").splitlines()]
