"""The policy's words as the parameters that checks take, and what must be known about people to judge by it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from checks.accounts import Account, Permission
from checks.baseline import BaselineRule
from checks.branches import BRANCHES
from checks.ci import CiRequirement
from checks.ci_trust import TrustRule
from checks.electorate import Electorate
from checks.other_ci import Witness
from checks.paths import PathPatterns
from checks.people import AgentMarkers, DependencyBots, PeopleRule
from checks.risk import PathRule
from checks.snapshot import Risk, Snapshot
from checks.unread import Unread
from checks.verified import VerifierRequirement
from checks.witnesses import ReportRule
from policies.fields import permission_of, risk_of
from policies.people_sections import Approvers
from policies.rule_parts import all_demands, people_of
from policies.rule_sections import Who
from policies.schema import Policy

SHORT = 1_000  # characters; a list may have fifteen times as many, and takes one and a half megabytes then


def patterns(lines: tuple[str, ...]) -> PathPatterns:
    """Compiling is the dearest part of a judgement, and a policy seldom changes."""
    return _short(lines) if sum(map(len, lines)) <= SHORT else _long(lines)


@lru_cache(maxsize=1024)
def _short(lines: tuple[str, ...]) -> PathPatterns:
    return PathPatterns(lines)


@lru_cache(maxsize=64)
def _long(lines: tuple[str, ...]) -> PathPatterns:
    return PathPatterns(lines)


def gated_ref(policy: Policy, ref: str, default_branch: str) -> bool:
    """Whether pull requests that target `ref` are judged. Both refs are full names."""
    if ref == default_branch:
        return True
    return ref.startswith(BRANCHES) and patterns(policy.branches).matches(ref.removeprefix(BRANCHES))


def machines(policy: Policy) -> tuple[str, ...]:
    """Logins that the policy names as agents or dependency bots, whatever kind of account they are to GitHub."""
    return tuple(dict.fromkeys((*policy.agents.apps, *policy.dependency_bots.accounts)))


def agent_markers(policy: Policy) -> AgentMarkers:
    agents = policy.agents
    return AgentMarkers(patterns(agents.branches), machines(policy), agents.trailers)


def people_rule(policy: Policy) -> PeopleRule:
    people = policy.people
    return PeopleRule(permission_of(people.permission), people.users, people.teams)


def dependency_bots(policy: Policy) -> DependencyBots:
    bots = policy.dependency_bots
    return DependencyBots(bots.accounts, patterns(bots.paths))


def path_rules(policy: Policy, exempt: Collection[str] = ()) -> tuple[PathRule, ...]:
    """The policy's own rules, without those of the areas in `exempt`."""
    areas = policy.risk.areas.items()
    return tuple(
        PathRule(name, risk_of(area.risk), patterns(area.all_paths)) for name, area in areas if name not in exempt
    )


def ci_requirement(policy: Policy) -> CiRequirement:
    ci = policy.ci
    return CiRequirement(
        workflows=_given(ci.workflows),
        jobs=ci.jobs,
        commands=ci.commands,
        allow_push=ci.allow_push,
        reports=ReportRule(_given(ci.reports.artifacts), ci.reports.required),
        partial=ci.partial_jobs,
        documentation=_given(ci.documentation),
        others=tuple(Witness(other.app, other.checks, other.log) for other in ci.witnesses),
        trust=TrustRule(**ci.trust.model_dump()),
        attempts=ci.attempts,
    )


def _given(lines: tuple[str, ...]) -> PathPatterns | None:
    return patterns(lines) if lines else None


def report_files(policy: Policy) -> PathPatterns:
    """Which files in an artifact are test reports."""
    return patterns(policy.ci.reports.files)


def baseline_rule(policy: Policy) -> BaselineRule:
    words = policy.ci.baseline
    return BaselineRule(words.compare, words.fewer_tests, words.more_skips, policy.ci.partial_jobs)


def verifier_requirement(
    policy: Policy, case_risk: Risk, order_digest: str, login: str | None, *, ready: bool
) -> VerifierRequirement:
    """`order_digest` is of the order that would be given now, `login` the gate's own; `ready` once nothing else stands
    in the way of a verifier run."""
    given = {"ci.commands": policy.ci.commands, "verifier.image": policy.verifier.image}
    return VerifierRequirement(
        runs=policy.requirements.at(case_risk).runs,
        workflow=policy.verifier.workflow,
        order_digest=order_digest,
        login=login,
        risk=case_risk.word,
        ready=ready,
        missing_settings=tuple(name for name, value in given.items() if not value),
        new_tests=policy.verifier.new_tests,
    )


def approvers_at(policy: Policy, risk: Risk) -> Approvers:
    return policy.requirements.at(risk).approvers or policy.approvers


def electorate_at(policy: Policy, risk: Risk) -> Electorate:
    approvers = approvers_at(policy, risk)
    permission = permission_of(approvers.permission)
    return Electorate(permission, approvers.users, approvers.teams, approvers.organizations)


def teams_named(policy: Policy) -> tuple[str, ...]:
    """Slugs of every team whose members must be known, each once, sorted."""
    named = set(policy.people.teams)
    for who in _asked(policy):
        named.update(who.teams)
    return tuple(sorted(named))


def organizations_named(policy: Policy) -> tuple[str, ...]:
    """Logins of every organisation whose members must be known, each once, sorted."""
    return tuple(sorted({name for who in _asked(policy) for name in who.organizations}))


def highest_permission(policy: Policy) -> Permission:
    """The highest permission that anything asks for; whether somebody has more need not be known."""
    return max(permission_of(who.permission) or Permission.NONE for who in _asked(policy))


def _asked(policy: Policy) -> Iterator[Approvers | Who]:
    yield from (approvers_at(policy, risk) for risk in Risk)
    yield from (area.reviewers for area in policy.risk.areas.values() if area.reviewers is not None)
    yield from people_of(policy)


def asks_for_owners(policy: Policy) -> bool:
    return any(demand.code_owners is not None for _, demand in all_demands(policy))


def logins_to_ask(snapshot: Snapshot) -> tuple[str, ...]:
    """Accounts whose permission and team membership decide something, each once, sorted; bots have neither."""
    logins = {account.login.casefold(): account.login for account in _accounts(snapshot) if not account.is_bot}
    return tuple(logins[folded] for folded in sorted(logins))


def _accounts(snapshot: Snapshot) -> Iterator[Account]:
    yield from _known(snapshot.author, snapshot.head.pusher, *snapshot.earlier_pushers)
    if not isinstance(snapshot.commits, Unread):
        for commit in snapshot.commits:
            yield from _known(commit.author.account, commit.committer.account)
    yield from deciding(snapshot)


def deciding(snapshot: Snapshot) -> Iterator[Account]:
    """Whoever reviewed it or asked to let it through."""
    if not isinstance(snapshot.reviews, Unread):
        yield from (review.author for review in snapshot.reviews)
    yield from (override.author for override in snapshot.overrides)


def _known(*accounts: Account | Unread | None) -> Iterable[Account]:
    return (account for account in accounts if isinstance(account, Account))
