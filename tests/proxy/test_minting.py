"""Asking GitHub for a token: keys in rotation, and each refusal as the error that says who must act."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.github.errors import (
    BadCredentials,
    GitHubDown,
    GitHubError,
    InstallationGone,
    RateLimited,
    Refused,
    UnexpectedAnswer,
)
from app.github.identity import AppIdentity
from app.proxy.courier import Courier
from app.proxy.minting import Minting
from app.proxy.upstream import Upstream
from app.secret import SecretStr
from tests.proxy.build import grant
from tests.proxy.scene import serving

pytestmark = pytest.mark.anyio
TOKEN = "ghs_" + "s" * 300
GOOD: dict[str, Any] = {
    "token": TOKEN,
    "expires_at": "2099-01-01T00:00:00Z",
    "permissions": {"contents": "read", "metadata": "read"},
    "repositories": [{"id": 42, "full_name": "acme/shop"}],
}


def pem() -> SecretStr:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return SecretStr(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode())


class GitHub:
    def __init__(self) -> None:
        self.answers: list[Response] = []
        self.seen: list[tuple[str, Any, str]] = []
        self.app = Starlette(routes=[Route("/{path:path}", self._answer, methods=["POST"])])

    async def _answer(self, request: Request) -> Response:
        self.seen.append((request.url.path, await request.json(), request.headers["authorization"]))
        return self.answers.pop(0)


class PickyGitHub(GitHub):
    """Takes one key only, and answers nobody before four have asked."""

    def __init__(self, key: SecretStr) -> None:
        super().__init__()
        self._key: Any = serialization.load_pem_private_key(key.get_secret_value().encode(), None).public_key()
        self._four = asyncio.Event()

    async def _answer(self, request: Request) -> Response:
        said = request.headers["authorization"]
        self.seen.append((request.url.path, await request.json(), said))
        if len(self.seen) == 4:
            self._four.set()
        await self._four.wait()
        try:
            jwt.decode(said.removeprefix("Bearer "), self._key, algorithms=["RS256"])
        except jwt.InvalidSignatureError:
            return JSONResponse({"message": "no"}, 401)
        return JSONResponse(GOOD, 201)


@pytest.fixture(scope="module")
def keys() -> tuple[SecretStr, SecretStr]:
    return pem(), pem()


@pytest.fixture
async def asked(keys: tuple[SecretStr, SecretStr]) -> AsyncIterator[tuple[GitHub, Minting]]:
    github = GitHub()
    async with serving(github.app) as port, Upstream(f"http://127.0.0.1:{port}/api/v3") as upstream:
        identity = AppIdentity("courier", 5, keys, upstream.api_url)
        yield github, Minting(identity, upstream)


async def _mint(minting: Minting) -> str:
    return (await minting(7, 42, {"contents": "read"})).token.get_secret_value()


async def test_what_is_asked_for(asked: tuple[GitHub, Minting]) -> None:
    github, minting = asked
    github.answers = [JSONResponse(GOOD, 201)]
    assert await _mint(minting) == TOKEN
    ((path, body, _),) = github.seen
    assert path == "/api/v3/app/installations/7/access_tokens"
    assert body == {"repository_ids": [42], "permissions": {"contents": "read"}}


async def test_the_other_key_is_tried_and_kept(asked: tuple[GitHub, Minting]) -> None:
    github, minting = asked
    github.answers = [JSONResponse({"message": "no"}, 401), *(JSONResponse(GOOD, 201) for _ in range(2))]
    await _mint(minting)
    await _mint(minting)
    first, second, third = (one[2].split(".")[2] for one in github.seen)
    assert first != second and len(github.seen) == 3 and third
    github.answers = [JSONResponse({"message": "no"}, 401) for _ in range(2)]
    with pytest.raises(BadCredentials):
        await _mint(minting)


@pytest.mark.parametrize("good_first", [True, False])
async def test_githubs_refusal_says_more_than_that_the_other_key_cannot_be_read(
    keys: tuple[SecretStr, SecretStr], good_first: bool
) -> None:
    github = GitHub()
    github.answers = [JSONResponse({"message": "could not be decoded"}, 401)]
    async with serving(github.app) as port, Upstream(f"http://127.0.0.1:{port}/api/v3") as upstream:
        both = (keys[0], SecretStr("not a key"))
        minting = Minting(AppIdentity("courier", 5, both if good_first else both[::-1], upstream.api_url), upstream)
        with pytest.raises(BadCredentials, match="could not be decoded"):
            await _mint(minting)


async def test_where_no_key_can_be_read_github_is_not_asked() -> None:
    github = GitHub()
    async with serving(github.app) as port, Upstream(f"http://127.0.0.1:{port}/api/v3") as upstream:
        identity = AppIdentity("courier", 5, (SecretStr("not a key"), SecretStr("")), upstream.api_url)
        with pytest.raises(BadCredentials, match="is no RSA key in PEM form"):
            await _mint(Minting(identity, upstream))
        with pytest.raises(BadCredentials, match="has no private key"):
            await _mint(Minting(replace(identity, private_keys=()), upstream))
    assert github.seen == []


@pytest.mark.parametrize("refused", [1, 2])
async def test_many_at_once_try_each_key(refused: int, keys: tuple[SecretStr, SecretStr]) -> None:
    """None passes over the good key because another one has moved on to it meanwhile."""
    github = PickyGitHub(keys[1])
    async with serving(github.app) as port, Upstream(f"http://127.0.0.1:{port}/api/v3") as upstream:
        all_keys = (*(pem() for _ in range(refused)), keys[1])
        minting = Minting(AppIdentity("courier", 5, all_keys, upstream.api_url), upstream)
        assert await asyncio.gather(*(_mint(minting) for _ in range(4))) == [TOKEN] * 4


async def test_a_good_key_behind_one_that_is_no_key_is_used(keys: tuple[SecretStr, SecretStr]) -> None:
    github = GitHub()
    github.answers = [JSONResponse(GOOD, 201)]
    async with serving(github.app) as port, Upstream(f"http://127.0.0.1:{port}/api/v3") as upstream:
        identity = AppIdentity("courier", 5, (SecretStr("not a key"), keys[0]), upstream.api_url)
        assert await _mint(Minting(identity, upstream)) == TOKEN


class PunctualGitHub(GitHub):
    """Takes what was signed in the past and ends within ten minutes, by its own clock, which is right.

    `answers` come first; `front` are the seconds by which what it writes as its date is wrong.
    https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
    """

    good, front = GOOD, 0.0

    def date(self) -> dict[str, str]:
        return {"Date": formatdate(time.time() + self.front, usegmt=True)}

    async def _answer(self, request: Request) -> Response:
        if self.answers:
            return await super()._answer(request)
        said = request.headers["authorization"]
        self.seen.append((request.url.path, await request.json(), said))
        claims = jwt.decode(said.removeprefix("Bearer "), options={"verify_signature": False})
        now = time.time()
        if claims["iat"] <= now < claims["exp"] <= now + 600:
            return JSONResponse(self.good, 201, self.date())
        return JSONResponse({"message": "A claim of its time is wrong"}, 401, self.date())


@pytest.mark.parametrize("ahead", [600, -600])
async def test_a_clock_that_is_wrong_is_noticed_once(keys: tuple[SecretStr, SecretStr], ahead: float) -> None:
    github = PunctualGitHub()
    clock = [ahead]
    async with serving(github.app) as port, Upstream(f"http://127.0.0.1:{port}/api/v3") as upstream:
        identity = AppIdentity("courier", 5, keys[:1], upstream.api_url)
        minting = Minting(identity, upstream, lambda: time.time() + clock[0])
        assert await _mint(minting) == TOKEN
        assert len(github.seen) == 2
        assert await asyncio.gather(*(_mint(minting) for _ in range(4))) == [TOKEN] * 4
        assert len(github.seen) == 6
        clock[0] = 0  # somebody has set it
        assert await asyncio.gather(*(_mint(minting) for _ in range(4))) == [TOKEN] * 4
        github.seen.clear()
        assert await _mint(minting) == TOKEN
        assert len(github.seen) == 1


async def test_a_token_is_kept_for_its_hour_by_githubs_clock(keys: tuple[SecretStr, SecretStr]) -> None:
    """By ours it has ended when it comes."""
    github = PunctualGitHub()
    github.good = {**GOOD, "expires_at": datetime.fromtimestamp(time.time() + 3600, UTC).isoformat()}
    async with serving(github.app) as port, Upstream(f"http://127.0.0.1:{port}/api/v3") as upstream:
        identity = AppIdentity("courier", 5, keys[:1], upstream.api_url)
        ahead = [3600]
        minting = Minting(identity, upstream, lambda: time.time() + ahead[0])
        courier = Courier(minting, upstream.revoke, lambda: time.time() + ahead[0])
        for _ in range(3):
            await courier.token(grant(), {"contents": "read"})
        assert len(github.seen) == 2, "refused once for the clock, and minted once"


@pytest.mark.parametrize("further", [0, -60])
async def test_a_date_that_is_not_githubs_is_believed_only_until_that_is_refused_too(
    keys: tuple[SecretStr, SecretStr], further: float
) -> None:
    """A machine in front of GitHub Enterprise has a clock of its own, or none; GitHub's is right, and ours."""
    github = PunctualGitHub()
    github.front = -86_400
    github.answers = [JSONResponse({"message": "no"}, 401, github.date())]
    async with serving(github.app) as port, Upstream(f"http://127.0.0.1:{port}/api/v3") as upstream:
        minting = Minting(AppIdentity("courier", 5, keys[:1], upstream.api_url), upstream)
        with pytest.raises(BadCredentials):
            await _mint(minting)
        assert len(github.seen) == 2
        github.front += further
        assert await _mint(minting) == TOKEN
        assert len(github.seen) == 3


