"""Approvals of this head: which of them can count at all, and for whom.

An approval counts on the head, target, bundle and ticket that its reviewer saw, by a person who had no hand in the
change and may write to the repository. Whether it counts for one requirement is that requirement's electorate to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from checks import agents
from checks.accounts import Account, Permission, Review
from checks.electorate import Electorate, read_permission, why_not_among
from checks.people import Classification, Excluded, excluded_approvers
from checks.snapshot import Snapshot
from checks.unread import Unread

_DECISIVE = frozenset({"APPROVED", "CHANGES_REQUESTED", "DISMISSED"})
_INDECISIVE = frozenset({"COMMENTED", "PENDING"})


@dataclass(frozen=True, slots=True)
class Terms:
    """What makes an approval count whoever is asked.

    `bundle_digest` is that of the bundle as it is now. `agents` are logins that the policy names as agents, beside
    those known here. `keep_on_clean_merge`: an approval of an earlier head stays when only clean merges of the target
    came since that leave every change as it was. `reads_code` are areas for which a comment does not do.
    """

    classification: Classification
    bundle_digest: str | None
    allow_operator: bool = False
    agents: tuple[str, ...] = ()
    keep_on_clean_merge: bool = False
    reads_code: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's approval that stands last; `objection` is why it counts for nobody, None where it does not fail."""

    account: Account
    objection: str | None


@dataclass(frozen=True, slots=True)
class Count:
    """`counted` are logins whose approval counts; `discounted` says why others do not."""

    counted: tuple[str, ...]
    discounted: tuple[tuple[str, str], ...]


def standing(reviews: Iterable[Review], head: str) -> tuple[Review, ...]:
    """The decisive review of each person that stands last at this `head`, the oldest first.

    A dismissal ends what that person said before, and nothing older comes back. A state with an unknown word ends an
    approval, but not a request for changes; neither does an approval of a commit that was not the head any more.
    Within one second, the only order that GitHub tells, a review stands last against a comment.
    """
    latest: dict[str, Review] = {}
    names: dict[int, str] = {}  # one person may have said something under an earlier login
    for review in sorted(reviews, key=lambda review: (review.submitted_at, not review.comment, review.id)):
        login = review.author.login.casefold()
        who = names.setdefault(review.author.id, login) if review.author.id else login
        before = latest.get(who)
        if review.state in _INDECISIVE:
            continue
        if before is None or before.state != "CHANGES_REQUESTED" or _ends_request(review, head):
            latest[who] = review
    return tuple(latest.values())


def _ends_request(review: Review, head: str) -> bool:
    if review.state not in _DECISIVE:
        return False
    approves = review.state == "APPROVED" or (review.state == "DISMISSED" and review.given == "APPROVED")
    return not approves or review.at_head is True or review.commit == head


def approvals_of(snapshot: Snapshot, terms: Terms) -> tuple[Approval, ...]:
    """Every approval that stands, in the order given; none where the reviews could not be read."""
    return tuple(_approvals(snapshot, terms))


def _approvals(snapshot: Snapshot, terms: Terms) -> Iterator[Approval]:
    excluded = excluded_approvers(snapshot, terms.classification, terms.allow_operator)
    given = () if isinstance(snapshot.reviews, Unread) else _of_weight(snapshot.reviews, terms)
    for review in standing(given, snapshot.head.sha):
        if review.state != "CHANGES_REQUESTED":
            yield Approval(review.author, _objection(snapshot, terms, excluded, review))


def _of_weight(reviews: Iterable[Review], terms: Terms) -> Iterator[Review]:
    """Where a comment does not do, it takes nothing from what the same person said in a review."""
    given = tuple(reviews)
    said = {one.author.login.casefold() for one in given if not one.comment and one.state in _DECISIVE}
    return (one for one in given if not (terms.reads_code and one.comment and one.author.login.casefold() in said))


