"""Conditions of rules: yes, no, and not known. Each row is one condition against one pull request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.accounts import Account, CommitIdentity
from checks.diff import ChangedFile, Diff, FileStatus
from checks.people import Classification
from checks.runs import WorkflowFile
from checks.snapshot import Head, Repository, Risk, Ticket
from checks.tampering.alteration import Alteration, Analysis, Weight
from checks.unread import Unread
from policies.conditions import NotYet, holds
from policies.facts import Facts
from policies.rule_parts import path_lists
from policies.rule_sections import Condition
from tests.policies.build import ADA, COURIER, DEPENDABOT, HEAD, NOW, change, commit, diff, run
from tests.policies.rule_case import CY, facts_of, policy_of, pull

AWAY = Unread("GitHub answered 502")
UNKNOWN = "unknown"
DROPPED = Alteration("data-dropped", "m.sql", 1, "", "DROP TABLE a;", "It drops a table.", Weight.RISK, "m.sql")
RENAMED = Diff((ChangedFile("docs/new.md", FileStatus.RENAMED, "billing/old.md"),))
PERSON = Classification("person", "They are people.")
TRAILER = Classification("agent", "It carries the mark of an agent: a trailer.", ("a trailer",), "person")
BY_CLAUDE = commit(ADA, message="x\n\nCo-authored-by: C <noreply@anthropic.com>")
COPILOT = Account("copilot-swe-agent[bot]", 198982749, "Bot")
VOUCHED = commit(COPILOT, signature_valid=True, signed_by_github=True)
BINARY = Diff((ChangedFile("logo.png", FileStatus.MODIFIED, binary=True),))
CUT = Diff((ChangedFile("docs/a.md", FileStatus.MODIFIED),), complete=False)
TICKET = Ticket("PAY-7", "sha256:t", risk=Risk.HIGH, agent="worker-1", operator="Olga")
NOBODY = CommitIdentity("n", "n@example.org")


def _facts(text: str, changes: dict[str, Any]) -> tuple[Condition, Facts]:
    policy = policy_of(f"rules: {{x: {{when: {text}, require: {{approvals: {{}}}}}}}}")
    condition = policy.rules["x"].when
    assert condition is not None
    facts = {key: changes.pop(key) for key in ("who", "level", "areas") if key in changes}
    return condition, facts_of(pull(**changes), policy, **facts)


def _both(unread: Any) -> dict[str, Any]:
    return {"diff": unread, "merge_diff": unread}


ROWS: list[tuple[str, dict[str, Any], bool | str]] = [
    # Paths: any of both sides of a rename, in both differences, as written and folded.
    ("{paths: [billing/]}", change("billing/a.py"), True),
    ("{paths: [billing/]}", change("src/a.py"), False),
    ("{paths: [Billing/]}", change("billing/a.py"), True),
    ("{paths: [billing/]}", _both(RENAMED), True),
    ("{paths: [docs/]}", _both(RENAMED), True),
    ("{paths: [billing/]}", {"merge_diff": diff("billing/a.py")}, True),
    ("{paths: [billing/, '!billing/docs/']}", change("billing/docs/a.md"), False),
    ("{paths: [billing/]}", _both(AWAY), UNKNOWN),
    ("{paths: [billing/]}", {"merge_diff": AWAY}, UNKNOWN),
    ("{paths: [billing/]}", {"diff": diff("billing/a.py"), "merge_diff": AWAY}, True),
    ("{paths: [billing/]}", _both(CUT), UNKNOWN),
    ("{paths: [billing/]}", {"aliases": AWAY}, UNKNOWN),
    ("{paths: [billing/]}", {"aliases": {"billing": "src"}}, True),
    ("{paths: [billing/]}", {"aliases": {"a": "b", "b": "a/src"}}, False),
    ("{not: {paths: [billing/]}}", _both(AWAY), UNKNOWN),
    # Only these: what permits is matched as written, and of nothing it is not true.
    ("{only_paths: [docs/]}", change("docs/a.md", "docs/b.md"), True),
    ("{only_paths: [docs/]}", change("docs/a.md", "src/a.py"), False),
    ("{only_paths: [Docs/]}", change("docs/a.md"), False),
    ("{only_paths: [docs/]}", _both(RENAMED), False),
    ("{only_paths: [docs/]}", change(), False),
    ("{only_paths: [docs/]}", _both(CUT), UNKNOWN),
    ("{only_paths: [docs/]}", _both(AWAY), UNKNOWN),
    ("{only_paths: [src/]}", _both(CUT), False),
    ("{not: {only_paths: [docs/]}}", change("src/a.py"), True),
    # Contents.
    ("{content: [data-dropped]}", {"analysis": Analysis((DROPPED,))}, True),
    ("{content: [secret-added]}", {"analysis": Analysis((DROPPED,))}, False),
    ("{content: [secret-added]}", {"analysis": Analysis((DROPPED,), cut=True)}, UNKNOWN),
    ("{content: [secret-added]}", {"analysis": Analysis((), unread=(("a.py", "too large"),))}, UNKNOWN),
    ("{content: [data-dropped]}", {"analysis": Analysis((DROPPED,), cut=True)}, True),
    ("{content: [data-dropped]}", {"analysis": AWAY}, UNKNOWN),
    ("{content: [data-dropped]}", {"analysis": None}, UNKNOWN),
    # Risk and areas are known when all of the change is.
    ("{risk: [medium, high]}", {}, True),
    ("{risk: [low]}", {}, False),
    ("{risk: [low]}", _both(AWAY), UNKNOWN),
    ("{risk: [medium]}", _both(AWAY), UNKNOWN),
    ("{areas: [payment, ci]}", {}, True),
    ("{areas: [ci]}", {}, False),
    ("{areas: [ci]}", _both(AWAY), UNKNOWN),
    ("{areas: [payment]}", _both(AWAY), True),
    # Whose work it is.
    ("{kinds: [agent]}", {}, True),
    ("{kinds: [person, outsider]}", {}, False),
    ("{kinds: [person]}", {"who": PERSON}, True),
    ("{kinds: [person]}", {"who": TRAILER}, UNKNOWN),
    ("{kinds: [agent]}", {"who": TRAILER}, UNKNOWN),
    ("{kinds: [agent, person]}", {"who": TRAILER}, True),
    ("{kinds: [outsider]}", {"who": TRAILER}, False),
    ("{agents: [worker-*]}", {}, True),
    ("{agents: [claude]}", {}, False),
    ("{agents: [claude]}", {"commits": (BY_CLAUDE,)}, UNKNOWN),
    ("{agents: [claude]}", {"session_agent": None}, UNKNOWN),
    ("{agents: [claude]}", {"session_agent": None, "commits": (BY_CLAUDE,), "who": PERSON}, UNKNOWN),
    ("{agents: [claude]}", {"session_agent": None, "who": PERSON}, False),
    ("{agents: [copilot]}", {"session_agent": None, "commits": (VOUCHED,)}, True),
    ("{agents: [copilot]}", {"session_agent": None, "head": Head(HEAD, None, "refs/heads/x", 1, COPILOT)}, True),
    ("{agents: [copilot]}", {"author": replace(COURIER, login="copilot-swe-agent[bot]")}, True),
    ("{agents: [worker-1]}", {"session_agent": None, "ticket": TICKET, "commits": AWAY, "author": AWAY}, True),
    # Names.
    ("{labels: [Urgent]}", {"labels": ("urgent", "x")}, True),
    ("{labels: [urgent]}", {"labels": ()}, False),
    ("{labels: [urgent]}", {"labels": ("ur\u200bgent",)}, UNKNOWN),
    ("{title: '(?i)^wip'}", {"title": "\u200bWIP: prices"}, UNKNOWN),
    ("{not: {title: '(?i)^wip'}}", {"title": "\u200bWIP: prices"}, UNKNOWN),
    ("{target: [release/*]}", {"target_ref": "refs/heads/release/1"}, True),
    ("{target: [release/*]}", {}, False),
    ("{source: [agent/*]}", {}, True),
    ("{source: [person/*]}", {}, False),
    ("{source: [agent/*]}", {"session_agent": None}, UNKNOWN),
    ("{source: [agent/*]}", {"session_agent": None, "who": PERSON}, True),
    ("{repositories: [acme/*]}", {}, True),
    ("{repositories: [acme/*]}", {"repository": Repository(1, "evil", "shop", "refs/heads/main")}, False),
    ("{fork: false}", {}, True),
    ("{fork: true}", {"head": Head(HEAD, None, "refs/heads/x", None)}, True),
    ("{title: '(?i)^wip'}", {"title": "WIP: prices"}, UNKNOWN),
    ("{title: '(?i)^wip'}", {"title": "WIP: prices", "who": PERSON}, True),
    ("{title: '^wip'}", {"title": "WIP: prices"}, False),
    # Size.
    ("{size: {files: {at_most: 1}}}", {}, True),
    ("{size: {files: {at_least: 2}}}", {}, False),
    ("{size: {lines: {at_least: 2, at_most: 2}}}", {}, True),
    ("{size: {additions: {at_least: 1}, deletions: {at_most: 0}}}", {}, False),
    ("{size: {lines: {at_most: 9}}}", _both(CUT), UNKNOWN),
    ("{size: {lines: {at_most: 9}}}", _both(AWAY), UNKNOWN),
    ("{size: {files: {at_least: 2}}}", {"merge_diff": diff("a.py", "b.py")}, True),
    ("{size: {lines: {at_most: 9}}}", _both(BINARY), UNKNOWN),
    ("{not: {size: {lines: {at_least: 9}}}}", _both(BINARY), UNKNOWN),
    # Ticket.
    ("{ticket: {given: false}}", {}, True),
    ("{ticket: {given: false}}", {"ticket": TICKET}, False),
    ("{ticket: {}}", {"ticket": TICKET}, True),
    ("{ticket: {}}", {}, False),
    ("{ticket: {ids: [PAY-*]}}", {"ticket": TICKET}, True),
    ("{ticket: {ids: [OPS-*]}}", {"ticket": TICKET}, False),
    ("{ticket: {risk: [high, critical]}}", {"ticket": TICKET}, True),
    ("{ticket: {risk: [low]}}", {"ticket": TICKET}, False),
    ("{ticket: {agents: [worker-*], operators: [olga]}}", {"ticket": TICKET}, True),
    ("{ticket: {agents: [worker-*]}}", {"ticket": replace(TICKET, agent=None)}, False),
    ("{ticket: {operators: [paul]}}", {"ticket": TICKET}, False),
    ("{ticket: {operators: [paul]}}", {"ticket": replace(TICKET, operator=None)}, False),
    # Signatures.
    ("{signed: true}", {"commits": (commit(ADA, signature_valid=True),)}, True),
    ("{signed: true}", {"commits": (commit(ADA, signature_valid=True), commit(ADA))}, False),
    ("{signed: false}", {"commits": (commit(ADA, signature_valid=True), commit(ADA))}, True),
    ("{signed: true}", {"commits": AWAY}, UNKNOWN),
    ("{signed: true}", {"commits": ()}, UNKNOWN),
    # People.
    ("{author: {users: [ADA]}}", {"author": ADA}, True),
    ("{author: {teams: [core]}}", {"author": ADA}, True),
    ("{author: {teams: [core]}}", {"author": CY}, False),
    ("{author: {teams: [gone]}}", {"author": CY}, UNKNOWN),
    ("{author: {permission: maintain}}", {"author": CY}, True),
    ("{author: {permission: admin}}", {"author": CY}, False),
    ("{author: {users: [ada]}}", {"author": AWAY}, UNKNOWN),
    ("{author: {users: [dependabot]}}", {"author": DEPENDABOT}, UNKNOWN),
    ("{not: {author: {users: [dependabot]}}}", {"author": DEPENDABOT}, UNKNOWN),
    ("{author: {users: ['dependabot[bot]']}}", {"author": DEPENDABOT}, True),
    ("{author: {permission: read}}", {"author": DEPENDABOT}, False),
    ("{contributor: {users: [ada]}}", {"commits": (commit(ADA, signature_valid=True),)}, True),
    ("{contributor: {users: [ada]}}", {"commits": (commit(ADA),)}, UNKNOWN),
    ("{contributor: {users: [ada]}}", {"commits": (commit(ADA),), "who": PERSON}, True),
    ("{contributor: {users: [ada]}}", {}, False),
    ("{contributor: {users: [ada]}}", {"commits": AWAY}, UNKNOWN),
    ("{contributor: {users: [ada]}}", {"commits": (commit(COURIER, author=NOBODY),)}, UNKNOWN),
    ("{contributor: {users: [ada]}}", {"author": ADA, "commits": AWAY}, True),
    (
        "{only_contributors: {users: ['mergegate-courier[bot]']}}",
        {},
        True,
    ),
    ("{only_contributors: {users: ['mergegate-courier[bot]']}}", {"commits": (commit(ADA),)}, False),
    ("{only_contributors: {users: ['mergegate-courier[bot]']}}", {"commits": AWAY}, UNKNOWN),
    # Workflow runs.
    ("{workflows: [{path: .github/workflows/ci.yml}]}", {}, True),
    ("{workflows: [{path: .github/workflows/ci.yml}]}", {"runs": (run(conclusion="failure"),)}, False),
    (
        "{workflows: [{path: .github/workflows/ci.yml, conclusions: [failure, success]}]}",
        {"runs": (run(conclusion="failure"),)},
        True,
    ),
    (
        "{workflows: [{path: .github/workflows/ci.yml}]}",
        {"runs": (run(), run(id=8, event="push", conclusion="failure"))},
        False,
    ),
    ("{workflows: [{path: .github/workflows/ci.yml}]}", {"runs": (run(), run(id=8, conclusion="failure"))}, False),
    ("{workflows: [{path: .github/workflows/ci.yml}]}", {"runs": (run(conclusion="skipped"),)}, False),
    ("{workflows: [{path: .github/workflows/ci.yml}]}", {"runs": (run(event="workflow_dispatch"),)}, UNKNOWN),
    ("{workflows: [{path: .github/workflows/ci.yml}]}", {"runs": (run(head_sha="9" * 40),)}, UNKNOWN),
    ("{workflows: [{path: .github/workflows/e2e.yml}]}", {}, UNKNOWN),
    ("{workflows: [{path: .github/workflows/ci.yml}]}", {"runs": AWAY}, UNKNOWN),
    ("{workflows: [{path: .github/workflows/ci.yml}]}", {"workflows": AWAY}, UNKNOWN),
    (
        "{workflows: [{path: .github/workflows/ci.yml}]}",
        {"workflows": (WorkflowFile(".github/workflows/ci.yml", "bb" * 20, "aa" * 20),)},
        UNKNOWN,
    ),
    (
        "{workflows: [{path: .github/workflows/ci.yml}]}",
        {"runs": (run(status="in_progress", conclusion=None),)},
        UNKNOWN,
    ),
    # Composition.
    ("{paths: [src/], labels: [x]}", {"labels": ("x",)}, True),
    ("{paths: [src/], labels: [x]}", {}, False),
    ("{all: [{paths: [src/]}, {labels: [x]}]}", {"labels": ("x",)}, True),
    ("{all: [{paths: [src/]}, {labels: [x]}]}", {}, False),
    ("{any: [{paths: [none/]}, {labels: [x]}]}", {"labels": ("x",)}, True),
    ("{any: [{paths: [none/]}, {labels: [x]}]}", {}, False),
    ("{any: [{signed: true}, {labels: [x]}]}", {"commits": AWAY}, UNKNOWN),
    ("{any: [{signed: true}, {labels: [x]}]}", {"commits": AWAY, "labels": ("x",)}, True),
    ("{all: [{signed: true}, {labels: [x]}]}", {"commits": AWAY}, False),
    ("{not: {any: [{labels: [x]}, {not: {fork: true}}]}}", {}, False),
]


@pytest.mark.parametrize(("text", "changes", "expected"), ROWS, ids=[f"{row[0]}-{row[2]}" for row in ROWS])
def test_holds(text: str, changes: dict[str, Any], expected: bool | str) -> None:
    answer = holds(*_facts(text, dict(changes)))
    assert (UNKNOWN if isinstance(answer, Unread) else answer) == expected


def test_what_is_not_known_says_why() -> None:
    def why(text: str, **changes: Any) -> Unread:
        answer = holds(*_facts(text, changes))
        assert isinstance(answer, Unread)
        return answer

    workflow = "{workflows: [{path: .github/workflows/ci.yml}]}"
    assert why("{paths: [x]}", diff=AWAY, merge_diff=AWAY) is AWAY
    assert why("{size: {files: {at_most: 1}}}", diff=CUT).because == "not every changed file is listed"
    running = why(workflow, runs=(run(status="queued", conclusion=None),))
    assert isinstance(running, NotYet) and running.because == "`.github/workflows/ci.yml` is still running"
    missing = why(workflow, runs=())
    assert isinstance(missing, NotYet) and missing.because == "`.github/workflows/ci.yml` has not run on this head"
    changed = why(workflow, workflows=(WorkflowFile(".github/workflows/ci.yml", "bb" * 20, "aa" * 20),))
    assert not isinstance(changed, NotYet) and "is not the target branch's version" in changed.because
    moved = why(workflow, base_changed_at=NOW)
    assert isinstance(moved, NotYet)


@pytest.mark.parametrize(
    "text", ["{labels: [x]}", "{title: x}", "{repositories: [x]}", "{fork: true}", "{agents: [x]}", "{not: {title: x}}"]
)
def test_what_only_github_knows_is_not_known_locally(text: str) -> None:
    answer = holds(*_facts(text, {"number": None, "session_agent": None}))
    assert isinstance(answer, Unread) and answer.offline
    assert holds(*_facts("{target: [main], source: [agent/*]}", {"number": None})) is True
    assert holds(*_facts("{agents: [worker-1]}", {"number": None})) is True


def test_a_run_for_another_base_does_not_count() -> None:
    assert isinstance(holds(*_facts("{workflows: [{path: .github/workflows/ci.yml}]}", {"shared_head": (9,)})), Unread)


def test_lists_of_all_conditions_are_asked_at_once() -> None:
    policy = policy_of(
        "rules:\n  a: {when: {paths: [x], any: [{paths: [y]}, {not: {paths: [x]}}]}, require: {approvals: {}}}\n"
        "  b: {require: {any: [{condition: {paths: [z]}}, {approvals: {}}]}}\n"
    )
    assert path_lists(policy) == (("x",), ("y",), ("z",))
