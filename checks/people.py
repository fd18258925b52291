"""Whose pull request it is at this head, and who may therefore not approve it.

Unknown is an agent's: a pull request is a person's only when everybody who touched this head is known to be a person
and no mark of an agent is on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from checks import agents
from checks.accounts import Account, Commit, CommitIdentity, Permission
from checks.branches import BRANCHES
from checks.diff import SUBMODULE_MODE, SYMLINK_MODE, ChangedFile, Diff
from checks.electorate import is_member, permission_of
from checks.paths import PathPatterns
from checks.snapshot import Snapshot
from checks.unread import Unread

Kind = Literal["agent", "person", "outsider", "dependency-bot"]


@dataclass(frozen=True, slots=True)
class AgentMarkers:
    """Marks that policy adds to the known ones: branch patterns (without `refs/heads/`), logins, trailer names."""

    branches: PathPatterns
    logins: tuple[str, ...] = ()
    trailers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PeopleRule:
    """Who is a person: everybody with at least `permission` (None: nobody by permission), users, team members."""

    permission: Permission | None
    users: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DependencyBots:
    """Accounts of dependency bots, and the manifests and lock files that they may change."""

    logins: tuple[str, ...]
    paths: PathPatterns


@dataclass(frozen=True, slots=True)
class Classification:
    """`seen_kind` is what it would be without the lines of commit messages that anybody can write; None: the same.

    `kinds` are all that it is: what an agent brings from a fork is an outsider's, and an agent's as well.
    """

    kind: Kind
    because: str  # one sentence
    markers: tuple[str, ...] = ()  # every mark of an agent that was found
    seen_kind: Kind | None = None
    is_marked: bool = False  # whether one of the marks of an outsider's stands beside its commits' messages

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return (self.kind, "agent") if self.is_marked else (self.kind,)

    @property
    def is_agents(self) -> bool:
        """Whether it must prove what an agent's work must; an outsider's person is asked for beside that."""
        return "agent" in self.kinds


def classify(
    snapshot: Snapshot, markers: AgentMarkers, people: PeopleRule, bots: DependencyBots | None = None
) -> Classification:
    """Whose this head is. Judged anew for every head, since any push can make a person's pull request an agent's."""
    doubts: tuple[str, ...] = ()
    if bots is not None and _is_bot_of(snapshot.author, bots):
        doubt = _doubt_about_update(snapshot, bots)
        if doubt is None:
            return Classification("dependency-bot", "A dependency bot changed only manifests and lock files.")
        doubts = (f"a dependency bot opened it, but {doubt}",)
    found = tuple(dict.fromkeys((*doubts, *_markers(snapshot, markers))))
    uncovered = tuple(dict.fromkeys(_uncovered(snapshot, people)))
    if snapshot.is_fork and uncovered:
        because, is_marked = f"It comes from a fork, and {uncovered[0]}.", has_proven_mark(snapshot, markers)
        return Classification("outsider", because, found, is_marked=is_marked)
    if found:
        written = not uncovered and not (doubts or has_proven_mark(snapshot, markers))
        seen_kind: Kind | None = "person" if written else None
        return Classification("agent", f"It carries the mark of an agent: {found[0]}.", found, seen_kind)
    if uncovered:
        return Classification("agent", f"Unknown counts as an agent: {uncovered[0]}.")
    return Classification("person", "Its author, its pusher and every committer are people of this repository.")


def has_proven_mark(snapshot: Snapshot, markers: AgentMarkers) -> bool:
    """Whether a mark of an agent is on it beside the lines of commit messages that anybody can write."""
    return not set(_markers(snapshot, markers)) <= set(_written_markers(snapshot, markers))


def is_dependency_bot(snapshot: Snapshot, bots: DependencyBots) -> bool:
    """Whether a dependency bot opened it, whatever it changes."""
    return _is_bot_of(snapshot.author, bots)


def _is_bot_of(account: Account | Unread, bots: DependencyBots) -> bool:
    return isinstance(account, Account) and account.is_bot and _is_listed(account, bots.logins)


def _is_listed(account: Account, logins: tuple[str, ...]) -> bool:
    return agents.fold_login(account.login) in {agents.fold_login(login) for login in logins}


def _doubt_about_update(snapshot: Snapshot, bots: DependencyBots) -> str | None:
    if snapshot.is_fork or snapshot.session_agent is not None:
        return "it comes from a fork or an agent's session"
    if snapshot.head.pusher is None or not _is_bot_of(snapshot.head.pusher, bots):
        return "it is not known that the bot itself pushed this head"
    if isinstance(snapshot.commits, Unread) or not snapshot.commits:
        return "its commits could not be read"
    if not all(_is_bot_of(account, bots) for account in snapshot.earlier_pushers):
        return "somebody else pushed an earlier commit of it"
    if not all(_is_bots_commit(commit, bots) for commit in snapshot.commits):
        return "not every commit is the bot's with a verified signature"
    return _doubt_about_files(snapshot.diff, bots) or _doubt_about_files(snapshot.merge_diff, bots)


def _is_bots_commit(commit: Commit, bots: DependencyBots) -> bool:
    author = commit.author.account
    if author is None and commit.signed_by_github:  # who names no account for an App, but signs its address for it
        login, number = agents.noreply_account(commit.author.email)
        author = Account(login, number, "Bot") if login is not None and login.endswith("[bot]") else None
    return commit.signature_valid and author is not None and _is_bot_of(author, bots)


def _doubt_about_files(diff: Diff | Unread, bots: DependencyBots) -> str | None:
    if isinstance(diff, Unread) or not diff.complete or not diff.files:
        return "its changes could not be read as a whole"
    strange = next((file.path for file in diff.files if not _is_plain_update(file, bots.paths)), None)
    return None if strange is None else f"it changes `{strange}`, which is no manifest or lock file"


def _is_plain_update(file: ChangedFile, paths: PathPatterns) -> bool:
    if {file.old_mode, file.new_mode} & {SYMLINK_MODE, SUBMODULE_MODE}:
        return False
    return all(paths.matches_exactly(path) for path in file.paths)


def _markers(snapshot: Snapshot, markers: AgentMarkers) -> Iterator[str]:
    if snapshot.session_agent is not None:
        yield f"the head was pushed through a session of {snapshot.session_agent}"
    branch = snapshot.head.ref.removeprefix(BRANCHES)
    if pattern := markers.branches.first_match(branch):
        yield f"the branch `{branch}` is in the agents' namespace `{pattern}`"
    if isinstance(snapshot.author, Account):
        yield from _account_markers(snapshot.author, "opened by", markers)
    if snapshot.head.pusher is not None:
        yield from _account_markers(snapshot.head.pusher, "pushed by", markers)
    for account in snapshot.earlier_pushers:
        yield from _account_markers(account, "an earlier commit of it was pushed by", markers)
    for commit in _commits(snapshot):
        yield from _commit_markers(commit, markers)


def _account_markers(account: Account, did: str, markers: AgentMarkers) -> Iterator[str]:
    if agents.agent_account(account) or _is_listed(account, markers.logins):
        yield f"{did} the agent {account.login}"
    elif account.is_bot:
        yield f"{did} the App {account.login}"


def _written_markers(snapshot: Snapshot, markers: AgentMarkers) -> Iterator[str]:
    """Those that stand in the message of a commit for which GitHub does not vouch."""
    for commit in _commits(snapshot):
        if not is_vouched(commit):
            yield from _message_markers(commit, markers)


def _commit_markers(commit: Commit, markers: AgentMarkers) -> Iterator[str]:
    short = commit.oid[:12]
    for role, identity in (("written", commit.author), ("committed", commit.committer)):
        if identity.account is not None:
            yield from _account_markers(identity.account, f"commit {short} {role} by", markers)
        elif name := agents.agent_identity(identity):
            yield f"commit {short} {role} with an address of {name}"
    yield from _message_markers(commit, markers)


def _message_markers(commit: Commit, markers: AgentMarkers) -> Iterator[str]:
    short = commit.oid[:12]
    names = {*agents.AGENT_TRAILERS, *(name.casefold() for name in markers.trailers)}
    for trailer in agents.trailers(commit.message):
        if trailer.name.casefold() in names:
            yield f"commit {short} has the trailer {trailer.name}"
    for co_author in agents.co_authors(commit.message):
        if name := _agent_co_author(co_author, markers):
            yield f"commit {short} names {name} as co-author"


def _agent_co_author(co_author: agents.CoAuthor, markers: AgentMarkers) -> str | None:
    if co_author.login is not None and _is_listed(Account(co_author.login), markers.logins):
        return co_author.login
    return agents.agent_address(co_author.email)


def _commits(snapshot: Snapshot) -> tuple[Commit, ...]:
    return () if isinstance(snapshot.commits, Unread) else snapshot.commits


def contributors(snapshot: Snapshot) -> Iterator[Account | Unread]:
    """Whoever opened, pushed, wrote or committed it; Unread for each hand that is not known."""
    yield from proven_contributors(snapshot)
    for commit in _commits(snapshot):
        for identity in (commit.author, _responsible(commit)):
            yield identity.account or Unread(f"an address on commit {commit.oid[:12]} belongs to no account")


def proven_contributors(snapshot: Snapshot) -> Iterator[Account | Unread]:
    """Those of them whom GitHub itself knows: by the pull request, by the push, or by a signature that is theirs.

    A signature proves the committer, or the author of a commit that GitHub made and signed; whatever else a commit says
    of its author is written by whoever made it.
    https://docs.github.com/en/authentication/managing-commit-signature-verification/about-commit-signature-verification
    """
    yield snapshot.author
    yield snapshot.head.pusher or Unread("nobody saw the push")
    yield from snapshot.earlier_pushers
    if isinstance(snapshot.commits, Unread):
        yield snapshot.commits
    for commit in _commits(snapshot):
        account = _responsible(commit).account
        if commit.signature_valid and account is not None:
            yield account


def _uncovered(snapshot: Snapshot, people: PeopleRule) -> Iterator[str]:
    """Why it is not certain that everybody who touched this head is a person of this repository."""
    yield from _uncovered_account(snapshot, people, snapshot.author, "its author")
    pusher = snapshot.head.pusher
    yield from _uncovered_account(snapshot, people, pusher or Unread("nobody saw the push"), "its pusher")
    for earlier in snapshot.earlier_pushers:
        yield from _uncovered_account(snapshot, people, earlier, "whoever pushed an earlier commit,")
    if isinstance(snapshot.commits, Unread):
        yield f"its commits could not be read ({snapshot.commits.because})"
    elif not snapshot.commits:
        yield "no commit of it was seen"
    for commit in _commits(snapshot):
        if commit.author.account is None and agents.agent_identity(commit.author) is None:
            yield f"the author's address of commit {commit.oid[:12]} belongs to no account"
        committer = _responsible(commit)
        account = committer.account or Unread("its address belongs to no account")
        if agents.agent_identity(committer) is None:
            yield from _uncovered_account(snapshot, people, account, f"the committer of {commit.oid[:12]}")


def _responsible(commit: Commit) -> CommitIdentity:
    """The committer; of a commit that GitHub itself made and signed, for its author, the author."""
    committer = commit.committer.account
    on_behalf = committer is not None and committer.login == agents.WEB_FLOW
    if on_behalf and commit.signature_valid and commit.signed_by_github:
        return commit.author
    return commit.committer


def _uncovered_account(snapshot: Snapshot, people: PeopleRule, account: Account | Unread, role: str) -> Iterator[str]:
    if isinstance(account, Unread):
        yield f"{role} is not known ({account.because})"
    elif not agents.agent_account(account) and not is_person(snapshot, people, account):
        yield f"{role} {account.login} is not among the people that the policy names"


def is_person(snapshot: Snapshot, people: PeopleRule, account: Account) -> bool:
    """Whether the rule holds this account. What could not be read counts as no."""
    if account.is_bot:
        return False
    if _is_listed(account, people.users) or any(is_member(snapshot, team, account) for team in people.teams):
        return True
    return people.permission is not None and permission_of(snapshot, account.login) >= people.permission


def operators(snapshot: Snapshot) -> tuple[str, ...]:
    """Folded logins of those who run the agent: from its session, its ticket, or a commit that GitHub vouches for."""
    named = [snapshot.operator, snapshot.ticket.operator if snapshot.ticket else None]
    for commit in _commits(snapshot):
        if is_vouched(commit):
            named += [co_author.login for co_author in agents.co_authors(commit.message)]
    return tuple(dict.fromkeys(agents.fold_login(login) for login in named if login))


def is_vouched(commit: Commit) -> bool:
    """Whether GitHub itself made this commit for a known agent, so that its co-author line is no forgery."""
    account = commit.author.account
    known = account is not None and agents.agent_account(account) is not None
    return known and commit.signature_valid and commit.signed_by_github


@dataclass(frozen=True, slots=True)
class Excluded:
    """Whose approval does not count, and why: by folded login, and by id, as a login can be given another name."""

    logins: Mapping[str, str]
    ids: Mapping[int, str]

    def why(self, account: Account) -> str | None:
        by_login = self.logins.get(agents.fold_login(account.login))
        return by_login or (self.ids.get(account.id) if account.id else None)


def excluded_approvers(snapshot: Snapshot, classification: Classification, allow_operator: bool) -> Excluded:
    """Everybody who had a hand in the change.

    `allow_operator` (preset `solo`) lets the person who runs the agent approve, also where the agent commits or
    pushes in that person's name; whoever opened the pull request, or pushed past the agent's session, never may.
    """
    running = operators(snapshot) if classification.kind != "person" else ()
    logins: dict[str, str] = {}
    ids: dict[int, str] = {}
    for account, why, is_own in _hands(snapshot):
        login = agents.fold_login(account.login)
        if is_own or not (allow_operator and login in running):
            logins.setdefault(login, why)
            ids.setdefault(account.id or 0, why)
    if not allow_operator:
        for login in running:
            logins.setdefault(login, "runs the agent that made this change")
    return Excluded(logins, ids)


def _hands(snapshot: Snapshot) -> Iterator[tuple[Account, str, bool]]:
    """Account, what it did, and whether that is its own doing and cannot be the agent's in its name."""
    if isinstance(snapshot.author, Account):
        yield snapshot.author, "opened this pull request", True
    if snapshot.head.pusher is not None:
        yield snapshot.head.pusher, "pushed this head", False
    for earlier in snapshot.earlier_pushers:
        yield earlier, "pushed an earlier commit of it", snapshot.session_agent is not None
    for commit in _commits(snapshot):
        for account, did in ((commit.committer.account, "committed"), (commit.author.account, "wrote")):
            if account is not None:
                yield account, f"{did} commit {commit.oid[:12]}", False
