"""Fixtures of the fuzz tests that need a service."""

from __future__ import annotations

from tests.agent.conftest import town
from tests.databases import anyio_backend, database, database_url, server
from tests.proxy.conftest import shared_town

__all__ = ["anyio_backend", "database", "database_url", "server", "shared_town", "town"]
