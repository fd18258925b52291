"""The operators' HTTP API on a socket: opening by the policy, stopping for good, and nothing without its token."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.secret import SecretStr
from tests.proxy.scene import OPERATOR, Scene
from tests.proxy.test_attacks_http import ADVERTISEMENT, ask, request, status

pytestmark = pytest.mark.anyio


@pytest.fixture
def town(shared_town: Scene) -> Scene:
    return shared_town


async def call(
    town: Scene, method: str, path: str, body: object = None, token: str | None = OPERATOR
) -> tuple[int, Any]:
    raw = b"" if body is None else json.dumps(body).encode()
    answer = await town.raw(request(method, f"/operator/{path}", body=raw, token=token))
    said = answer.partition(b"\r\n\r\n")[2]
    return status(answer), json.loads(said) if said[:1] in b"{[" else said


async def test_a_session_by_http(town: Scene) -> None:
    asked = {"repository": "acme/shop", "branch": "agent/http", "ticket": 7, "operator": "ada", "rights": ["push"]}
    code, opened = await call(town, "POST", "sessions", asked | {"hours": 1})
    assert code == 201 and opened["branch"] == "refs/heads/agent/http" and opened["rights"] == ["push"]
    number, token = opened["session"], opened["token"]
    assert status(await ask(town, "GET", "/git/acme/shop" + ADVERTISEMENT, token=token)) == 200
    code, shown = await call(town, "GET", f"sessions/{number}")
    assert code == 200 and "token" not in shown and shown["ticket"] == 7
    assert number in [one["session"] for one in (await call(town, "GET", "sessions"))[1]]
    code, shown = await call(town, "PATCH", f"sessions/{number}", {"frozen": "look", "say": "hello", "hours": 2})
    assert code == 200 and shown["frozen"] == "look" and shown["messages"] == ["hello"]
    holder = await town.raw(request("GET", "/session", token=token))
    assert status(holder) == 200 and b'"frozen": "look"' in holder and b"and nothing else" in holder
    assert (await call(town, "PATCH", f"sessions/{number}", {"frozen": False}))[1]["frozen"] is None
    code, stopped = await call(town, "DELETE", f"sessions/{number}", {"because": "done"})
    assert code == 200 and stopped["confirmed"] and stopped["oid"] is None
    assert (await call(town, "PATCH", f"sessions/{number}", {"hours": 2}))[0] == 409
    assert number not in [one["session"] for one in (await call(town, "GET", "sessions"))[1]]
    assert number in [one["session"] for one in (await call(town, "GET", "sessions?all=1"))[1]]
    assert status(await ask(town, "GET", "/git/acme/shop" + ADVERTISEMENT, token=token)) == 403


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ({"repository": "acme/shop", "branch": "main"}, 422, "not among the agents' branches"),
        ({"repository": "acme/missing", "branch": "agent/x"}, 422, "does not see acme/missing"),
        ({"repository": "acme", "branch": "agent/x"}, 422, "repository"),
        ({"repository": "acme/shop"}, 422, "branch"),
        ({"repository": "acme/shop", "branch": "agent/x", "hours": 1000}, 422, "hours"),
        ({"repository": "acme/shop", "branch": "agent/x", "hours": 5e-324}, 422, "hours"),
        ({"repository": "acme/shop", "branch": "agent/x", "rights": ["admin"]}, 422, "rights"),
        ({"repository": "acme/shop", "branch": "agent/x", "extra": 1}, 422, "extra"),
        ([], 422, ""),
        ({"repository": "acme/shop", "branch": "agent/" + "x" * 20_000}, 408, "longer than"),
    ],
)
async def test_what_is_not_opened(town: Scene, body: object, code: int, said: str) -> None:
    answered, value = await call(town, "POST", "sessions", body)
    assert answered == code and said in str(value)


async def test_only_with_the_operators_token(town: Scene) -> None:
    for token in (None, town.token, OPERATOR + "x", OPERATOR[:-1], "x"):
        for method, path in (("GET", "sessions"), ("DELETE", "sessions/1"), ("POST", "sessions")):
            assert (await call(town, method, path, token=token))[0] == 401


async def test_while_the_token_is_changed_the_old_and_the_new_one_are_good(town: Scene) -> None:
    old, new = SecretStr(OPERATOR), SecretStr("operator-" + "1" * 32)
    found = []
    for tokens in ((old,), (new, old), (new,), (old,)):
        town.operators.become(tokens)
        found.append([(await call(town, "GET", "sessions", token=one.get_secret_value()))[0] for one in (old, new)])
    assert found == [[200, 401], [200, 200], [401, 200], [200, 401]]


@pytest.mark.parametrize(
    "path", ["sessions/0", "sessions/x", "sessions/1/x", "sessions/", "", "sessions/99999999999999999999"]
)
async def test_other_addresses(town: Scene, path: str) -> None:
    assert (await call(town, "GET", path))[0] == 404


async def test_sessions_that_are_not(town: Scene) -> None:
    assert (await call(town, "GET", "sessions/999999"))[0] == 404
    assert (await call(town, "DELETE", "sessions/999999"))[0] == 404
    assert (await call(town, "PATCH", "sessions/999999", {"hours": 1}))[0] == 409
    assert (await call(town, "PUT", "sessions/1"))[0] == 405
