"""Fixtures of the tests of tickets."""

from __future__ import annotations

from tests.databases import anyio_backend, database, database_url, server

__all__ = ["anyio_backend", "database", "database_url", "server"]
