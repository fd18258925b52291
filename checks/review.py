"""Which approvals of people count for this head, and what is still needed.

An approval counts on the head, target, bundle and ticket that its reviewer saw, by an eligible person who had no hand
in the change. Whose reviews GitHub itself counts is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from checks import agents
from checks.finding import Evidence, Finding, Fix, errored, failed, needs_person, passed, pending
from checks.people import Classification, excluded_approvers, is_member, is_vouched, operators, read_permission
from checks.snapshot import Account, Commit, Permission, Review, Snapshot, Unread

CHECK = "review"
_DECISIVE = frozenset({"APPROVED", "CHANGES_REQUESTED", "DISMISSED"})
_INDECISIVE = frozenset({"COMMENTED", "PENDING"})


@dataclass(frozen=True, slots=True)
class ReviewRequirement:
    """How many approvals are needed, and whose count.

    Being named in `users` or `teams`, or having at least `permission` (None: nobody by permission), makes a person
    eligible; an eligible person needs write permission on the repository in any case. `bundle_digest` is that of the
    bundle as it is now (`read_bundle(snapshot).digest`); the ticket's comes from the snapshot. `agents` are logins
    that the policy names as agents, beside those known here.
    """

    approvals: int
    classification: Classification
    bundle_digest: str | None
    permission: Permission | None = Permission.WRITE
    users: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    allow_operator: bool = False
    agents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """`counted` are logins whose approval counts, also where none is needed; `discounted` says why others do not."""

    findings: tuple[Finding, ...]
    counted: tuple[str, ...]
    discounted: tuple[tuple[str, str], ...]


def check(snapshot: Snapshot, requirement: ReviewRequirement) -> ReviewResult:
    """Findings `review`, `review.changes` for every change asked for, and `review.co-authors`."""
    co_authors = tuple(_co_author_findings(snapshot, requirement))
    if isinstance(snapshot.reviews, Unread):
        return ReviewResult((_unread(snapshot.reviews, requirement), *co_authors), (), ())
    standing = _standing(snapshot.reviews)
    excluded = excluded_approvers(snapshot, requirement.classification, requirement.allow_operator)
    counted: list[str] = []
    discounted: list[tuple[str, str]] = []
    for review in standing:
        if review.state != "CHANGES_REQUESTED":
            why = _why_not(snapshot, requirement, excluded, review)
            if why is None:
                counted.append(review.author.login)
            else:
                discounted.append((review.author.login, why))
    changes = tuple(_changes(snapshot, requirement, standing))
    approvals = _approvals(requirement, counted, discounted)
    return ReviewResult((approvals, *changes, *co_authors), tuple(counted), tuple(discounted))


def _unread(reviews: Unread, requirement: ReviewRequirement) -> Finding:
    reason = f"The reviews could not be read: {reviews.because}."
    if reviews.offline and requirement.approvals > 0:
        count = "1 approval is" if requirement.approvals == 1 else f"{requirement.approvals} approvals are"
        reason = f"{count} needed by {_eligible(requirement)}. {reason}"
        return needs_person(CHECK, reason, fix=Fix("ask-person", "Open a pull request and ask for a review of it."))
    if reviews.offline:
        return pending(CHECK, reason, fix=Fix("open-pull-request", "Open a pull request; only GitHub has its reviews."))
    return errored(CHECK, reason, fix=Fix("wait", "Nothing to do; the gate reads them again by itself."))


def _standing(reviews: tuple[Review, ...]) -> tuple[Review, ...]:
    """The decisive review of each person that stands last, the oldest first.

    A dismissal ends what that person said before, and nothing older comes back. A state with an unknown word ends an
    approval, but not a request for changes.
    """
    latest: dict[str, Review] = {}
    for review in sorted(reviews, key=lambda review: (review.submitted_at, review.id)):
        who = review.author.login.casefold()
        before = latest.get(who)
        if review.state in _INDECISIVE:
            continue
        if review.state in _DECISIVE or before is None or before.state != "CHANGES_REQUESTED":
            latest[who] = review
    return tuple(latest.values())


def _why_not(
    snapshot: Snapshot, requirement: ReviewRequirement, excluded: Mapping[str, str], review: Review
) -> str | None:
    """Why this review does not count as an approval, or None where it does."""
    why = (
        _why_not_said(review)
        or _why_not_this_person(requirement, excluded, review.author)
        or _why_stale(snapshot, requirement, review)
        or _why_unknown_hands(snapshot)
        or _ineligible(snapshot, requirement, review.author)
    )
    return why.because if isinstance(why, Unread) else why


def _why_not_said(review: Review) -> str | None:
    if review.state == "APPROVED":
        return None
    return "was dismissed" if review.state == "DISMISSED" else f"has the unknown state {review.state[:40]!r}"


def _why_not_this_person(requirement: ReviewRequirement, excluded: Mapping[str, str], account: Account) -> str | None:
    if _is_machine(requirement, account):
        return "is a bot or an agent"
    return excluded.get(agents.fold_login(account.login))


def _why_unknown_hands(snapshot: Snapshot) -> str | None:
    """Whoever wrote the change may not approve it, so as long as not all of its commits are known nobody may."""
    if isinstance(snapshot.commits, Unread):
        return f"may have written a part of it, as its commits could not be read ({snapshot.commits.because})"
    return None


def _is_machine(requirement: ReviewRequirement, account: Account) -> bool:
    named = agents.fold_login(account.login) in {agents.fold_login(login) for login in requirement.agents}
    return named or account.is_bot or agents.agent_account(account) is not None


def _why_stale(snapshot: Snapshot, requirement: ReviewRequirement, review: Review) -> str | None:
    if review.commit != snapshot.head.sha:
        return f"approved the earlier commit {review.commit[:12]}"
    if isinstance(review.base_ref, Unread):
        return f"approved towards a branch that is not known any more ({review.base_ref.because})"
    if review.base_ref != snapshot.base_ref:
        return f"approved a merge into {review.base_ref.removeprefix('refs/heads/')}"
    ticket = snapshot.ticket.digest if snapshot.ticket else None
    return _why_other("bundle", review.bundle_digest, requirement.bundle_digest) or _why_other(
        "ticket", review.ticket_digest, ticket
    )


def _why_other(what: str, seen: str | Unread | None, now: str | None) -> str | None:
    if isinstance(seen, Unread):
        return f"approved a {what} that is not known any more ({seen.because})"
    return None if seen == now else f"approved before the {what} was changed"


def _ineligible(snapshot: Snapshot, requirement: ReviewRequirement, account: Account) -> str | Unread | None:
    """Why the policy does not let this account approve; Unread where that could not be found out."""
    permission = read_permission(snapshot, account.login)
    if isinstance(permission, Unread):
        return Unread(f"has a permission that could not be read ({permission.because})")
    if permission < Permission.WRITE:
        return f"has only the permission {permission.name.lower()}"
    if _is_named(snapshot, requirement, account):
        return None
    if requirement.permission is not None and permission >= requirement.permission:
        return None
    unread = next((team for team in requirement.teams if isinstance(snapshot.teams.get(team), Unread | None)), None)
    if unread is not None:
        return Unread(f"may be in team {unread}, whose members could not be read")
    return f"is not among {_eligible(requirement)}"


def _is_named(snapshot: Snapshot, requirement: ReviewRequirement, account: Account) -> bool:
    named = account.login.casefold() in {login.casefold() for login in requirement.users}
    return named or any(is_member(snapshot, team, account) for team in requirement.teams)


def _eligible(requirement: ReviewRequirement) -> str:
    who = [f"@{login}" for login in requirement.users] + [f"team {team}" for team in requirement.teams]
    if requirement.permission is not None:
        who.append(f"people with {requirement.permission.name.lower()} permission")
    return ", ".join(who) or "anybody: the policy names no approver"


def _approvals(requirement: ReviewRequirement, counted: list[str], discounted: list[tuple[str, str]]) -> Finding:
    wanted = requirement.approvals
    if wanted <= 0:
        return passed(CHECK, "No approval is needed for a change of this risk.")
    if len(counted) >= wanted:
        return passed(CHECK, f"Approved at this head by {', '.join(counted)}; {wanted} needed.")
    reason = f"{len(counted)} of {wanted} approvals at this head by {_eligible(requirement)}"
    not_counted = "; ".join(f"{login} {why}" for login, why in discounted[:5])
    reason += f". Not counted: {not_counted}." if not_counted else "."
    missing = wanted - len(counted)
    fix = Fix("ask-person", f"Ask for {missing} more approval{'s' if missing > 1 else ''} of this very head.")
    return needs_person(CHECK, reason, fix=fix)


def _changes(snapshot: Snapshot, requirement: ReviewRequirement, standing: tuple[Review, ...]) -> Iterator[Finding]:
    """A request for changes stands over later pushes until its author reviews again or it is dismissed.

    Whoever runs or wrote the change may still hold it up: to stop needs less right than to approve.
    """
    for review in standing:
        if review.state != "CHANGES_REQUESTED" or _is_machine(requirement, review.author):
            continue
        login = review.author.login
        evidence = Evidence(f"review {review.id} of {login}", digest=review.commit)
        why = _ineligible(snapshot, requirement, review.author)
        if why is None:
            fix = Fix("answer-review", f"Do what {login} asked for, then ask them to review again.")
            yield failed("review.changes", f"{login} asked for changes.", evidence, fix=fix)
        elif isinstance(why, Unread):
            fix = Fix("wait", "Nothing to do; the gate looks again by itself.")
            yield errored("review.changes", f"{login} asked for changes and {why.because}.", evidence, fix=fix)


def _co_author_findings(snapshot: Snapshot, requirement: ReviewRequirement) -> Iterator[Finding]:
    """Co-authors of an agent's commits who are neither agents nor its operator.

    They are not simply excluded: an agent could then rule out every reviewer by naming them.
    """
    if requirement.classification.kind == "person" or isinstance(snapshot.commits, Unread):
        return
    named = (agents.fold_login(login) for login in requirement.agents)
    known = {*operators(snapshot), *_accounts(snapshot), *named}
    strangers = dict.fromkeys(name for commit in snapshot.commits for name in _strangers(commit, known))
    if strangers:
        names = ", ".join(list(strangers)[:5])
        reason = f"Commits name co-authors who neither run this agent nor committed anything here: {names}."
        fix = Fix("rewrite-commits", "Take the Co-authored-by lines out of the commit messages and push again.")
        yield failed("review.co-authors", reason, fix=fix)


def _strangers(commit: Commit, known: set[str]) -> Iterator[str]:
    if is_vouched(commit):
        return
    for co_author in agents.co_authors(commit.message):
        is_known = co_author.login is not None and agents.fold_login(co_author.login) in known
        is_bot = co_author.login is not None and co_author.login.endswith("[bot]")
        if not is_known and not is_bot and not agents.agent_address(co_author.email) and co_author.email not in known:
            yield co_author.login or co_author.name or co_author.email


def _accounts(snapshot: Snapshot) -> Iterator[str]:
    """Folded logins, and addresses, of those who are excluded from approving anyway."""
    if isinstance(snapshot.author, Account):
        yield agents.fold_login(snapshot.author.login)
    for commit in () if isinstance(snapshot.commits, Unread) else snapshot.commits:
        for identity in (commit.author, commit.committer):
            if identity.account is not None:
                yield agents.fold_login(identity.account.login)
                yield identity.email
