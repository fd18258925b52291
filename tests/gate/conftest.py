"""Fixtures of the loop's stories."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.store.database import Database
from tests.databases import anyio_backend, database, database_url, server
from tests.gate.scene import Scene, scene
from tests.github.contract.observe import watch

__all__ = ["anyio_backend", "database", "database_url", "server"]


@pytest.fixture(autouse=True)
def github_as_described(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every answer and webhook of a story fits GitHub's own descriptions, so that no story rests on invented ones."""
    findings = watch(monkeypatch)
    yield
    findings.assert_clean()


@pytest.fixture
async def stage(tmp_path: Path, database: Database) -> AsyncIterator[Scene]:
    async with scene(tmp_path, database) as opened:
        yield opened
