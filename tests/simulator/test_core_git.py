"""The unmodified git command over smart HTTP: clone, push, refusals, and what follows from a push."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.github.events import DomainEvent, PullRequestChanged, RefUpdated
from tests.github.git import clean_environment
from tests.github.operations import mergeable
from tests.github.server import SimulatedGitHub
from tests.github.state import Repository
from tests.simulator.shop import approvals, as_user, pull, shop

pytestmark = pytest.mark.anyio
WORKFLOW = ".github/workflows/ci.yml"


@dataclass
class Clone:
    """A work tree and a credential."""

    hub: SimulatedGitHub
    folder: Path

    async def git(self, *arguments: str, ok: bool = True) -> str:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "credential.helper=")
        process = await asyncio.create_subprocess_exec(
            "git",
            *identity,
            *arguments,
            cwd=self.folder,
            env=clean_environment(),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
        assert (process.returncode == 0) == ok, output.decode()
        return output.decode().strip()

    async def commit(self, path: str, text: str) -> str:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        await self.git("add", ".")
        await self.git("commit", "-q", "-m", f"Change {path}")
        return await self.git("rev-parse", "HEAD")


@pytest.fixture
async def served(hub: SimulatedGitHub) -> SimulatedGitHub:
    await shop(hub)
    await hub.start()
    return hub


async def cloned(hub: SimulatedGitHub, folder: Path, token: str, name: str = "acme/shop.git") -> Clone:
    clone = Clone(hub, folder.parent)
    address = hub.world.base_url.replace("://", f"://x-access-token:{token}@")
    await clone.git("clone", "-q", f"{address}/{name}", folder.name)
    return Clone(hub, folder)


async def test_clone_and_push(served: SimulatedGitHub, tmp_path: Path) -> None:
    clone = await cloned(served, tmp_path / "w", served.user_token("bob"))
    assert (clone.folder / "README.md").read_text() == "A shop\n"
    sha = await clone.commit("new.txt", "new\n")
    await clone.git("push", "-q", "origin", "HEAD:work")
    repository = served.repo("acme/shop")
    assert await served.git(repository).rev_parse("refs/heads/work") == sha
    async with as_user(served, "ada") as api:
        [row] = (await api.get("/repos/acme/shop/activity?ref=work")).json()
    assert (row["after"], row["actor"]["login"], row["activity_type"]) == (sha, "bob", "branch_creation")


async def test_a_clone_without_the_suffix_and_a_partial_one(served: SimulatedGitHub, tmp_path: Path) -> None:
    await cloned(served, tmp_path / "w", served.user_token("dan"), "acme/shop")
    clone = Clone(served, tmp_path)
    await clone.git("clone", "-q", "--depth=1", "--filter=blob:none", f"{served.world.base_url}/acme/shop.git", "p")
    assert (tmp_path / "p" / "README.md").exists()


async def test_a_pull_request_follows_its_branch(served: SimulatedGitHub, tmp_path: Path) -> None:
    repository = served.repo("acme/shop")
    change = await pull(served, repository)
    before, seen = change.head_sha, []

    async def listen(event: DomainEvent) -> None:
        if isinstance(event, PullRequestChanged):
            seen.append((event.action, event.actor, event.extra))

    served.listeners.append(listen)
    clone = await cloned(served, tmp_path / "w", served.user_token("bob"))
    await clone.git("checkout", "-q", "change")
    after = await clone.commit("more.txt", "more\n")
    await clone.git("push", "-q", "origin", "change")
    assert seen == [("synchronize", "bob", {"before": before, "after": after})]
    assert change.head_sha == after
    await clone.git("fetch", "-q", "origin", "refs/pull/1/head:head", "refs/pull/1/merge:merge")
    assert await clone.git("rev-parse", "head") == after
    parents = (await clone.git("rev-parse", "merge^1", "merge^2")).split()
    assert parents == [await served.git(repository).rev_parse("refs/heads/main"), after]


async def test_the_test_merge_goes_when_the_head_conflicts(served: SimulatedGitHub) -> None:
    repository = served.repo("acme/shop")
    change = await pull(served, repository, files={"README.md": "One\n"})
    git = served.git(repository)
    assert await git.rev_parse("refs/pull/1/merge") is not None
    await served.push(repository, "main", {"README.md": "Two\n"}, author="bob")
    old = await git.rev_parse("refs/pull/1/merge")
    assert old is not None
    assert (await git.commit(old)).parents[0] != await git.rev_parse("refs/heads/main")
    await mergeable.refresh(served, repository, change)
    assert change.mergeable is False
    await served.push(repository, "change", {"README.md": "Three\n"}, author="ada")
    assert await git.rev_parse("refs/pull/1/merge") is None


async def test_forced_pushes_and_deletions(served: SimulatedGitHub, tmp_path: Path) -> None:
    repository = served.repo("acme/shop")
    change = await pull(served, repository)
    moves: list[tuple[bool, bool, bool]] = []

    async def listen(event: DomainEvent) -> None:
        if isinstance(event, RefUpdated):
            moves.append((event.created, event.forced, event.deleted))

    served.listeners.append(listen)
    clone = await cloned(served, tmp_path / "w", served.user_token("bob"))
    await clone.git("checkout", "-q", "-B", "change", "origin/main")
    await clone.commit("other.txt", "other\n")
    await clone.git("push", "-q", "origin", "change", ok=False)
    await clone.git("push", "-q", "--force", "origin", "change")
    assert change.issue.closed_at is None
    await clone.git("push", "-q", "origin", ":change")
    assert moves == [(False, True, False), (False, False, True)]
    assert [row.activity_type for row in repository.activity] == ["branch_creation", "force_push", "branch_deletion"]
    assert (change.issue.state, change.merged_at) == ("closed", None)


async def test_pushing_a_head_into_the_base_merges_it(served: SimulatedGitHub, tmp_path: Path) -> None:
    change = await pull(served, served.repo("acme/shop"))
    clone = await cloned(served, tmp_path / "w", served.user_token("bob"))
    await clone.git("merge", "-q", "--no-ff", "-m", "Merge", "origin/change")
    await clone.git("push", "-q", "origin", "main")
    assert (change.issue.state, change.merged_by) == ("closed", "bob")
    assert change.merge_commit_sha == await clone.git("rev-parse", "HEAD")
    async with as_user(served, "ada") as api:
        files = (await api.get("/repos/acme/shop/pulls/1/files")).json()
    assert [f["filename"] for f in files] == ["change"]


@pytest.mark.parametrize("ref", ["refs/pull/1/head", "refs/heads/gh-readonly-queue/main/pr-1"])
async def test_references_that_are_github_s_own(served: SimulatedGitHub, tmp_path: Path, ref: str) -> None:
    clone = await cloned(served, tmp_path / "w", served.user_token("ada"))
    refused = await clone.git("push", "-q", "origin", f"HEAD:{ref}", ok=False)
    assert "remote rejected" in refused


async def test_who_may_push(served: SimulatedGitHub, tmp_path: Path) -> None:
    reader = await cloned(served, tmp_path / "r", served.user_token("dan"))
    await reader.commit("x", "x")
    assert "403" in await reader.git("push", "-q", "origin", "HEAD:x", ok=False)
    await served.repository("acme/secret", {"a": "b"}, private=True)
    stranger = Clone(served, tmp_path)
    address = served.world.base_url.replace("://", f"://x:{served.user_token('eve')}@")
    assert "not found" in await stranger.git("clone", f"{address}/acme/secret.git", "s", ok=False)
    wrong = served.world.base_url.replace("://", "://x:ghp_wrong@")
    assert "Authentication failed" in await stranger.git("clone", f"{wrong}/acme/secret.git", "t", ok=False)


def app_token(hub: SimulatedGitHub, repository: Repository, **permissions: str) -> str:
    app, _ = hub.register_app(f"app{len(hub.world.apps)}", permissions, [])
    return hub.installation_token(hub.install(app, "acme", [repository]))


async def test_an_app_pushes_workflow_files_only_with_the_permission(served: SimulatedGitHub, tmp_path: Path) -> None:
    repository = served.repo("acme/shop")
    clone = await cloned(served, tmp_path / "w", app_token(served, repository, contents="write"))
    await clone.commit(WORKFLOW, "on: push\n")
    refused = await clone.git("push", "-q", "origin", "HEAD:work", ok=False)
    assert "without `workflows` permission" in refused
    assert WORKFLOW in refused
    allowed = await cloned(served, tmp_path / "v", app_token(served, repository, contents="write", workflows="write"))
    await allowed.commit(WORKFLOW, "on: push\n")
    await allowed.git("push", "-q", "origin", "HEAD:work")
    assert repository.activity[-1].actor.endswith("[bot]")


async def test_an_app_reads_but_does_not_write_with_read(served: SimulatedGitHub, tmp_path: Path) -> None:
    repository = served.repo("acme/shop")
    clone = await cloned(served, tmp_path / "w", app_token(served, repository, contents="read"))
    await clone.commit("x", "x")
    assert "403" in await clone.git("push", "-q", "origin", "HEAD:x", ok=False)


async def test_a_large_push_is_streamed(served: SimulatedGitHub, tmp_path: Path) -> None:
    """Over git's post buffer (1 MiB), so that the request has no length."""
    clone = await cloned(served, tmp_path / "w", served.user_token("bob"))
    (clone.folder / "big.bin").write_bytes(bytes(range(256)) * 40_000)
    await clone.git("-c", "core.compression=0", "add", ".")
    await clone.git("-c", "core.compression=0", "commit", "-q", "-m", "big")
    await clone.git("-c", "core.compression=0", "-c", "pack.compression=0", "push", "-q", "origin", "HEAD:big")
    assert [row.ref for row in served.repo("acme/shop").activity] == ["refs/heads/big"]


