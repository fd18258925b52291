"""Buttons: what is pressed becomes the person's own comment, once, and whatever is wrong writes nothing."""

from __future__ import annotations

from datetime import timedelta
from html import unescape

import httpx
import pytest

from app.store.tickets import snapshots
from policies.tickets.states import State
from tests.gate.scene import PUBLIC
from tests.github.faults import Fault
from tests.tickets.conftest import at_desk
from tests.tickets.desk import Desk
from tests.web.browser import Browser, web_of

__all__ = ["at_desk"]
pytestmark = pytest.mark.anyio

COMMENTS = r"/issues/\d+/comments$"


async def _accepted(at_desk: Desk) -> tuple[int, str]:
    number = (await at_desk.open()).number
    await at_desk.say(number, "/accept")
    return number, f"/acme/shop/board/{number}"


def _said(at_desk: Desk, number: int, login: str) -> list[str]:
    return [one.body for one in at_desk.shop.issues[number].comments if one.user == login and one.app_id is not None]


def _live_tokens(at_desk: Desk) -> list[str]:
    tokens = at_desk.stage.github.world.tokens.values()
    return [one.value for one in tokens if one.value.startswith("ghu_") and not one.revoked]


async def test_a_button_writes_one_comment_of_the_person_and_the_gate_hears_it(at_desk: Desk) -> None:
    number, path = await _accepted(at_desk)
    claimed = await at_desk.claimed()
    web = web_of(at_desk.stage)
    async with Browser(at_desk.stage, web, "ada") as ada:
        page = (await ada.open(path)).text
        assert "<h1>An agent works on it. Nothing to do; <code>/status</code> says how far it is.</h1>" in page
        assert (await ada.head(path)).status_code == 200
        assert "You wrote" not in (await ada.get(f"{path}?said=<script>")).text
        form = await ada.form(path, "/stop now")
        first, second = await ada.post_form(path, form), await ada.post_form(path, form)
        shown = await ada.follow(second)
        assert "You wrote <code>/stop now</code>: it is being carried out." in shown.text
        assert '<meta http-equiv="refresh" content="5">' in shown.text
        # The first pressing comes back late, and is sent a third time: the same comment.
        assert (await ada.follow(first)).status_code == 400
        assert (await ada.follow(await ada.post_form(path, form))).url == shown.url
        assert _said(at_desk, number, "ada") == ["/stop now"]
        await at_desk.stage.run_to_rest()
        done = (await ada.get(str(shown.url))).text
        assert "You wrote <code>/stop now</code>: it was done." in done
        assert "refresh" not in done
    assert await at_desk.state(number) in (State.STOPPING, State.STOPPED)
    assert any(one.endswith("by ada") for one in await at_desk.changes(number))
    assert _live_tokens(at_desk) == []
    # Whoever did not write it is not told what became of it.
    async with Browser(at_desk.stage, web, "bob") as bob:
        assert "You wrote" not in (await bob.open(path)).text
        assert "You wrote" not in (await bob.get(f"{path}?{shown.url.query.decode()}")).text
    assert claimed is not None


async def test_what_is_not_sent_from_the_persons_own_page_writes_nothing(at_desk: Desk) -> None:
    number, path = await _accepted(at_desk)
    web = web_of(at_desk.stage)
    async with Browser(at_desk.stage, web, "bob") as bob:
        of_bob = await bob.form(path, "/pause")
    async with Browser(at_desk.stage, web, "ada") as ada:
        form = await ada.form(path, "/pause")
        refused = [
            await ada.post(path, data=form),
            await ada.post_form(path, form, origin="https://evil.example"),
            await ada.post_form(path, form, origin="null"),
            await ada.post_form(path, form, **{"sec-fetch-site": "cross-site"}),
            await ada.post_form(path, {**form, "token": form["token"][:-2] + "xx"}),
            await ada.post_form(path, {**form, "token": ada.cookies["__Host-mergegate"]}),
            await ada.post_form(path, of_bob),
            await ada.post_form(path, {**form, "words": "x" * 40_000}),
            await ada.post_form(path, {f"f{n}": "x" for n in range(20)}),
            await ada.post(path, json=form, headers={"origin": PUBLIC}),
        ]
        assert [one.status_code for one in refused] == [403] * len(refused)
        offered = [
            await ada.post_form(path, {**form, "command": command})
            for command in ("/start all", "/override x", "/approve abc", "/retry", "")
        ]
        assert [one.status_code for one in offered] == [409] * len(offered)
        assert (await ada.post_form("/acme/shop/board/999", form)).status_code == 404
        assert (await ada.post_form(f"{path}x", form)).status_code == 422
        assert (await ada.post_form(path, {**form, "command": "/assign", "words": "  "})).status_code == 422
        at_desk.stage.clock += timedelta(hours=13)
        assert (await ada.post_form(path, form)).status_code == 303
        assert (await ada.follow(await ada.get("/sign-in"))).status_code == 200
        assert (await ada.post_form(path, form)).status_code == 403
    # Who may only read is offered nothing.
    async with Browser(at_desk.stage, web, "eve") as eve:
        assert "There is nothing that you can do here now." in (await eve.open(path)).text
        assert '<form method="post" action="/acme' not in (await eve.open(path)).text
    assert _said(at_desk, number, "ada") == []


