"""What a pull request's ticket means for its evidence."""

from __future__ import annotations

from checks.finding import Finding, Fix, failed, needs_person, passed, pending, skipped
from checks.snapshot import Snapshot, Ticket
from policies.escape import clean

TICKET = "ticket"
_LONGEST_REASON = 200  # characters of a person's words


def ticket_finding(snapshot: Snapshot, *, required: bool) -> Finding:
    """Finding `ticket`: there is one, it is accepted, and nobody stopped it or holds its pull request."""
    if snapshot.ticket is not None:
        return _standing(snapshot.ticket)
    if not required:
        return skipped(TICKET, "It belongs to no ticket, and the policy asks for none.")
    if snapshot.number is None:
        fix = Fix("link-ticket", "Hand over the ticket (`--ticket FILE`), or open a pull request from an accepted one.")
        return pending(TICKET, "The policy asks for a ticket; only GitHub knows whether there is one.", fix=fix)
    fix = Fix("link-ticket", "Start the work from an accepted ticket.")
    return failed(TICKET, "It belongs to no ticket, and the policy asks for one.", fix=fix)


def _standing(ticket: Ticket) -> Finding:
    if ticket.blocked is not None:
        fix = Fix("ask-person", "Ask whoever answers for the ticket; the issue says where it is and what is next.")
        return failed(TICKET, f"Ticket `{ticket.id}` {ticket.blocked}.", fix=fix)
    if ticket.held_by is not None:
        said = clean(ticket.held_because or "", _LONGEST_REASON)
        fix = Fix("ask-person", "It goes on when somebody with write permission comments `/unhold`.")
        return pending(TICKET, f"@{ticket.held_by} holds it{f': {said}' if said else ''}.", fix=fix)
    if ticket.migration:
        fix = Fix("ask-person", "Ask for an approval of somebody who knows the data.")
        reason = f"Ticket `{ticket.id}` touches stored data or its schema, so a person decides."
        return needs_person(TICKET, reason, fix=fix)
    return passed(TICKET, f"It belongs to ticket `{ticket.id}`.")