async def test_a_rule_declines_a_push_in_github_s_words(served: SimulatedGitHub, tmp_path: Path) -> None:
    await served.set_ruleset("acme/shop", "main", [approvals(1)])
    clone = await cloned(served, tmp_path / "w", served.user_token("bob"))
    await clone.commit("x", "x")
    refused = await clone.git("push", "-q", "origin", "HEAD:main", ok=False)
    assert "Repository rule violations found" in refused
    assert "Changes must be made through a pull request." in refused
    assert served.repo("acme/shop").activity == []


async def test_a_base_that_is_deleted(served: SimulatedGitHub) -> None:
    repository = served.repo("acme/shop")
    lower = await pull(served, repository, "lower")
    await served.push(repository, "upper", {"upper": "x"}, author="ada", base="lower")
    upper = await served.open_pull(repository, "upper", "lower", author="ada")
    await served.push(repository, "other", {"other": "x"}, author="bob")
    await served.push(repository, "leaf", {"leaf": "x"}, author="ada", base="other")
    leaf = await served.open_pull(repository, "leaf", "other", author="ada")
    async with as_user(served, "ada") as api:
        merged = await api.put("/repos/acme/shop/pulls/1/merge", json={"sha": lower.head_sha})
        assert merged.status_code == 200
    await served.delete_branch(repository, "lower", "ada")
    assert (upper.base_ref, upper.issue.state) == ("main", "open")
    await served.delete_branch(repository, "other", "ada")
    assert leaf.issue.state == "closed"
