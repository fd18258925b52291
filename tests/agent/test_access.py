"""Who may ask what: tokens, sizes, shapes, how often; and what nobody learns."""

from __future__ import annotations

import jsonschema_rs
import pytest

from app.agent_api.buckets import Buckets
from app.agent_api.openapi import document
from app.agent_api.publishing import fenced
from app.agent_api.routes import ROUTES
from app.proxy.session_token import ENROLMENT, new_token
from app.store import enrolments
from checks.bundle import find_blocks
from tests.agent.bureau import POOL, Bureau

pytestmark = pytest.mark.anyio


async def test_every_refusal_is_json_with_a_fix(town: Bureau) -> None:
    """Each has the shape that the document gives it, which `call` compares."""
    session, _ = await _open(town)
    bare, _ = await _open(town, ticket=None, branch="refs/heads/agent/bare")
    stranger = new_token().get_secret_value()
    for route in ROUTES:
        missing = await town.call(route.method, route.path, token="")
        unknown = await town.call(route.method, route.path, token=stranger)
        assert (missing.status_code, unknown.status_code) == (401, 401), route.path
        assert (await town.call("DELETE", route.path, token=session)).status_code == 405
        if route.session:
            taken = None if route.method == "GET" else {"through": 1, "reason": "x", "question": "x", "default": "x"}
            other = await town.call(route.method, route.path, taken, token=bare)
            assert other.status_code == 409 and "belongs to no ticket" in other.json()["message"]
            assert (await town.call(route.method, route.path, token=town.token)).status_code == 401
    assert (await town.call("GET", "/session/nothing", token=session)).status_code == 404
    assert (await town.call("GET", "/agent/nothing", token=session)).status_code == 404


async def _open(town: Bureau, ticket: int | None = 4711, branch: str = "refs/heads/agent/work") -> tuple[str, int]:
    from app.proxy import sessions
    from tests.proxy.build import wanted

    token, grant = await sessions.open_session(
        town.database, wanted(repository_id=town.desk.shop.id, ticket=ticket, branch=branch)
    )
    return token.get_secret_value(), grant.session


@pytest.mark.parametrize(
    ("path", "body", "code", "said"),
    [
        ("/session/progress", {"percent": 101}, 422, "percent"),
        ("/session/progress", {"step": 0}, 422, "step"),
        ("/session/progress", {"cost": -1}, 422, "cost"),
        ("/session/progress", {"cost": "NaN"}, 422, "cost"),
        ("/session/progress", {"doing": "x" * 201}, 422, "doing"),
        ("/session/progress", {"extra": 1}, 422, "extra"),
        ("/session/progress", [], 422, "the body"),
        ("/session/progress", b"{", 422, "the body"),
        ("/session/progress", b"[" * 5_000, 422, "the body"),
        ("/session/progress", b" " * 8_193, 413, "longer than"),
        ("/session/progress?wait=5", {}, 422, "query"),
        ("/session/messages?wait=31", None, 422, "query"),
        ("/session/messages?wait=-1", None, 422, "query"),
        ("/session/messages?later=1", None, 422, "query"),
        ("/session/questions", {"question": "Which?", "default": " "}, 422, "default"),
        ("/session/questions", {"question": "Which?", "default": "no", "recommended": "x"}, 422, "none of the options"),
        ("/session/messages/read", {"through": 2**63}, 422, "through"),
    ],
)
async def test_what_is_not_as_it_must_be(town: Bureau, path: str, body: object, code: int, said: str) -> None:
    token, _ = await _open(town)
    answer = await town.call("GET" if body is None else "POST", path, body, token=token)
    assert answer.status_code == code and said in answer.json()["message"], answer.text


async def test_a_body_of_another_type_is_refused(town: Bureau) -> None:
    token, _ = await _open(town)
    answer = await town.call("POST", "/session/progress", {}, token=token, content_type="text/html")
    assert answer.status_code == 415


async def test_an_enrolment_claims_for_its_own_pool_and_nothing_else(town: Bureau) -> None:
    await town.accepted()
    for body in ({"pool": "day"}, {"repository": "acme/other"}):
        assert (await town.call("POST", "/agent/claim", body)).status_code == 403
    strange = await town.call("POST", "/agent/claim", {}, token=new_token(ENROLMENT).get_secret_value())
    assert strange.status_code == 401
    moved = await town.call("POST", "/agent/claim", {}, token=await town.enrol(repository_id=4711))
    assert moved.status_code == 409 and "not there any more" in moved.json()["message"]
    absent = await town.call("POST", "/agent/claim", {}, token=await town.enrol(name="nothing"))
    assert absent.status_code == 409
    git = await town.client.get(
        "/git/acme/shop/info/refs?service=git-upload-pack", headers={"authorization": f"Bearer {town.token}"}
    )
    assert git.status_code == 403
    assert (
        await town.client.get("/repos/acme/shop", headers={"authorization": f"Bearer {town.token}"})
    ).status_code == 401
    assert (await town.claim({"repository": "ACME/shop", "pool": POOL}))["claimed"]


