"""Whether a rule's condition holds: yes, no, or not known because something could not be looked at.

Not known is an answer of its own (Kleene's logic): what is unread never turns into a no, by `not` as little as alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from checks.accounts import Account
from checks.branches import BRANCHES
from checks.ci_runs import CountingRuns, choose
from checks.electorate import Electorate, why_not_among
from checks.runs import WorkflowRun
from checks.snapshot import Risk, Snapshot, Ticket
from checks.unread import Unread
from checks.workflow_files import bare_path, check_file
from policies.facts import Facts
from policies.fields import permission_of, risk_of
from policies.measures import is_of_size
from policies.rule_parts import TITLE_OPTIONS
from policies.rule_sections import Condition, NamedPeople, TicketIs, Who, WorkflowIs
from policies.rules import patterns
from policies.spelling import has_label, has_title, names_bot
from policies.unknown import NeverKnown

Answer = bool | Unread

_ONLY_ON_GITHUB = Unread("only GitHub knows it", offline=True)  # in a local judgement
_EVENTS = ("pull_request", "push")


@dataclass(frozen=True, slots=True)
class NotYet(Unread):
    """It will be known by itself: a run that has not ended."""


class Claimed(NeverKnown):
    """Only whoever made the change says so: it brings rules down on it, satisfies none, and looking again is no use."""


_BY_BUNDLE = Claimed("only the evidence bundle says so")
_BY_COMMITS = Claimed("only its commits say so")
_BY_ITSELF = Claimed("whoever made the change chose it")
_UNNAMED = Claimed("only the agent itself could say which one it is")


def holds(condition: Condition, facts: Facts, *, asked_for: bool = False) -> Answer:
    """Whether all that is given in the condition holds; Unread with the first thing that is not known.

    `asked_for`: it is required and nothing else may do instead. Then a title or a branch's name is what is wanted,
    and not a way around something.
    """
    return all_of(_parts(condition, facts, asked_for))


def all_of(answers: Iterable[Answer]) -> Answer:
    """One no is a no, whatever is not known. What can still become known is told before what never will."""
    unread: Unread | None = None
    for answer in answers:
        if answer is False:
            return False
        if isinstance(answer, Unread) and (unread is None or isinstance(unread, NeverKnown)):
            unread = answer
    return unread or True


def any_of(answers: Iterable[Answer]) -> Answer:
    """One yes is a yes, whatever is not known."""
    return _opposite(all_of(_opposite(answer) for answer in answers))


def _opposite(answer: Answer) -> Answer:
    return answer if isinstance(answer, Unread) else not answer


def _parts(condition: Condition, facts: Facts, asked_for: bool) -> Iterator[Answer]:
    """What is cheap to know comes first."""
    yield from _about_names(condition, facts, asked_for)
    yield from _about_work(condition, facts)
    yield from _about_change(condition, facts)
    yield from _about_people(condition, facts)
    for workflow in condition.workflows:
        yield _workflow(workflow, facts.snapshot)
    for each in condition.all:
        yield holds(each, facts, asked_for=asked_for)
    if condition.any:
        yield any_of(holds(each, facts, asked_for=asked_for) for each in condition.any)
    if condition.none_of is not None:
        yield _opposite(holds(condition.none_of, facts, asked_for=asked_for))


def _about_names(condition: Condition, facts: Facts, asked_for: bool) -> Iterator[Answer]:
    snapshot = facts.snapshot
    if condition.target:
        yield patterns(condition.target).matches(snapshot.target_ref.removeprefix(BRANCHES))
    if condition.source:
        named = patterns(condition.source).matches(snapshot.head.ref.removeprefix(BRANCHES))
        # A session's branch was chosen by the person who began it.
        yield _chosen(named, facts.writes_itself and snapshot.session_agent is None and not asked_for)
    for answer in _about_pull_request(condition, facts, asked_for):
        yield answer if snapshot.number is not None else _ONLY_ON_GITHUB


def _chosen(named: Answer, by_itself: bool) -> Answer:
    return _BY_ITSELF if named is True and by_itself else named


def _about_pull_request(condition: Condition, facts: Facts, asked_for: bool) -> Iterator[Answer]:
    snapshot = facts.snapshot
    if condition.labels:
        yield has_label(condition.labels, snapshot.labels)
    if condition.title is not None:
        named = has_title(_title(condition.title), snapshot.title)
        yield _chosen(named, facts.writes_itself and not asked_for)
    if condition.repositories:
        yield patterns(condition.repositories).matches(snapshot.repository.full_name)
    if condition.fork is not None:
        yield snapshot.is_fork is condition.fork


@lru_cache(maxsize=256)
def _title(pattern: str) -> Any:
    return re2.compile(pattern, options=TITLE_OPTIONS)


def _about_work(condition: Condition, facts: Facts) -> Iterator[Answer]:
    if condition.kinds:
        is_one = any(kind in condition.kinds for kind in facts.who.kinds)
        without = facts.who.seen_kind in condition.kinds if facts.who.seen_kind else is_one
        yield _claimed(is_one, without, _BY_COMMITS)
    if condition.agents:
        yield _agent(condition.agents, facts)
    if condition.ticket is not None:
        yield _ticket(condition.ticket, facts.snapshot.ticket)
    if condition.signed is not None:
        yield _signed(condition.signed, facts.snapshot)


def _claimed(holds: bool, without: bool, claimed: Claimed) -> Answer:
    """`without` what only whoever made the change says."""
    return holds if holds is without else claimed


def _agent(wanted: tuple[str, ...], facts: Facts) -> Answer:
    """Commits can name any agent, or none; that it is not one of these is known where something else names it."""
    if any(map(patterns(wanted).matches, facts.agents)):
        return True
    if facts.snapshot.number is None:
        return _ONLY_ON_GITHUB
    if any(map(patterns(wanted).matches, facts.claimed_agents)):
        return _BY_COMMITS
    is_known = bool(facts.agents) or facts.who.kind in ("person", "dependency-bot")
    return False if is_known else _UNNAMED


def _ticket(wanted: TicketIs, ticket: Ticket | None) -> bool:
    if ticket is None or not wanted.given:
        return wanted.given is (ticket is not None)
    operators = {login.casefold() for login in wanted.operators}
    return all(
        (
            not wanted.ids or patterns(wanted.ids).matches(ticket.id),
            not wanted.risk or ticket.risk in map(risk_of, wanted.risk),
            not wanted.agents or (ticket.agent is not None and patterns(wanted.agents).matches(ticket.agent)),
            not operators or (ticket.operator or "").casefold() in operators,
        )
    )


def _signed(wanted: bool, snapshot: Snapshot) -> Answer:
    if isinstance(snapshot.commits, Unread):
        return snapshot.commits
    if not snapshot.commits:
        return Unread("no commit of it was seen")
    return all(commit.signature_valid for commit in snapshot.commits) is wanted


def _about_change(condition: Condition, facts: Facts) -> Iterator[Answer]:
    """Where not all of the change was seen, more may be in it, and its risk is not known."""
    if condition.risk:
        yield facts.unseen or _risk(frozenset(map(risk_of, condition.risk)), facts)
    if condition.areas:
        claimed = None if facts.claimed_areas.isdisjoint(condition.areas) else _BY_BUNDLE
        seen = set(facts.areas) - facts.claimed_areas
        yield _found(not seen.isdisjoint(condition.areas), facts.unseen or claimed)
    if condition.size is not None:
        yield is_of_size(condition.size, (facts.snapshot.diff, facts.snapshot.merge_diff))
    if condition.content:
        kinds, doubt = facts.contents
        yield _found(not kinds.isdisjoint(condition.content), doubt)
    if condition.paths:
        yield _found(condition.paths in facts.hits, facts.unseen)
    if condition.only_paths:
        yield _only(condition.only_paths, facts)


def _risk(wanted: frozenset[Risk], facts: Facts) -> Answer:
    """The agent's word can raise the risk, and so take it out of what a rule is about as well as into it."""
    without = facts.level if facts.claimed_from is None else facts.claimed_from
    return _claimed(facts.level in wanted, without in wanted, _BY_BUNDLE)


