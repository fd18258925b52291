"""T07, T09, T10, T16, T35 to T38, T45 to T47: when GitHub, the network, the database or a token fails, git says why."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import structlog
from starlette.responses import PlainTextResponse, Response

from app.proxy import ledger, sessions
from app.store.database import DatabaseAway
from tests.github.faults import Fault
from tests.proxy.scene import Scene
from tests.proxy.test_attacks_http import ADVERTISEMENT, TYPE, ask, request, status
from tests.proxy.test_wire import FLUSH, command

pytestmark = pytest.mark.anyio


@pytest.fixture
def town(shared_town: Scene) -> Iterator[Scene]:
    shared_town.github.faults.clear()
    yield shared_town
    shared_town.instead.clear()
    shared_town.github.faults.clear()


def on(what: str, answer: Callable[[], Response]) -> Callable[[str, str], Response | None]:
    return lambda _, target: answer() if what in target else None


WAF = "<html><title>Request blocked</title></html>"
FAULTS = [
    ("unavailable", lambda: PlainTextResponse("down", 503), "GitHub answered 503", "can help"),
    ("broken", lambda: PlainTextResponse("oops", 500), "GitHub answered 500", "can help"),
    ("a page instead", lambda: Response(WAF, 200, None, "text/html"), "a page of the type text/html", "can help"),
    (
        "a page with no",
        lambda: Response(WAF, 403, None, "text/html"),
        "GitHub refused the courier App (403)",
        "not help",
    ),
    ("gone", lambda: PlainTextResponse("no", 404), "does not know the repository any more", "not help"),
    (
        "moved",
        lambda: Response("", 301, {"location": "http://127.0.0.1:9/evil?token=secret"}),
        "a redirect (301), which is never followed",
        "can help",
    ),
]


@pytest.mark.parametrize(("answer", "said", "retry"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
async def test_github_fails(
    town: Scene, tmp_path: Path, answer: Callable[[], Response], said: str, retry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On every step of fetching and pushing: one sentence, the right word on trying again, and nothing half-done."""
    monkeypatch.setattr("app.proxy.git_service.WAITS", (0.0,))
    token, grant = await town.open(branch=f"refs/heads/agent/{tmp_path.name[:40]}")
    branch = grant.branch.removeprefix("refs/heads/")
    clone = await town.clone(tmp_path.name)
    await town.commit(clone)
    refs = town.refs()
    town.instead += [on("info/refs", answer), on("/git-upload-pack", answer)]  # a push asks for branches by the latter
    for words in (("fetch",), ("push", "origin", f"HEAD:{branch}")):
        shown = await town.git(*words, cwd=clone, token=token, code=128)
        assert shown.startswith("remote: mergegate: ") and shown.count("remote:") == 1
        assert said in shown and retry in shown and "secret" not in shown
    town.instead[:] = [on("/git-receive-pack", answer)]
    shown = await town.git("push", "origin", f"HEAD:{branch}", cwd=clone, token=token, code=1)
    assert said in shown and retry in shown and "[remote rejected]" in shown
    assert town.refs() == refs
    assert (await town.outcomes(grant))[0] in ("failed", "unknown")
    town.instead[:] = [on("/git-upload-pack", answer)]
    shown = await town.git("fetch", cwd=clone, token=token, code=128)
    assert "fatal: remote error: " in shown and said in shown and retry in shown
    town.instead.clear()
    assert "[new branch]" in await town.git("push", "origin", f"HEAD:{branch}", cwd=clone, token=token)
    await sessions.revoke(town.database, grant.session, "done")


async def test_t09_t10_a_redirect_is_neither_followed_nor_handed_on(town: Scene) -> None:
    for target in ("http://127.0.0.1:9/x", "https://evil.example/", "/acme/other.git/info/refs", "//evil.example/x"):
        for code in (301, 302, 303, 307, 308):
            before = len(town.upstream)
            town.instead[:] = [on("info/refs", lambda c=code, t=target: Response("", c, {"location": t}))]  # type: ignore[misc]
            answer = await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT)
            assert status(answer) == 503 and b"evil" not in answer and b"location" not in answer.lower()
            assert sum("info/refs" in one for one in town.since(before)) == 1


