"""Who gets to see a repository's board, and that whoever has it already is not sent it again."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.github.faults import Fault
from tests.tickets.conftest import at_desk
from tests.tickets.desk import Desk
from tests.web.browser import Browser, web_of

__all__ = ["at_desk"]
pytestmark = pytest.mark.anyio

BOARD = "/acme/shop/board"


async def test_only_who_may_read_the_repository_sees_its_board(at_desk: Desk) -> None:
    at_desk.shop.private = True
    number = (await at_desk.open(title="<b>Discount</b>")).number
    await at_desk.say(number, "/accept")
    web = web_of(at_desk.stage)
    async with Browser(at_desk.stage, web, "eve") as eve:
        unknown = await eve.get(BOARD + ".json")
        answer = await eve.open(BOARD)
        record = (await eve.get(BOARD + ".json")).json()
        listed = (await eve.get("/boards")).text
        assert (await eve.get("/acme/shop/report2")).status_code == 404
    assert answer.status_code == 200
    assert f"#{number} <bdi>&lt;b&gt;Discount&lt;/b&gt;</bdi>" in answer.text
    assert "1 waiting</a></h1>" in answer.text
    assert answer.headers["cache-control"] == "private, no-store"
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert [row["title"] for row in record["sections"]["waiting"]] == ["<b>Discount</b>"]
    assert '<a class="row" href="/acme/shop/board">acme/shop</a> <span class="facts">1 open</span>' in listed
    assert (unknown.status_code, unknown.json()) == (401, {"error": "Sign in with a browser first."})

    at_desk.stage.github.user("mallory")
    async with Browser(at_desk.stage, web, "mallory") as mallory:
        pages = [await mallory.open(path) for path in (BOARD, "/acme/none/board")]
        records = [await mallory.get(path) for path in (BOARD + ".json", "/acme/none/board.json")]
        assert "acme/shop" not in (await mallory.open("/boards")).text
    for found in (pages, records):
        assert {one.status_code for one in found} == {404}
        assert len({one.content for one in found}) == 1
        assert not [one for one in found if "etag" in one.headers]


async def test_a_board_that_did_not_change_is_not_sent_again(at_desk: Desk) -> None:
    await at_desk.stage.run_to_rest()
    at_desk.stage.clock += timedelta(seconds=30 - at_desk.stage.gate.now().second)
    async with Browser(at_desk.stage, web_of(at_desk.stage), "eve") as eve:
        for path in (BOARD, BOARD + ".json"):
            tag = (await eve.open(path)).headers["etag"]
            for known in (tag, f"W/{tag}", f'"other", {tag}'):
                again = await eve.get(path, headers={"if-none-match": known})
                assert (again.status_code, again.content) == (304, b"")
                assert again.headers["etag"] == tag
                assert again.headers["cache-control"] == "private, no-store"
            for other in ("*", '"other"', tag.strip('"'), "x" * 5_000):
                assert (await eve.get(path, headers={"if-none-match": other})).status_code == 200
            assert (await eve.head(path)).headers["etag"] == tag
        at_desk.stage.clock += timedelta(minutes=1)
        assert (await eve.get(BOARD, headers={"if-none-match": tag})).status_code == 200
        at_desk.stage.clock += timedelta(hours=13)
        assert (await eve.get(BOARD, headers={"if-none-match": tag})).status_code == 303


async def test_when_github_does_not_say_who_may_read_nothing_is_shown(at_desk: Desk) -> None:
    await at_desk.stage.run_to_rest()
    async with Browser(at_desk.stage, web_of(at_desk.stage), "eve") as eve:
        await eve.open("/sign-in")
        at_desk.stage.github.faults.add(Fault("fail", path="/collaborators/", count=6))
        page, record = await eve.get(BOARD), await eve.get(BOARD + ".json")
    assert (page.status_code, record.status_code) == (503, 503)
    assert record.json() == {"error": "GitHub or the database is away. Try again."}
    assert "etag" not in page.headers
