"""How often a session may fetch and ask for LFS objects: past it, git and LFS are told when to go on."""

from __future__ import annotations

import json

import pytest

from app.proxy.api.limits import Limits, Requests
from app.proxy.fetching import Fetching
from app.proxy.lfs import Lfs
from tests.proxy.scene import Scene
from tests.proxy.test_attacks_http import ADVERTISEMENT, ask, request, status
from tests.proxy.test_lfs import BATCH, KIND, OID

pytestmark = pytest.mark.anyio
GIT = "/git/acme/shop.git"
FETCH = "Content-Type: application/x-git-upload-pack-request"


@pytest.fixture
def town(shared_town: Scene) -> Scene:
    return shared_town


async def test_fetches_of_an_hour_have_an_end(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    token, _ = await town.open(branch="refs/heads/agent/fetches")
    fetching = town.proxy._fetching
    monkeypatch.setattr(fetching, "_pace", Requests(Limits(burst=4, hourly=60), "fetches"))
    monkeypatch.setattr(fetching, "_now", lambda: 1000.0)
    await town.git("clone", "-q", town.url, "paced", token=token)
    before = len(town.upstream)
    assert status(await ask(town, "GET", GIT + ADVERTISEMENT, token=token)) == 200
    for path in (ADVERTISEMENT, ADVERTISEMENT.replace("upload", "receive")):
        answer = await ask(town, "GET", GIT + path, token=token)
        assert status(answer) == 429 and b"retry-after: 61" in answer.lower()
        assert b"mergegate: This session has made its 60 fetches of an hour. Go on in 61 seconds." in answer
    answer = await town.raw(request("POST", f"{GIT}/git-upload-pack", FETCH, body=b"0000", token=token))
    assert status(answer) == 200 and b"ERR This session has made its 60 fetches of an hour" in answer
    said = await town.git("fetch", cwd=town.folder / "paced", token=token, code=128)
    assert "remote: mergegate: This session has made its 60 fetches of an hour" in said
    assert len(town.upstream) == before + 1
    assert status(await ask(town, "GET", GIT + ADVERTISEMENT)) == 200  # another session
    monkeypatch.setattr(fetching, "_now", lambda: 1061.0)
    assert status(await ask(town, "GET", GIT + ADVERTISEMENT, token=token)) == 200


async def test_requests_for_lfs_have_an_end_too(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    token, _ = await town.open(branch="refs/heads/agent/large")
    monkeypatch.setattr(town.proxy._lfs(), "_pace", Requests(Limits(burst=0, hourly=60), "requests for Git LFS"))
    before = len(town.upstream)
    asked = json.dumps({"operation": "download", "objects": [{"oid": OID, "size": 5}]}).encode()
    batch = await town.raw(request("POST", BATCH, f"Content-Type: {KIND}", body=asked, token=token))
    download = await ask(town, "GET", f"{GIT}/info/lfs/objects/{OID}/5", token=token)
    for answer in (batch, download):
        assert status(answer) == 429 and b"retry-after: " in answer.lower()
        message = json.loads(answer.partition(b"\r\n\r\n")[2])["message"]
        assert message.startswith("This session has made its 60 requests for Git LFS of an hour. Go on in ")
    assert len(town.upstream) == before


def test_the_usual_numbers_are_those_of_the_settings() -> None:
    """A whole checkout may ask at once, a fetch that repeats itself may not."""
    fetching, lfs = Fetching(None, None), Lfs(None, None)  # type: ignore[arg-type]
    assert (fetching._pace._limits.burst, fetching._pace._limits.hourly) == (300, 3000)
    assert (lfs._pace._limits.burst, lfs._pace._limits.hourly) == (20_000, 20_000)
    assert Fetching(None, None, 50)._pace._limits.burst == 50  # type: ignore[arg-type]
