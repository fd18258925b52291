"""Rules written as YAML, held against a pull request: what the tests of the language share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from checks.accounts import Account, Permission, Review
from checks.approvals import Terms, approvals_of
from checks.bundle import read_bundle
from checks.people import Classification
from checks.snapshot import Risk, Snapshot
from policies.demands import Court
from policies.facts import Facts
from policies.load import load
from policies.outcome import Outcome
from policies.rule_parts import path_lists
from policies.schema import Policy
from tests.policies.build import approval, presets, snapshot

CY, DAN = Account("cy", 3), Account("dan", 4)
TEAMS = {"core": frozenset({"ada", "bea"}), "security": frozenset({"cy"})}
RIGHTS = {
    "ada": Permission.WRITE,
    "bea": Permission.ADMIN,
    "cy": Permission.MAINTAIN,
    "dan": Permission.READ,
}


def policy_of(text: str) -> Policy:
    return load(f"version: 1\n{text}", presets())


def pull(*reviews: Review, **changes: Any) -> Snapshot:
    return snapshot(**{"permissions": RIGHTS, "teams": TEAMS, "reviews": reviews, **changes})


def approved_by(*accounts: Account) -> tuple[Review, ...]:
    return tuple(approval(account, id=number) for number, account in enumerate(accounts, start=10))


def facts_of(of: Snapshot, policy: Policy, **changes: Any) -> Facts:
    who = Classification("agent", "It carries the mark of an agent: a session.", ("a session",))
    terms = Terms(who, read_bundle(of).digest)
    facts = Facts(of, who, Risk.MEDIUM, ("payment",), approvals_of(of, terms), of.codeowners, path_lists(policy))
    return replace(facts, **changes)


def court(text: str, of: Snapshot, **changes: Any) -> Court:
    policy = policy_of(text)
    return Court(policy, facts_of(of, policy, **changes))


def demanded(demand: str, of: Snapshot, more: str = "", **changes: Any) -> Outcome:
    """What a rule `x` that requires this comes to; `more` are other rules."""
    return court(f"rules:\n  x: {{require: {demand}}}\n{more}", of, **changes).rule("x")
