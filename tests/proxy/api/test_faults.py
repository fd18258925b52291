"""GitHub down or not GitHub at all, the database away: one clear sentence, and nothing is done by halves."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.proxy import ledger, sessions
from app.proxy.api.limits import Limits
from app.store.database import Database, DatabaseAway
from tests.github.faults import Fault
from tests.proxy.api.town import Town, town

pytestmark = pytest.mark.anyio
COMMENT = "mutation($i: AddCommentInput!) { addComment(input: $i) { clientMutationId } }"


@pytest.fixture
async def shop(tmp_path: Path, database: Database) -> AsyncIterator[Town]:
    async with town(tmp_path, database) as made:
        await made.call("GET", "/repos/acme/shop")  # the first token is minted, and is known everywhere
        yield made


def said(answer: Any) -> str:
    return f"{answer.status_code} {answer.json()['message']}"


async def outcomes(shop: Town) -> list[str | None]:
    assert shop.scene.grant is not None
    return [one.outcome for one in await ledger.of_session(shop.scene.database, shop.scene.grant.session)]


async def test_reading_when_github_is_not_well(shop: Town) -> None:
    faults = shop.scene.github.faults
    for fault, expected in (
        (Fault("fail", "GET", status=502), "502 Mergegate: GitHub answered 502"),
        (
            Fault("fail", "GET", status=200, headers={"content-type": "text/html"}),
            "502 Mergegate: What answered is a page",
        ),
        (
            Fault("fail", "GET", status=301, headers={"location": "https://evil.example/"}),
            "502 Mergegate: GitHub answered with a redirect",
        ),
        (
            Fault("fail", "GET", status=302, headers={"location": "/repos/acme/other"}),
            "502 Mergegate: GitHub answered with a redirect",
        ),
    ):
        faults.clear()
        faults.add(fault)
        answer = await shop.call("GET", "/repos/acme/shop")
        assert said(answer).startswith(expected), said(answer)
        assert answer.json()["retry"] and answer.headers["retry-after"] == "10"
    faults.clear()
    assert (await shop.call("GET", "/repos/acme/shop")).status_code == 200


async def test_a_token_that_github_does_not_know_yet(shop: Town) -> None:
    """T37: reads are tried again, with a new token after a 401."""
    faults, minted = shop.scene.github.faults, len(shop.courier_tokens())
    faults.add(Fault("fail", "GET", path="/pulls$", status=401))
    assert (await shop.call("GET", "/repos/acme/shop/pulls")).status_code == 200
    assert len(shop.courier_tokens()) == minted + 2
    faults.add(Fault("fail", "GET", path="/pulls$", status=404))
    assert (await shop.call("GET", "/repos/acme/shop/pulls")).status_code == 200
    forever = faults.add(Fault("fail", "GET", path="/pulls$", status=401, count=99))
    assert said(await shop.call("GET", "/repos/acme/shop/pulls")).startswith("502 Mergegate: GitHub did not take")
    assert forever.hits == 4


async def test_writing_when_github_is_not_well(shop: Town) -> None:
    """What may have happened is said to be so, and is never sent again."""
    faults, path = shop.scene.github.faults, f"/repos/acme/shop/issues/{shop.ticket.number}/comments"
    done = faults.add(Fault("fail_after", "POST", path="/comments$", status=502))
    answer = await shop.call("POST", path, {"body": "One"})
    assert answer.status_code == 502 and "may have been done all the same" in answer.json()["message"]
    refused = faults.add(Fault("fail", "POST", path="/comments$", status=401))
    assert (await shop.call("POST", path, {"body": "Two"})).status_code == 502
    cut = faults.add(Fault("cut_after", "POST", path="/comments$"))
    assert (await shop.call("POST", path, {"body": "Three"})).status_code == 503
    assert (done.hits, refused.hits, cut.hits) == (1, 1, 1)
    assert [one.body for one in shop.ticket.comments] == ["One", "Three"]
    assert await outcomes(shop) == ["unknown", "failed", "unknown"]
    for comment in shop.ticket.comments:
        edited = await shop.call("PATCH", f"/repos/acme/shop/issues/comments/{comment.id}", {"body": "x"})
        assert edited.status_code == 403


async def test_answers_to_writes_that_say_nothing(shop: Town) -> None:
    faults, path = shop.scene.github.faults, f"/repos/acme/shop/issues/{shop.ticket.number}/comments"
    faults.add(Fault("fail", operation="Odd", status=200))
    given = {"subjectId": shop.node("Issue", shop.ticket.id), "body": "x"}
    odd = await shop.call("POST", "/graphql", {"query": COMMENT.replace("(", " Odd(", 1), "variables": {"i": given}})
    assert odd.status_code == 200 and "data" not in odd.json()
    faults.add(Fault("fail", "POST", path="/comments$", status=307, headers={"location": "/repositories/9/comments"}))
    moved = await shop.call("POST", path, {"body": "x"})
    assert moved.status_code == 502 and "redirect" in moved.json()["message"]
    assert await outcomes(shop) == ["failed", "unknown"]


async def test_what_github_refuses_is_passed_on(shop: Town) -> None:
    await shop.pull()
    again = await shop.call("POST", "/repos/acme/shop/pulls", {"title": "T", "head": "agent/work", "base": "main"})
    assert again.status_code == 422 and "Validation Failed" in again.text
    assert await outcomes(shop) == ["failed", "done"]


async def test_not_being_able_to_look_is_no_yes(shop: Town) -> None:
    pull = await shop.pull()
    faults = shop.scene.github.faults
    path = f"/repos/acme/shop/issues/{pull.number}/comments"
    faults.add(Fault("fail", "POST", path="/graphql", status=500, count=99))
    answer = await shop.call("POST", path, {"body": "x"})
    assert answer.status_code == 502 and answer.json()["retry"]
    faults.clear()
    faults.add(Fault("fail", operation="SubjectByNumber", status=200, message="odd", count=99))
    answer = await shop.call("POST", path, {"body": "x"})
    assert answer.status_code == 503 and "did not say what the request names" in answer.json()["message"]
    faults.clear()
    faults.add(Fault("fail", path="access_tokens", status=500, count=99))
    node = shop.node("PullRequest", pull.id)
    unread = await shop.call(
        "POST", "/graphql", {"query": COMMENT, "variables": {"i": {"subjectId": node, "body": "x"}}}
    )
    assert unread.status_code in (502, 503)
    assert pull.issue.comments == []


async def test_no_connection(shop: Town) -> None:
    await shop.scene.github.stop()
    answer = await shop.call("GET", "/repos/acme/shop")
    assert said(answer).startswith("503 Mergegate: GitHub's API did not answer")
    comment = {"query": COMMENT, "variables": {"i": {"subjectId": "x", "body": "x"}}}
    assert (await shop.call("POST", "/graphql", comment)).status_code == 503
    assert await outcomes(shop) == []


async def test_the_database_is_away(shop: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    path, before = f"/repos/acme/shop/issues/{shop.ticket.number}/comments", len(shop.upstream())

    async def away(*_: object, **__: object) -> None:
        raise DatabaseAway("no connection")

    with monkeypatch.context() as patch:
        patch.setattr(ledger, "begin", away)
        assert said(await shop.call("POST", path, {"body": "x"})).startswith(
            "503 Mergegate: The proxy cannot reach its"
        )
        patch.setattr(sessions, "find", away)
        assert (await shop.call("GET", "/repos/acme/shop")).status_code == 503
    assert shop.upstream()[before:] == [] and shop.ticket.comments == []
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "end", away)
        assert (await shop.call("POST", path, {"body": "said"})).status_code == 201
    assert await outcomes(shop) == [None]


async def test_too_many_comments(tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted by the ledger, however many processes serve the session."""
    monkeypatch.setattr("app.proxy.api.application.Limits", lambda: Limits(comments=2))
    async with town(tmp_path, database) as shop:
        path = f"/repos/acme/shop/issues/{shop.ticket.number}/comments"
        statuses = [(await shop.call("POST", path, {"body": "x"})).status_code for _ in range(3)]
        assert statuses == [201, 201, 429]
        assert len(shop.ticket.comments) == 2
