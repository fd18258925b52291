"""The advertisement for pushing, made from what git itself answers to the question for branches and tags."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from app.proxy.advertisement import CAPABILITIES, LS_REFS, NotAnAdvertisement, ReceiveAdvertisement
from app.proxy.wire import packet
from tests.proxy.scene import agent_environment

FLUSH = b"0000"
MAIN = packet(b"1" * 40 + b" refs/heads/main\n")


def _git(path: Path, *arguments: str) -> bytes:
    return subprocess.run(
        ["git", *arguments], cwd=path, env=agent_environment(), check=True, capture_output=True
    ).stdout


def _answered(path: Path, question: bytes = LS_REFS) -> bytes:
    environment = agent_environment() | {"GIT_PROTOCOL": "version=2"}
    command = ["git", "upload-pack", "--stateless-rpc", "."]
    return subprocess.run(command, cwd=path, env=environment, input=question, capture_output=True).stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("repository")
    _git(path, "init", "-q", "-b", "main")
    _git(path, "commit", "-q", "--allow-empty", "-m", "one")
    _git(path, "tag", "-a", "v1", "-m", "one")
    _git(path, "branch", "agent/work")
    _git(path, "update-ref", "refs/pull/1/head", "HEAD")
    _git(path, "update-ref", "refs/notes/commits", "HEAD")
    return path


def _turned(data: bytes, step: int) -> bytes:
    advertisement = ReceiveAdvertisement()
    made = b"".join(advertisement.feed(data[start : start + step]) for start in range(0, len(data), step))
    return made + advertisement.ended()


@pytest.mark.parametrize("step", [1, 7, 100_000])
def test_branches_and_tags_with_our_capabilities(repository: Path, step: int) -> None:
    given = _answered(repository)
    commit = _git(repository, "rev-parse", "HEAD").strip()
    tag = _git(repository, "rev-parse", "v1").strip()
    assert b"refs/pull" not in given and b"refs/notes" not in given
    assert _turned(given, step) == (
        packet(commit + b" refs/heads/agent/work\0" + CAPABILITIES + b"\n")
        + packet(commit + b" refs/heads/main\n")
        + packet(tag + b" refs/tags/v1\n")
        + FLUSH
    )
    assert b"push-options" not in CAPABILITIES and b"push-cert" not in CAPABILITIES


def test_a_server_that_tells_more_than_it_was_asked(repository: Path) -> None:
    """The prefixes are a hint, says git's documentation, and so may be what stands behind a name."""
    more = b"0014command=ls-refs\n0001" + packet(b"peel\n") + packet(b"symrefs\n") + FLUSH
    given = _answered(repository, more)
    assert b"HEAD symref-target:" in given and b" peeled:" in given and b"refs/pull/1/head" in given
    assert _turned(given, 1000) == _turned(_answered(repository), 1000)


def test_an_empty_repository(tmp_path: Path) -> None:
    _git(tmp_path, "init", "-q", "--bare")
    expected = packet(b"0" * 40 + b" capabilities^{}\0" + CAPABILITIES + b"\n") + FLUSH
    assert _turned(_answered(tmp_path), 1000) == expected


def test_sha256_is_refused_with_a_reason(tmp_path: Path) -> None:
    _git(tmp_path, "init", "-q", "--object-format=sha256", "-b", "main")
    _git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one")
    with pytest.raises(NotAnAdvertisement, match="another object format than SHA-1"):
        _turned(_answered(tmp_path), 1000)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>",
        MAIN,
        FLUSH[:-1],
        MAIN + FLUSH + MAIN,
        FLUSH + FLUSH,
        MAIN + b"0001",
        MAIN + b"fff5",
        MAIN[:-1],
        packet(b"1" * 39 + b" refs/heads/main\n") + FLUSH,
        packet(b"g" * 40 + b" refs/heads/main\n") + FLUSH,
        packet(b"1" * 64 + b" refs/heads/main\n") + FLUSH,
        packet(b"unborn HEAD\n") + FLUSH,
        packet(b"ERR not found") + FLUSH,
    ],
)
def test_what_is_no_advertisement(data: bytes) -> None:
    with pytest.raises(NotAnAdvertisement):
        _turned(data, 1000)
