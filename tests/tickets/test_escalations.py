"""What goes up to people on the simulated GitHub: a few causes, once each, and nothing else."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from app.store import audit
from app.store.audit import Entry
from app.store.database import Database
from app.store.tickets import escalations
from app.store.tickets.escalations import Escalation
from app.store.tickets.runs import Progress
from app.tickets.board import row_of
from app.tickets.parts import place_of
from policies.tickets.escalation import Cause
from policies.tickets.states import State
from tests.checks.test_tickets import body
from tests.gate.shop import BUNDLE, fail_ci
from tests.tickets.desk import FORM, Desk
from tests.tickets.telling import NIGHT, ask, assert_harmless, push_under_way, tell, telling, telling_desk, told

pytestmark = pytest.mark.anyio

HOUR = timedelta(hours=1)


async def _open(at_desk: Desk, number: int) -> Escalation | None:
    async with at_desk.stage.gate.database.transaction() as connection:
        return await escalations.open_of(connection, at_desk.shop.id, number)


async def _accepted(at_desk: Desk, **fields: str) -> int:
    number = (await at_desk.open(body({**FORM, **fields}))).number
    await at_desk.say(number, "/accept")
    return number


async def test_two_lines_that_contradict_each_other_and_a_refusal_that_is_asked_for(
    tmp_path: Path, database: Database
) -> None:
    async with telling_desk(tmp_path, database, telling(more=", together: 0")) as at_desk:
        number = await _accepted(at_desk, **{"Done when": "- sums are rounded down\n- sums are never rounded"})
        claimed = await at_desk.claimed()
        await ask(at_desk, claimed, "requirement_conflict", "The ticket contradicts itself.")
        await tell(at_desk)
        assert await at_desk.state(number) is State.NEEDS_HUMAN
        assert told(at_desk, number) == []  # who cannot quote two lines has found no conflict
        await at_desk.say(number, "/answer 1 it does not")

        hostile = "“sums are never rounded”, “sums are rounded down”: @eve decide\n/stop now\n<b>x</b>"
        await ask(at_desk, claimed, "requirement_conflict", hostile)
        await tell(at_desk)
        (said,) = told(at_desk, number)
        assert said.startswith(f"**#{number} needs you: two lines of the ticket cannot both hold** (2)\n")
        assert "`/answer 2 first`" in said
        assert said.split("\n\n")[-2] == "@ada"
        assert_harmless(said)
        await at_desk.say(number, "/answer 2 first")
        assert await _open(at_desk, number) is None
        assert await at_desk.state(number) is State.RUNNING

        words = "May I push to release?"
        await ask(at_desk, claimed, "permission_expansion", words)
        await tell(at_desk)
        assert len(told(at_desk, number)) == 1  # nothing refused it yet
        await at_desk.say(number, "/answer 3 no")
        assert claimed.grant is not None
        data = {"because": "it is another branch", "refs": ["refs/heads/release", claimed.run.branch]}
        entry = Entry("push-refused", f"session:{claimed.grant.session}", at_desk.shop.id, data)
        async with database.transaction() as connection:
            await audit.append(connection, [entry])
        await ask(at_desk, claimed, "permission_expansion", words + " It was refused.")
        await tell(at_desk)
        assert len(told(at_desk, number)) == 2
        assert "`/answer 4 no` it goes on without (recommended) · `/stop`" in told(at_desk, number)[-1]
        await at_desk.say(number, "/answer 4 no")

        await at_desk.bring(claimed, {"docs/prices.md": "# Prices\n"})
        assert await at_desk.state(number) is State.RUNNING  # it failed, and told nobody
        await ask(at_desk, claimed, "permission_expansion", "May I change docs/prices.md?")
        await tell(at_desk)
        assert len(told(at_desk, number)) == 3
        assert "`/grant path=/docs/prices.md once`" in told(at_desk, number)[-1]
        await at_desk.say(number, "/grant path=manual/** once\nReason: the next one will need it")
        assert await _open(at_desk, number) is not None  # that was not asked
        await at_desk.say(number, "/grant path=/docs/prices.md once\nReason: they belong together")
        assert await _open(at_desk, number) is None
        assert await at_desk.state(number) is State.MERGED  # that was its answer too, and what it had brought passes


async def test_a_first_failure_tells_nobody_and_the_same_once_more_tells_one_person_once(
    tmp_path: Path, database: Database
) -> None:
    asks_bob = "requirements: {low: {evidence: ci, runs: 1, approvals: 1, approvers: {users: [bob]}}}\n"
    async with telling_desk(tmp_path, database, telling(on_call="") + asks_bob) as at_desk:
        number = await _accepted(at_desk)
        claimed = await at_desk.claimed()
        fail_ci(at_desk.stage, at_desk.shop)
        await at_desk.bring(claimed)
        await tell(at_desk)
        assert await at_desk.state(number) is State.RUNNING
        assert told(at_desk, number) == []
        await at_desk.push(claimed, {"shop/discount.py": "RATE = 0.2\n"})
        await at_desk.stage.run_to_rest()
        assert await at_desk.state(number) is State.NEEDS_HUMAN  # with an attempt left
        assert (await at_desk.row(number)).attempts == 2
        shown = at_desk.card(number)
        assert "needs you: the same failure again, or no attempt is left" in shown
        assert "`/limit attempts=4`" in shown
        place = await place_of(at_desk.parts, at_desk.key(number))
        assert place is not None
        async with database.transaction() as connection:
            row = await row_of(connection, place, "https://github.test/acme/shop", number, at_desk.stage.gate.now())
        assert row is not None
        assert row.cause is Cause.REPEATED_FAILURE
        await tell(at_desk)
        (said,) = told(at_desk, number)
        assert_harmless(said)
        await tell(at_desk, 3 * HOUR)
        assert len(told(at_desk, number)) == 1
        await tell(at_desk, HOUR)  # nobody answered for four hours
        assert [one.split("\n\n")[-2] for one in told(at_desk, number)] == ["@ada", "@bob"]
        await at_desk.say(number, "/limit attempts=4\nReason: it was the runner")
        assert await _open(at_desk, number) is None
        await at_desk.say(number, "/retry")
        assert await at_desk.state(number) is State.WAITING
        await tell(at_desk, 8 * HOUR)
        assert len(told(at_desk, number)) == 2
        assert "needs you" not in at_desk.card(number)


async def test_a_change_of_stored_data_is_told_before_it_is_merged_and_the_work_goes_on(
    tmp_path: Path, database: Database
) -> None:
    by_ci = "requirements: {high: {evidence: ci, runs: 1, approvals: 1, approvers: {users: [bob]}}}\n"
    async with telling_desk(tmp_path, database, telling(on_call="") + by_ci) as at_desk:
        number = await _accepted(at_desk, **{"Touches stored data or schema": "yes", "Risk level": "high"})
        told_high = BUNDLE.replace("level: low", "level: high").replace(
            "data_loss: false", "data_loss: false\n  tested: true"
        )
        pull = await at_desk.bring(await at_desk.claimed(), text=told_high)
        assert await at_desk.state(number) is State.MERGEABLE
        await tell(at_desk)
        (said,) = told(at_desk, number)
        assert said.startswith(f"**#{number} needs you: it changes stored data**\n")
        assert f"`/approve {pull.head_sha[:12]}`" in said
        standing = await _open(at_desk, number)
        assert standing is not None
        assert standing.matter.people == ("ada", "bob")  # who accepted it, and whose approval was asked for
        assert str(standing.matter.log).endswith(f"/acme/shop/issues/{pull.number}")  # a link where it is https
        assert pull.merged_at is None
        await at_desk.say(pull.number, "/hold let me see")
        assert await _open(at_desk, number) is None
        asked = len(at_desk.stage.github.requests)
        await at_desk.look(number)  # nobody is to be told again, so that nobody is looked for
        assert not [one.path for one in at_desk.stage.github.requests[asked:] if "CODEOWNERS" in one.path]


async def test_limits_that_end_more_than_a_tenth_of_todays_attempts_are_told(
    tmp_path: Path, database: Database
) -> None:
    async with telling_desk(tmp_path, database) as at_desk:
        await at_desk.stage.github.push(at_desk.shop, "main", {"CODEOWNERS": "* @eve\nshop/ @cyd\n"}, author="ada")
        number = await _accepted(at_desk, **{"Allowed paths": "shop/**"})
        claimed = await at_desk.claimed()
        await at_desk.report(claimed, Progress(cost=Decimal(1_000)))
        await at_desk.look(number)
        await at_desk.stage.run_to_rest()
        assert await at_desk.state(number) is State.CAP_HIT
        await tell(at_desk)
        (said,) = told(at_desk, number)
        assert said.startswith(f"**#{number} needs you: limits end many attempts today**\n")
        standing = await _open(at_desk, number)
        assert standing is not None
        assert standing.matter.people == ("ada", "cyd", "bob")  # who accepted it, who owns its paths, who is on call
        await at_desk.say(number, "/limit cost=40\nReason: it is worth it")
        assert await _open(at_desk, number) is None


async def test_only_a_stop_that_is_not_confirmed_is_told_at_night(tmp_path: Path, database: Database) -> None:
    async with telling_desk(tmp_path, database, telling(NIGHT)) as at_desk:
        number = await _accepted(at_desk, **{"Done when": "- sums are rounded down\n- sums are never rounded"})
        claimed = await at_desk.claimed()
        quoted = "“sums are never rounded”, “sums are rounded down”"
        await ask(at_desk, claimed, "requirement_conflict", quoted)
        await tell(at_desk)
        assert await _open(at_desk, number) is not None
        assert told(at_desk, number) == []
        # What was planned by day and could not be posted then is not told now.
        await database.query(
            "insert into ticket_pushes (repository_id, person, cause, numbers, planned_at) "
            "select repository_id, 'ada', cause, array[number], now() from ticket_escalations"
        )
        await tell(at_desk)
        assert told(at_desk, number) == []
        await push_under_way(at_desk, claimed)
        await at_desk.write(number, "/stop now")
        await at_desk.look(number)
        assert await _open(at_desk, number) is None
        at_desk.stage.clock += timedelta(seconds=61)
        await at_desk.look(number)
        await tell(at_desk)
        (said,) = told(at_desk, number)
        assert said.startswith(f"**#{number} needs you: a stop is not confirmed**\n`/stop now`\n")
        await tell(at_desk, timedelta(minutes=30))  # whoever was told does not answer
        assert len(told(at_desk, number)) == 2
