"""Whole ways of tickets on the simulated GitHub."""

from __future__ import annotations

import pytest

from app.proxy import ledger, sessions
from app.proxy.sessions import CannotOpen
from app.tickets.claims import NothingToClaim
from policies.tickets.states import State
from tests.gate.shop import fail_ci
from tests.tickets.desk import Desk, is_dead, wanted_for

pytestmark = pytest.mark.anyio


async def test_from_the_form_to_the_merge(at_desk: Desk) -> None:
    issue = await at_desk.open()
    number = issue.number
    assert at_desk.card(number).startswith("**Ready: an agent can finish it without a reply.**")
    assert at_desk.labels(number) == ["agent/draft"]

    accepted = await at_desk.say(number, "/accept")
    assert at_desk.reactions(accepted) == ["rocket"]
    assert at_desk.labels(number) == ["agent/waiting"]
    assert at_desk.answers(number) == []

    claimed = await at_desk.claimed()
    assert (claimed.key.number, claimed.run.branch, claimed.snapshot.accepted_by) == (
        number,
        f"refs/heads/agent/ticket-{number}",
        "ada",
    )
    assert at_desk.labels(number) == ["agent/running"]

    pull = await at_desk.bring(claimed)
    await at_desk.stage.assert_settled()
    assert pull.merged_at is not None
    assert await at_desk.state(number) is State.MERGED
    assert at_desk.labels(number) == ["agent/merged"]
    ways = [line.split(" by ")[0] for line in await at_desk.changes(number)]
    assert ways[:4] == [
        "draft accepted waiting",
        "waiting claimed running",
        "running submitted verifying",
        "verifying passed mergeable",
    ]
    assert ways[-1].endswith("merged merged")


async def test_a_failure_goes_back_to_the_agent_until_no_attempt_is_left(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    await at_desk.say(number, "/limit attempts=2")
    await at_desk.say(number, "/accept")
    claimed = await at_desk.claimed()
    fail_ci(at_desk.stage, at_desk.shop)
    await at_desk.bring(claimed)
    # The first failure is told to the agent and to nobody else; its session lives on.
    assert await at_desk.state(number) is State.RUNNING
    assert (await at_desk.row(number)).attempts == 2
    assert claimed.grant is not None
    told = [words for _, words in await sessions.unsaid(at_desk.stage.gate.database, claimed.grant.session)]
    assert any("failed" in words for words in told), told
    assert at_desk.labels(number) == ["agent/running"]

    await at_desk.push(claimed, {"shop/discount.py": "RATE = 0.2\n"})
    await at_desk.stage.run_to_rest()
    assert await at_desk.state(number) is State.NEEDS_HUMAN
    assert "all 2 attempts are used up" in at_desk.card(number).replace("`", "")
    assert await is_dead(at_desk, claimed)

    refused = await at_desk.say(number, "/retry")
    assert at_desk.reactions(refused) == ["-1"]
    assert "All 2 attempts are used up. Raise it first" in at_desk.answers(number)[-1]
    await at_desk.say(number, "/limit attempts=3\nReason: the tests were flaky")
    again = await at_desk.say(number, "/retry")
    assert at_desk.reactions(again) == ["rocket"]
    assert await at_desk.state(number) is State.WAITING


async def test_stop_now_ends_the_token_before_anything_else(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    await at_desk.say(number, "/accept")
    claimed = await at_desk.claimed()
    assert claimed.grant is not None
    # A push of it is under way when the stop comes: it is only confirmed once that is over.
    entry = await ledger.begin(at_desk.stage.gate.database, claimed.grant, ledger.PUSH, ref=claimed.grant.branch)
    assert isinstance(entry, int)
    stopped = await at_desk.write(number, "/stop now", "bob")
    await at_desk.look(number)
    assert await at_desk.state(number) is State.STOPPING
    assert await is_dead(at_desk, claimed)
    assert at_desk.reactions(stopped) == ["rocket"]
    await ledger.end(at_desk.stage.gate.database, entry, "failed")
    await at_desk.stage.run_to_rest()
    assert await at_desk.state(number) is State.STOPPED
    assert at_desk.labels(number) == ["agent/stopped"]
    assert isinstance(await at_desk.claim(), NothingToClaim)
    with pytest.raises(CannotOpen):
        await sessions.open_session(at_desk.stage.gate.database, wanted_for(claimed))
    # Said again it changes nothing.
    again = await at_desk.say(number, "/stop now", "bob")
    assert at_desk.reactions(again) == ["rocket"]
    assert (await at_desk.changes(number))[-2:] == [
        "running stop stopping by bob",
        "stopping confirmed stopped by mergegate",
    ]
