"""Fixtures of the tests of the agents' API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.store.database import Database
from tests.agent.bureau import Bureau, bureau
from tests.databases import anyio_backend, database_url, kept_database, server
from tests.databases import emptied_database as database

__all__ = ["anyio_backend", "database", "database_url", "kept_database", "server"]


@pytest.fixture
async def town(tmp_path: Path, database: Database) -> AsyncIterator[Bureau]:
    async with bureau(tmp_path, database) as opened:
        yield opened
