"""Headers against real exchanges: github3.py 4.0.1's recordings (BSD-3), ../shared/github/recorded."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest

from tests.github.server import SimulatedGitHub
from tests.simulator.shop import as_user, client, shop

pytestmark = pytest.mark.anyio
FILE = Path(__file__).resolve().parents[2] / "../shared/github/recorded/github3py-4.0.1.jsonl"
OLD = 2021
# `status` repeated the status line before HTTP/2; `last-modified` is on some answers only, and ours have validators.
NOT_SENT = {"status", "last-modified"}


@pytest.fixture(scope="module")
def recorded() -> list[dict[str, Any]]:
    if not FILE.is_file():
        pytest.skip("needs ../shared/github/recorded (real exchanges)")
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["year"] >= OLD]


async def ours(hub: SimulatedGitHub) -> dict[str, list[httpx.Response]]:
    """Answers of the kinds that were recorded."""
    await shop(hub)
    base = "/repos/acme/shop"
    async with as_user(hub, "ada") as api:
        read = [await api.get(path) for path in (base, f"{base}/branches/main", f"{base}/issues", "/user")]
        made = [await api.post(f"{base}/issues", json={"title": "T"})]
        made.append(await api.post(f"{base}/issues/1/comments", json={"body": "B"}))
        made.append(await api.post(f"{base}/labels", json={"name": "l"}))
    return {"GET": read, "POST": made}


async def test_we_send_every_header_that_was_recorded(hub: SimulatedGitHub, recorded: list[dict[str, Any]]) -> None:
    answers, compared = await ours(hub), 0
    for method, status in (("GET", 200), ("POST", 201)):
        rows = [r for r in recorded if r["op"].startswith(method) and r["status"] == status]
        wanted = set.intersection(*(set(r["headers"]) for r in rows)) - NOT_SENT
        for answer in answers[method]:
            assert answer.status_code == status
            assert wanted <= set(answer.headers), answer.url
            compared += 1
    assert compared == 7


async def test_forms_of_header_values(hub: SimulatedGitHub, recorded: list[dict[str, Any]]) -> None:
    forms = {
        "etag": r'(W/)?"[0-9a-f]+"',
        "cache-control": r"(private|public), max-age=60, s-maxage=60",
        "content-type": r"application/json; charset=utf-8",
        "x-github-media-type": r"github\.v3;.* format=json",
        "vary": r"Accept(, Authorization, Cookie, X-GitHub-OTP.*|, Accept-Encoding, Accept, X-Requested-With)?",
        "date": r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT",
        "x-ratelimit-limit": r"\d+",
    }
    real = [r["headers"] for r in recorded if r["status"] in (200, 201) and r["body"]]
    answers = await ours(hub)
    for headers in [*real, *(dict(a.headers) for method in answers.values() for a in method)]:
        for name, form in forms.items():
            if name in headers:
                assert re.fullmatch(form, headers[name]), (name, headers[name])


async def test_what_is_created_has_an_address(hub: SimulatedGitHub, recorded: list[dict[str, Any]]) -> None:
    with_address = [r for r in recorded if r["status"] == 201 and "url" in (r["body"] or {})]
    assert with_address
    assert all(r["headers"]["location"] == r["body"]["url"] for r in with_address)
    for answer in (await ours(hub))["POST"]:
        assert answer.headers["location"] == answer.json()["url"]


async def test_public_answers(hub: SimulatedGitHub, recorded: list[dict[str, Any]]) -> None:
    """Without a credential, and to an App's own assertion, answers may be cached by everybody."""
    await shop(hub)
    app, key = hub.register_app("gate", {}, [])
    now = int(time.time())
    assertion = jwt.encode({"iat": now, "exp": now + 60, "iss": str(app.id)}, key, "RS256")
    async with client(hub) as nobody, client(hub, assertion) as holder:
        ours = {"anonymous": await nobody.get("/repos/acme/shop"), "app": await holder.get("/app")}
    theirs = {
        "anonymous": [r["headers"] for r in recorded if r["headers"].get("x-ratelimit-limit") == "60"],
        "app": [r["headers"] for r in recorded if r["op"] == "GET /app"],
    }
    for caller, rows in theirs.items():
        assert rows, caller
        for headers in rows:
            assert ours[caller].headers["cache-control"] == headers["cache-control"]
            assert ours[caller].headers.get("x-ratelimit-limit") == headers.get("x-ratelimit-limit")