async def test_a_refusal_that_is_not_for_the_clock_is_not_asked_about_again(asked: tuple[GitHub, Minting]) -> None:
    github, minting = asked
    github.answers = [JSONResponse({"message": "no"}, 401, {"Date": formatdate(usegmt=True)}) for _ in range(2)]
    with pytest.raises(BadCredentials):
        await _mint(minting)
    assert len(github.seen) == 2  # one for each key


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (JSONResponse({"message": "x"}, 500), GitHubDown),
        (JSONResponse({"message": "Integration not found"}, 404), InstallationGone),
        (JSONResponse({"message": "This installation has been suspended"}, 403), InstallationGone),
        (JSONResponse({"message": "You have exceeded a secondary rate limit"}, 403), RateLimited),
        (JSONResponse({"message": "x"}, 429, {"retry-after": "30"}), RateLimited),
        (JSONResponse({"message": "no"}, 403), Refused),
        (JSONResponse({"message": "The permissions requested are not granted to this installation."}, 422), Refused),
        (JSONResponse({"message": "x"}, 418), UnexpectedAnswer),
        (JSONResponse({"token": TOKEN}, 201), UnexpectedAnswer),
        (Response("<html>", 201), UnexpectedAnswer),
        (Response("[" * 1000, 403), Refused),
        (Response("x" * 300_000, 201), GitHubDown),
    ],
)
async def test_refusals(asked: tuple[GitHub, Minting], answer: Response, error: type[GitHubError]) -> None:
    github, minting = asked
    github.answers = [answer]
    with pytest.raises(error) as raised:
        await _mint(minting)
    assert TOKEN not in str(raised.value) and TOKEN not in repr(raised.value.__context__)


@pytest.mark.parametrize(
    "changes",
    [
        {"repositories": []},
        {"repositories": [{"id": 43, "full_name": "acme/other"}]},
        {"repositories": [{"id": 42, "full_name": "acme/shop"}, {"id": 43, "full_name": "acme/other"}]},
        {"permissions": {"contents": "write", "metadata": "read"}},
        {"permissions": {"contents": "read", "workflows": "write"}},
    ],
)
async def test_a_token_that_may_do_more_is_not_used(asked: tuple[GitHub, Minting], changes: dict[str, Any]) -> None:
    github, minting = asked
    github.answers = [JSONResponse(GOOD | changes, 201)]

    async def revoke(_: SecretStr) -> None:
        raise AssertionError

    with pytest.raises(UnexpectedAnswer):
        await Courier(minting, revoke).token(grant(), {"contents": "read"})