async def test_t07_a_renamed_repository_is_followed_by_its_id(town: Scene) -> None:
    """The session is bound to the number; the next token tells the new name, and the old address goes on working."""
    token, _ = await town.open(branch="refs/heads/agent/renamed")
    assert status(await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT, token=token)) == 200
    town.shop.name = "store"
    town.instead.append(on("/acme/shop.git/", lambda: Response("", 301, {"location": "/acme/store.git"})))
    try:
        first = await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT, token=token)
        assert status(first) == 503 and b"may have been renamed" in first
        before = len(town.upstream)
        assert status(await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT, token=token)) == 200
        assert any("/acme/store.git/info/refs" in one for one in town.since(before))
    finally:
        town.shop.name = "shop"


async def test_a_branch_that_became_the_default_is_left_alone(town: Scene, tmp_path: Path) -> None:
    """GitHub says it with the token, also to a proxy without a gate; then nothing of the session is passed on."""
    token, grant = await town.open(branch="refs/heads/agent/default")
    town.shop.default_branch = "agent/default"
    try:
        before = len(town.upstream)
        answer = await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT, token=token)
        assert status(answer) == 502 and b"has become the default branch of the repository" in answer
        head = command("refs/heads/agent/default", old="0" * 40, new=town.refs()["refs/heads/main"]) + FLUSH
        raw = request("POST", "/git/acme/shop.git/git-receive-pack", TYPE, body=head + b"PACK" + b"x" * 40, token=token)
        said = await town.raw(raw)
        assert b"has become the default branch" in said and b"ng refs/heads/agent/default" in said
        said = await ask(town, "GET", "/repos/acme/shop/pulls", token=token)
        assert status(said) == 502 and b"has become the default branch" in said
        # Tokens of sessions that ended before may be given back meanwhile.
        assert [one for one in town.since(before) if one != "DELETE /installation/token"] == []
    finally:
        town.shop.default_branch = "main"
    assert await town.outcomes(grant) == ["failed"]


async def test_t37_a_new_token_that_is_not_known_everywhere_yet(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.proxy.git_service.WAITS", (0.0, 0.0, 0.0))
    for code in (401, 403, 404):
        token, grant = await town.open(branch=f"refs/heads/agent/new{code}")
        left = [2]

        def lagging(_: str, target: str, code: int = code, left: list[int] = left) -> Response | None:
            if "info/refs" not in target or not left[0]:
                return None
            left[0] -= 1
            return PlainTextResponse("not yet", code)

        town.instead[:] = [lagging]
        assert status(await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT, token=token)) == 200
        await sessions.revoke(town.database, grant.session, "done")


async def test_t37_a_push_is_never_sent_twice(town: Scene, tmp_path: Path) -> None:
    token, grant = await town.open(branch="refs/heads/agent/once")
    clone = await town.clone("once")
    await town.commit(clone)
    town.instead.append(on("/git-receive-pack", lambda: PlainTextResponse("not yet", 401)))
    before = len(town.upstream)
    await town.git("push", "origin", "HEAD:agent/once", cwd=clone, token=token, code=1)
    assert sum("git-receive-pack" in one for one in town.since(before)) == 1
    assert await town.outcomes(grant) == ["failed"]


async def test_no_token_can_be_minted(town: Scene) -> None:
    token, _ = await town.open(branch="refs/heads/agent/unminted")
    for code, said in ((401, b"a person has to look"), (403, b"a person has to look"), (502, b"just now")):
        town.github.faults.clear()
        town.github.faults.add(Fault("fail", path="access_tokens", status=code, count=9))
        answer = await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT, token=token)
        assert status(answer) in (502, 503) and said.lower() in answer.lower()


