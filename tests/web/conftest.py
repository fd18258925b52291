"""Fixtures of the pages."""

from __future__ import annotations

from tests.gate.conftest import anyio_backend, database, database_url, kept_database, server, stage

__all__ = ["anyio_backend", "database", "database_url", "kept_database", "server", "stage"]
