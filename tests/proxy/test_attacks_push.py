"""T14 and T17 to T30 of the attack list: pushes as bytes on a socket, and what is at GitHub afterwards."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import os
import zlib
from collections.abc import Iterator

import pytest
from starlette.responses import Response

from app.proxy import ledger, sessions
from app.proxy.api.limits import Limits, Requests
from app.proxy.grant import Right
from app.proxy.wire import packet
from tests.proxy.build import BRANCH
from tests.proxy.scene import Scene
from tests.proxy.test_attacks_http import request, status
from tests.proxy.test_wire import CAPABILITIES, FLUSH, REFUSED, command

pytestmark = pytest.mark.anyio

PUSH = "/git/acme/shop.git/git-receive-pack"
TYPE = "Content-Type: application/x-git-receive-pack-request"
RESULT = b"content-type: application/x-git-receive-pack-result"
ZERO = "0" * 40


@pytest.fixture
def town(shared_town: Scene) -> Iterator[Scene]:
    yield shared_town
    shared_town.instead.clear()


async def push(town: Scene, body: bytes, *headers: str, token: str | None = None) -> bytes:
    return await town.raw(request("POST", PUSH, TYPE, *headers, body=body, token=token or town.token))


def pack_of(commit: str, town: Scene) -> bytes:
    """An empty pack: what it names is at GitHub already."""
    import hashlib

    header = b"PACK" + (2).to_bytes(4, "big") + (0).to_bytes(4, "big")
    return header + hashlib.sha1(header).digest()


def main_of(town: Scene) -> str:
    return town.refs()["refs/heads/main"]


async def test_t17_t18_t19_t20_t22_t25_t26_refused_before_anything_is_sent(town: Scene) -> None:
    refs, before = town.refs(), len(town.upstream)
    for name, head in REFUSED:
        answer = await push(town, head + b"PACK", "Connection: close")
        assert status(answer) == 200 and RESULT in answer, name
        assert b"unpack ok\n" not in answer or b"ng " in answer, name
        assert b"ok refs/" not in answer, name
    assert len(town.upstream) == before
    assert town.refs() == refs
    assert town.grant is not None and await ledger.of_session(town.database, town.grant.session) == []


async def test_what_a_session_may_is_said_to_its_holder_in_the_words_of_refusals(town: Scene) -> None:
    for rights in (frozenset[Right](), frozenset({Right.PUSH}), frozenset(Right)):
        token, grant = await town.open(branch=f"refs/heads/agent/words{len(rights)}", rights=rights)
        raw = await town.raw(request("GET", "/session", token=token))
        said = json.loads(raw.partition(b"\r\n\r\n")[2])
        assert said["branch"] == grant.branch and said["rights"] == sorted(rights) and "token" not in str(said)
        assert said["policy"].startswith("This session may read acme/shop")
        refused = await push(town, command("refs/heads/main") + FLUSH + b"PACK", token=token)
        assert said["policy"].encode() + b"." in refused
    assert said["policy"] == (
        "This session may read acme/shop, push to, also with --force, refs/heads/agent/words5, delete that branch, "
        "open and edit its pull request into refs/heads/main, comment on that and on its ticket, and nothing else"
    )


async def test_a_refusal_speaks_in_gits_side_band_and_names_every_ref(town: Scene) -> None:
    body = command("refs/heads/main") + command("refs/tags/v1", capabilities=None) + FLUSH + b"PACK"
    answer = await push(town, body)
    assert b"\x02Mergegate refused this push: refs/heads/main is not this session's branch. " in answer
    assert b"git push origin HEAD:agent/work" in answer
    assert b"ng refs/heads/main refused by Mergegate\n" in answer and b"ng refs/tags/v1 refused" in answer


async def test_t19_a_length_split_at_every_byte_changes_nothing(town: Scene) -> None:
    body = command("refs/heads/main") + FLUSH + b"PACK"
    whole = request("POST", PUSH, TYPE, body=body, token=town.token)
    reader, writer = await asyncio.open_connection("127.0.0.1", town.port)
    head = len(whole) - len(body)
    writer.write(whole[:head])
    for number in range(head, len(whole)):
        writer.write(whole[number : number + 1])
        await writer.drain()
        await asyncio.sleep(0)
    answer = await reader.readuntil(b"ng refs/heads/main")
    writer.close()
    await writer.wait_closed()
    assert answer.startswith(b"HTTP/1.1 200")


async def test_t21_the_probe(town: Scene) -> None:
    before = len(town.upstream)
    answer = await push(town, b"0000")
    assert status(answer) == 200 and answer.endswith(b"\r\n\r\n") and RESULT in answer
    for other in (b"00000", b"0000PACK", b"0000" + command() + FLUSH, b"000"):
        answer = await push(town, other)
        assert b"unpack" not in answer or b"unpack ok" not in answer
    assert len(town.upstream) == before and BRANCH not in town.refs()


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "br", "deflate", "identity", "zstd", "gzip, gzip"])
async def test_t23_a_push_has_no_encoding(town: Scene, encoding: str) -> None:
    before = len(town.upstream)
    body = command("refs/heads/main", old=ZERO) + FLUSH + b"PACK"
    packed = gzip.compress(body) if "gzip" in encoding else zlib.compress(body) if encoding == "deflate" else body
    assert status(await push(town, packed, f"Content-Encoding: {encoding}")) == 415
    assert len(town.upstream) == before


@pytest.mark.parametrize(
    "kind",
    [
        "application/x-git-receive-pack-request; charset=utf-8",
        "application/x-git-upload-pack-request",
        "Application/X-Git-Receive-Pack-Request",
        "text/plain",
        "",
    ],
)
async def test_the_content_type_is_exact(town: Scene, kind: str) -> None:
    before = len(town.upstream)
    raw = request("POST", PUSH, f"Content-Type: {kind}", body=command() + FLUSH, token=town.token)
    assert status(await town.raw(raw)) == 415
    raw = request("POST", "/git/acme/shop.git/git-upload-pack", f"Content-Type: {kind}x", body=FLUSH, token=town.token)
    assert status(await town.raw(raw)) == 415
    assert len(town.upstream) == before


async def test_t23_a_bomb_on_fetch_is_not_inflated_here(town: Scene) -> None:
    """It goes on as it came; its limit is in bytes of the wire."""
    before = len(town.upstream)
    bomb = gzip.compress(b"0" * 1_000_000, 9)
    headers = ("Content-Type: application/x-git-upload-pack-request", "Content-Encoding: gzip")
    path = "/git/acme/shop.git/git-upload-pack"
    answer = await town.raw(request("POST", path, *headers, body=bomb, token=town.token))
    assert status(answer) in (200, 502)
    reached = [one for one in town.upstream[before:] if one.target.endswith("git-upload-pack")]
    assert [one.headers["content-length"] for one in reached] == [str(len(bomb))]
    assert [one.headers["content-encoding"] for one in reached] == ["gzip"]
    for encoding in ("x-gzip", "br", "deflate", "gzip, gzip"):
        wrong = request("POST", path, headers[0], f"Content-Encoding: {encoding}", body=bomb, token=town.token)
        assert status(await town.raw(wrong)) == 415


async def test_t23_what_a_fetch_says_has_a_limit(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.proxy.fetching.NEGOTIATION", 1000)
    kind, path = "Content-Type: application/x-git-upload-pack-request", "/git/acme/shop.git/git-upload-pack"
    wants = b"0032want " + main_of(town).encode() + b"\n"
    for encoding, body in (((), wants * 100), (("Content-Encoding: gzip",), gzip.compress(os.urandom(2000)))):
        answer = await town.raw(request("POST", path, kind, *encoding, body=body, token=town.token))
        assert status(answer) == 408 and b"the body is longer than 1000 bytes" in answer


async def test_t24_deleting_needs_its_right(town: Scene) -> None:
    token, grant = await town.open(branch="refs/heads/agent/gone", rights=frozenset({Right.PUSH, Right.DELETE}))
    main = main_of(town)
    ref = "refs/heads/agent/gone"
    made = await push(town, command(ref, old=ZERO, new=main) + FLUSH + pack_of(main, town), token=token)
    assert b"ok refs/heads/agent/gone" in made
    before = len(town.upstream)
    for wrong in ("refs/heads/main", BRANCH, "refs/heads/agent"):
        answer = await push(town, command(wrong, old=main, new=ZERO) + FLUSH, token=token)
        assert b"ng " in answer and b"ok refs" not in answer
    assert b"may not delete" in await push(town, command(BRANCH, old=main, new=ZERO) + FLUSH)
    behind = command(ref, old=main, new=ZERO) + FLUSH + b"PACK"
    assert b"something stands behind" in await push(town, behind, token=token)
    assert len(town.upstream) == before and ref in town.refs()
    gone = await push(town, command(ref, old=main, new=ZERO) + FLUSH, token=token)
    assert b"ok refs/heads/agent/gone" in gone and ref not in town.refs()
    assert await town.outcomes(grant) == ["done", "done"]


async def test_t24_an_old_value_that_lies_moves_nothing(town: Scene) -> None:
    token, grant = await town.open(branch="refs/heads/agent/lies")
    main, ref = main_of(town), "refs/heads/agent/lies"
    first = await push(town, command(ref, old=ZERO, new=main) + FLUSH + pack_of(main, town), token=token)
    assert b"ok refs" in first
    await town.github.push(town.shop, "elsewhere", {"b.txt": "b"}, author="ada", message="Elsewhere")
    refs = town.refs()
    for old in (ZERO, refs["refs/heads/elsewhere"]):
        answer = await push(town, command(ref, old=old, new=main) + FLUSH + pack_of(main, town), token=token)
        assert b"ok refs" not in answer and b"ng " + ref.encode() in answer
    assert town.refs() == refs
    outcomes = await town.outcomes(grant)
    assert outcomes == ["failed", "failed", "done"]


async def test_t24_a_force_push_is_put_back(town: Scene) -> None:
    token, grant = await town.open(branch="refs/heads/agent/forward")
    clone = await town.clone("forward")
    await town.commit(clone, "one.txt")
    await town.git("push", "origin", "HEAD:agent/forward", cwd=clone, token=token)
    refs = town.refs()
    await town.git("commit", "-q", "--amend", "-m", "Other", cwd=clone)
    said = await town.git("push", "--force", "origin", "HEAD:agent/forward", cwd=clone, token=token, code=1)
    assert "[remote rejected]" in said and "(not a fast-forward)" in said
    assert "remote: Mergegate put refs/heads/agent/forward back" in said and "git pull --rebase" in said
    assert town.refs() == refs
    assert await town.outcomes(grant) == ["failed", "done"]
    forcing, _ = await town.open(branch="refs/heads/agent/forced", rights=frozenset({Right.PUSH, Right.FORCE}))
    await town.git("push", "origin", "HEAD:agent/forced", cwd=clone, token=forcing)
    await town.git("commit", "-q", "--amend", "-m", "Third", cwd=clone)
    await town.git("push", "--force", "origin", "HEAD:agent/forced", cwd=clone, token=forcing)
    assert town.refs()["refs/heads/agent/forced"] != refs.get("refs/heads/agent/forced")


async def test_a_push_that_nobody_vouches_for_is_put_back_too(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.proxy.forward.adds_to", lambda *_: False)
    token, grant = await town.open(branch="refs/heads/agent/vouched")
    clone = await town.clone("vouched")
    await town.git("push", "origin", "HEAD:agent/vouched", cwd=clone, token=token)
    refs = town.refs()
    await town.commit(clone)
    for answer in (Response("x", 500), Response("{", 200), Response("[]", 200), Response('{"status": "new"}', 200)):
        town.instead[:] = [lambda _, target, a=answer: a if "/compare/" in target else None]  # type: ignore[misc]
        said = await town.git("push", "origin", "HEAD:agent/vouched", cwd=clone, token=token, code=1)
        assert "GitHub did not say whether the push only adds" in said and "can help" in said
        assert town.refs() == refs
    town.instead.clear()
    await town.git("push", "origin", "HEAD:agent/vouched", cwd=clone, token=token)
    assert await town.outcomes(grant) == ["done", *["failed"] * 4, "done"]


async def test_a_branch_that_cannot_be_put_back_freezes_its_session(town: Scene) -> None:
    token, grant = await town.open(branch="refs/heads/agent/stuck")
    clone = await town.clone("stuck")
    await town.commit(clone, "one.txt")
    await town.git("push", "origin", "HEAD:agent/stuck", cwd=clone, token=token)
    await town.git("commit", "-q", "--amend", "-m", "Other", cwd=clone)
    pushes: list[str] = []

    def second(method: str, target: str) -> Response | None:
        if method == "POST" and target.endswith("/git-receive-pack"):
            pushes.append(target)
        return Response("down", 503) if len(pushes) == 2 else None

    town.instead.append(second)
    said = await town.git("push", "--force", "origin", "HEAD:agent/stuck", cwd=clone, token=token, code=1)
    assert "(not a fast-forward)" in said
    found = await sessions.session(town.database, grant.session)
    assert found is not None and found.frozen_because is not None and "putting it back failed" in found.frozen_because


async def test_a_large_push_that_only_adds_is_asked_about(town: Scene) -> None:
    """Its pack is not kept, so that GitHub has to say that it was a fast-forward."""
    import random

    token, _ = await town.open(branch="refs/heads/agent/large")
    clone = await town.clone("large")
    await town.git("push", "origin", "HEAD:agent/large", cwd=clone, token=token)
    (clone / "noise.bin").write_bytes(random.Random(1).randbytes(3_000_000))
    await town.git("add", ".", cwd=clone)
    await town.git("commit", "-q", "-m", "Noise", cwd=clone)
    before = len(town.upstream)
    await town.git("push", "origin", "HEAD:agent/large", cwd=clone, token=token)
    seen = town.since(before)
    assert sum("/compare/" in one for one in seen) == 1
    assert sum("POST /acme/shop.git/git-receive-pack" in one for one in seen) == 1
    small = await town.commit(clone, "small.txt")
    before = len(town.upstream)
    await town.git("push", "origin", "HEAD:agent/large", cwd=clone, token=token)
    assert not any("/compare/" in one for one in town.since(before))
    assert town.refs()["refs/heads/agent/large"] == small


async def test_t27_a_pack_over_the_limit_is_cut_off(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    token, grant = await town.open(branch="refs/heads/agent/huge")
    monkeypatch.setattr(town.proxy._pushing, "_largest", 1_000_000)
    body = command("refs/heads/agent/huge", old=ZERO) + FLUSH + b"PACK" + b"x" * 2_000_000
    answer = await push(town, body, token=token)
    assert b"it is 2" in answer and b"bytes long, and 1000000 are the most" in answer and b"ng refs/heads" in answer
    assert "refs/heads/agent/huge" not in town.refs() and await town.outcomes(grant) == []
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    answer = await push(town, chunked, "Transfer-Encoding: chunked", token=token)
    assert b"the body is longer than 1000000 bytes" in answer and b"ng refs/heads" in answer
    assert "refs/heads/agent/huge" not in town.refs()
    assert "done" not in await town.outcomes(grant)


async def test_a_session_that_pushes_in_a_loop_is_told_when_to_go_on(
    town: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(town.proxy._pushing, "_pace", Requests(Limits(burst=2, hourly=60), "pushes"))
    token, grant = await town.open(branch="refs/heads/agent/loop")
    lying = command(grant.branch, old="1" * 40, new=main_of(town)) + FLUSH + pack_of(main_of(town), town)
    said = [await push(town, lying, token=token) for _ in range(3)]
    assert [b"has made its 60 pushes of an hour. Go on in" in one for one in said] == [False, False, True]
    assert b"ng refs/heads/agent/loop not now" in said[2] and len(await town.outcomes(grant)) == 2
    other, _ = await town.open(branch="refs/heads/agent/calm")
    calm = command("refs/heads/agent/calm", old=ZERO, new=main_of(town)) + FLUSH + pack_of(main_of(town), town)
    assert b"ok refs/heads/agent/calm" in await push(town, calm, token=other)


async def test_t30_a_session_has_one_branch_and_any_address(town: Scene) -> None:
    with pytest.raises(sessions.CannotOpen):
        await town.open()
    for peer in ("1.2.3.4", "5.6.7.8"):
        raw = request("GET", "/session", f"X-Forwarded-For: {peer}", token=town.token)
        assert status(await town.raw(raw)) == 200


async def test_t29_an_ended_session_pushes_nothing(town: Scene) -> None:
    token, grant = await town.open(branch="refs/heads/agent/ended")
    await sessions.revoke(town.database, grant.session, "its pull request was merged")
    before, main = len(town.upstream), main_of(town)
    body = command("refs/heads/agent/ended", old=ZERO, new=main) + FLUSH + pack_of(main, town)
    answer = await push(town, body, token=token)
    assert status(answer) == 403 and b"its pull request was merged" in answer
    basic = "Authorization: Basic " + base64.b64encode(f"x:{token}".encode()).decode()
    assert status(await town.raw(request("POST", PUSH, TYPE, basic, body=body))) == 401
    assert len(town.upstream) == before


async def test_a_frozen_session_is_told_why(town: Scene) -> None:
    token, grant = await town.open(branch="refs/heads/agent/frozen")
    await sessions.freeze(town.database, grant.session, "it changed a workflow file")
    clone = await town.clone("frozen")
    before = len(town.upstream)
    said = await town.git("push", "origin", "HEAD:agent/frozen", cwd=clone, token=token, code=1)
    assert "remote: The session is frozen, it may read but not write: it changed a workflow file." in said
    assert not any("receive-pack" in one for one in town.since(before))
    assert "refs/heads/agent/frozen" not in town.refs()


async def test_what_is_to_be_said_is_said_with_the_next_push(town: Scene) -> None:
    token, grant = await town.open(branch="refs/heads/agent/told")
    await sessions.say(town.database, grant.session, "Stay out of shop/payment, see #3")
    clone = await town.clone("told")
    said = await town.git("push", "origin", "HEAD:agent/told", cwd=clone, token=token)
    assert "remote: Stay out of shop/payment, see #3" in said
    await town.commit(clone, "t.txt")
    assert "shop/payment" not in await town.git("push", "origin", "HEAD:agent/told", cwd=clone, token=token)


async def test_t14_what_github_says_cannot_split_our_answer(town: Scene) -> None:
    token, _ = await town.open(branch="refs/heads/agent/split")
    evil = b"no\r\nSet-Cookie: a=b\x1b]0;x\x07"
    report = packet(b"unpack ok\n") + packet(b"ng refs/heads/agent/split " + evil + b"\n") + FLUSH
    body = packet(b"\x02hello\n") + packet(b"\x01" + report) + FLUSH
    kind = "application/x-git-receive-pack-result"

    def hostile(method: str, target: str) -> Response | None:
        headers = {"set-cookie": "github=secret", "x-evil": "1", "location": "http://evil.example"}
        return Response(body, 200, headers, kind) if target.endswith("git-receive-pack") else None

    town.instead.append(hostile)
    main = main_of(town)
    answer = await push(
        town, command("refs/heads/agent/split", old=ZERO, new=main) + FLUSH + pack_of(main, town), token=token
    )
    head, _, _ = answer.partition(b"\r\n\r\n")
    assert status(answer) == 200 and b"cookie" not in head.lower() and b"evil" not in head.lower()


async def test_capabilities_decide_the_form_of_the_answer(town: Scene) -> None:
    plain = await push(town, command("refs/heads/main", capabilities=b"report-status") + FLUSH + b"PACK")
    assert plain.endswith(b"0000") and b"\x01" not in plain and b"ng refs/heads/main" in plain
    silent = await push(town, command("refs/heads/main", capabilities=None) + FLUSH + b"PACK")
    assert status(silent) == 200 and silent.endswith(b"\r\n\r\n")
    assert CAPABILITIES.startswith(b"report-status-v2")


async def test_whoever_tries_names_without_end_does_not_fill_the_audit_log(
    town: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each refusal is another, so that none is a repetition; and each name is as long as a packet allows."""
    token, grant = await town.open(branch="refs/heads/agent/names")
    monkeypatch.setattr(town.proxy._pushing, "_recorded", Requests(Limits(burst=3, hourly=60), "refusals"))
    monkeypatch.setattr(town.proxy._pushing, "_now", lambda: 1000.0)
    for number in range(6):
        names = [f"refs/heads/{number}-{extra}-" + "x" * 60_000 for extra in range(12)]
        first, *others = (command(name, capabilities=None if at else CAPABILITIES) for at, name in enumerate(names))
        body = first + b"".join(others) + FLUSH + b"PACK"
        assert b"refused by Mergegate" in await push(town, body, token=token)
    records = await town.database.query(
        "select record from audit_log where kind = 'push-refused' and subject = %s", (f"session:{grant.session}",)
    )
    assert len(records) == 3 and max(len(record) for (record,) in records) < 5000
