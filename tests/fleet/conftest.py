"""Fixtures of the simulated night."""

from tests.databases import anyio_backend, server

__all__ = ["anyio_backend", "server"]
