"""An everyday pull request for dry runs: a small change by an agent whose evidence is complete, and deviations."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from checks.accounts import Account, Commit, CommitIdentity, Override, Permission, Review
from checks.branches import BRANCHES
from checks.codeowners import ABSENT, parse
from checks.diff import ChangedFile, Diff, FileStatus
from checks.finding import Status
from checks.runs import WorkflowFile, WorkflowRun
from checks.snapshot import Head, Repository, Snapshot, Ticket
from checks.tampering.alteration import Alteration, Analysis, Weight
from policies.case import Assumed
from policies.case_sections import CaseTable, Given
from policies.fields import permission_of, risk_of

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
HEAD, EARLIER, TARGET = "a" * 40, "b" * 40, "c" * 40
_REPOSITORY = Repository(1, "acme", "example", "refs/heads/main")
_PARTS = ("ticket", "bundle", "scope", "rollback", "tampering", "ci", "verifier", "origin")


def assumed_of(given: Given) -> Assumed:
    """Every part of the evidence that the case does not speak of has passed: a policy is tried here, not evidence."""
    parts = dict.fromkeys(_PARTS, Status.PASSED) | {name: Status(word) for name, word in given.evidence.items()}
    return Assumed(given.kind, risk_of(given.risk) if given.risk else None, parts)


def example(given: Given, table: CaseTable) -> Snapshot:
    """The pull request of a case; everybody whom neither it nor the table names is nobody."""
    author = _account(given.author, given.kind)
    diff = _diff(given)
    return Snapshot(
        repository=_REPOSITORY,
        number=1,
        title=given.title,
        body="",
        author=author,
        draft=given.draft,
        open=True,
        head=Head(HEAD, "d" * 40, BRANCHES + given.source, None if given.fork else _REPOSITORY.id, author),
        base_ref=BRANCHES + given.target,
        target_ref=BRANCHES + given.target,
        target_sha=TARGET,
        merge_base=TARGET,
        diff=diff,
        merge_diff=diff,
        mergeable=True,
        changed_files_total=len(diff.files),
        commits=(_commit(given, author),),
        comments=(),
        reviews=_reviews(given),
        runs=tuple(_run(number, path, word) for number, (path, word) in enumerate(given.workflows.items(), start=1)),
        workflows=tuple(WorkflowFile(path, "e" * 40, "e" * 40) for path in given.workflows),
        check_runs=(),
        observed_at=NOW,
        permissions=_permissions(given, table),
        teams=_groups({login: person.teams for login, person in table.people.items()}),
        organizations=_groups({login: person.organizations for login, person in table.people.items()}),
        labels=given.labels,
        ticket=_ticket(given),
        operator=given.operator,
        session_agent=given.agent,
        head_seen_at=NOW,
        analysis=Analysis(tuple(_alteration(kind) for kind in given.content)),
        codeowners=parse("CODEOWNERS", table.code_owners.encode()) if table.code_owners else ABSENT,
        overrides=_overrides(given),
    )


def _account(login: str, kind: str) -> Account:
    return Account(login, None, "Bot" if login.endswith("[bot]") or kind == "dependency-bot" else "User")


def _diff(given: Given) -> Diff:
    changed = [ChangedFile(path, FileStatus.MODIFIED, additions=given.lines) for path in given.paths]
    renamed = [ChangedFile(new, FileStatus.RENAMED, old) for new, old in given.renamed.items()]
    return Diff((*changed, *renamed))


def _commit(given: Given, author: Account) -> Commit:
    address = f"{author.login}@example.org"
    who = CommitIdentity(author.login, address, None if given.unmapped else author)
    return Commit(HEAD, given.title, who, who, signature_valid=given.signed)


def _reviews(given: Given) -> tuple[Review, ...]:
    said = [
        *((login, "APPROVED", EARLIER) for login in given.approvals_before),
        *((login, "APPROVED", HEAD) for login in given.approvals),
        *((login, "CHANGES_REQUESTED", HEAD) for login in given.changes_requested),
    ]
    base, ticket = BRANCHES + given.target, _ticket(given)
    return tuple(
        Review(number, Account(login), state, commit, NOW, base, None, ticket.digest if ticket else None, given=state)
        for number, (login, state, commit) in enumerate(said, start=1)
    )


def _run(number: int, path: str, conclusion: str) -> WorkflowRun:
    return WorkflowRun(
        number, path, path, "pull_request", HEAD, 1, "completed", conclusion, head_repository_id=_REPOSITORY.id
    )


def _permissions(given: Given, table: CaseTable) -> dict[str, Permission]:
    """Whoever is spoken of may write, where the table does not say what they may."""
    spoken = {given.author, *given.approvals, *given.approvals_before, *given.changes_requested}
    spoken |= {given.operator or given.author, given.override.by if given.override else given.author}
    named = {login: permission_of(person.permission) or Permission.NONE for login, person in table.people.items()}
    return dict.fromkeys(sorted(spoken), Permission.WRITE) | named


def _groups(memberships: Mapping[str, tuple[str, ...]]) -> dict[str, frozenset[str]]:
    names = {name for groups in memberships.values() for name in groups}
    return {name: frozenset(who for who, groups in memberships.items() if name in groups) for name in names}


def _ticket(given: Given) -> Ticket | None:
    ticket = given.ticket
    if ticket is None:
        return None
    return Ticket(ticket.id, "sha256:case", risk=risk_of(ticket.risk), agent=ticket.agent, operator=ticket.operator)


def _alteration(kind: str) -> Alteration:
    return Alteration(kind, "src/example.py", 1, "", "", "It is assumed.", Weight.RISK, risk_area="")


def _overrides(given: Given) -> tuple[Override, ...]:
    if given.override is None:
        return ()
    return (Override(Account(given.override.by), given.override.reason, HEAD, NOW, 1),)
