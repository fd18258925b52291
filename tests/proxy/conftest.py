from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.store.database import Database
from app.store.embedded import Embedded
from tests.databases import anyio_backend, database, database_url, emptied, server
from tests.proxy.scene import Scene, scene

__all__ = ["anyio_backend", "database", "database_url", "server", "shared_town"]


@pytest.fixture(scope="module")
async def shared_town(
    anyio_backend: str, server: Embedded, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Scene]:
    """One proxy and one simulated GitHub for all tests of a module. They must not use `database` beside it."""
    emptied(server.conninfo)
    folder = tmp_path_factory.mktemp("town")
    async with Database.open(server.conninfo, Path("/nonexistent")) as opened, scene(folder, opened) as made:
        yield made
