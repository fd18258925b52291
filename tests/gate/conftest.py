"""Fixtures of the loop's stories."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.store.database import Database
from tests.databases import anyio_backend, database_url, kept_database, server
from tests.databases import emptied_database as database
from tests.gate.scene import Scene, scene

__all__ = ["anyio_backend", "database", "database_url", "kept_database", "server"]


@pytest.fixture
async def stage(tmp_path: Path, database: Database) -> AsyncIterator[Scene]:
    async with scene(tmp_path, database) as opened:
        yield opened
