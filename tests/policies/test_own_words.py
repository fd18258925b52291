"""Which part of each condition and demand an agent can write, and that what it writes never lets its work past a rule.

`_FORGED` is everything that an agent can write around one and the same change. Each condition is asked before and
after: what was known may become not known by it, but never the opposite.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from checks.accounts import CommitIdentity, Permission
from checks.finding import Status
from checks.snapshot import Head, Snapshot, Ticket
from checks.unread import Unread
from policies.case import case_of
from policies.conditions import Claimed, NotYet, holds
from policies.evaluate import evaluate
from policies.facts import Facts
from policies.rule_sections import Condition, Demand
from tests.policies.build import (
    BEA,
    BODY,
    COURIER,
    HEAD,
    approval,
    commit,
    person_snapshot,
    snapshot,
    state,
)

P, F, W = Status.PASSED, Status.FAILED, Status.PENDING


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the language: who says it, and conditions that hold and do not hold for some pull request."""

    written_by: str
    conditions: tuple[str, ...]


WORDS = {
    "all": Word(
        "whoever says its parts", ("{all: [{paths: [src/]}, {kinds: [agent]}]}", "{all: [{areas: [payment]}]}")
    ),
    "any": Word("whoever says its parts", ("{any: [{agents: [devin]}, {areas: [payment]}]}",)),
    "none_of": Word("whoever says its parts", ("{not: {agents: [devin]}}", "{not: {areas: [payment]}}")),
    "paths": Word("git", ("{paths: [src/]}", "{paths: [lib/]}")),
    "only_paths": Word("git", ("{only_paths: [src/]}", "{only_paths: [lib/]}")),
    "content": Word("git", ("{content: [secret-added]}",)),
    "size": Word("git", ("{size: {files: {at_most: 1}}}", "{size: {lines: {at_least: 99}}}")),
    "risk": Word("git, the ticket and the policy; the bundle can raise it", ("{risk: [low]}", "{risk: [high]}")),
    "areas": Word("git and the policy; the bundle can add some", ("{areas: [payment]}", "{areas: [migration]}")),
    "kinds": Word(
        "accounts, branch and session; commit messages can add a mark", ("{kinds: [agent]}", "{kinds: [person]}")
    ),
    "author": Word("GitHub", ("{author: {users: [ada]}}", "{author: {users: ['mergegate-courier[bot]']}}")),
    "contributor": Word(
        "GitHub; commits can name anybody", ("{contributor: {users: [bea]}}", "{contributor: {users: [cy]}}")
    ),
    "only_contributors": Word(
        "GitHub; commits can name anybody",
        ("{only_contributors: {users: [bea]}}", "{only_contributors: {users: ['mergegate-courier[bot]', ada, bea]}}"),
    ),
    "agents": Word("session, ticket and accounts; commits can name any", ("{agents: [worker-*]}", "{agents: [devin]}")),
    "labels": Word("accounts with triage permission, which no session has", ("{labels: [urgent]}",)),
    "target": Word("GitHub, and the target's own policy judges", ("{target: [main]}", "{target: [release/*]}")),
    "source": Word("the session's person; without a session the agent", ("{source: [docs/*]}", "{source: [hotfix/*]}")),
    "fork": Word("GitHub", ("{fork: false}", "{fork: true}")),
    "repositories": Word("GitHub", ("{repositories: [acme/*]}", "{repositories: [other/*]}")),
    "title": Word("whoever opened the pull request", ("{title: '^docs'}", "{title: '^fix'}")),
    "ticket": Word("the person who accepted it", ("{ticket: {given: true}}", "{ticket: {ids: [PAY-*]}}")),
    "signed": Word("GitHub", ("{signed: true}", "{signed: false}")),
    "workflows": Word("GitHub, by files of the target branch", ("{workflows: [{path: .github/workflows/ci.yml}]}",)),
}

_BUNDLE = BODY.replace("level: low,", "level: high, areas: [payment, migration],")
_FORGED_COMMIT = commit(
    COURIER,
    author=CommitIdentity("Bea", "bea@example.org", BEA),
    committer=CommitIdentity("Bea", "bea@example.org", BEA),
    message="docs: more\n\nAgent-Logs-Url: https://x\nCo-authored-by: D <158243242+devin-ai-integration[bot]"
    "@users.noreply.github.com>\nCo-authored-by: Bea <2+bea@users.noreply.github.com>",
)


def forged(of: Snapshot) -> Snapshot:
    """The same change with everything that its agent can write about it. Who pushed and opened it stays."""
    branch = of.head.ref if of.session_agent else "refs/heads/docs/x"
    return replace(
        of,
        title="docs: more",
        body=_BUNDLE,
        head=replace(of.head, ref=branch),
        commits=(
            replace(_FORGED_COMMIT, signature_valid=False),
            *(of.commits if isinstance(of.commits, tuple) else ()),
        ),
    )


def _base(**changes: Any) -> Snapshot:
    rights = dict.fromkeys(("ada", "bea"), Permission.WRITE)
    return snapshot(**{"permissions": rights, "labels": ("later",), **changes})


HOSTED = replace(_base(), session_agent=None, head=Head(HEAD, None, "refs/heads/agent/1", 1, COURIER))
IN_TICKET = _base(ticket=Ticket("PAY-7", "sha256:t", agent="worker-1"))
OF_A_PERSON_S_ACCOUNT = replace(person_snapshot(), permissions=dict.fromkeys(("ada", "bea"), Permission.WRITE))