def _found(found: bool, doubt: Unread | None) -> Answer:
    return True if found else doubt or False


def _only(wanted: tuple[str, ...], facts: Facts) -> Answer:
    """Of no change at all it is not true that it changes only these: nothing should pass for that."""
    if not facts.within(wanted):
        return False
    return facts.unseen or bool(facts.paths)


def electorate_of(who: Who) -> Electorate:
    return Electorate(permission_of(who.permission), who.users, who.teams, who.organizations)


def _about_people(condition: Condition, facts: Facts) -> Iterator[Answer]:
    if condition.author is not None:
        yield _is_of(condition.author, facts.snapshot.author, facts.snapshot)
    if condition.contributor is not None:
        yield any_of(_hands(condition.contributor, facts))
    if condition.only_contributors is not None:
        yield all_of(_hands(condition.only_contributors, facts))


def _hands(who: NamedPeople, facts: Facts) -> Iterator[Answer]:
    """Whether each who had a hand in it is one of these; that somebody is whom only a commit names is claimed."""
    yield from (_is_of(who, account, facts.snapshot) for account in facts.contributors)
    for account in facts.claimed_contributors:
        answer = _is_of(who, account, facts.snapshot)
        yield _BY_COMMITS if answer is True else answer


def _is_of(who: NamedPeople, account: Account | Unread, snapshot: Snapshot) -> Answer:
    """A bot is in no team and has no permission of its own; only its login can name it."""
    if isinstance(account, Unread):
        return account
    electorate = electorate_of(who)
    if account.is_bot:
        return names_bot(electorate.users, account)
    why = why_not_among(snapshot, electorate, account)
    return why if isinstance(why, Unread) else why is None


def _workflow(wanted: WorkflowIs, snapshot: Snapshot) -> Answer:
    """Like the gate's own evidence: runs of a file that is not the target branch's prove nothing."""
    if isinstance(snapshot.runs, Unread):
        return snapshot.runs
    if isinstance(snapshot.workflows, Unread):
        return snapshot.workflows
    newest = [run for run in _counting(snapshot.runs, snapshot) if bare_path(run.path) == wanted.path]
    if not newest:
        return NotYet(f"`{wanted.path}` has not run on this head")
    if any(run.status != "completed" for run in newest):
        return NotYet(f"`{wanted.path}` is still running")
    doubt = next(iter(check_file(wanted.path, snapshot.workflows)), None)
    if doubt is not None:
        return Unread(doubt.reason.rstrip("."))
    return all(run.conclusion in wanted.conclusions for run in newest)


def _counting(runs: tuple[WorkflowRun, ...], snapshot: Snapshot) -> tuple[WorkflowRun, ...]:
    head = snapshot.head
    counting = CountingRuns(head.sha, head.repository_id, _EVENTS, None, snapshot.shared_head, snapshot.base_changed_at)
    return choose(runs, counting)