def count(snapshot: Snapshot, approvals: Iterable[Approval], electorate: Electorate) -> Count:
    """Which approvals count where these people are asked."""
    counted: list[str] = []
    discounted: list[tuple[str, str]] = []
    for approval in approvals:
        why = approval.objection or _not_asked(snapshot, electorate, approval.account)
        if why is None:
            counted.append(approval.account.login)
        else:
            discounted.append((approval.account.login, why))
    return Count(tuple(counted), tuple(discounted))


def _not_asked(snapshot: Snapshot, electorate: Electorate, account: Account) -> str | None:
    why = why_not_eligible(snapshot, electorate, account)
    return why.because if isinstance(why, Unread) else why


def why_not_eligible(snapshot: Snapshot, electorate: Electorate, account: Account) -> str | Unread | None:
    """Why the policy does not let this account decide; Unread where that could not be found out."""
    why = _without_write(snapshot, account) or why_not_among(snapshot, electorate, account)
    if why == NOT_AMONG:
        return f"is not among {electorate.words or 'anybody: the policy names no approver'}"
    return why


NOT_AMONG = "is not among them"


def _without_write(snapshot: Snapshot, account: Account) -> str | Unread | None:
    held = read_permission(snapshot, account.login)
    if isinstance(held, Unread):
        return Unread(f"has a permission that could not be read ({held.because})")
    return f"has only the permission {held.name.lower()}" if held < Permission.WRITE else None


def _objection(snapshot: Snapshot, terms: Terms, excluded: Excluded, review: Review) -> str | None:
    why = (
        _why_not_said(review)
        or _why_unread_code(terms, review)
        or _why_not_this_person(terms, excluded, review.author)
        or _why_stale(snapshot, terms, review)
        or _why_unknown_hands(snapshot)
        or _without_write(snapshot, review.author)
    )
    return why.because if isinstance(why, Unread) else why


def _why_not_said(review: Review) -> str | None:
    if review.state == "APPROVED":
        return None
    return "was dismissed" if review.state == "DISMISSED" else f"has the unknown state {review.state[:40]!r}"


def _why_unread_code(terms: Terms, review: Review) -> str | None:
    if not review.comment or not terms.reads_code:
        return None
    return f"approved by a comment, and a change of {', '.join(terms.reads_code)} asks for a review of its code"


def _why_not_this_person(terms: Terms, excluded: Excluded, account: Account) -> str | None:
    if is_machine(terms.agents, account):
        return "is a bot or an agent"
    return excluded.why(account)


def _why_unknown_hands(snapshot: Snapshot) -> str | None:
    """Whoever wrote the change may not approve it, so as long as not all of its commits are known nobody may."""
    if isinstance(snapshot.commits, Unread):
        return f"may have written a part of it, as its commits could not be read ({snapshot.commits.because})"
    return None


def is_machine(named: tuple[str, ...], account: Account) -> bool:
    """Whether it is a bot, a known agent or one of `named`."""
    listed = agents.fold_login(account.login) in {agents.fold_login(login) for login in named}
    return listed or account.is_bot or agents.agent_account(account) is not None


def _why_stale(snapshot: Snapshot, terms: Terms, review: Review) -> str | None:
    kept = terms.keep_on_clean_merge and review.commit in snapshot.same_change
    if review.commit != snapshot.head.sha and not kept:
        return f"approved the earlier commit {review.commit[:12]}"
    if isinstance(review.base_ref, Unread):
        return f"approved towards a branch that is not known any more ({review.base_ref.because})"
    if review.base_ref != snapshot.base_ref:
        return f"approved a merge into {review.base_ref.removeprefix('refs/heads/')}"
    ticket = snapshot.ticket.digest if snapshot.ticket else None
    return _why_other("bundle", review.bundle_digest, terms.bundle_digest) or _why_other(
        "ticket", review.ticket_digest, ticket
    )


def _why_other(what: str, seen: str | Unread | None, now: str | None) -> str | None:
    if isinstance(seen, Unread):
        return f"approved a {what} that is not known any more ({seen.because})"
    return None if seen == now else f"approved before the {what} was changed"
