"""git itself, unchanged, through the proxy to the simulated GitHub's `git http-backend`."""

from __future__ import annotations

import asyncio
import base64
import ssl
from pathlib import Path

import pytest

from app.proxy.grant import Right
from app.proxy.listening import Address
from app.proxy.running import proxying
from app.store.database import Database
from tests.github.tls import new_authority
from tests.proxy.scene import Scene, agent_environment, scene, serving

pytestmark = pytest.mark.anyio


@pytest.fixture
def town(shared_town: Scene) -> Scene:
    return shared_town


async def test_clone_commit_push_fetch(town: Scene) -> None:
    clone = await town.clone()
    before = town.refs()
    commit = await town.commit(clone)
    said = await town.git("push", "origin", "HEAD:agent/work", cwd=clone)
    assert "[new branch]" in said
    assert town.refs() == before | {"refs/heads/agent/work": commit}
    second = await town.commit(clone, "more.txt")
    await town.git("push", "origin", "HEAD:agent/work", cwd=clone)
    assert town.refs()["refs/heads/agent/work"] == second
    other = await town.clone("other", "--branch", "agent/work")
    assert (other / "more.txt").is_file()
    assert town.grant is not None
    assert await town.outcomes(town.grant) == ["done", "done"]
    await town.git("push", "origin", "HEAD:agent/work", cwd=clone)
    assert len(await town.outcomes(town.grant)) == 2


@pytest.mark.parametrize("protocol", ["0", "1", "2"])
async def test_every_protocol(town: Scene, protocol: str, tmp_path: Path) -> None:
    before = len(town.upstream)
    await town.git("-c", f"protocol.version={protocol}", "clone", "-q", town.url, str(tmp_path / "clone"))
    await town.git("-c", f"protocol.version={protocol}", "ls-remote", town.url.removesuffix(".git"))
    sent = {one.headers.get("git-protocol") for one in town.upstream[before:] if "/info/refs" in one.target}
    assert sent == {None if protocol == "0" else f"version={protocol}"}


async def test_a_shallow_clone_pushes(town: Scene) -> None:
    token, _ = await town.open(branch="refs/heads/agent/shallow")
    clone = await town.clone("shallow", "--depth=1")
    commit = await town.commit(clone, "s.txt")
    await town.git("push", "origin", "HEAD:agent/shallow", cwd=clone, token=token)
    assert town.refs()["refs/heads/agent/shallow"] == commit
    deeper = await town.clone("deeper", "--depth=1", "--branch", "agent/shallow")
    assert (deeper / ".git" / "shallow").read_text().strip() == commit
    second = await town.commit(deeper, "d.txt")
    await town.git("push", "origin", "HEAD:agent/shallow", cwd=deeper, token=token)
    assert town.refs()["refs/heads/agent/shallow"] == second
    await town.git("fetch", "--unshallow", cwd=deeper, token=token)


async def test_a_partial_clone(town: Scene) -> None:
    await town.github.git(town.shop).run("config", "uploadpack.allowFilter", "true")
    clone = await town.clone("partial", "--filter=blob:none", "--no-checkout")
    assert "README.md" in await town.git("ls-tree", "--name-only", "HEAD", cwd=clone)
    assert "# Shop" in await town.git("show", "HEAD:README.md", cwd=clone)


