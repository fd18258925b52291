"""T44: Git LFS through the proxy. GitHub's part is played by answers in the documented form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.responses import JSONResponse, PlainTextResponse, Response

from tests.proxy.scene import Scene
from tests.proxy.test_attacks_http import request, status

pytestmark = pytest.mark.anyio

KIND = "application/vnd.git-lfs+json"
BATCH = "/git/acme/shop.git/info/lfs/objects/batch"
OID, CONTENT = "a" * 64, b"large" * 10
SIZE = len(CONTENT)


@pytest.fixture
def town(shared_town: Scene) -> Iterator[Scene]:
    yield shared_town
    shared_town.instead.clear()


def kept_at(town: Scene, href: str, **header: str) -> None:
    """GitHub keeps the object there."""
    action = {"href": href, "header": header, "expires_in": 3600}
    found = {"oid": OID, "size": SIZE, "authenticated": True, "actions": {"download": action}}

    def github(method: str, target: str) -> Response | None:
        if target == "/acme/shop.git/info/lfs/objects/batch":
            return JSONResponse({"transfer": "basic", "objects": [found]}, media_type=KIND)
        return PlainTextResponse(CONTENT.decode()) if target == "/store/object?signature=s3cret" else None

    town.instead[:] = [github]


async def batch(town: Scene, **changes: Any) -> tuple[int, dict[str, Any]]:
    asked = {"operation": "download", "objects": [{"oid": OID, "size": SIZE}], "ref": {"name": "refs/heads/main"}}
    raw = request(
        "POST",
        BATCH,
        f"Content-Type: {KIND}; charset=utf-8",
        body=json.dumps(asked | changes).encode(),
        token=town.token,
    )
    answer = await town.raw(raw)
    body = answer.partition(b"\r\n\r\n")[2]
    return status(answer), json.loads(body) if body.startswith(b"{") else {"text": body.decode()}


async def test_a_download_goes_through_the_proxy_and_shows_no_credential(town: Scene) -> None:
    kept_at(town, f"{town.github.world.base_url}/store/object?signature=s3cret", Authorization="RemoteAuth s3cret2")
    before = len(town.upstream)
    code, answer = await batch(town)
    (found,) = answer["objects"]
    assert code == 200 and "s3cret" not in str(answer)
    assert found["actions"]["download"] == {"href": f"http://proxy/git/acme/shop.git/info/lfs/objects/{OID}/{SIZE}"}
    path = found["actions"]["download"]["href"].removeprefix("http://proxy")
    raw = await town.raw(request("GET", path, token=town.token))
    assert status(raw) == 200 and raw.endswith(CONTENT) and b"s3cret" not in raw
    fetched = town.upstream[-1]
    assert fetched.target == "/store/object?signature=s3cret"
    assert fetched.headers["authorization"] == "RemoteAuth s3cret2"
    assert all(town.token not in str(one) for one in town.upstream[before:])
    assert status(await town.raw(request("GET", path))) == 401
    assert status(await town.raw(request("GET", path.replace("shop", "other"), token=town.token))) == 404


async def test_uploads_are_refused_with_the_reason(town: Scene) -> None:
    before = len(town.upstream)
    code, answer = await batch(town, operation="upload")
    assert code == 403 and "takes none from them" in answer["message"]
    assert len(town.upstream) == before


@pytest.mark.parametrize(
    "href",
    [
        "http://169.254.169.254/latest/meta-data/",
        "https://169.254.169.254/x",
        "http://127.0.0.1:1/x",
        "https://localhost/x",
        "https://evil.example/x",
        "http://github-cloud.githubusercontent.com/x",
        "https://github-cloud.githubusercontent.com:8443/x",
        "https://github-cloud.githubusercontent.com.evil.example/x",
        "https://evil@github-cloud.githubusercontent.com/x",
        "https://github-cloud.githubusercontent.com@evil.example/x",
        "file:///etc/passwd",
        "//evil.example/x",
        "https://[::1]/x",
        "https://github-cloud.githubusercontent.com:x/",
        "",
    ],
)
async def test_objects_kept_elsewhere_are_not_fetched(town: Scene, href: str) -> None:
    kept_at(town, href)
    code, answer = await batch(town)
    assert code == 200 and "actions" not in answer["objects"][0] and "does not fetch" in str(answer)
    before = len(town.upstream)
    path = f"/git/acme/shop.git/info/lfs/objects/{OID}/{SIZE}"
    assert status(await town.raw(request("GET", path, token=town.token))) == 404
    assert len(town.since(before)) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"operation": "delete"},
        {"operation": None},
        {"objects": []},
        {"objects": [{"oid": "../../etc", "size": 1}]},
        {"objects": [{"oid": OID, "size": -1}]},
        {"objects": [{"oid": OID, "size": "1"}]},
        {"objects": [{"oid": OID, "size": 1}] * 1001},
        {"hash_algo": "md5"},
    ],
)
async def test_requests_that_are_none(town: Scene, changes: dict[str, Any]) -> None:
    before = len(town.upstream)
    code, _ = await batch(town, **changes)
    assert code == 422 and len(town.upstream) == before


async def test_what_github_answers_otherwise(town: Scene) -> None:
    for answer, code in (
        (PlainTextResponse("x", 503), 503),
        (PlainTextResponse("x", 404), 502),
        (PlainTextResponse("<html>"), 503),
        (JSONResponse({"objects": [{"oid": OID}]}), 503),
        (JSONResponse({"objects": [], "x": "y" * 9_000_000}), 503),
    ):
        town.instead[:] = [lambda _, target, a=answer: a if target.endswith("/batch") else None]  # type: ignore[misc]
        assert (await batch(town))[0] == code
    missing = {"oid": OID, "size": SIZE, "error": {"code": 404, "message": "Object \x1b[2Jdoes not exist"}}
    town.instead[:] = [lambda _, target: JSONResponse({"objects": [missing]}) if target.endswith("/batch") else None]
    _, answer_ = await batch(town)
    assert answer_["objects"][0]["error"]["code"] == 404 and "\x1b" not in str(answer_)
