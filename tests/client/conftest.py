from __future__ import annotations

import pytest

from tests.client.double import GitHubDouble


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def github() -> GitHubDouble:
    return GitHubDouble()
