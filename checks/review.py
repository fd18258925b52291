"""Whether the people whom a risk asks for have approved this head, and what holds it up meanwhile.

Which approvals count at all is for `checks.approvals` to say. Whose reviews GitHub itself counts is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checks import agents
from checks.accounts import Account, Commit, CommitIdentity, Permission, Review
from checks.approvals import Terms, approvals_of, count, is_machine, standing, why_not_eligible
from checks.electorate import Electorate, why_not_among
from checks.finding import Evidence, Finding, Fix, errored, failed, needs_person, passed, pending
from checks.people import Classification, is_vouched, operators
from checks.snapshot import Snapshot
from checks.unread import Unread

CHECK = "review"
_NOBODY = Electorate()
_WAIT = Fix("wait", "Nothing to do; the gate looks again by itself.")


@dataclass(frozen=True, slots=True)
class ReviewRequirement:
    """How many approvals are needed, and whose count.

    Being named in `users`, `teams` or `organizations`, or having at least `permission` (None: nobody by permission),
    makes a person eligible; an eligible person needs write permission on the repository in any case. `bundle_digest`
    is that of the bundle as it is now (`read_bundle(snapshot).digest`); the ticket's comes from the snapshot. `agents`
    are logins that the policy names as agents, beside those known here. A request for changes by somebody of `veto`
    stands until they withdraw it themselves. For a change of `reads_code` (names of areas) a comment does not do.
    """

    approvals: int
    classification: Classification
    bundle_digest: str | None
    permission: Permission | None = Permission.WRITE
    users: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    allow_operator: bool = False
    agents: tuple[str, ...] = ()
    organizations: tuple[str, ...] = ()
    keep_on_clean_merge: bool = False
    veto: Electorate = _NOBODY
    reads_code: tuple[str, ...] = ()

    @property
    def terms(self) -> Terms:
        return Terms(
            self.classification,
            self.bundle_digest,
            self.allow_operator,
            self.agents,
            self.keep_on_clean_merge,
            self.reads_code,
        )

    @property
    def electorate(self) -> Electorate:
        return Electorate(self.permission, self.users, self.teams, self.organizations)


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """`counted` are logins whose approval counts, also where none is needed; `discounted` says why others do not."""

    findings: tuple[Finding, ...]
    counted: tuple[str, ...]
    discounted: tuple[tuple[str, str], ...]


def check(snapshot: Snapshot, requirement: ReviewRequirement) -> ReviewResult:
    """Findings `review`, `review.changes` and `review.veto` for every change asked for, and `review.co-authors`."""
    co_authors = tuple(_co_author_findings(snapshot, requirement))
    if isinstance(snapshot.reviews, Unread):
        return ReviewResult((_unread(snapshot.reviews, requirement), *co_authors), (), ())
    found = count(snapshot, approvals_of(snapshot, requirement.terms), requirement.electorate)
    approvals = _approvals(requirement, found.counted, found.discounted)
    changes = tuple(_changes(snapshot, requirement, standing(snapshot.reviews, snapshot.head.sha)))
    return ReviewResult((approvals, *changes, *co_authors), found.counted, found.discounted)


def _unread(reviews: Unread, requirement: ReviewRequirement) -> Finding:
    reason = f"The reviews could not be read: {reviews.because}."
    if reviews.offline and requirement.approvals > 0:
        count = "1 approval is" if requirement.approvals == 1 else f"{requirement.approvals} approvals are"
        reason = f"{count} needed by {_eligible(requirement)}. {reason}"
        return needs_person(CHECK, reason, fix=Fix("ask-person", "Open a pull request and ask for a review of it."))
    if reviews.offline:
        return pending(CHECK, reason, fix=Fix("open-pull-request", "Open a pull request; only GitHub has its reviews."))
    return errored(CHECK, reason, fix=Fix("wait", "Nothing to do; the gate reads them again by itself."))


def _eligible(requirement: ReviewRequirement) -> str:
    return requirement.electorate.words or "anybody: the policy names no approver"


def _approvals(
    requirement: ReviewRequirement, counted: Sequence[str], discounted: Sequence[tuple[str, str]]
) -> Finding:
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


def _changes(snapshot: Snapshot, requirement: ReviewRequirement, reviews: Sequence[Review]) -> Iterator[Finding]:
    """A request for changes stands over later pushes until its author reviews again or it is dismissed.

    Whoever runs or wrote the change may still hold it up: to stop needs less right than to approve. What somebody with
    a veto asked for stands until they themselves approve; a dismissal by others does not end it.
    """
    for review in reviews:
        asked = review.state == "CHANGES_REQUESTED"
        if is_machine(requirement.agents, review.author) or not (asked or _may_outlive_dismissal(review)):
            continue
        veto = why_not_among(snapshot, requirement.veto, review.author)
        eligible = why_not_eligible(snapshot, requirement.electorate, review.author) if asked else "was dismissed"
        unread = next((why for why in (veto, eligible) if isinstance(why, Unread)), None)
        if veto is None:
            yield _veto(review)
        elif eligible is None:
            yield _asked(review)
        elif unread is not None:
            reason = f"{review.author.login} asked for changes and {unread.because}."
            yield errored("review.changes", reason, _evidence(review), fix=_WAIT)


def _may_outlive_dismissal(review: Review) -> bool:
    own = (review.dismissed_by or "").casefold() == review.author.login.casefold()
    return review.state == "DISMISSED" and review.given != "APPROVED" and not own


def _evidence(review: Review) -> Evidence:
    return Evidence(f"review {review.id} of {review.author.login}", digest=review.commit)


def _asked(review: Review) -> Finding:
    login = review.author.login
    fix = Fix("answer-review", f"Do what {login} asked for, then ask them to review again.")
    return failed("review.changes", f"{login} asked for changes.", _evidence(review), fix=fix)


def _veto(review: Review) -> Finding:
    login = review.author.login
    fix = Fix("answer-review", f"Do what {login} asked for; it ends when {login} approves.")
    reason = f"{login} asked for changes and has a veto."
    if review.state == "DISMISSED" and review.given == "CHANGES_REQUESTED":
        reason = f"{login} asked for changes and has a veto; a dismissal by others does not end that."
    elif review.state == "DISMISSED":
        reason = f"A review of {login}, who has a veto, was dismissed, and what it said is not known any more."
    return failed("review.veto", reason, _evidence(review), fix=fix)


def unmapped_commits(snapshot: Snapshot) -> tuple[str, ...]:
    """Ids of commits by an address that belongs to no account, so that anybody can have written them.

    What an agent pushed through a session of the gate is its own and its operator's, whatever address it wrote down.
    """
    if isinstance(snapshot.commits, Unread) or snapshot.session_agent is not None:
        return ()
    return tuple(commit.oid for commit in snapshot.commits if any(map(_is_nobody, (commit.author, commit.committer))))


def _is_nobody(identity: CommitIdentity) -> bool:
    """GitHub names no account for an App's commits, but the address that it gives them names the App."""
    login, _ = agents.noreply_account(identity.email)
    is_app = login is not None and login.casefold().endswith("[bot]")
    return identity.account is None and not is_app and agents.agent_identity(identity) is None


def independent(snapshot: Snapshot, asked: int, counted: Sequence[str]) -> Finding | None:
    """Finding `review.unmapped`: one more person than the `asked` must approve, as one may have written the change.

    None where that is not asked for. `counted` are the different people whose approval counts for anything.
    """
    unmapped = unmapped_commits(snapshot)
    if not unmapped or asked < 1:
        return None
    shown = ", ".join(oid[:12] for oid in unmapped[:3]) + (f" and {len(unmapped) - 3} more" if unmapped[3:] else "")
    why = f"the address on {shown} belongs to no account, so an approver may have written it"
    if len(counted) > asked:
        return passed("review.unmapped", f"{len(counted)} people approved, one more than needed; {why}.")
    text = "Ask one more person to approve, or commit with an address that GitHub knows and push again."
    reason = f"One more person than the {asked} needed must approve: {why}."
    return needs_person("review.unmapped", reason, fix=Fix("ask-person", text))


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
