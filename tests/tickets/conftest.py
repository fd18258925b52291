"""Fixtures of the tests of tickets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.store.database import Database
from tests.databases import anyio_backend, database_url, kept_database, server
from tests.databases import emptied_database as database
from tests.gate.scene import scene
from tests.tickets.desk import Desk, desk

__all__ = ["anyio_backend", "database", "database_url", "kept_database", "server"]


@pytest.fixture
async def at_desk(tmp_path: Path, database: Database) -> AsyncIterator[Desk]:
    async with scene(tmp_path, database) as stage, desk(stage) as opened:
        yield opened
