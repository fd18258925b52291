"""The endpoint, called in process: what is accepted and stored, what is refused and how."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from app.intake import webhook
from app.intake.body import SMALL, Room, Unacceptable
from app.intake.webhook import LARGEST, PATH, Intake
from app.secret import SecretStr
from app.store import deliveries
from app.store.database import Database
from app.store.deliveries import DeliveryWriter, Stored
from tests.intake.test_events import PAYLOADS, PULL, body, listed
from tests.shared import needs_shared

pytestmark = pytest.mark.anyio

OLD, NEW = "the old secret", "the new secret"
OPENED = body(action="opened", number=4, pull_request=PULL)
KEY = "pull:7:9:4"


def signature(raw: bytes, secret: str = NEW, algorithm: str = "sha256") -> str:
    return f"{algorithm}={hmac.new(secret.encode(), raw, algorithm).hexdigest()}"


def headers(raw: bytes, event: str = "pull_request", guid: str = "guid-1", secret: str = NEW) -> dict[str, str]:
    """As GitHub sends them: https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers."""
    return {
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": guid,
        "X-GitHub-Hook-ID": "11",
        "X-Hub-Signature": signature(raw, secret, "sha1"),
        "X-Hub-Signature-256": signature(raw, secret),
        "Content-Type": "application/json",
    }


def _with_bytes(sent: dict[str, str], name: str, value: bytes) -> dict[bytes, bytes]:
    return {key.encode(): text.encode() for key, text in sent.items() if key != name} | {name.encode(): value}


@dataclass
class Endpoint:
    client: httpx.AsyncClient
    database: Database

    async def post(self, raw: bytes, without: str = "", **changed: str) -> httpx.Response:
        """One delivery; `changed` sets headers (underscores for hyphens), `without` leaves one out."""
        sent = headers(raw) | {name.replace("_", "-"): value for name, value in changed.items()}
        sent.pop(without, None)
        return await self.client.post(PATH, content=raw, headers=sent)

    async def deliver(self, raw: bytes, event: str = "pull_request", guid: str = "guid-1") -> httpx.Response:
        return await self.client.post(PATH, content=raw, headers=headers(raw, event, guid))

    async def stored(self, guid: str = "guid-1") -> Stored | None:
        async with self.database.transaction() as connection:
            return await deliveries.find(connection, 11, guid)

    async def count(self) -> int:
        return int((await self.database.query("select count(*) from deliveries"))[0][0])

    async def work(self) -> dict[str, int]:
        """Marked keys with how often they were marked."""
        return dict(await self.database.query("select key, generation from work"))


@pytest.fixture
async def endpoint(database: Database) -> AsyncIterator[Endpoint]:
    async with DeliveryWriter(database) as writer:
        web = FastAPI()
        web.include_router(Intake(writer, (SecretStr(NEW), SecretStr(OLD)), frozenset({99})).router())
        transport = httpx.ASGITransport(app=web)
        async with httpx.AsyncClient(transport=transport, base_url="http://gate.invalid") as client:
            yield Endpoint(client, database)


async def test_a_signed_delivery_is_stored_as_it_came_and_marks_its_key(endpoint: Endpoint) -> None:
    answer = await endpoint.deliver(OPENED)
    stored = await endpoint.stored()
    assert (answer.status_code, answer.content) == (202, b"")
    assert stored is not None and stored.body == OPENED and stored.keys == [KEY]
    assert (stored.event, stored.action, stored.installation_id, stored.repository_id) == (
        "pull_request",
        "opened",
        7,
        9,
    )
    assert await endpoint.work() == {KEY: 1}


async def test_the_documented_example_of_a_signature_is_accepted() -> None:
    """The test values of https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries."""
    given = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    webhook.verify(b"Hello, World!", given.encode(), (SecretStr("It's a Secret to Everybody"),))


async def test_a_repeat_is_stored_once_and_marks_its_key_again(endpoint: Endpoint) -> None:
    assert [(await endpoint.deliver(OPENED)).status_code for _ in range(3)] == [202, 202, 202]
    assert await endpoint.count() == 1
    assert await endpoint.work() == {KEY: 3}


async def test_the_same_id_of_another_hook_is_another_delivery(endpoint: Endpoint) -> None:
    await endpoint.deliver(OPENED)
    await endpoint.post(OPENED, X_GitHub_Hook_ID="12")
    assert await endpoint.count() == 2


@pytest.mark.parametrize("secret", [OLD, NEW])
async def test_both_secrets_are_accepted_while_one_is_rotated_out(endpoint: Endpoint, secret: str) -> None:
    answer = await endpoint.post(OPENED, X_Hub_Signature_256=signature(OPENED, secret))
    assert answer.status_code == 202


@pytest.mark.parametrize(
    "given",
    [
        signature(OPENED, "another secret"),
        signature(OPENED + b" "),
        signature(OPENED).removeprefix("sha256="),
        signature(OPENED, algorithm="sha1"),
        signature(OPENED).replace("sha256", "sha1"),
        signature(OPENED)[:-1],
        signature(OPENED).upper(),
        "sha256=",
        "",
    ],
)
async def test_a_wrong_signature_is_refused_and_nothing_is_stored(endpoint: Endpoint, given: str) -> None:
    answer = await endpoint.post(OPENED, X_Hub_Signature_256=given)
    assert answer.status_code == 401
    assert "secret" in answer.json()["message"]
    assert (await endpoint.count(), await endpoint.work()) == (0, {})


async def test_a_signature_in_odd_bytes_is_refused(endpoint: Endpoint) -> None:
    sent = _with_bytes(headers(OPENED), "X-Hub-Signature-256", b"sha256=\xff\xfe\x80")
    assert (await endpoint.client.post(PATH, content=OPENED, headers=sent)).status_code == 401


async def test_only_the_sha_1_signature_is_no_signature(endpoint: Endpoint) -> None:
    answer = await endpoint.post(OPENED, without="X-Hub-Signature-256")
    assert answer.status_code == 401
    assert "missing" in answer.json()["message"]


async def test_every_signature_is_compared_in_constant_time_with_every_secret(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[bytes] = []

    def compare(expected: bytes, given: bytes) -> bool:
        compared.append(expected)
        return hmac.compare_digest(expected, given)

    monkeypatch.setattr(webhook, "hmac", _Hmac(compare))
    assert (await endpoint.deliver(OPENED)).status_code == 202
    assert compared == [signature(OPENED, NEW).encode(), signature(OPENED, OLD).encode()]


class _Hmac:
    def __init__(self, compare: Any) -> None:
        self.compare_digest = compare
        self.digest = hmac.digest


async def test_without_any_secret_nothing_is_accepted() -> None:
    with pytest.raises(Unacceptable, match="wrong"):
        webhook.verify(OPENED, b"sha256=" + hmac.new(b"", OPENED, hashlib.sha256).hexdigest().encode(), ())


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"payload=%7B%7D",
        b"{",
        b'{"a": 1}}',
        b"\xff\xfe",
        b'{"a": \x80}',
        b'{"a": "\0"}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
    ids=["empty", "form", "cut", "more", "bytes", "no utf-8", "bare NUL", "deep list", "deep object"],
)
async def test_a_body_that_is_no_json_is_refused(endpoint: Endpoint, raw: bytes) -> None:
    answer = await endpoint.deliver(raw)
    assert answer.status_code == 400
    assert "application/json" in answer.json()["message"]
    assert await endpoint.count() == 0


@pytest.mark.parametrize("raw", [b"[]", b"null", b"1", b'"text"', b"true", b"[{}]"])
async def test_a_body_that_is_no_object_is_refused(endpoint: Endpoint, raw: bytes) -> None:
    answer = await endpoint.deliver(raw)
    assert (answer.status_code, answer.json()["message"]) == (400, "the body is JSON, but no object")
    assert await endpoint.count() == 0


async def test_the_signature_is_looked_at_before_the_body(endpoint: Endpoint) -> None:
    assert (await endpoint.post(b"{", X_Hub_Signature_256="sha256=0")).status_code == 401


async def test_numbers_too_long_to_convert_are_no_server_error(endpoint: Endpoint) -> None:
    """Python refuses to convert integers of more than 4,300 digits, with a ValueError."""
    assert (await endpoint.deliver(b'{"a": ' + b"9" * 5000 + b"}")).status_code == 400


async def test_nested_as_deep_as_the_parser_goes_is_stored(endpoint: Endpoint) -> None:
    raw = OPENED[:-1] + b', "deep": ' + b"[" * 900 + b"]" * 900 + b"}"
    answer = await endpoint.deliver(raw)
    stored = await endpoint.stored()
    assert answer.status_code in (202, 400)
    assert (stored is not None and stored.body == raw) == (answer.status_code == 202)


@pytest.mark.parametrize("name", ["X-GitHub-Event", "X-GitHub-Delivery", "X-GitHub-Hook-ID"])
@pytest.mark.parametrize("value", [None, "", "   ", "x" * 201])
async def test_a_header_that_is_missing_or_too_long_is_refused_by_name(
    endpoint: Endpoint, name: str, value: str | None
) -> None:
    changed = {} if value is None else {name: value}
    answer = await endpoint.post(OPENED, **changed) if changed else await endpoint.post(OPENED, without=name)
    assert answer.status_code == 400
    assert name.lower() in answer.json()["message"].lower()
    assert await endpoint.count() == 0


@pytest.mark.parametrize("value", ["eleven", "-1", "1.5", "1" * 19, "\u0661"])
async def test_a_hook_id_that_is_no_number_is_refused(endpoint: Endpoint, value: str) -> None:
    sent = _with_bytes(headers(OPENED), "X-GitHub-Hook-ID", value.encode())
    assert (await endpoint.client.post(PATH, content=OPENED, headers=sent)).status_code == 400


async def test_delivery_ids_are_text(endpoint: Endpoint) -> None:
    assert (await endpoint.deliver(OPENED, guid="not-a-uuid'; drop table work --")).status_code == 202
    assert await endpoint.stored("not-a-uuid'; drop table work --") is not None


@pytest.mark.parametrize(
    ("event", "action"), [("sponsorship", "created"), ("pull_request", "levitated"), ("\u00e9", "x")]
)
async def test_an_unknown_event_or_action_is_stored_and_ignored(endpoint: Endpoint, event: str, action: str) -> None:
    raw = body(action=action, number=4, pull_request=PULL)
    sent = _with_bytes(headers(raw), "X-GitHub-Event", event.encode())
    answer = await endpoint.client.post(PATH, content=raw, headers=sent)
    stored = await endpoint.stored()
    assert answer.status_code == 202
    assert stored is not None and stored.action == action and stored.keys == []
    assert await endpoint.work() == {}


async def test_a_known_event_that_cannot_be_read_is_stored_all_the_same(endpoint: Endpoint) -> None:
    raw = body(action="opened", pull_request="text instead of an object")
    assert (await endpoint.deliver(raw)).status_code == 202
    stored = await endpoint.stored()
    assert stored is not None and stored.body == raw
    assert await endpoint.work() == {}


ODD = ["NUL \0 here", "lone \ud800 surrogate", "\u202ereversed", "\U0001f600", "e\u0301", "\ufffe", "a\x1b[31m"]


@pytest.mark.parametrize("text", ODD, ids=ascii)
@pytest.mark.parametrize("escaped", [True, False], ids=["escaped", "raw"])
async def test_odd_characters_in_every_field_are_stored_byte_for_byte(
    endpoint: Endpoint, text: str, escaped: bool
) -> None:
    """Names, refs and actions from outside reach text columns, where PostgreSQL takes no NUL and no surrogate."""
    payload = {
        "action": text,
        "ref": f"refs/heads/{text}",
        "before": text,
        "after": text,
        "installation": {"id": 7},
        "repository": {"id": 9, "name": text, "full_name": f"{text}/{text}", "default_branch": text},
        "sender": {"id": 5, "login": text, "type": text},
    }
    raw = json.dumps(payload, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    del payload["action"]
    push = json.dumps(payload, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    for guid, sent in (("one", raw), ("two", push)):
        answer = await endpoint.deliver(sent, "push", guid)
        stored = await endpoint.stored(guid)
        assert answer.status_code == 202
        assert stored is not None and stored.body == sent


async def test_one_that_cannot_be_stored_keeps_no_other_out(endpoint: Endpoint) -> None:
    """A repository id beyond a bigint fails in the database; deliveries of the same commit are stored all the same."""
    odd = body(action="opened", number=4, pull_request=PULL, repository={"id": 2**70, "name": "s", "full_name": "a/s"})
    assert (await endpoint.deliver(odd, guid="odd")).status_code in (202, 400)
    assert (await endpoint.deliver(OPENED)).status_code == 202


async def test_what_the_server_refuses_is_answered(endpoint: Endpoint) -> None:
    """A name longer than an entry of an index, which PostgreSQL does not count among errors of data."""
    name = hashlib.shake_256(b"name").hexdigest(4_000)
    repository = {"id": 9, "name": name, "full_name": f"acme/{name}", "default_branch": "main"}
    answer = await endpoint.deliver(body(action="opened", number=4, pull_request=PULL, repository=repository))
    assert (answer.status_code, await endpoint.count()) == (503, 0)
    assert answer.json() == {"message": "the delivery was not stored: ProgramLimitExceeded"}


@needs_shared
async def test_every_real_payload_is_accepted_and_kept(endpoint: Endpoint) -> None:
    """One test for all, because a database for each would take minutes."""
    for file, event, _ in listed():
        raw = (PAYLOADS / file).read_bytes()
        answer = await endpoint.deliver(raw, event, file)
        stored = await endpoint.stored(file)
        assert answer.status_code == 202, file
        assert stored is not None and stored.body == raw, file
    assert await endpoint.count() == len(list(listed()))


async def test_exactly_the_largest_body_is_accepted(endpoint: Endpoint) -> None:
    answer = await endpoint.deliver(_padded(LARGEST))
    stored = await endpoint.stored()
    assert answer.status_code == 202
    assert stored is not None and len(stored.body) == LARGEST


async def test_one_byte_more_is_refused(endpoint: Endpoint) -> None:
    assert LARGEST == 25 * 1024 * 1024
    assert (await endpoint.deliver(_padded(LARGEST + 1))).status_code == 413
    assert await endpoint.count() == 0


def _padded(size: int) -> bytes:
    start = OPENED[:-1] + b', "padding": "'
    return start + b"x" * (size - len(start) - 2) + b'"}'


async def _stalled() -> AsyncIterator[bytes]:
    yield OPENED[:10]
    await asyncio.sleep(60)


async def test_a_body_that_does_not_come_holds_nobody_up(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook, "SLOWEST", 0.05)
    answer = await endpoint.client.post(PATH, content=_stalled(), headers=headers(OPENED))
    assert answer.status_code == 408


async def test_a_delivery_that_is_not_stored_in_time_is_answered_so(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook, "SLOWEST", 0.3)
    async with endpoint.database.transaction() as blocker:
        await blocker.execute("lock table deliveries")
        answer = await endpoint.deliver(OPENED)
    assert answer.status_code == 503


async def test_without_a_signature_the_body_is_not_read(endpoint: Endpoint) -> None:
    unsigned = headers(OPENED)
    unsigned.pop("X-Hub-Signature-256")
    answer = await endpoint.client.post(PATH, content=_stalled(), headers=unsigned)
    assert answer.status_code == 401


async def test_large_bodies_that_nobody_signed_take_no_more_than_their_room() -> None:
    """Small ones come in all the same, and the room is given back, whatever became of a body."""
    room = Room(1000)
    with room.body() as first, room.body() as second, room.body() as small:
        first(SMALL - 1)
        first(SMALL + 400)
        second(SMALL + 600)
        small(SMALL)
        with pytest.raises(Unacceptable) as full:
            first(SMALL + 401)
        assert full.value.status == 503
        with pytest.raises(Unacceptable), room.body() as third:
            third(SMALL + 1)
    with room.body() as again:
        again(SMALL + 1000)


async def test_a_large_body_is_refused_while_there_is_no_room() -> None:
    web = FastAPI()
    web.include_router(Intake(DeliveryWriter(None), (SecretStr(NEW),), frozenset(), Room(0)).router())  # type: ignore[arg-type]
    raw = _padded(SMALL + 1)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=web), base_url="http://gate.invalid") as client:
        assert (await client.post(PATH, content=raw, headers=headers(raw))).status_code == 503
        assert (await client.post(PATH, content=raw[:SMALL], headers=headers(raw))).status_code == 401
