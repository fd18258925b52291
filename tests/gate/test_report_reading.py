"""Which archives are fetched, and what is said of those that cannot be."""

from __future__ import annotations

import hashlib
from typing import Any, cast

import pytest

from app.gate import reports
from app.gate.names import RepositoryName
from app.gate.reports import _read
from app.github.client import GitHubClient
from app.github.errors import NotFound, TooLarge
from checks.paths import PathPatterns
from checks.runs import Artifact
from checks.unread import Unread
from tests.checks.build import NOON
from tests.gate.reporting import archive, junit

pytestmark = pytest.mark.anyio

REPOSITORY = RepositoryName(7, "acme", "shop")
HONEST = archive(junit_xml=junit("test_add"))
DIGEST = f"sha256:{hashlib.sha256(HONEST).hexdigest()}"


def artifact(number: int = 1, digest: str | None = DIGEST) -> Artifact:
    return Artifact(number, f"junit-{number}", len(HONEST), digest, NOON, expired=False)


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> dict[int, bytes | Exception]:
    """Archives by their ids, or what fetching them raises."""
    held: dict[int, bytes | Exception] = {1: HONEST, 2: HONEST}

    async def fetch(_: object, owner: str, name: str, number: int, *, limit_bytes: int) -> bytes:
        assert (owner, name, limit_bytes) == ("acme", "shop", 32 * 1024**2)
        found = held[number]
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr("app.gate.reports.actions.artifact_archive", fetch)
    return held


async def read(*artifacts: Artifact) -> Any:
    return await _read(cast("GitHubClient", None), REPOSITORY, artifacts, PathPatterns(["*.xml"]))


@pytest.mark.parametrize("digest", [DIGEST, None])
async def test_every_artifact_is_read(github: object, digest: str | None) -> None:
    found = await read(artifact(1, digest), artifact(2, digest))
    assert [(one.name, one.passed, one.repeated) for one in found] == [("junit-1", 1, 0), ("junit-2", 1, 1)]


@pytest.mark.parametrize(
    ("said", "because"),
    [
        (NotFound("GET zip", "expired"), "artifact junit-2 is gone"),
        (TooLarge("GET zip", 9), "artifact junit-2 is larger than 33554432 bytes"),
        (HONEST + b"x", "artifact junit-2 has another digest than GitHub lists"),
    ],
)
async def test_one_that_cannot_be_fetched(
    github: dict[int, bytes | Exception], said: bytes | Exception, because: str
) -> None:
    github[2] = said
    assert await read(artifact(1), artifact(2)) == Unread(because)


async def test_an_archive_that_cannot_be_read(github: dict[int, bytes | Exception]) -> None:
    github[2] = b"PK"
    assert await read(artifact(1), artifact(2, None)) == Unread(
        "artifact junit-2: the archive is broken: File is not a zip file"
    )


async def test_too_many_and_too_large_are_not_fetched_at_all(
    github: dict[int, bytes | Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    github.clear()
    monkeypatch.setattr(reports, "MOST_ARTIFACTS", 1)
    assert await read(artifact(1), artifact(2)) == Unread("2 artifacts hold reports, more than 1 are not read")
    monkeypatch.setattr(reports, "MOST_BYTES", len(HONEST) - 1)
    assert await read(artifact(1)) == Unread(
        f"its artifacts with reports are more than {len(HONEST) - 1} bytes together"
    )
