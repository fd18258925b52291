"""The advertisement for pushing, made from the one for fetching that git itself writes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from app.proxy.advertisement import CAPABILITIES, NotAnAdvertisement, ReceiveAdvertisement
from app.proxy.wire import packet
from tests.proxy.scene import agent_environment

FLUSH = b"0000"
SERVICE = packet(b"# service=git-upload-pack\n") + FLUSH


def _git(path: Path, *arguments: str) -> bytes:
    return subprocess.run(
        ["git", *arguments], cwd=path, env=agent_environment(), check=True, capture_output=True
    ).stdout


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
    given = SERVICE + _git(repository, "upload-pack", "--http-backend-info-refs", ".")
    commit = _git(repository, "rev-parse", "HEAD").strip()
    tag = _git(repository, "rev-parse", "v1").strip()
    assert _turned(given, step) == (
        packet(b"# service=git-receive-pack\n")
        + FLUSH
        + packet(commit + b" refs/heads/agent/work\0" + CAPABILITIES + b"\n")
        + packet(commit + b" refs/heads/main\n")
        + packet(tag + b" refs/tags/v1\n")
        + FLUSH
    )
    assert b"push-options" not in CAPABILITIES and b"push-cert" not in CAPABILITIES


def test_an_empty_repository(tmp_path: Path) -> None:
    _git(tmp_path, "init", "-q", "--bare")
    given = SERVICE + _git(tmp_path, "upload-pack", "--http-backend-info-refs", ".")
    expected = packet(b"# service=git-receive-pack\n") + FLUSH
    expected += packet(b"0" * 40 + b" capabilities^{}\0" + CAPABILITIES + b"\n") + FLUSH
    assert _turned(given, 1000) == expected


def test_sha256_is_refused_with_a_reason(tmp_path: Path) -> None:
    _git(tmp_path, "init", "-q", "--object-format=sha256", "-b", "main")
    _git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one")
    given = SERVICE + _git(tmp_path, "upload-pack", "--http-backend-info-refs", ".")
    with pytest.raises(NotAnAdvertisement, match="another object format than SHA-1"):
        _turned(given, 1000)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>",
        SERVICE,
        SERVICE[:-1],
        packet(b"# service=git-receive-pack\n") + FLUSH + FLUSH,
        SERVICE + FLUSH + packet(b"x"),
        SERVICE + b"0001",
        SERVICE + b"fff5",
        SERVICE + packet(b"1" * 40 + b" refs/heads/main\0\n")[:-1],
    ],
)
def test_what_is_no_advertisement(data: bytes) -> None:
    with pytest.raises(NotAnAdvertisement):
        _turned(data, 1000)
