"""Fixtures of the simulated GitHub's own tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.github.server import SimulatedGitHub
from tests.github.state import App, PullRequest, Repository
from tests.simulator import shop


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def hub(tmp_path: Path) -> AsyncIterator[SimulatedGitHub]:
    """An empty simulated GitHub, in process; a crash in its background work fails the test."""
    github = SimulatedGitHub.create(tmp_path)
    yield github
    await github.stop()
    assert github.crashes == []


@pytest.fixture
async def repo(hub: SimulatedGitHub) -> Repository:
    """acme/shop; ada owns the organisation, bob is a member."""
    hub.organization("acme", owners=["ada"], members=["bob"])
    return await shop.shop(hub)


@pytest.fixture
async def pull(hub: SimulatedGitHub, repo: Repository) -> PullRequest:
    """Number 2, by ada, which fixes issue 1."""
    issue = await hub.open_issue(repo, "Broken", "It is broken", "bob")
    assert issue.number == 1
    return await shop.pull(hub, repo, title="Add a change", body="Fixes #1")


@pytest.fixture
def app(hub: SimulatedGitHub, repo: Repository) -> App:
    """The gate, installed on acme."""
    return shop.gate(hub)