async def test_github_decides_who_came_back_and_whether_it_is_written(at_desk: Desk) -> None:
    number, path = await _accepted(at_desk)
    web, faults = web_of(at_desk.stage), at_desk.stage.github.faults
    async with Browser(at_desk.stage, web, "ada") as ada:
        form = await ada.form(path, "/pause")
        ada.becomes("eve")
        assert (await ada.follow(await ada.post_form(path, form))).status_code == 403
        ada.becomes("ada")
        # Refused: nothing was written, and it can be pressed again.
        faults.add(Fault("fail", "POST", COMMENTS, status=403))
        refused = (await ada.follow(await ada.post_form(path, form))).text
        assert "Nothing was written: GitHub refused it. Say it yourself." in refused
        # She does not let the App act for her: she is shown what to say and where.
        onward = await ada.post_form(path, form)
        state = httpx.URL(unescape(onward.text.partition("url=")[2].partition('"')[0])).params["state"]
        denied = await ada.get("/signed-in", params={"error": "access_denied", "state": state})
        assert "GitHub did not confirm who you are. Say it yourself." in denied.text
        assert '<textarea readonly rows="4">/pause</textarea>' in denied.text
        assert f"/acme/shop/issues/{number}" in denied.text
        again = await ada.get("/signed-in", params={"error": "access_denied", "state": state})
        assert again.status_code == 400  # each state is for one return
        assert (await ada.follow(await ada.post_form(path, form))).status_code == 200
        # Written, and the answer was lost: it is not written again.
        form = await ada.form(path, "/status")
        faults.add(Fault("fail_after", "POST", COMMENTS, status=502))
        assert (await ada.follow(await ada.post_form(path, form))).status_code == 502
        assert (await ada.follow(await ada.post_form(path, form))).status_code == 409
    assert _said(at_desk, number, "ada") == ["/pause", "/status"]
    assert _said(at_desk, number, "eve") == []
    assert _live_tokens(at_desk) == []


async def test_what_is_about_everything_is_asked_once_more(at_desk: Desk) -> None:
    number, _ = await _accepted(at_desk)
    path = "/acme/shop/board/all"
    async with Browser(at_desk.stage, web_of(at_desk.stage), "ada") as ada:
        asked = await ada.press(path, "/stop all now")
        assert "Press once more to write it." in asked.text
        assert _said(at_desk, number, "ada") == []
        form = await ada.form(path, "/stop all now", sure="yes")
        await ada.follow(await ada.post_form(path, form))
        assert _said(at_desk, number, "ada") == ["/stop all now"]
        await at_desk.stage.run_to_rest()
        assert await at_desk.state(number) in (State.STOPPING, State.STOPPED)
        assert "`/start all`" not in (await ada.get("/acme/shop/board")).text
        assert "pulled the brake" in (await ada.get("/acme/shop/board")).text
    async with Browser(at_desk.stage, web_of(at_desk.stage), "bob") as bob:
        assert "There is nothing that you can do here now." in (await bob.open(path)).text


async def test_words_are_one_line_of_one_command_also_where_nothing_is_delivered(at_desk: Desk) -> None:
    number, path = await _accepted(at_desk)
    at_desk.stage.github.world.switches.lose_deliveries = True
    async with Browser(at_desk.stage, web_of(at_desk.stage), "ada") as ada:
        await ada.press(path, "/redirect", words="round down\n/stop now\r\n/accept")
    assert _said(at_desk, number, "ada") == ["/redirect round down /stop now /accept"]
    await at_desk.look(number)
    assert await at_desk.state(number) == State.WAITING
    async with at_desk.stage.gate.database.transaction() as connection:
        held = await snapshots.newest(connection, at_desk.shop.id, number)
    assert held is not None
    assert held.redirects == ("ada: round down /stop now /accept",)