async def test_t35_t38_each_token_is_for_one_repository_one_route_one_session(town: Scene, tmp_path: Path) -> None:
    token, _ = await town.open(branch="refs/heads/agent/scoped")
    minted = set(town.github.world.tokens)
    clone = tmp_path / "scoped"
    await town.git("clone", "-q", town.url, str(clone), token=token)
    new = [town.github.world.tokens[one] for one in set(town.github.world.tokens) - minted]
    assert [(one.permissions, one.repository_ids) for one in new] == [
        ({"contents": "read", "metadata": "read"}, {town.shop.id})
    ]
    before, minted = len(town.upstream), set(town.github.world.tokens)
    await town.git("push", "--dry-run", "origin", "HEAD:agent/scoped", cwd=clone, token=token)
    await town.git("push", "origin", "HEAD:refs/heads/other", cwd=clone, token=token, code=1)
    assert set(town.github.world.tokens) == minted
    said = await town.git("push", "origin", "HEAD:agent/scoped", cwd=clone, token=token, GIT_TRACE_CURL="1")
    new = [town.github.world.tokens[one] for one in set(town.github.world.tokens) - minted]
    assert [(one.permissions, one.repository_ids) for one in new] == [
        ({"contents": "write", "metadata": "read"}, {town.shop.id})
    ]
    assert not any(secret in said for secret in town.github.world.tokens)
    assert all(token not in str(one) for one in town.upstream[before:])
    other, _ = await town.open(branch="refs/heads/agent/scoped2")
    minted = set(town.github.world.tokens)
    assert status(await ask(town, "GET", "/git/acme/shop.git" + ADVERTISEMENT, token=other)) == 200
    assert len(set(town.github.world.tokens) - minted) == 1


async def test_t39_a_session_token_is_nothing_at_github(town: Scene) -> None:
    direct = f"{town.github.world.base_url}/acme/shop.git"
    code, said = await town.attempt("-c", f"http.extraHeader=Authorization: Bearer {town.token}", "ls-remote", direct)
    assert code == 128 and ("Authentication failed" in said or "could not read Username" in said)