async def test_a_token_in_the_address_and_from_a_helper(town: Scene, tmp_path: Path) -> None:
    plain = f"127.0.0.1:{town.port}/git/acme/shop"
    for settings, address in (
        ({}, f"http://agent:{town.token}@{plain}"),
        ({"credential.helper": f"!f() {{ echo username=x; echo password={town.token}; }}; f"}, f"http://{plain}"),
        (
            {
                f"url.http://127.0.0.1:{town.port}/git/.insteadOf": "https://github.com/",
                f"http.http://127.0.0.1:{town.port}/.extraHeader": f"Authorization: Basic {_basic(town.token)}",
            },
            "https://github.com/acme/shop.git",
        ),
    ):
        process = await asyncio.create_subprocess_exec(
            *("git", "ls-remote", address),
            env=agent_environment(settings),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await process.communicate()
        assert process.returncode == 0 and b"refs/heads/main" in out, out


async def test_a_wrong_password_gets_the_reason(town: Scene, tmp_path: Path) -> None:
    address = f"http://agent:mgs_wrong@127.0.0.1:{town.port}/git/acme/shop"
    code, said = await town.attempt("-c", "http.extraHeader=", "ls-remote", address, token="mgs_other")
    assert code == 128 and "remote: mergegate: The session token is not known here." in said


def _basic(token: str) -> str:
    return base64.b64encode(f"x:{token}".encode()).decode()


async def test_pushes_that_git_itself_words_otherwise(town: Scene) -> None:
    """Options, signatures, tags, mirrors and several branches at once: refused by one rule, nothing half-done."""
    token, _ = await town.open(branch="refs/heads/agent/odd")
    clone = await town.clone("odd")
    await town.commit(clone)
    await town.git("tag", "-a", "v1", "-m", "v1", cwd=clone)
    refs, before = town.refs(), len(town.upstream)
    for arguments in (
        ("HEAD:agent/odd", "HEAD:main2"),
        ("HEAD:agent/odd", "v1"),
        ("--atomic", "HEAD:agent/odd", "HEAD:other"),
        ("--mirror",),
        ("--tags",),
        ("v1",),
        ("HEAD:refs/for/main",),
        ("HEAD:refs/pull/1/head",),
        ("HEAD:refs/notes/x",),
        (":main",),
        ("--force", "HEAD:main"),
    ):
        code, said = await town.attempt("push", "origin", *arguments, cwd=clone, token=token)
        assert code == 1 and "remote: Mergegate refused this push: refs/" in said, said
    for option in (("-o", "ci.skip"), ("--signed",)):
        code, said = await town.attempt("push", *option, "origin", "HEAD:agent/odd", cwd=clone, token=token)
        assert code in (1, 128) and "the receiving end does not support" in said
    assert town.refs() == refs
    assert not any("git-receive-pack" in one for one in town.since(before))


async def test_t32_t49_what_git_is_told_at_the_agents_side_changes_nothing(town: Scene, tmp_path: Path) -> None:
    """Only the wire counts: another address is another repository, another branch another branch."""
    token, _ = await town.open(branch="refs/heads/agent/configured")
    clone = await town.clone("configured")
    await town.commit(clone)
    refs, before = town.refs(), len(town.upstream)
    other = town.url.replace("acme/shop", "acme/other")
    for settings, refspec in (
        ({"remote.origin.pushurl": other}, "HEAD:agent/configured"),
        ({"url." + other + ".insteadOf": town.url}, "HEAD:agent/configured"),
        ({"remote.origin.push": "+HEAD:refs/heads/main"}, ""),
        ({"push.default": "matching", "push.followTags": "true"}, ""),
        ({"http.extraHeader": "X-GitHub-Repository: acme/other"}, "HEAD:main"),
    ):
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        code, said = await town.attempt(*words, "push", "origin", *refspec.split(), cwd=clone, token=token)
        assert code != 0 and ("404" in said or "not found" in said or "Mergegate refused" in said), said
    await town.git("submodule", "add", other, "sub", cwd=clone, token=token, code=128)
    assert town.refs() == refs and not any("receive-pack" in one or "/other" in one for one in town.since(before))


async def test_t28_workflow_files_are_refused_by_github_and_explained(town: Scene) -> None:
    """The token has no such permission, so this holds whatever the proxy can see."""
    token, grant = await town.open(branch="refs/heads/agent/workflow")
    clone = await town.clone("workflow")
    (clone / ".github" / "workflows").mkdir(parents=True)
    await town.commit(clone, ".github/workflows/ci.yml", "on: push\n")
    said = await town.git("push", "origin", "HEAD:agent/workflow", cwd=clone, token=token, code=1)
    assert "[remote rejected]" in said and "Agents change no workflow files: leave them out" in said
    assert "refs/heads/agent/workflow" not in town.refs()
    assert await town.outcomes(grant) == ["failed"]


async def test_forcing_and_deleting_with_the_right(town: Scene) -> None:
    rights = frozenset({Right.PUSH, Right.FORCE, Right.DELETE})
    token, _ = await town.open(branch="refs/heads/agent/free", rights=rights)
    clone = await town.clone("free")
    await town.commit(clone, "f.txt")
    await town.git("push", "origin", "HEAD:agent/free", cwd=clone, token=token)
    await town.git("commit", "-q", "--amend", "-m", "Again", cwd=clone)
    await town.git("push", "--force-with-lease", "origin", "HEAD:agent/free", cwd=clone, token=token)
    await town.git("push", "origin", ":agent/free", cwd=clone, token=token)
    assert "refs/heads/agent/free" not in town.refs()


async def test_a_session_that_only_reads(town: Scene) -> None:
    token, _ = await town.open(branch="refs/heads/agent/reader", rights=frozenset())
    clone = await town.clone("reader")
    said = await town.git("push", "origin", "HEAD:agent/reader", cwd=clone, token=token, code=128)
    assert "remote: mergegate: This session may not push. This session may read acme/shop, and nothing else" in said


async def test_a_repository_with_sha256_is_refused_with_the_reason(town: Scene, tmp_path: Path) -> None:
    await town.git("init", "-q", "--object-format=sha256", "-b", "main", str(tmp_path))
    await town.git("commit", "-q", "--allow-empty", "-m", "one", cwd=tmp_path)
    _, said = await town.attempt("push", town.url, "HEAD:agent/work", cwd=tmp_path)
    assert "fatal: the receiving end does not support this repository's hash algorithm" in said


async def test_tls_on_both_sides(tmp_path: Path, database: Database) -> None:
    authority = new_authority(tmp_path)
    async with scene(tmp_path, database, authority) as town:
        verify = ssl.create_default_context(cafile=str(authority.bundle))
        address = Address("127.0.0.1", 0, authority.server.certificate, authority.server.key)
        async with proxying(database, town.identity, verify) as proxy, serving(proxy, address) as port:
            trusting = {
                "http.sslCAInfo": str(authority.bundle),
                "http.extraHeader": f"Authorization: Bearer {town.token}",
            }
            process = await asyncio.create_subprocess_exec(
                *("git", "clone", f"https://localhost:{port}/git/acme/shop.git", "tls"),
                env=agent_environment(trusting),
                cwd=town.folder,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            out, _ = await process.communicate()
            assert process.returncode == 0, out
        clone = await town.clone("plain")
        commit = await town.commit(clone)
        await town.git("push", "origin", "HEAD:agent/work", cwd=clone)
        assert town.refs()["refs/heads/agent/work"] == commit
