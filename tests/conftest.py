"""Every answer and webhook of the simulated GitHub, in whichever test, fits GitHub's own descriptions."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


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
