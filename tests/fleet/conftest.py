"""Fixtures of the simulated night."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
import structlog

from tests.databases import anyio_backend, server

__all__ = ["anyio_backend", "server"]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Writing ten thousand lines of log would be a third of a night."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.configure(**before)
