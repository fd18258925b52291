"""Every answer and webhook of the simulated GitHub, in whichever test, fits GitHub's own descriptions."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True)
def github_as_described(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test whose simulated GitHub answered as GitHub does not. Tests without one pay nothing."""
    if "tests.github.server" not in sys.modules:
        yield
        return
    from tests.github.contract.observe import watch

    findings = watch(monkeypatch)
    yield
    findings.assert_clean()


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """A command that sets up logging does so for its own test alone."""
    yield
    if structlog.is_configured():
        structlog.reset_defaults()
