"""What people write on tickets and their pull requests, on the simulated GitHub."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from decimal import Decimal

import pytest

from app.store.database import Database
from app.store.tickets import messages, questions, runs, snapshots
from app.store.tickets.moving import Cause
from app.store.tickets.questions import Asking
from app.tickets.changing import changed
from app.tickets.claims import Claimed, NothingToClaim
from app.tickets.limiting import alone
from policies.tickets.states import Event, State
from tests.checks.test_tickets import body
from tests.github.operations import issues
from tests.policies.test_escape import live_text
from tests.tickets.desk import FORM, Desk, is_dead

pytestmark = pytest.mark.anyio


async def test_nobody_without_the_right_moves_a_ticket(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    for login in ("eve", "nobody"):
        refused = await at_desk.say(number, "/accept", login)
        assert at_desk.reactions(refused) == ["-1"], login
    assert await at_desk.state(number) is State.DRAFT
    assert at_desk.answers(number)[0].startswith(
        "**Not carried out.** `/accept` needs write permission on the repository."
    )


async def test_what_is_not_ready_is_not_accepted_and_says_why(at_desk: Desk) -> None:
    issue = await at_desk.open(body({**FORM, "Forbidden paths": "- # @acme/all https://x.example"}))
    assert at_desk.card(issue.number).startswith("**Not ready: 1 to repair.**")
    refused = await at_desk.say(issue.number, "/accept")
    assert at_desk.reactions(refused) == ["-1"]
    (answer,) = at_desk.answers(issue.number)
    assert "matches nothing" in answer
    assert "acme/all" in answer
    live = live_text(answer)  # the gate calls nobody because whoever wrote the issue did
    assert not [each for each in ("@", "//") if each in live]
    await issues.edit_issue(at_desk.stage.github, at_desk.shop, issue, "ada", body=body(FORM))
    await at_desk.stage.run_to_rest()
    assert at_desk.card(issue.number).startswith("**Ready")
    await at_desk.say(issue.number, "/accept")
    assert await at_desk.state(issue.number) is State.WAITING


async def test_an_unknown_verb_gets_the_nearest_one_and_the_same_error_is_answered_once(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    first = await at_desk.say(number, "/acept")
    assert at_desk.reactions(first) == ["confused"]
    assert at_desk.answers(number)[0].startswith(
        "**Not understood.** `/acept` is no command here. Did you mean `/accept`?"
    )
    second = await at_desk.say(number, "/acept")
    assert at_desk.reactions(second) == ["confused"]
    assert len(at_desk.answers(number)) == 1


async def test_the_gate_falls_silent_rather_than_answering_for_ever(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    for attempt in range(9):
        await at_desk.write(number, f"/help {attempt}", "eve")
    await at_desk.stage.run_to_rest()
    assert len(at_desk.answers(number)) == 6
    assert all(
        at_desk.reactions(one) == ["rocket"] for one in at_desk.shop.issues[number].comments if one.user == "eve"
    )


async def test_commands_are_carried_out_in_order_up_to_the_first_that_is_not(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    said = await at_desk.say(number, "／accept　\r\n/pause\r\n/hold\r\n/resume\r\nthanks")
    assert at_desk.reactions(said) == ["-1"]
    row = await at_desk.row(number)
    assert (row.state, row.paused) == (State.WAITING, True)
    assert "`/hold` is said on its pull request." in at_desk.answers(number)[0]
    assert isinstance(await at_desk.claim(), NothingToClaim)


async def test_an_edit_after_the_acceptance_changes_nothing_until_it_is_accepted_again(at_desk: Desk) -> None:
    issue = await at_desk.open()
    await at_desk.say(issue.number, "/accept")
    wider = body({**FORM, "Allowed paths": "**"})
    await issues.edit_issue(at_desk.stage.github, at_desk.shop, issue, "ada", body=wider)
    await at_desk.stage.run_to_rest()
    assert "edited after it was accepted" in at_desk.card(issue.number)
    claimed = await at_desk.claim()
    assert isinstance(claimed, Claimed)
    assert claimed.snapshot.form.allowed_paths == ("shop/**", "tests/**")
    refused = await at_desk.say(issue.number, "/accept")
    assert at_desk.reactions(refused) == ["-1"]
    await at_desk.say(issue.number, "/stop")
    await at_desk.say(issue.number, "/accept")
    again = await at_desk.claim()
    assert isinstance(again, Claimed)
    assert (again.snapshot.revision, again.snapshot.form.allowed_paths) == (2, ("**",))


async def test_high_risk_and_more_of_anything_take_a_maintainer(at_desk: Desk) -> None:
    number = (await at_desk.open(body({**FORM, "Risk level": "high"}))).number
    refused = await at_desk.say(number, "/accept", "bob")
    assert "needs maintain permission" in at_desk.answers(number)[0]
    assert at_desk.reactions(refused) == ["-1"]
    await at_desk.say(number, "/accept", "ada")
    assert await at_desk.state(number) is State.WAITING
    lower = await at_desk.say(number, "/limit cost=2 attempts=1", "bob")
    assert at_desk.reactions(lower) == ["rocket"]
    raised = await at_desk.say(number, "/limit cost=9\nReason: it is larger than it looked", "bob")
    assert at_desk.reactions(raised) == ["-1"]
    beyond = await at_desk.say(number, "/limit cost=900\nReason: why not", "ada")
    assert at_desk.reactions(beyond) == ["-1"]
    assert "the policy allows 50" in at_desk.answers(number)[-1]
    wrong = await at_desk.say(number, "/limit cost=lots")
    assert at_desk.reactions(wrong) == ["-1"]
    assert "- Limits: 90 minutes, 1 attempts, 2.00 USD" in at_desk.card(number)


async def test_a_redirect_and_a_grant_reach_the_agent_as_a_new_revision(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    await at_desk.say(number, "/accept")
    claimed = await at_desk.claimed()
    await at_desk.say(number, "/redirect Use the price module <b>instead</b>", "bob")
    await at_desk.say(number, "/grant path=docs/** once\nReason: the manual names it")
    async with at_desk.stage.gate.database.transaction() as connection:
        held = await snapshots.newest(connection, at_desk.shop.id, number)
        told = await messages.undelivered(connection, at_desk.shop.id, number)
    assert held is not None
    assert held.redirects == ("bob: Use the price module <b>instead</b>",)
    assert held.form.allowed_paths == ("shop/**", "tests/**", "docs/**")
    assert (held.revision, held.accepted_by) == (3, "ada")
    assert held.digest != claimed.snapshot.digest
    assert [one.kind for one in told] == ["redirect", "redirect"]
    assert "edited after" not in at_desk.card(number)
    wrong = await at_desk.say(number, "/grant path=[z-a] once\nReason: x")
    assert at_desk.reactions(wrong) == ["-1"]
    await at_desk.say(number, "/limit cost=12 attempts=2\nReason: it is large")
    # Of the limits one became higher than the form's 8.50 dollars; every ticket has 10.
    assert await at_desk.stage.gate.database.query(
        "select what, was, became, usual, pattern, raised_by, because from ticket_raises order by id"
    ) == [
        ("path", None, None, None, "docs/**", "ada", "/grant path=docs/** once (the manual names it)"),
        ("cost", Decimal("8.5"), 12, 10, None, "ada", "/limit cost=12 attempts=2 (it is large)"),
    ]


async def test_the_brake_stops_everything_and_is_let_go_with_a_reason(at_desk: Desk) -> None:
    first, second = [(await at_desk.open(title=f"Ticket {one}")).number for one in range(2)]
    await at_desk.say(first, "/accept")
    await at_desk.say(second, "/accept")
    claimed = await at_desk.claimed()
    refused = await at_desk.say(first, "/stop all now", "bob")
    assert at_desk.reactions(refused) == ["-1"]
    await at_desk.say(first, "/stop all now")
    assert [await at_desk.state(number) for number in (first, second)] == [State.STOPPED, State.STOPPED]
    assert await is_dead(at_desk, claimed)
    await at_desk.say(second, "/retry")
    nothing = await at_desk.claim()
    assert isinstance(nothing, NothingToClaim)
    assert "pulled the brake" in nothing.because
    await at_desk.say(second, "/start all\nReason: looked at it")
    assert isinstance(await at_desk.claim(), Claimed)


async def test_a_batch_makes_its_children_once(at_desk: Desk) -> None:
    template = body({**FORM, "Goal": "Move the module {module} to the new logger."})
    rows = "### Rows\n\n| module |\n|---|\n| cart |\n| price |\n"
    number = (await at_desk.open(f"{template}\n\n{rows}", "Logger in {module}")).number
    said = await at_desk.say(number, "/split")
    assert at_desk.reactions(said) == ["rocket"]
    assert at_desk.answers(number)[0].startswith("2 drafts are made, all of the template `sha256:")
    children = [
        one for one in at_desk.shop.issues.values() if one.title.startswith("Logger in ") and one.number != number
    ]
    assert [one.title for one in children] == ["Logger in cart", "Logger in price"]
    assert [await at_desk.state(one.number) for one in children] == [State.DRAFT, State.DRAFT]
    await at_desk.say(number, "/split again")
    assert len(at_desk.shop.issues) == 3


async def test_what_nobody_delivered_is_heard_and_what_was_edited_is_not(at_desk: Desk) -> None:
    """In polling mode there are no deliveries at all."""
    number = (await at_desk.open()).number
    at_desk.stage.github.world.switches.lose_deliveries = True
    edited = await at_desk.write(number, "/stop now")
    edited.body, edited.updated_at = "/accept", edited.created_at + timedelta(minutes=1)
    heard = await at_desk.write(number, "/accept")
    await at_desk.look(number)
    assert at_desk.reactions(heard) == ["rocket"]
    assert at_desk.reactions(edited) == []
    assert await at_desk.state(number) is State.WAITING


async def test_a_person_s_word_on_an_issue_that_is_no_ticket_is_left_to_other_bots(at_desk: Desk) -> None:
    issue = await at_desk.open("Something is broken.")
    for text in ("/assign @bob", "/stop", "/lgtm"):
        said = await at_desk.say(issue.number, text)
        assert at_desk.reactions(said) == []
    assert at_desk.of_gate(issue.number) == []
    await at_desk.say(issue.number, "/ticket")
    assert "### Goal" in at_desk.answers(issue.number)[0]


async def test_two_workers_make_one_change_one_label_and_one_comment(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    await at_desk.write(number, "/accept")
    await at_desk.write(number, "/accept", "bob")
    await asyncio.gather(at_desk.look(number), at_desk.stage.worker.drain())
    await at_desk.stage.run_to_rest()
    assert at_desk.labels(number) == ["agent/waiting"]
    assert at_desk.card(number)
    assert isinstance(await at_desk.claim(), Claimed)
    assert isinstance(await at_desk.claim("other"), NothingToClaim)


async def test_a_question_waits_for_a_person_and_costs_no_attempt(at_desk: Desk) -> None:
    number = (await at_desk.open()).number
    await at_desk.say(number, "/accept")
    claimed = await at_desk.claimed()
    asking = Asking("requirement_conflict", "f1", "Round up or down?", "It stays stopped.", ["up", "down"], "down")
    async with at_desk.stage.gate.database.transaction() as connection:
        assert await questions.ask(connection, at_desk.shop.id, number, asking)
        assert await changed(connection, claimed.key, Event.ASKED, Cause("claude", "Round up or down?"))
    await at_desk.stage.run_to_rest()
    assert at_desk.card(number).startswith("**It needs a person.**")
    assert "1. Round up or down?" in at_desk.card(number)
    wrong = await at_desk.say(number, "/answer 2 down")
    assert at_desk.reactions(wrong) == ["-1"]
    assert "Question 2 is not open. Open: 1." in at_desk.answers(number)[0]
    answered = await at_desk.say(number, "/answer 1 down", "bob")
    assert at_desk.reactions(answered) == ["rocket"]
    async with at_desk.stage.gate.database.transaction() as connection:
        attempts = await runs.of_ticket(connection, at_desk.shop.id, number)
        told = await messages.undelivered(connection, at_desk.shop.id, number)
    row = await at_desk.row(number)
    assert (row.state, row.attempts) == (State.RUNNING, 1)
    assert [(one.attempt, one.outcome) for one in attempts] == [(1, "asked"), (1, None)]
    assert [(one.kind, one.words) for one in told] == [("answer", "1: down")]
    assert not await is_dead(at_desk, claimed)


async def test_a_limit_waits_for_whoever_begins_work_and_nothing_else_does(at_desk: Desk) -> None:
    """It asks what the day still takes, which a claim is about to take from."""
    number, database = (await at_desk.open()).number, at_desk.stage.gate.database
    await at_desk.say(number, "/accept")
    async with database.transaction() as beginning:
        await alone(beginning, at_desk.shop.id)
        async with asyncio.timeout(20):
            await at_desk.say(number, "/pause\n/assign claude\n/resume\n/status")
        raised = await at_desk.write(number, "/limit minutes=30")
        carrying_out = asyncio.create_task(at_desk.stage.run_to_rest())
        await _until_somebody_waits(database)
        assert (await at_desk.row(number)).max_minutes is None
    await carrying_out
    assert (await at_desk.row(number)).max_minutes == 30
    assert at_desk.reactions(raised) == ["rocket"]


async def _until_somebody_waits(database: Database) -> None:
    end = time.monotonic() + 20
    while not await database.query("select 1 from pg_locks where locktype = 'advisory' and not granted"):
        assert time.monotonic() < end
        await asyncio.sleep(0.02)
