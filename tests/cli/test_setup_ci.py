"""`mergegate setup-ci` against a real server: what it opens, that it repeats nothing, and what GitHub refuses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import yaml
from typer.testing import CliRunner

from app.cli import setup_ci
from app.cli.commands import app
from app.github.personal import PersonalClient
from app.local.clone import CannotLook
from app.local.first_ci import CI, VERIFIER
from app.secret import SecretStr
from tests.cli.clones import command
from tests.github.faults import Fault
from tests.github.git import Files
from tests.github.server import SimulatedGitHub
from tests.github.state import PullRequest, Repository

pytestmark = pytest.mark.anyio
SHIPPED = (Path(__file__).parents[2] / "deploy/workflows/mergegate-verify.yml").read_text("utf-8")
BRANCH = "refs/heads/mergegate/setup-ci"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Scene:
    hub: SimulatedGitHub
    address: str
    shop: Repository

    @property
    def pulls(self) -> list[PullRequest]:
        return list(self.shop.pulls.values())

    async def asked(self, *options: str, name: str = "acme/shop", token: str | None = None) -> tuple[int, str, str]:
        """Exit code, output and errors of the command."""
        given = token or self.hub.user_token("ada")
        environment = {"MERGEGATE_GITHUB_API_URL": self.address, "GITHUB_TOKEN": "", "GH_TOKEN": given}
        done = await asyncio.to_thread(CliRunner().invoke, app, ("setup-ci", name, *options), env=environment)
        return done.exit_code, done.stdout, done.stderr

    async def refused(self, *options: str, name: str = "acme/shop", token: str | None = None) -> str:
        code, out, err = await self.asked(*options, name=name, token=token)
        assert (code, out) == (2, "")
        assert err.startswith("mergegate: ")
        return err

    async def text(self, ref: str, path: str) -> str | None:
        git = self.hub.git(self.shop)
        entry = await git.entry(ref, path)
        return None if entry is None else (await git.blob(entry.sha)).decode()

    async def tip(self, ref: str) -> str | None:
        return await self.hub.git(self.shop).rev_parse(ref)


async def scene(hub: SimulatedGitHub, address: str, files: Files | None) -> Scene:
    hub.organization("acme")
    hub.user("eve")
    return Scene(hub, address, await hub.repository("acme/shop", files, collaborators={"ada": "write"}))


@pytest.fixture
async def go(tmp_path: Path) -> AsyncIterator[Scene]:
    """A repository in Go without a workflow."""
    hub = SimulatedGitHub.create(tmp_path / "github")
    address = await hub.start()
    try:
        yield await scene(hub, address, {"go.mod": "module shop\n", "shop.go": "package shop\n"})
    finally:
        await hub.stop()


async def test_one_pull_request_with_both_files_and_nothing_is_done_twice(go: Scene) -> None:
    given = go.hub.user_token("ada")
    done = await asyncio.to_thread(
        lambda: command("setup-ci", "acme/shop", MERGEGATE_GITHUB_API_URL=go.address, GITHUB_TOKEN=given, GH_TOKEN="")
    )
    assert (done.returncode, done.stderr) == (0, b"")
    (pull,) = go.pulls
    first, *files = done.stdout.decode().splitlines()
    assert first == f"acme/shop#1: {go.hub.world.base_url}/acme/shop/pull/1"
    assert [line.partition(":")[0] for line in files] == [f"- {VERIFIER}", f"- {CI}"]
    assert (pull.base_ref, pull.head_ref, pull.issue.user) == ("main", "mergegate/setup-ci", "ada")
    assert await go.text(pull.head_sha, VERIFIER) == SHIPPED
    made = yaml.safe_load(await go.text(pull.head_sha, CI) or "")
    assert made["jobs"]["test"]["steps"][1]["run"] == "go test -v ./...\n"
    for path in (VERIFIER, CI):
        assert f"- `{path}`: " in (pull.issue.body or "")
    changed = await go.hub.git(go.shop).diff(pull.base_sha, pull.head_sha)
    assert len(changed) == 2

    head = pull.head_sha
    assert (await go.asked())[0] == 0
    assert (len(go.pulls), pull.head_sha) == (1, head)


async def test_what_is_open_is_brought_up_to_date(go: Scene) -> None:
    assert (await go.asked())[0] == 0
    code, out, _ = await go.asked("--command", "make check")
    assert (code, out.partition(":")[0]) == (0, "acme/shop#1")
    (pull,) = go.pulls
    assert "make check" in (await go.text(pull.head_sha, CI) or "")
    assert await go.text(pull.head_sha, VERIFIER) == SHIPPED


async def test_a_dry_run_prints_the_files_and_changes_nothing(go: Scene) -> None:
    code, out, err = await go.asked("--dry-run")
    assert (code, err, go.pulls, await go.tip(BRANCH)) == (0, "", [], None)
    head, verifier, made = out.partition(SHIPPED)
    assert (head, verifier, made.splitlines()[1]) == (f"# {VERIFIER}\n", SHIPPED, f"# {CI}")
    assert yaml.safe_load(made)["jobs"]["test"]["steps"][1]["run"] == "go test -v ./...\n"


async def test_a_repository_with_its_own_workflow_gets_the_verifier_alone_and_then_nothing(go: Scene) -> None:
    own = {".github/workflows/build.yaml": "on: [push, pull_request]\njobs: {}\n", ".github/workflows/notes.md": "on:"}
    await go.hub.push(go.shop, "main", own)
    assert (await go.asked())[0] == 0
    (pull,) = go.pulls
    assert await go.text(pull.head_sha, CI) is None
    assert await go.text(pull.head_sha, VERIFIER) == SHIPPED
    await go.hub.push(go.shop, "main", {VERIFIER: SHIPPED})
    assert await go.asked() == (0, "acme/shop has all that is needed; nothing was changed.\n", "")


async def test_a_run_that_broke_off_is_completed(go: Scene) -> None:
    go.hub.faults.add(Fault("fail", "PUT", f"/contents/{CI}$"))
    assert "Run the same command again" in await go.refused()
    go.hub.faults.add(Fault("fail", "POST", "/pulls$"))
    assert "Run the same command again" in await go.refused()
    assert go.pulls == []
    assert (await go.asked())[0] == 0
    assert len(go.pulls) == 1


async def test_a_branch_that_was_left_goes_on_from_the_default_branch(go: Scene) -> None:
    old = await go.hub.push(go.shop, "mergegate/setup-ci", {VERIFIER: "name: old\n"})
    await go.hub.push(go.shop, "main", {VERIFIER: "name: old\n", "late.go": "package shop\n"}, parents=[old])
    assert (await go.asked())[0] == 0
    assert await go.text(BRANCH, "late.go") == "package shop\n"
    assert await go.text(BRANCH, VERIFIER) == SHIPPED


async def test_commits_of_somebody_else_on_the_branch_stay(go: Scene) -> None:
    await go.hub.push(go.shop, "mergegate/setup-ci", {"own.go": "package shop\n"})
    await go.hub.push(go.shop, "main", {"late.go": "package shop\n"})
    assert (await go.asked())[0] == 0
    assert await go.text(BRANCH, "own.go") == "package shop\n"
    assert await go.text(BRANCH, VERIFIER) == SHIPPED


async def test_a_token_without_the_scope_for_workflows_is_told_so(go: Scene) -> None:
    """GitHub's answer then is a plain 404: https://github.com/octokit/octokit.rb/issues/1184"""
    go.hub.faults.add(Fault("fail", "PUT", "/contents/", status=404, message="Not Found"))
    assert "A classic token needs the scopes `repo` and `workflow`" in await go.refused()
    robot, _ = go.hub.register_app("robot", {"contents": "write", "pull_requests": "write"}, [])
    token = go.hub.installation_token(go.hub.install(robot, "acme"))
    said = await go.refused(token=token)
    assert "a fine-grained one needs Contents, Pull requests and Workflows" in said
    assert go.pulls == []