async def test_a_revoked_enrolment_is_like_one_that_never_was(town: Bureau) -> None:
    await town.accepted()
    never = await town.call("POST", "/agent/claim", {}, token=new_token(ENROLMENT).get_secret_value())
    async with town.database.transaction() as connection:
        assert await enrolments.revoke(connection, town.enrolment.id)
        assert not await enrolments.revoke(connection, town.enrolment.id)
    after = await town.call("POST", "/agent/claim", {})
    assert (after.status_code, after.content) == (never.status_code, never.content)


def test_a_token_that_asks_too_often_waits() -> None:
    buckets = Buckets(burst=2, rate=0.5)
    assert [buckets.take(b"a", 0.0) for _ in range(3)] == [0, 0, 3]
    assert buckets.take(b"b", 0.0) == 0
    assert [buckets.take(b"a", 2.0), buckets.take(b"a", 2.0)] == [0, 3]


async def test_too_many_requests_are_told_when_to_go_on(town: Bureau) -> None:
    token, _ = await _open(town)
    codes = [(await town.call("GET", "/session/verdict?x", token=token)).status_code for _ in range(70)]
    assert codes[:60] == [422] * 60 and 429 in codes
    last = await town.call("GET", "/session/verdict?x", token=token)
    assert last.status_code == 422 or int(last.headers["retry-after"]) >= 1


async def test_the_published_document_is_one(town: Bureau) -> None:
    found = (await town.client.get("/agent/openapi.json")).json()
    assert found == document()
    assert {(method.upper(), path) for path, item in found["paths"].items() for method in item} == {
        (route.method, route.path) for route in ROUTES
    }
    names = [item["operationId"] for path in found["paths"].values() for item in path.values()]
    assert len(set(names)) == len(names)
    for schema in found["components"]["schemas"].values():
        whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": found["components"], **schema}
        jsonschema_rs.meta.validate(whole)
        jsonschema_rs.validator_for(whole)


@pytest.mark.parametrize("text", ["reason: x", "```\nreason", "a ```` b\n~~~", "````mergegate"])
def test_nothing_in_a_bundle_closes_its_block(text: str) -> None:
    (block,) = find_blocks(fenced(text))
    assert block.text == text and block.closed


HOSTILE = [
    b'{"doing": "\\u0000\\u202e\\ud83d\\ude00"}',
    b'{"doing": "\\ud800"}',
    b'{"doing": "x", "doing": "y"}',
    b'{"cost": 1e400}',
    b'{"cost": 1e-400}',
    b'{"cost": "1e3"}',
    b'{"step": 1e3, "steps": 5}',
    b'{"percent": ' + b"9" * 5_000 + b"}",
    b'{"blocker": "/stop now\\n@everybody <!-- mergegate ticket -->"}',
    b"null",
    b"\xff",
]


async def test_nothing_that_is_sent_is_a_fault_of_the_server(town: Bureau) -> None:
    number = await town.accepted()
    token = (await town.claim())["token"]
    for raw in HOSTILE:
        answer = await town.call("POST", "/session/progress", raw, token=token)
        assert answer.status_code in (200, 422), (raw, answer.text)
    asked = {"question": "\u0000/stop now\n@ada ![x](http://x) `code`", "default": "/accept", "options": ["<b>"]}
    assert (await town.call("POST", "/session/questions", asked, token=token)).status_code == 200
    await town.desk.stage.run_to_rest()
    card = town.desk.card(number)
    assert not [line for line in card.splitlines() if line.startswith("/")]
    assert card.count("@ada") == card.count("`@ada`") == 2 and "<b>" not in card.replace("`<b>`", "")


async def test_a_session_for_what_is_no_ticket_is_told_so(town: Bureau) -> None:
    token, _ = await _open(town)
    for path in ("/session/verdict", "/session/limits"):
        answer = await town.call("GET", path, token=token)
        assert answer.status_code == 409 and "is no ticket" in answer.json()["message"]
