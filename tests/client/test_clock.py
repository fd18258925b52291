"""A clock of ours that is wrong, against the simulated GitHub, which checks what the App signs by its own."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from email.utils import formatdate
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from app.github import installations
from app.github.client import Settings
from app.github.clients import GitHubApp
from app.github.errors import BadCredentials
from app.github.identity import AppIdentity
from app.secret import SecretStr
from tests.client.double import START, GitHubDouble, pem
from tests.github.server import SimulatedGitHub

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("ahead", [-3600, -600, 600, 3600])
async def test_the_app_signs_by_githubs_clock_once_it_was_refused(tmp_path: Path, ahead: int) -> None:
    hub = SimulatedGitHub.create(tmp_path)
    app, key = hub.register_app("mergegate", {"metadata": "read"}, [], None, None)
    await hub.repository("acme/shop", {"README.md": "A shop\n"})
    installation = hub.install(app, "acme")
    github = GitHubApp(
        AppIdentity("gate", app.id, (SecretStr(key),), hub.world.base_url),
        settings=Settings(now=lambda: time.time() + ahead),
        connect=lambda: httpx.ASGITransport(app=hub.app),
    )
    try:
        assert (await installations.this_app(github.app)).id == app.id
        listing = await installations.repositories(github.installation(installation.id))
        await installations.installations(github.app)
    finally:
        await github.aclose()
    assert [one.full_name for one in listing.items] == ["acme/shop"]
    refused = [one.path for one in hub.requests if one.status == 401]
    assert refused == ["/app", f"/app/installations/{installation.id}/access_tokens"], "once for each set of keys"


@pytest.mark.parametrize("other", [pem(1), SecretStr("not a key")], ids=["revoked", "unreadable"])
@pytest.mark.parametrize("good_first", [True, False])
async def test_who_learns_of_the_clock_from_others_still_tries_each_key_by_it(
    github: GitHubDouble, good_first: bool, other: SecretStr
) -> None:
    good: Any = load_pem_private_key(pem(0).get_secret_value().encode(), None).public_key()
    seen, both, released = set[bytes](), asyncio.Barrier(2), asyncio.Event()

    async def mint(request: httpx.Request) -> httpx.Response:
        first, who = request.content not in seen, request.content
        seen.add(who)
        if first:
            await both.wait()
        if first and b'["b"]' in who:  # it is answered when the other one is through
            await released.wait()
        said = request.headers["authorization"].removeprefix("Bearer ")
        with suppress(jwt.InvalidSignatureError):
            jwt.decode(said, good, algorithms=["RS256"], options={"verify_exp": False, "verify_iat": False})
            if _in_time(request, START):
                released.set()
                return github._mint(request)
        return httpx.Response(401, json={"message": "no"}, headers={"date": formatdate(START, usegmt=True)})

    github.mint.mock(side_effect=mint)
    github.clock.now = START + 3600
    client = github.client(keys=(pem(0), other) if good_first else (other, pem(0)))
    await asyncio.gather(*(client.token("git", repository=name) for name in "ab"))
    assert len(github.minted) == 2


@pytest.mark.parametrize("ahead", [3600, 7200])
async def test_a_token_is_kept_for_its_hour_by_githubs_clock(github: GitHubDouble, ahead: int) -> None:
    """By ours it has ended when it comes."""
    date = {"date": formatdate(START, usegmt=True)}

    async def mint(request: httpx.Request) -> httpx.Response:
        said = request.headers["authorization"].removeprefix("Bearer ")
        if jwt.decode(said, options={"verify_signature": False})["iat"] > START:
            return httpx.Response(401, json={"message": "no"}, headers=date)
        return github._mint(request)

    github.mint.mock(side_effect=mint)
    github.life = 3600 - ahead  # of the clock that the double goes by
    github.clock.now = START + ahead
    client = github.client()
    tokens = [(await client.token("git", repository="r")).token for _ in range(3)]
    assert len(set(tokens)) == 1 == len(github.minted)


@pytest.mark.parametrize("stands", [True, False])
async def test_a_date_that_is_not_githubs_is_believed_only_until_that_is_refused_too(
    github: GitHubDouble, stands: bool
) -> None:
    """A machine in front of GitHub Enterprise has a clock of its own, or none; GitHub's is right, and ours."""
    broken = [True]

    async def mint(request: httpx.Request) -> httpx.Response:
        if broken[0] or not _in_time(request, github.clock.now):
            odd = (START if stands else github.clock.now) - 86_400
            return httpx.Response(401, json={"message": "no"}, headers={"date": formatdate(odd, usegmt=True)})
        return github._mint(request)

    github.mint.mock(side_effect=mint)
    client = github.client()
    with pytest.raises(BadCredentials):
        await client.token("git", repository="r")
    assert github.mint.call_count == 2
    broken[0], github.clock.now = False, START + 60
    await client.token("git", repository="r")
    assert github.mint.call_count == 3


async def test_a_date_that_is_not_githubs_keeps_nobody_from_the_other_key(github: GitHubDouble) -> None:
    odd = {"date": formatdate(START - 86_400, usegmt=True)}
    first: list[str] = []

    async def mint(request: httpx.Request) -> httpx.Response:
        said = request.headers["authorization"].partition(".")[2]
        first.append(said)
        if said == first[0] or not _in_time(request, START):
            return httpx.Response(401, json={"message": "no"}, headers=odd)
        return github._mint(request)

    github.mint.mock(side_effect=mint)
    await github.client(keys=(pem(0), pem(1))).token("git", repository="r")
    assert github.mint.call_count == 2


def _in_time(request: httpx.Request, now: float) -> bool:
    said = request.headers["authorization"].removeprefix("Bearer ")
    claims = jwt.decode(said, options={"verify_signature": False})
    return bool(claims["iat"] <= now < claims["exp"] <= now + 600)


async def test_a_key_that_is_refused_for_another_reason_is_tried_once(tmp_path: Path) -> None:
    hub = SimulatedGitHub.create(tmp_path)
    app, _ = hub.register_app("mergegate", {"metadata": "read"}, [], None, None)
    _, other = hub.register_app("other", {"metadata": "read"}, [], None, None)
    github = GitHubApp(
        AppIdentity("gate", app.id, (SecretStr(other),), hub.world.base_url),
        connect=lambda: httpx.ASGITransport(app=hub.app),
    )
    with pytest.raises(BadCredentials):
        await installations.this_app(github.app)
    await github.aclose()
    assert len(hub.requests) == 1


async def test_all_who_asked_by_the_wrong_clock_ask_again(github: GitHubDouble) -> None:
    """The first refusal sets the clock, and is as true for those who had asked before it came."""
    three = asyncio.Barrier(3)

    async def mint(request: httpx.Request) -> httpx.Response:
        said = request.headers["authorization"].removeprefix("Bearer ")
        if jwt.decode(said, options={"verify_signature": False})["iat"] < START:
            return github._mint(request)
        await three.wait()
        return httpx.Response(401, json={"message": "no"}, headers={"date": formatdate(START, usegmt=True)})

    github.mint.mock(side_effect=mint)
    github.clock.now = START + 3600
    client = github.client()
    await asyncio.gather(*(client.token("git", repository=name) for name in "abc"))
    assert len(github.minted) == 3
