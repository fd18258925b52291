"""Fixtures of the simulated GitHub's own tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.github.server import SimulatedGitHub


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
