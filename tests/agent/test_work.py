"""An agent's life over HTTP: it claims, reports, asks, hears, hands over evidence, and reads its verdict."""

from __future__ import annotations

import asyncio

import pytest

from app.tickets.claims import Claimed
from policies.tickets.states import State
from tests.agent.bureau import Bureau, soon
from tests.gate.shop import BUNDLE

pytestmark = pytest.mark.anyio


async def test_a_ticket_from_the_claim_to_the_verdict(town: Bureau) -> None:
    number = await town.accepted()
    claim = await town.claim({"worker": "vm-7"})
    assert claim["claimed"] and claim["ticket"] == number and claim["agent"] == "night/vm-7"
    assert claim["branch"] == f"agent/ticket-{number}" and claim["base"] == "main"
    assert claim["snapshot"]["goal"].startswith("Orders of more than 100")
    token = claim["token"]

    first = await town.call(
        "POST", "/session/progress", {"step": 1, "steps": 3, "percent": 20, "doing": "reading"}, token=token
    )
    assert first.json()["state"] == "running" and first.json()["messages"] == 0
    await town.desk.stage.run_to_rest()
    said = await town.desk.say(number, "/status")
    assert town.desk.reactions(said) == ["rocket"]
    assert "step 1 of 3, 20 %" in town.desk.answers(number)[-1]

    verdict = await town.call("GET", "/session/verdict", token=token)
    assert verdict.json()["pull_request"] is None and verdict.json()["evidence"] is None
    early = await town.call("POST", "/session/done", {"summary": "Done."}, token=token)
    assert early.status_code == 202 and "no pull request" in early.json()["next"]


async def test_a_claim_waits_for_a_ticket(town: Bureau) -> None:
    nothing = await town.claim()
    assert nothing == {"claimed": False, "because": "no ticket waits for this agent"}
    waiting = asyncio.create_task(town.claim(wait=10))
    await soon(waiting)
    number = await town.accepted()
    assert (await waiting)["ticket"] == number
    assert await town.desk.state(number) is State.RUNNING


async def test_the_verdict_changes_and_says_what_is_open(town: Bureau) -> None:
    desk = town.desk
    number = await town.accepted()
    found = await desk.claim("night/vm-7", pool="night")
    token = desk_token(found)
    assert (await town.call("POST", "/session/progress", {"percent": 5}, token=token)).status_code == 200
    before = await town.call("GET", "/session/verdict", token=token)
    same = await town.call("GET", "/session/verdict", token=token, if_none_match=before.headers["etag"])
    assert same.status_code == 304 and same.headers["etag"] == before.headers["etag"]
    waiting = asyncio.create_task(
        town.call("GET", "/session/verdict?wait=20", token=token, if_none_match=before.headers["etag"])
    )
    await soon(waiting)
    pull = await desk.bring(found, text="No evidence at all.")  # type: ignore[arg-type]
    await waiting
    after = (await town.call("GET", "/session/verdict", token=token)).json()
    assert after["pull_request"] == pull.number and after["head"] == pull.head_sha
    assert after["evidence"]["status"] in ("failed", "pending")
    open_ones = {one["check"]: one for one in after["evidence"]["findings"]}
    assert "bundle" in open_ones and open_ones["bundle"]["fix"]
    assert number == (await town.call("POST", "/session/done", {}, token=token)).json()["ticket"]


def desk_token(found: object) -> str:
    assert isinstance(found, Claimed), found
    assert found.token is not None
    return found.token.get_secret_value()


async def test_messages_are_shown_until_they_are_acknowledged(town: Bureau) -> None:
    number = await town.accepted()
    token = (await town.claim())["token"]
    await town.call("POST", "/session/progress", {}, token=token)
    waiting = asyncio.create_task(town.call("GET", "/session/messages?wait=20", token=token))
    await soon(waiting)
    await town.desk.say(number, "/redirect Use the old rounding.")
    (message,) = (await waiting).json()["messages"]
    assert (message["kind"], message["words"], message["by"]) == ("redirect", "Use the old rounding.", "ada")
    assert (await town.call("GET", "/session/messages", token=token)).json()["messages"] == [message]
    for _ in range(2):
        read = await town.call("POST", "/session/messages/read", {"through": message["id"]}, token=token)
        assert read.json() == {"messages": 0}
    assert (await town.call("GET", "/session/messages", token=token)).json()["messages"] == []


