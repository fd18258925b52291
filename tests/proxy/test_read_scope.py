"""T31 to T33: what a session may read is its repository, the whole of it and nothing beside it.

Names are not filtered: whoever may fetch gets by its id what a hidden name would lead to (T31), so that hiding one
would only look like protection; and agents build on other branches, and look at pull requests. The README says so.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.proxy.scene import Scene, agent_environment
from tests.proxy.test_attacks_http import request, status
from tests.proxy.test_wire import FLUSH

pytestmark = pytest.mark.anyio
FETCH = "Content-Type: application/x-git-upload-pack-request"
PULL = "/git/acme/{}.git/git-upload-pack"


@pytest.fixture
def town(shared_town: Scene) -> Scene:
    return shared_town


def _git(folder: Path, *arguments: str) -> str:
    made = subprocess.run(
        ["git", *arguments], cwd=folder, env=agent_environment(), check=True, capture_output=True, text=True
    )
    return made.stdout.strip()


def _unreached(folder: Path) -> str:
    """A commit in a repository that no ref of it reaches."""
    return _git(folder, "commit-tree", "HEAD^{tree}", "-m", "of a branch that is gone")


async def test_t31_a_commit_that_no_branch_reaches_can_be_fetched_by_its_id(town: Scene, tmp_path: Path) -> None:
    commit = _unreached(town.shop.git)
    await town.git("init", "-q", str(tmp_path))
    await town.git("-c", "protocol.version=2", "fetch", "-q", town.url, commit, cwd=tmp_path)
    assert "of a branch that is gone" in await town.git("log", "--format=%s", commit, cwd=tmp_path)


async def test_t32_an_id_of_another_repository_is_not_found_in_this_one(town: Scene, tmp_path: Path) -> None:
    (other,) = [one for one in town.github.world.repositories.values() if one.name == "other"]
    commit = _unreached(other.git)
    await town.git("init", "-q", str(tmp_path))
    said = await town.git("-c", "protocol.version=2", "fetch", town.url, commit, cwd=tmp_path, code=128)
    assert "not our ref" in said
    asked = b"0032want " + commit.encode() + b"\n00000009done\n"
    before = len(town.upstream)
    answer = await town.raw(request("POST", PULL.format("other"), FETCH, body=asked, token=town.token))
    assert status(answer) == 404 and town.since(before) == []


@pytest.mark.parametrize("protocol", ["0", "2"])
async def test_t33_every_ref_of_the_repository_is_shown_and_none_of_another(town: Scene, protocol: str) -> None:
    main = town.refs()["refs/heads/main"]
    for name in ("refs/pull/7/head", "refs/heads/agent/another-agent", "refs/tags/v1"):
        _git(town.shop.git, "update-ref", name, main)
    said = await town.git("-c", f"protocol.version={protocol}", "ls-remote", town.url)
    shown = {line.split("\t")[1]: line.split("\t")[0] for line in said.splitlines()}
    assert shown == {**town.refs(), "HEAD": main}


async def test_t33_a_prefix_may_be_anything(town: Scene) -> None:
    """A prefix only leaves out: what is no ref of the repository is no match."""
    main, head = town.refs()["refs/heads/main"], "Git-Protocol: version=2"

    async def listed(*lines: bytes) -> bytes:
        body = b"0014command=ls-refs\n" + b"0001" + b"".join(b"%04x" % (len(one) + 4) + one for one in lines) + FLUSH
        return await town.raw(request("POST", PULL.format("shop"), FETCH, head, body=body, token=town.token))

    everything = await listed(b"ref-prefix refs/heads/main\n", b"symrefs\n", b"peel\n")
    assert status(everything) == 200 and f"{main} refs/heads/main".encode() in everything
    assert b"refs/tags" not in everything
    for prefix in (b"../", b"refs/../../other.git/refs", b"/etc/passwd", b"acme/other"):
        answer = await listed(b"ref-prefix " + prefix + b"\n")
        assert status(answer) == 200 and b"refs/heads" not in answer.partition(b"\r\n\r\n")[2]
