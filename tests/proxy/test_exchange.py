"""Exchanging a workload identity for a session: an issuer on this machine, a trust file in the repository."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from starlette.applications import Starlette
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from app.proxy.trust import TRUST_PATH, BadTrust, read_trust
from app.proxy.used_identities import identity_of
from app.store.database import Database
from checks.steering import STEERING
from tests.proxy.scene import Scene, scene, serving
from tests.proxy.test_attacks_http import ADVERTISEMENT, ask, request, status

pytestmark = pytest.mark.anyio
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Issuer:
    """An OpenID provider: its keys, and what it answers."""

    def __init__(self) -> None:
        self.address = ""
        self.keys: list[dict[str, Any]] = [jwk(KEY, "one")]
        self.instead: Response | None = None
        self.asked = 0
        self.app = Starlette(
            routes=[Route("/.well-known/openid-configuration", self._discovery), Route("/keys", self._keys)]
        )

    async def _discovery(self, _: object) -> Response:
        return self.instead or JSONResponse({"issuer": self.address, "jwks_uri": f"{self.address}/keys"})

    async def _keys(self, _: object) -> Response:
        self.asked += 1
        return JSONResponse({"keys": self.keys})


def jwk(key: rsa.RSAPrivateKey, kid: str) -> dict[str, Any]:
    public: dict[str, Any] = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
    return public | {"kid": kid, "use": "sig", "alg": "RS256"}


TRUST = """\
version: 1
trust:
  - issuer: {issuer}
    audience: mergegate
    claims: {{repository_id: "77", event_name: workflow_dispatch}}
    patterns: {{sub: 'repo:acme/agents:.*', ref: 'refs/heads/(main|release)'}}
    branches: [agent/ci/*]
    agent: ci
    operator: ada
    rights: [push]
    hours: 1
"""
CLAIMS = {
    "aud": "mergegate",
    "sub": "repo:acme/agents:ref:refs/heads/main",
    "repository_id": "77",
    "event_name": "workflow_dispatch",
    "ref": "refs/heads/main",
}


@pytest.fixture
async def town(tmp_path: Path, database: Database) -> AsyncIterator[tuple[Scene, Issuer]]:
    issuer = Issuer()
    async with serving(issuer.app) as port:
        issuer.address = f"http://127.0.0.1:{port}"
        async with scene(tmp_path, database, issuers=(issuer.address,)) as made:
            text = TRUST.format(issuer=issuer.address)
            await made.github.push(made.shop, "main", {TRUST_PATH: text}, author="ada", message="Trust")
            yield made, issuer


def identity(issuer: Issuer, key: Any = KEY, kid: str = "one", algorithm: str = "RS256", **changes: Any) -> str:
    now = int(time.time())
    claims = CLAIMS | {"iss": issuer.address, "iat": now, "exp": now + 300} | changes
    given = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(given, key, algorithm=algorithm, headers={"kid": kid})


async def exchange(
    town: Scene, token: str, branch: str = "agent/ci/one", repository: str = "acme/shop"
) -> tuple[int, dict[str, Any]]:
    body = json.dumps({"repository": repository, "branch": branch}).encode()
    answer = await town.raw(request("POST", "/session/exchange", body=body, token=token))
    said = answer.partition(b"\r\n\r\n")[2]
    return status(answer), json.loads(said) if said.startswith(b"{") else {"message": said.decode()}


async def test_an_identity_becomes_a_session(town: tuple[Scene, Issuer]) -> None:
    made, issuer = town
    code, opened = await exchange(made, identity(issuer))
    assert code == 201 and opened["branch"] == "refs/heads/agent/ci/one" and opened["rights"] == ["push"]
    assert (opened["agent"], opened["operator"]) == ("ci", "ada")
    assert status(await ask(made, "GET", "/git/acme/shop" + ADVERTISEMENT, token=opened["token"])) == 200
    code, again = await exchange(made, identity(issuer, jti="again"))
    assert code == 422 and "belongs to another live session" in again["message"]
    code, _ = await exchange(made, identity(issuer, aud=["other", "mergegate"]), "refs/heads/agent/ci/two")
    assert code == 201 and issuer.asked == 1


async def test_an_identity_is_exchanged_once(town: tuple[Scene, Issuer]) -> None:
    """Whoever reads it afterwards, in a log say, opens nothing with it, on another branch neither."""
    made, issuer = town
    token = identity(issuer)
    assert (await exchange(made, token, "agent/other"))[0] == 403
    answers = await asyncio.gather(*(exchange(made, token, f"agent/ci/{name}") for name in ("a", "b", "c")))
    assert sorted(code for code, _ in answers) == [201, 401, 401]
    assert (
        sum(
            "has opened a session before; ask its issuer for a new one" in said.get("message", "")
            for _, said in answers
        )
        == 2
    )
    assert (await exchange(made, token, "agent/ci/d"))[0] == 401
    fresh = identity(issuer, jti="fresh")
    taken = next(said["branch"] for code, said in answers if code == 201)
    assert (await exchange(made, fresh, taken))[0] == 422
    assert (await exchange(made, fresh, "agent/ci/d"))[0] == 201


def test_another_signature_on_the_same_words_is_the_same_identity() -> None:
    """With (r, s) also (r, n - s) is a signature by ECDSA, which anybody can make of it."""
    key = ec.generate_private_key(ec.SECP256R1())
    token = jwt.encode({"sub": "x"}, key, algorithm="ES256")
    words, _, signature = token.rpartition(".")
    raw = base64.urlsafe_b64decode(signature + "==")
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    other = raw[:32] + (order - int.from_bytes(raw[32:], "big")).to_bytes(32, "big")
    forged = f"{words}.{base64.urlsafe_b64encode(other).rstrip(b'=').decode()}"
    assert jwt.decode(forged, key.public_key(), algorithms=["ES256"]) == {"sub": "x"} and forged != token
    assert identity_of(forged, 1e20) == identity_of(token, 1e20)


async def test_who_gets_none(town: tuple[Scene, Issuer]) -> None:
    made, issuer = town
    now = int(time.time())
    none = base64.urlsafe_b64encode(b'{"alg":"none","kid":"one"}').rstrip(b"=").decode()
    genuine = identity(issuer)
    head, body, signature = genuine.split(".")
    rows = [
        (401, identity(issuer, OTHER)),
        (401, identity(issuer, kid="two")),
        (401, identity(issuer, exp=now - 60)),
        (401, identity(issuer, iat=now + 600)),
        (401, identity(issuer, nbf=now + 600)),
        (401, identity(issuer, exp=None)),
        (401, identity(issuer, sub=None)),
        (401, identity(issuer, iss="https://evil.example")),
        (401, identity(issuer, iss=issuer.address + "/")),
        (401, identity(issuer, KEY.public_key().public_numbers().n.to_bytes(256, "big"), algorithm="HS256")),
        (401, f"{none}.{body}."),
        (401, f"{head}.{body}.{signature[:-4]}AAAA"),
        (401, "x"),
        (401, "a.b.c"),
        (401, "x" * 20_000),
        (401, made.token),
        (403, identity(issuer, aud="other")),
        (403, identity(issuer, aud=["mergegate2"])),
        (403, identity(issuer, repository_id="78")),
        (403, identity(issuer, repository_id=77)),
        (403, identity(issuer, event_name=None)),
        (403, identity(issuer, ref="refs/heads/main2")),
        (403, identity(issuer, ref="refs/heads/main\nrefs/heads/main")),
        (403, identity(issuer, sub="xrepo:acme/agents:ref")),
        (401, identity(issuer, sub=["repo:acme/agents:x"])),
    ]
    for number, (code, token) in enumerate(rows):
        answered, said = await exchange(made, token)
        assert answered in (code, 431) and "token" not in said, (number, answered, said)
    for branch in ("agent/other", "main", "agent/ci", "refs/tags/agent/ci/x"):
        assert (await exchange(made, genuine, branch))[0] == 403
    for repository in ("acme/other", "acme/missing", "other/shop"):
        answered, said = await exchange(made, genuine, repository=repository)
        assert answered == 403 and said["message"].startswith("No rule of")
    assert (await exchange(made, genuine, "agent/ci/../x"))[0] in (403, 422)
    assert (await exchange(made, genuine, repository="acme"))[0] == 422


async def test_the_issuer_fails_or_lies(town: tuple[Scene, Issuer]) -> None:
    made, issuer = town
    for answer in (
        Response("down", 503),
        Response("<html>"),
        RedirectResponse("http://127.0.0.1:9/x"),
        JSONResponse({"issuer": "https://other.example", "jwks_uri": f"{issuer.address}/keys"}),
        JSONResponse({"issuer": issuer.address, "jwks_uri": "http://169.254.169.254/keys"}),
        JSONResponse({"issuer": issuer.address}),
        JSONResponse([]),
        Response("[" * 100_000),
        Response("x" * 300_000),
    ):
        issuer.instead = answer
        code, said = await exchange(made, identity(issuer))
        assert code == 503 and "Try again" in said["message"]
    issuer.instead = None
    assert (await exchange(made, identity(issuer)))[0] == 201


async def test_new_keys_are_looked_for_but_not_for_every_token(town: tuple[Scene, Issuer]) -> None:
    made, issuer = town
    assert (await exchange(made, identity(issuer)))[0] == 201
    issuer.keys = [jwk(OTHER, "two")]
    for _ in range(3):
        assert (await exchange(made, identity(issuer, OTHER, "two"), "agent/ci/b"))[0] == 401
    assert issuer.asked == 1
    identities = made.proxy._others._managing.exchanging._identities  # type: ignore[attr-defined]
    identities._now = lambda: time.monotonic() + 61
    assert (await exchange(made, identity(issuer, OTHER, "two"), "agent/ci/b"))[0] == 201
    assert issuer.asked == 2


def test_a_change_of_the_trust_file_steers_the_gate() -> None:
    """No policy lets an agent widen by itself what agents may."""
    assert TRUST_PATH in STEERING["gate"]


RULE = TRUST.format(issuer="https://token.actions.githubusercontent.com")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("version: 1", "version: 2", "version"),
        ('    claims: {repository_id: "77", event_name: workflow_dispatch}\n', "", "claims"),
        ('{repository_id: "77", event_name: workflow_dispatch}', "{}", "claims"),
        ("audience: mergegate", "audience: ''", "audience"),
        ("refs/heads/(main|release)", "(", "pattern"),
        ("refs/heads/(main|release)", "(?=x)", "pattern"),
        ("[agent/ci/*]", "[]", "branches"),
        ("rights: [push]", "rights: [admin]", "rights"),
        ("hours: 1", "hours: 100", "hours"),
        ("hours: 1", "hours: 1\n    hours: 2", "hours"),
        ("agent: ci", "agent: ci\n    extra: 1", "extra"),
        ("issuer: https", "issuer: ftp", "issuer"),
        (RULE, "version: 1\ntrust: []\n", "trust"),
        (RULE, "x" * 70_000, "mergegate-trust.yml: "),
        (RULE, "- 1", "mergegate-trust.yml: "),
    ],
)
def test_a_trust_file_with_a_fault_is_none(old: str, new: str, said: str) -> None:
    assert read_trust(RULE).trust[0].agent == "ci"
    with pytest.raises(BadTrust, match=said):
        read_trust(RULE.replace(old, new))
