"""What the rules of a policy look at, gathered once a judgement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from checks import agents
from checks.accounts import Account, Commit
from checks.approvals import Approval
from checks.codeowners import Codeowners
from checks.paths import PathIndex
from checks.people import Classification, contributors, is_vouched, proven_contributors
from checks.risk import touched_paths
from checks.snapshot import Risk, Snapshot
from checks.tampering.alteration import Analysis
from checks.unread import Unread
from policies.rules import patterns


@lru_cache(maxsize=64)
def index_of(lists: tuple[tuple[str, ...], ...]) -> PathIndex:
    """Compiled once a policy, not once a judgement."""
    return PathIndex([patterns(each) for each in lists])


@dataclass(frozen=True)
class Facts:
    """The pull request, whose it is, how risky it is, and the approvals that can count.

    `claimed_from` and `claimed_areas` are what the agent's own word added: the risk without it, and areas that nothing
    else names. That word must not decide which rules apply to it; neither must what it writes into its commits.
    """

    snapshot: Snapshot
    who: Classification
    level: Risk
    areas: tuple[str, ...]
    approvals: tuple[Approval, ...] = ()
    owners: Codeowners | Unread | None = None  # of the target branch; None: not asked for
    lists: tuple[tuple[str, ...], ...] = ()  # every list of path patterns that a condition asks about
    permitted: dict[tuple[str, ...], bool] = field(default_factory=dict)  # see `within`
    claimed_from: Risk | None = None  # None: nothing was added
    claimed_areas: frozenset[str] = frozenset()

    @cached_property
    def _touched(self) -> tuple[tuple[str, ...], Unread | None]:
        return touched_paths(self.snapshot)

    @property
    def paths(self) -> tuple[str, ...]:
        """Every touched path by all of its names, see `touched_paths`."""
        return self._touched[0]

    @property
    def unseen(self) -> Unread | None:
        """Why that may not be all of the change; None where it is."""
        return self._touched[1]

    @cached_property
    def hits(self) -> frozenset[tuple[str, ...]]:
        """Those of `lists` that some touched path matches; each path is looked at once for all rules."""
        index = index_of(self.lists)
        return frozenset(self.lists[number] for path in self.paths for number, _ in index.matches(path))

    def within(self, wanted: tuple[str, ...]) -> bool:
        """Whether every touched path matches one of these patterns as it is written; told once for the same ones."""
        if wanted not in self.permitted:
            self.permitted[wanted] = all(patterns(wanted).matches_exactly(path) for path in self.paths)
        return self.permitted[wanted]

    @cached_property
    def contents(self) -> tuple[frozenset[str], Unread | None]:
        """Kinds of finding about contents, and why there may be others."""
        analysis = self.snapshot.analysis
        if not isinstance(analysis, Analysis):
            return frozenset(), analysis or Unread("the contents were not analysed")
        kinds = frozenset(each.kind for each in analysis.alterations)
        doubt = Unread("not all of the contents could be analysed") if analysis.cut or analysis.unread else None
        return kinds, doubt

    @cached_property
    def contributors(self) -> tuple[Account | Unread, ...]:
        """Those whom GitHub knows, and a person's commits by what they say."""
        found = contributors if self.who.kind == "person" else proven_contributors
        return tuple(dict.fromkeys(found(self.snapshot)))

    @cached_property
    def claimed_contributors(self) -> tuple[Account | Unread, ...]:
        """Whom only commits name that whoever pushed them can have written so."""
        known = set(self.contributors)
        return tuple(dict.fromkeys(each for each in contributors(self.snapshot) if each not in known))

    @cached_property
    def agents(self) -> frozenset[str]:
        """The agent by all of the names that session, ticket, accounts and signatures of GitHub give it."""
        snapshot = self.snapshot
        named = [snapshot.session_agent, snapshot.ticket.agent if snapshot.ticket else None]
        accounts = (snapshot.author, snapshot.head.pusher)
        named += [agents.agent_account(account) for account in accounts if isinstance(account, Account)]
        named += [agents.agent_identity(commit.author) for commit in self._commits if is_vouched(commit)]
        return frozenset(name for name in named if name)

    @cached_property
    def claimed_agents(self) -> frozenset[str]:
        """Names that only its commits give it: anybody can write them there."""
        return frozenset(name for name in self._named_by_commits() if name) - self.agents

    @property
    def _commits(self) -> tuple[Commit, ...]:
        return () if isinstance(self.snapshot.commits, Unread) else self.snapshot.commits

    def _named_by_commits(self) -> Iterator[str | None]:
        for commit in self._commits:
            yield agents.agent_identity(commit.author)
            yield agents.agent_identity(commit.committer)
            yield from (agents.agent_address(co_author.email) for co_author in agents.co_authors(commit.message))

    @property
    def writes_itself(self) -> bool:
        """Whether whoever made the change also writes what stands beside it, and is nobody whose word counts."""
        return self.who.kind != "person"
