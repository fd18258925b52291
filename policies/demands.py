"""What a rule requires, held against the facts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.approvals import Count, count
from checks.codeowners import Owner, owners
from checks.electorate import Electorate
from checks.finding import Status
from checks.unread import Unread
from policies.conditions import NotYet, electorate_of, holds
from policies.facts import Facts
from policies.outcome import Outcome, all_of, any_of, at_least
from policies.rule_sections import ApprovalsWanted, Condition, Demand, OwnersWanted
from policies.rules import electorate_at
from policies.schema import Policy
from policies.unknown import NeverKnown

_SHOWN = 3  # owners' groups, and approvals that do not count
_NOTHING = "nothing of what it requires applies here"


@dataclass(frozen=True)
class Court:
    """A policy and the facts; what a rule came to and whose approvals count is kept, however often it is asked."""

    policy: Policy
    facts: Facts
    known: dict[tuple[str, bool, bool, bool], Outcome] = field(default_factory=dict)
    counts: dict[Electorate, Count] = field(default_factory=dict)

    def rule(self, name: str, *, alone: bool = True, alternative: bool = False, asked_for: bool = True) -> Outcome:
        """What the rule comes to. Skipped where its condition does not hold; `alone`: no other rule names it here."""
        key = (name, alone, alternative, asked_for)
        if key not in self.known:
            self.known[key] = self._rule(name, alone=alone, alternative=alternative, asked_for=asked_for)
        return self.known[key]

    def _rule(self, name: str, *, alone: bool, alternative: bool, asked_for: bool) -> Outcome:
        rule = self.policy.rules[name]
        applies = True if rule.when is None else holds(rule.when, self.facts)
        if applies is False:
            return Outcome(name, Status.SKIPPED, f"rule `{name}` does not apply")
        found = self.demand(rule.require, alternative=not alone, asked_for=asked_for)
        if found.status is Status.SKIPPED:
            return Outcome(name, Status.FAILED, f"rule `{name}`: {_NOTHING}", found.parts)
        words = found.words if alone else f"rule `{name}`: {found.words}"
        if isinstance(applies, Unread):
            return _doubtful(name, found, words, applies, alternative=alternative)
        return Outcome(name, found.status, words, _parts(found), found.waits_for, found.counted, found.people)

    def demand(self, demand: Demand, *, alternative: bool = False, asked_for: bool = True) -> Outcome:
        """`alternative`: something else may do instead, so that what asks for nothing is left out, not passed.

        `asked_for`: nothing else may do instead, by way of whatever rules name it.
        """
        if demand.all:
            return all_of([self.demand(each, alternative=alternative, asked_for=asked_for) for each in demand.all])
        if demand.any:
            return any_of([self.demand(each, alternative=True, asked_for=False) for each in demand.any])
        if demand.at_least is not None:
            parts = [self.demand(each, alternative=True, asked_for=False) for each in demand.at_least.of]
            return at_least(demand.at_least.count, parts)
        if demand.rule is not None:
            return self.rule(demand.rule, alone=False, alternative=alternative, asked_for=asked_for)
        if demand.approvals is not None:
            return self._approvals(demand.approvals)
        if demand.code_owners is not None:
            return self._code_owners(demand.code_owners, alternative=alternative)
        assert demand.condition is not None  # the schema asks for exactly one
        return _condition(demand.condition, self.facts, asked_for=asked_for)

    def _approvals(self, wanted: ApprovalsWanted) -> Outcome:
        named = wanted.model_fields_set - {"count"}
        who = electorate_of(wanted) if named else electorate_at(self.policy, self.facts.level)
        return self._count("approvals", wanted.count, who, who.words or "nobody: the policy names no approver")

    def _count(self, name: str, wanted: int, who: Electorate, words: str) -> Outcome:
        reviews = self.facts.snapshot.reviews
        if isinstance(reviews, Unread):
            status = Status.PENDING if reviews.offline else Status.ERRORED
            needed = f"{_number(wanted)} by {words}; the reviews could not be read: {reviews.because}"
            return Outcome(name, status, needed, waits_for=(who,), people=wanted)
        found = self._counted(who)
        if len(found.counted) >= wanted:
            said = f"approved by {', '.join(found.counted)}; {wanted} needed by {words}"
            return Outcome(name, Status.PASSED, said, counted=found.counted, people=wanted)
        said = f"{len(found.counted)} of {_number(wanted)} by {words}{self._not_counted()}"
        return Outcome(name, Status.PENDING, said, waits_for=(who,), counted=found.counted, people=wanted)

    def _counted(self, who: Electorate) -> Count:
        if who not in self.counts:
            self.counts[who] = count(self.facts.snapshot, self.facts.approvals, who)
        return self.counts[who]

    def _not_counted(self) -> str:
        """Approvals that would have to be given again or by others; those of people who are not asked say nothing."""
        found = [(one.account.login, one.objection) for one in self.facts.approvals if one.objection is not None]
        listed = ", ".join(f"{login} {why}" for login, why in found[:_SHOWN])
        return f" (not counted: {listed})" if listed else ""

    def _code_owners(self, wanted: OwnersWanted, *, alternative: bool) -> Outcome:
        parsed, unseen = self.facts.owners, self.facts.unseen
        if parsed is None or isinstance(parsed, Unread):
            offline = self.facts.snapshot.number is None
            return _unknown(
                "code owners", parsed or Unread("CODEOWNERS was not read", offline), "who owns the touched paths"
            )
        groups: dict[tuple[Owner, ...], str] = {}
        for path in self.facts.paths:
            groups.setdefault(owners(parsed, path), path)
        groups.pop((), None)
        parts = [self._owned(wanted.count, group, path) for group, path in groups.items()]
        if unseen is not None:
            parts.append(_unknown("code owners", unseen, "whether other owned paths are touched"))
        for fault in parsed.faults:
            skipped = Unread(f"line {fault.line} of {parsed.path} is skipped, as {fault.because}")
            parts.append(_unknown("code owners", skipped, "who else owns the touched paths"))
        if parts:
            return all_of(parts)
        return Outcome("code owners", Status.SKIPPED if alternative else Status.PASSED, "no touched path has an owner")

    def _owned(self, wanted: int, group: tuple[Owner, ...], path: str) -> Outcome:
        who = self._electorate_of(group)
        named = ", ".join(_named(owner) for owner in group)
        return self._count("code owners", wanted, who, f"{named}, who own `{path}`")

    def _electorate_of(self, group: tuple[Owner, ...]) -> Electorate:
        """Those of the owners whose approval can be told: neither a missing one nor a team of another organisation."""
        here = self.facts.snapshot.repository.owner.casefold()
        there = [owner for owner in group if owner.missing is None]
        teams = (owner.name.split("/", 1) for owner in there if owner.kind == "team")
        return Electorate(
            users=tuple(owner.name for owner in there if owner.kind == "user"),
            teams=tuple(slug for organization, slug in teams if organization.casefold() == here),
        )


def _named(owner: Owner) -> str:
    return owner.word if owner.missing is None else f"{owner.word} (missing: {owner.missing})"


def _parts(found: Outcome) -> tuple[Outcome, ...]:
    return found.parts or (found,)


def _number(wanted: int) -> str:
    return "1 approval" if wanted == 1 else f"{wanted} approvals"


def _doubtful(name: str, found: Outcome, words: str, doubt: Unread, *, alternative: bool) -> Outcome:
    """A rule whose condition is not known counts as applying. Where it may stand in for another it never passes."""
    status = found.status
    if alternative and status in (Status.PASSED, Status.PENDING):
        status = _open(doubt)
    said = f"{words}; whether the rule applies is not known ({doubt.because}), so it counts"
    return Outcome(name, status, said, _parts(found), found.waits_for, found.counted, found.people)


def _open(doubt: Unread) -> Status:
    if isinstance(doubt, NeverKnown):
        return Status.FAILED
    return Status.PENDING if doubt.offline or isinstance(doubt, NotYet) else Status.ERRORED


def _condition(condition: Condition, facts: Facts, *, asked_for: bool) -> Outcome:
    words = json.dumps(condition.model_dump(mode="json", exclude_unset=True), ensure_ascii=False)
    shown = f"`{words[:200]}`"
    answer = holds(condition, facts, asked_for=asked_for)
    if isinstance(answer, Unread):
        return _unknown("condition", answer, f"whether {shown} holds")
    if answer:
        return Outcome("condition", Status.PASSED, f"{shown} holds")
    return Outcome("condition", Status.FAILED, f"{shown} does not hold")


def _unknown(name: str, unread: Unread, what: str) -> Outcome:
    return Outcome(name, _open(unread), f"{what} is not known: {unread.because}")


def standing_rules(policy: Policy) -> Iterator[str]:
    """Names of the rules that hold by themselves, in the order of their names."""
    return (name for name in sorted(policy.rules) if policy.rules[name].standalone)
