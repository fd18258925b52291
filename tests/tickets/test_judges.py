"""Independent judges of a ticket's work: what they are shown of it, and what goes up when two disagree."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from app.gate.names import RepositoryName
from app.judge.matter import NotShown, matter_of
from app.store.database import Database
from app.store.opinions import StoredOpinion
from app.store.tickets import escalations, runs
from policies.tickets.escalation import Cause
from policies.tickets.states import State
from tests.checks.test_tickets import body
from tests.gate.judge_programs import given_to, hire, says
from tests.gate.scene import scene
from tests.gate.shop import BUNDLE
from tests.tickets import rows
from tests.tickets.desk import FORM
from tests.tickets.telling import assert_harmless, tell, telling, telling_desk, told

pytestmark = pytest.mark.anyio

JUDGED = "requirements: {high: {evidence: ci, runs: 1, approvals: 0}}\njudge: {high: [one, two], calls: 5, cost: 1}\n"
HIGH = BUNDLE.replace("level: low", "level: high").replace("data_loss: false", "data_loss: false\n  tested: true")


async def test_two_that_disagree_go_up_and_both_were_shown_the_accepted_ticket(
    tmp_path: Path, database: Database
) -> None:
    async with telling_desk(tmp_path, database, telling() + JUDGED) as at_desk:
        one = hire(at_desk.stage, tmp_path, "one", says("pass", cost=0.5))
        two = hire(at_desk.stage, tmp_path, "two", says("fail", reasons=["It keeps the old price."], cost=0.25))
        number = (await at_desk.open(body({**FORM, "Risk level": "high"}))).number
        await at_desk.say(number, "/accept")
        claimed = await at_desk.claimed()
        pull = await at_desk.bring(claimed, text=HIGH)
        await at_desk.stage.settle()
        assert await at_desk.state(number) is State.MERGEABLE
        for judge in (one, two):
            shown = given_to(judge)["ticket"]
            assert (shown["number"], shown["digest"]) == (number, claimed.snapshot.digest)
            assert shown["fields"] == claimed.snapshot.form.fields
        assert "says no: It keeps the old price" in at_desk.stage.summary(at_desk.shop, pull, "review")
        await tell(at_desk)
        (said,) = told(at_desk, number)
        assert_harmless(said)
        assert said.startswith(f"**#{number} needs you: two judgements differ**\n")
        async with database.transaction() as connection:
            up = await escalations.open_of(connection, at_desk.shop.id, number)
        assert up is not None and up.matter.cause is Cause.JUDGES_DISAGREE
        spent = await database.query("select sum(cost) from opinions where ticket = %s", (number,))
        assert spent == [(Decimal("0.7500"),)]
        async with database.transaction() as connection:
            own = (connection, at_desk.shop.id)
            used = await runs.spent_by(*own, number)
            assert used.cost == Decimal("0.75"), "what judges cost counts for the ticket's limit"
            assert (await runs.spent_by_each(*own, [number]))[number].cost == Decimal("0.75")
            assert (await runs.spent_on(*own, up.opened_at - timedelta(hours=1))).cost == Decimal("0.75")
            assert (await runs.spent_by(*own, number + 1)).cost == 0


async def test_a_ticket_that_was_accepted_anew_is_not_shown_under_its_old_name(
    tmp_path: Path, database: Database
) -> None:
    async with scene(tmp_path, database) as stage:
        async with database.transaction() as connection:
            await rows.accepted(connection)
        row = StoredOpinion(
            "a", rows.REPOSITORY, 7, rows.NUMBER, "sha256:old", "one", "1" * 40, "2" * 40, "3" * 40, stage.gate.now()
        )
        shop = RepositoryName(rows.REPOSITORY, "acme", "shop", "main")
        with pytest.raises(NotShown, match="accepted anew"):
            await matter_of(stage.gate, 1, shop, row)