async def test_t45_nothing_secret_and_nothing_raw_is_logged(
    town: Scene, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with structlog.testing.capture_logs() as logged:
        evil = "refs/heads/\u202eevil"
        clone = await town.clone("logged")
        await town.git("push", "origin", f"HEAD:{evil}", cwd=clone, code=1)
        town.instead.append(on("info/refs", lambda: PlainTextResponse("x", 503)))
        await town.git("fetch", cwd=clone, code=128)
    shown = str(logged) + caplog.text + "".join(capfd.readouterr())
    assert "not this session's branch" in shown
    assert "\u202e" not in shown and town.token not in shown
    assert not any(secret in shown for secret in town.github.world.tokens)


@contextlib.asynccontextmanager
async def _away(town: Scene, monkeypatch: pytest.MonkeyPatch, *names: str) -> AsyncIterator[None]:
    async def away(*_: object, **__: object) -> None:
        raise DatabaseAway("no connection to the database")

    with monkeypatch.context() as patched:
        for name in names:
            patched.setattr(town.database, name, away)
        yield


async def test_t47_without_the_database_nothing_is_let_through(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = await town.clone("dbless")
    before = len(town.upstream)
    async with _away(town, monkeypatch, "query"):
        said = await town.git("fetch", cwd=clone, code=128)
        assert "remote: mergegate: The proxy cannot reach its database." in said and "can help" in said
        assert status(await ask(town, "GET", "/healthz")) == 503
    assert len(town.upstream) == before


async def test_a_push_whose_entry_cannot_be_written_is_not_sent(town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = await town.clone("ledgerless")
    await town.commit(clone)
    before, refs = len(town.upstream), town.refs()

    async def away(*_: object, **__: object) -> int:
        raise DatabaseAway("no space left on device")

    monkeypatch.setattr(ledger, "begin_push", away)
    said = await town.git("push", "origin", "HEAD:agent/work", cwd=clone, code=1)
    assert "remote: The proxy cannot reach its database, so nothing was sent to GitHub." in said
    assert "(not now)" in said and town.refs() == refs
    assert not any("git-receive-pack" in one for one in town.since(before))
    monkeypatch.undo()
    await town.git("push", "origin", "HEAD:agent/work", cwd=clone)


async def test_with_a_full_disk_nothing_is_sent(town: Scene) -> None:
    """PostgreSQL's own error for it, https://www.postgresql.org/docs/current/errcodes-appendix.html: 53100."""
    token, grant = await town.open(branch="refs/heads/agent/full")
    clone = await town.clone("full")
    await town.commit(clone)
    before, refs = len(town.upstream), town.refs()
    await town.database.query(
        "create function disk_is_full() returns trigger language plpgsql as $$ begin raise exception "
        "'could not extend file: No space left on device' using errcode = '53100'; end $$"
    )
    await town.database.query("create trigger full_disk before insert on ledger execute function disk_is_full()")
    try:
        said = await town.git("push", "origin", "HEAD:agent/full", cwd=clone, token=token, code=1)
    finally:
        await town.database.query("drop function disk_is_full cascade")
    assert "remote: The proxy cannot reach its database, so nothing was sent to GitHub." in said
    assert "(not now)" in said and town.refs() == refs
    assert not any("git-receive-pack" in one for one in town.since(before))
    assert await town.outcomes(grant) == []
    await town.git("push", "origin", "HEAD:agent/full", cwd=clone, token=token)
    assert await town.outcomes(grant) == ["done"]


async def test_an_answer_that_is_cut_leaves_the_outcome_unknown(town: Scene, tmp_path: Path) -> None:
    token, grant = await town.open(branch="refs/heads/agent/cut")
    clone = await town.clone("cut")
    await town.commit(clone)
    kind = "application/x-git-receive-pack-result"
    for body in (b"", b"000eunpack", b"<html>", b"0000", b"0008\x02hi\n"):
        town.instead[:] = [on("/git-receive-pack", lambda b=body: Response(b, 200, None, kind))]  # type: ignore[misc]
        said = await town.git("push", "origin", "HEAD:agent/cut", cwd=clone, token=token, code=1)
        assert "it is not known whether it arrived" in said and "git ls-remote" in said
        assert (await town.outcomes(grant))[0] == "unknown"


async def test_health_is_told_for_each_direction(town: Scene) -> None:
    town.instead.append(on("/git-receive-pack", lambda: PlainTextResponse("x", 503)))
    token, _ = await town.open(branch="refs/heads/agent/health")
    clone = await town.clone("health")
    await town.git("push", "origin", "HEAD:agent/health", cwd=clone, token=token, code=1)
    answer = await ask(town, "GET", "/healthz", token=None)
    assert status(answer) == 200 and b'"fetch": "ok"' in answer and b"GitHub answered 503" in answer


async def test_github_is_down(tmp_path: Path, town: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = await town.clone("down")
    await town.commit(clone)
    service = town.proxy._fetching._service
    monkeypatch.setattr(service.upstream, "repository_url", lambda *_: "http://127.0.0.1:9/acme/shop.git")
    said = await town.git("fetch", cwd=clone, code=128)
    assert "GitHub's git service did not answer: no connection" in said and "can help" in said


async def test_the_ledger_says_which_push_brought_a_commit(town: Scene) -> None:
    token, grant = await town.open(branch="refs/heads/agent/origin")
    clone = await town.clone("origin")
    commit = await town.commit(clone)
    await town.git("push", "origin", "HEAD:agent/origin", cwd=clone, token=token)
    await town.outcomes(grant)
    async with town.database.transaction() as connection:
        (entry,) = await ledger.pushes_of(connection, town.shop.id, grant.branch, commit)
        assert entry.session_id == grant.session and entry.outcome == "done"
        assert await ledger.pushes_of(connection, town.shop.id, "refs/heads/main", commit) == []


async def test_a_client_that_goes_away_stops_the_work(town: Scene) -> None:
    token, grant = await town.open(branch="refs/heads/agent/gone-away")
    _, writer = await asyncio.open_connection("127.0.0.1", town.port)

    body = command("refs/heads/agent/gone-away", old="0" * 40) + FLUSH + b"PACK" + b"x" * 1000
    head = (
        "POST /git/acme/shop.git/git-receive-pack HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/x-git-receive-pack-request\r\n"
        "Content-Length: 5000000\r\n\r\n"
    )
    writer.write(head.encode() + body)
    await writer.drain()
    while not await ledger.under_way(town.database, grant.session):  # noqa: ASYNC110 - it is a row in a table
        await asyncio.sleep(0.01)
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()
    assert (await town.outcomes(grant))[0] in ("unknown", "failed")
    assert "refs/heads/agent/gone-away" not in town.refs()