async def test_what_github_refuses_is_said_in_words(go: Scene) -> None:
    assert "may not add workflow files to acme/shop" in await go.refused(token=go.hub.user_token("eve"))
    assert "GitHub does not know this token" in await go.refused(token="ghp_wrong")
    assert "there is no repository acme/none, or this token may not see it" in await go.refused(name="acme/none")
    go.hub.faults.add(Fault("fail", "POST", "/git/refs$", status=422, message="Repository rule violations found"))
    said = await go.refused()
    assert "GitHub does not accept the pull request for acme/shop" in said
    assert "Repository rule violations found" in said
    go.hub.faults.add(Fault("fail", "GET", "/pulls$", status=403, message="Resource not accessible"))
    assert "a fine-grained one needs Contents, Pull requests and Workflows" in await go.refused()
    assert go.pulls == []


async def test_what_must_be_given_is_asked_for(go: Scene) -> None:
    for name in ("acme", "acme/", "/shop", "acme/shop/x"):
        assert "Write OWNER/REPO, for example acme/shop." in await go.refused(name=name)
    await go.hub.repository("acme/words", {"README.md": "x\n"}, collaborators={"ada": "write"})
    assert "Give the command: --command" in await go.refused(name="acme/words")
    await go.hub.repository("acme/empty", None, collaborators={"ada": "write"})
    assert "has no commit yet" in await go.refused(name="acme/empty")


@pytest.mark.parametrize(
    ("archived", "status", "words"),
    [(True, 200, "acme/shop is archived"), (False, 409, "acme/shop has no commit yet")],
)
async def test_a_repository_to_which_nothing_can_be_added(archived: bool, status: int, words: str) -> None:
    """https://docs.github.com/rest/git: 409 where a repository is empty."""
    about = {"full_name": "acme/shop", "default_branch": "main", "archived": archived}

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/repos/acme/shop":
            return httpx.Response(200, json=about)
        return httpx.Response(status, json={"message": "Git Repository is empty."})

    client = PersonalClient(SecretStr("t"), "https://api.github.test", inner=httpx.MockTransport(answer))
    with pytest.raises(CannotLook, match=words):
        await setup_ci._place(client, "acme", "shop")
    await client.aclose()