async def test_a_question_rests_the_attempt_until_it_is_answered(town: Bureau) -> None:
    number = await town.accepted()
    token = (await town.claim())["token"]
    await town.call("POST", "/session/progress", {"cost": "0.5"}, token=token)
    asked = {"question": "Round up\nor down?", "options": ["up", "down"], "recommended": "down", "default": "stop"}
    first = await town.call("POST", "/session/questions", asked, token=token)
    assert first.json() | {"next": ""} == {"number": 1, "state": "needs_human", "answer": None, "next": ""}
    again = await town.call("POST", "/session/questions", asked, token=token)
    assert again.json()["number"] == 1
    resting = await town.call("POST", "/session/progress", {}, token=token)
    assert resting.status_code == 409 and "needs human" in resting.json()["message"]
    await town.desk.stage.run_to_rest()
    assert "Round up" in town.desk.card(number) and "`/answer 1 …` · stop" in town.desk.card(number)
    await town.desk.say(number, "/answer 1 down, please")
    (message,) = (await town.call("GET", "/session/messages", token=token)).json()["messages"]
    assert (message["kind"], message["words"]) == ("answer", "1: down, please")
    assert (await town.call("POST", "/session/progress", {}, token=token)).json()["attempt"] == 1
    assert await town.desk.state(number) is State.RUNNING


async def test_giving_up_ends_the_session_and_leaves_the_ticket_to_another(town: Bureau) -> None:
    number = await town.accepted()
    token = (await town.claim())["token"]
    await town.call("POST", "/session/progress", {}, token=token)
    gone = await town.call("POST", "/session/failed", {"reason": "The tests need a database."}, token=token)
    assert gone.json()["state"] == "waiting"
    after = await town.call("GET", "/session/messages", token=token)
    assert after.status_code == 401 and "stopped" in after.json()["message"]
    assert (await town.claim())["attempt"] == 2
    assert "The tests need a database" in " ".join(await town.desk.changes_with_causes(number))


async def test_a_stop_reaches_who_waits_for_messages(town: Bureau) -> None:
    number = await town.accepted()
    token = (await town.claim())["token"]
    await town.call("POST", "/session/progress", {}, token=token)
    waiting = asyncio.create_task(town.call("GET", "/session/messages?wait=20", token=token))
    await soon(waiting)
    await town.desk.say(number, "/stop now")
    answer = await waiting
    assert answer.status_code == 401 and "/stop now" in answer.json()["message"]
    refused = await town.call("POST", "/session/progress", {}, token=token)
    assert refused.status_code == 401


async def test_limits_say_what_is_left_and_a_cost_beyond_them_stops_it(town: Bureau) -> None:
    number = await town.accepted()
    token = (await town.claim())["token"]
    await town.call("POST", "/session/progress", {"cost": 3.25}, token=token)
    limits = (await town.call("GET", "/session/limits", token=token)).json()
    assert limits["limits"] == {"minutes": 90, "attempts": 3, "cost": "8.50"}
    assert (limits["used"]["cost"], limits["left"]["cost"], limits["cost_kind"]) == ("3.25", "5.25", "soft")
    await town.desk.stage.run_to_rest()
    await town.call("POST", "/session/progress", {"cost": "8.50"}, token=token)
    await town.desk.stage.run_to_rest()
    assert await town.desk.state(number) in (State.STOPPING, State.CAP_HIT)
    assert (await town.call("GET", "/session/limits", token=token)).status_code == 401


async def test_evidence_becomes_a_comment_that_the_gate_reads(town: Bureau) -> None:
    number = await town.accepted()
    token = (await town.claim())["token"]
    await town.call("POST", "/session/progress", {}, token=token)
    bundle = BUNDLE.split("```mergegate\n")[1].split("```")[0].encode()
    early = await town.call("POST", "/session/evidence", bundle, token=token, content_type="application/yaml")
    assert early.status_code == 409 and "no open pull request" in early.json()["message"]
    github = town.desk.stage.github
    head = await github.push(town.desk.shop, f"agent/ticket-{number}", {"shop/discount.py": "RATE = 0.1\n"})
    opening = {"title": "Discount", "head": f"agent/ticket-{number}", "base": "main", "body": "See the evidence."}
    opened = await town.client.post(
        "/repos/acme/shop/pulls", json=opening, headers={"authorization": f"Bearer {token}"}
    )
    assert opened.status_code == 201, opened.text
    given = await town.call("POST", "/session/evidence", bundle, token=token, content_type="application/yaml")
    assert (given.status_code, given.json()["pull_request"]) == (201, opened.json()["number"])
    comment = town.desk.shop.issues[opened.json()["number"]].comments[-1]
    assert comment.body.startswith("```mergegate\nreason:") and comment.user == "carrier[bot]"
    await town.desk.stage.run_to_rest()
    told = (await town.call("GET", "/session/verdict", token=token)).json()
    assert told["head"] == str(head) and "bundle" not in [one["check"] for one in told["evidence"]["findings"]]


async def test_a_bundle_that_cannot_be_read_is_sent_back(town: Bureau) -> None:
    await town.accepted()
    token = (await town.claim())["token"]
    await town.call("POST", "/session/progress", {}, token=token)
    for raw, said in ((b"reason: [", "cannot be read"), (b"\xff\xfe", "no UTF-8"), (b"a: b\n", "cannot be read")):
        answer = await town.call("POST", "/session/evidence", raw, token=token, content_type="text/plain")
        assert answer.status_code == 422 and said in answer.json()["message"], answer.text
    large = await town.call("POST", "/session/evidence", b"x" * 65_537, token=token, content_type="text/plain")
    assert large.status_code == 413
