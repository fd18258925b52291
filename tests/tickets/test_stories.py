"""Whole ways of tickets on the simulated GitHub."""

from __future__ import annotations

import pytest

from policies.tickets.states import State
from tests.tickets.desk import Desk

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
