"""What a ticket means for the evidence of its pull request."""

from __future__ import annotations

from dataclasses import replace

from checks.finding import Status
from checks.snapshot import Ticket
from policies.tickets.finding import ticket_finding
from tests.checks.build import snapshot

TICKET = Ticket("3", "sha256:1")


def found(ticket: Ticket | None, *, required: bool = True, number: int | None = 7) -> tuple[Status, str, bool]:
    finding = ticket_finding(replace(snapshot(), ticket=ticket, number=number), required=required)
    assert finding.status in (Status.PASSED, Status.SKIPPED) or finding.fix is not None
    return finding.status, finding.reason, finding.needs_person


def test_one_that_stands_passes() -> None:
    assert found(TICKET) == (Status.PASSED, "It belongs to ticket `3`.", False)


def test_one_that_was_stopped_or_is_held_keeps_it_out() -> None:
    assert found(replace(TICKET, blocked="was stopped")) == (Status.FAILED, "Ticket `3` was stopped.", False)
    held = replace(TICKET, held_by="ada", held_because="wait\nfor x")
    assert found(held) == (Status.PENDING, "@ada holds it: wait for x.", False)
    assert found(replace(held, held_because=None)) == (Status.PENDING, "@ada holds it.", False)


def test_stored_data_is_a_person_s_to_decide() -> None:
    status, reason, person = found(replace(TICKET, migration=True))
    assert (status, person) == (Status.PENDING, True)
    assert "stored data" in reason


def test_none_is_missing_where_the_policy_asks_for_one() -> None:
    assert found(None)[0] is Status.FAILED
    assert found(None, number=None)[0] is Status.PENDING
    assert found(None, required=False)[0] is Status.SKIPPED