def facts_of(of: Snapshot) -> Facts:
    case = case_of(state(), of)
    claimed_from = None if case.risk.seen_level is case.risk.level else case.risk.seen_level
    claimed = frozenset(case.risk.areas) - frozenset(case.risk.seen_areas)
    lists = (("src/",), ("lib/",))
    return Facts(
        of, case.who, case.level, case.risk.areas, lists=lists, claimed_from=claimed_from, claimed_areas=claimed
    )


def _condition(text: str) -> Condition:
    when = state(f"version: 1\nrules: {{x: {{when: {text}, require: {{approvals: {{}}}}}}}}\n").policy.rules["x"].when
    assert when is not None
    return when


def test_every_word_of_a_condition_is_answered_for() -> None:
    assert set(WORDS) == set(Condition.model_fields)


@pytest.mark.parametrize(
    "of", [_base(), HOSTED, IN_TICKET, OF_A_PERSON_S_ACCOUNT], ids=["session", "hosted", "ticket", "account"]
)
@pytest.mark.parametrize("text", [text for word in WORDS.values() for text in word.conditions])
def test_nothing_that_the_agent_writes_turns_an_answer_into_the_opposite(text: str, of: Snapshot) -> None:
    before, after = (holds(_condition(text), facts_of(each)) for each in (of, forged(of)))
    assert isinstance(after, Unread) or after is before
    if isinstance(after, Unread) and not isinstance(before, Unread):
        assert isinstance(after, Claimed) or isinstance(of.commits, Unread)


def test_the_forgery_reaches_every_word_that_can_be_forged() -> None:
    """Or the test above could not fail."""
    reached = {
        name
        for name, word in WORDS.items()
        for text in word.conditions
        for of in (_base(), HOSTED, OF_A_PERSON_S_ACCOUNT)
        if isinstance(holds(_condition(text), facts_of(forged(of))), Claimed)
    }
    forgeable = {"risk", "areas", "kinds", "contributor", "only_contributors", "agents", "source", "title"}
    assert reached == forgeable | {"all", "any", "none_of"}
    assert not issubclass(NotYet, Claimed)


TWO = "{approvals: {count: 2}}"


@pytest.mark.parametrize(
    "require",
    [
        f"any: [{{condition: {{title: '^docs'}}}}, {TWO}]",
        f"any: [{{condition: {{source: [docs/*]}}}}, {TWO}]",
        f"any: [{{condition: {{agents: [devin]}}}}, {TWO}]",
        f"any: [{{condition: {{contributor: {{users: [bea]}}}}}}, {TWO}]",
        f"any: [{{condition: {{areas: [payment]}}}}, {TWO}]",
        f"at_least: {{count: 1, of: [{{all: [{{condition: {{title: '^docs'}}}}]}}, {TWO}]}}",
        f"any: [{{rule: named}}, {TWO}]",
    ],
)
def test_what_it_writes_stands_in_for_no_approval(require: str) -> None:
    rules = "rules:\n  x: {require: {" + require + "}}\n"
    named = "  named: {standalone: false, require: {condition: {title: '^docs'}}}\n" if "named" in require else ""
    verdict = evaluate(state("version: 1\n" + rules + named), forged(HOSTED))
    (ruled,) = [found for found in verdict.findings if found.check == "rules.x"]
    assert ruled.status is W


@pytest.mark.parametrize("condition", ["title: '^docs'", "source: [docs/*]", "not: {title: '^wip'}"])
@pytest.mark.parametrize("deep", ["{condition: %s}", "{all: [{condition: %s}]}", "{rule: named}"])
def test_a_title_that_is_asked_for_is_what_is_wanted(condition: str, deep: str) -> None:
    named = f"  named: {{standalone: false, require: {{condition: {{{condition}}}}}}}\n" if "named" in deep else ""
    require = deep if named else deep % f"{{{condition}}}"
    verdict = evaluate(state(f"version: 1\nrules:\n  x: {{require: {require}}}\n{named}"), forged(HOSTED))
    (ruled,) = [found for found in verdict.findings if found.check == "rules.x"]
    assert ruled.status is P


def test_a_demand_that_only_its_own_word_meets_is_not_met() -> None:
    policy = state("version: 1\nrules: {x: {require: {condition: {agents: [devin]}}}}\n")
    (ruled,) = [found for found in evaluate(policy, forged(HOSTED)).findings if found.check == "rules.x"]
    assert (ruled.status, "only its commits say so" in ruled.reason) == (F, True)


@pytest.mark.parametrize("demand", sorted(set(Demand.model_fields) - {"all", "any", "at_least", "rule", "condition"}))
def test_approvals_are_of_people_whatever_it_writes(demand: str) -> None:
    """What stands in commits can only take an approval away: of whomever they name."""
    policy = state(f"version: 1\nrules: {{x: {{require: {{{demand}: {{}}}}}}}}\n")
    of = replace(HOSTED, reviews=(approval(BEA),))
    before, after = (evaluate(policy, each) for each in (of, forged(of)))
    statuses = [next(one for one in each.findings if one.check == "rules.x").status for each in (before, after)]
    assert demand == "code_owners" or statuses == [P, W]
    assert statuses[1] is not P
