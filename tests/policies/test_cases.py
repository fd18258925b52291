"""Tables of cases beside a policy: every word of them reaches the verdict, and differences are told in sentences."""

from __future__ import annotations

from typing import Any

import pytest

from checks.finding import Status
from policies.case_run import CaseResult, run_cases
from policies.case_sections import case_schema, read_cases
from policies.errors import InvalidPolicyError
from policies.load import PolicyState
from tests.policies.build import state

PEOPLE = """people:
  cy: {permission: maintain, teams: [security]}
  eve: {permission: read}
  boss: {permission: admin, organizations: [acme]}
code_owners: "/owned/ @cy"
"""
POLICY = """version: 1
override: {permission: admin}
veto: {users: [eve]}
risk: {areas: {payment: {risk: low}}}
"""


def _run(policy: str, *cases: str) -> list[CaseResult]:
    rows = "".join(f"  - {{name: case {number}, {text}}}\n" for number, text in enumerate(cases))
    return list(run_cases(_state(policy), read_cases(f"version: 1\n{PEOPLE}cases:\n{rows}")))


def _state(policy: str) -> PolicyState:
    found = state(policy)
    assert not found.errors, found.errors
    return found


def _when(condition: str) -> str:
    return f"{POLICY}rules: {{x: {{when: {condition}, require: {{approvals: {{teams: [security]}}}}}}}}"


HOLDS = "expect: {rules: {x: pending}}"
NOT = "expect: {rules: {x: skipped}}"

GIVEN: list[tuple[str, str, str]] = [
    ("{paths: [billing/]}", "given: {paths: [billing/a.py]}", HOLDS),
    ("{paths: [billing/]}", "given: {renamed: {a.py: billing/a.py}}", HOLDS),
    ("{paths: [billing/]}", "given: {}", NOT),
    ("{size: {additions: {at_least: 100}}}", "given: {paths: [a, b], lines: 50}", HOLDS),
    ("{size: {additions: {at_least: 101}}}", "given: {paths: [a, b], lines: 50}", NOT),
    ("{content: [data-dropped]}", "given: {content: [data-dropped]}", HOLDS),
    ("{labels: [x]}", "given: {labels: [x]}", HOLDS),
    ("{title: '^WIP'}", "given: {title: WIP prices}", HOLDS),
    ("{target: [release/*]}", "given: {target: release/1}", HOLDS),
    ("{source: [agent/*]}", "given: {}", HOLDS),
    ("{source: [agent/*]}", "given: {source: fix}", NOT),
    ("{fork: true}", "given: {fork: true}", HOLDS),
    ("{kinds: [person]}", "given: {kind: person}", HOLDS),
    ("{kinds: [dependency-bot]}", "given: {kind: dependency-bot}", HOLDS),
    ("{author: {users: [ada]}}", "given: {author: ada}", HOLDS),
    ("{author: {permission: admin}}", "given: {author: boss}", HOLDS),
    ("{author: {organizations: [acme]}}", "given: {author: boss}", HOLDS),
    ("{author: {organizations: [acme]}}", "given: {}", NOT),
    ("{agents: [claude]}", "given: {agent: Claude}", HOLDS),
    ("{signed: true}", "given: {signed: true}", HOLDS),
    ("{signed: true}", "given: {}", NOT),
    ("{risk: [critical]}", "given: {risk: critical}", HOLDS),
    ("{ticket: {ids: [PAY-*], operators: [olga]}}", "given: {ticket: {id: PAY-1, operator: olga}}", HOLDS),
    ("{ticket: {risk: [high]}}", "given: {ticket: {id: PAY-1, risk: high, agent: x}}", HOLDS),
    ("{workflows: [{path: e2e.yml}]}", "given: {workflows: {e2e.yml: success}}", HOLDS),
    ("{workflows: [{path: e2e.yml}]}", "given: {workflows: {e2e.yml: failure}}", NOT),
]


@pytest.mark.parametrize(("condition", "given", "expect"), GIVEN)
def test_what_is_given_reaches_the_rules(condition: str, given: str, expect: str) -> None:
    (result,) = _run(_when(condition), f"{given}, {expect}")
    assert result.differences == ()


def test_people_say_what_they_say() -> None:
    rule = POLICY + "rules: {x: {require: {approvals: {teams: [security]}}}}"
    results = _run(
        rule,
        "given: {approvals: [cy]}, expect: {verdict: passed}",
        "given: {approvals: [boss]}, expect: {review: pending, needed: [acme/security]}",
        "given: {approvals_before: [cy]}, expect: {review: pending, reason: approved the earlier commit}",
        "given: {approvals: [cy], author: cy}, expect: {review: pending, reason: opened this pull request}",
        "given: {approvals: [cy], changes_requested: [boss]}, expect: {review: failed, reason: asked for changes}",
        "given: {approvals: [cy], changes_requested: [eve]}, expect: {review: failed, reason: has a veto}",
        "given: {override: {by: boss, reason: It burns}}, expect: {verdict: passed, reason: It burns}",
        "given: {override: {by: cy}}, expect: {verdict: pending}",
        "given: {approvals: [cy], unmapped: true}, expect: {review: pending, reason: belongs to no account}",
        "given: {approvals: [cy, boss], unmapped: true}, expect: {review: passed}",
        "given: {draft: true}, expect: {review: pending, needed: [], reason: waits}",
        "given: {approvals: [cy], operator: cy}, expect: {review: pending}",
    )
    assert [result.differences for result in results] == [()] * len(results)


def test_code_owners_and_areas() -> None:
    owned = POLICY + "rules: {x: {require: {code_owners: {}}}}"
    results = _run(
        owned,
        "given: {paths: [owned/a]}, expect: {rules: {x: pending}}",
        "given: {paths: [owned/a], approvals: [cy]}, expect: {rules: {x: passed}}",
        "expect: {rules: {x: passed}}",
        "given: {paths: [auth/a.py]}, expect: {risk: high, areas: [authentication], review: pending}",
        "given: {paths: [auth/a.py, ci/Makefile]}, expect: {areas: [ci, authentication]}",
    )
    assert [result.differences for result in results] == [()] * len(results)


def test_evidence_is_taken_for_granted_unless_the_case_says_otherwise() -> None:
    for word in ("failed", "pending", "errored"):
        (result,) = _run("version: 1", f"given: {{evidence: {{ci: {word}}}}}, expect: {{evidence: {word}}}")
        assert result.differences == ()
        assert result.verdict.evidence.status is Status(word)
    strict = "version: 1\nextends: strict\npeople: {permission: write}\napprovers: {permission: write}\n"
    (granted,) = _run(strict, "given: {approvals: [cy]}, expect: {verdict: passed}")
    assert granted.differences == ()


def test_differences_are_sentences() -> None:
    rule = POLICY + "rules: {x: {require: {approvals: {teams: [security]}}}}"
    (result,) = _run(
        rule,
        "expect: {verdict: passed, evidence: failed, review: failed, risk: high, areas: [ci], needed: [bob], "
        "reason: nonsense, rules: {x: passed, y: passed}}",
    )
    waits = "Rule `x` waits: 0 of 1 approval by team security."
    assert result.differences == (
        f"verdict: expected passed, got pending ({waits})",
        f"evidence: expected failed, got passed ({waits})",
        f"review: expected failed, got pending ({waits})",
        "risk: expected high, got low",
        "areas: expected ci, got nobody",
        "needed: expected bob, got acme/security",
        f"reason: no finding says 'nonsense' ({waits})",
        f"rules.x: expected passed, got pending ({waits})",
        "rules.y: expected passed, but no rule of that name holds by itself",
    )


FAULTS: list[tuple[str, Any]] = [
    ("version: 1\ncases: []", (2, 1, "cases", "the list is empty")),
    ("version: 1\ncases: [{name: x, expect: {}}]", (2, 19, "cases[0].expect", "nothing is expected")),
    ("version: 1\ncases: [{name: x, given: {pats: [a]}, expect: {risk: low}}]", (2, 27, "cases[0].given.pats", "")),
    ("version: 1\ncases: [{name: x, expect: {verdict: passd}}]", (2, 28, "cases[0].expect.verdict", "the word")),
    ("version: 1\npeople: {a: {permision: read}}\ncases: [{name: x, expect: {verdict: passed}}]",
     (2, 14, "people.a.permision", "there is no such field")),
    ("version: 1\ncases: [{name: x, given: {content: [data-droped]}, expect: {risk: low}}]",
     (2, 37, "cases[0].given.content[0]", "there is no kind of finding `data-droped`")),
    ("version: 2\ncases: [{name: x, expect: {verdict: passed}}]", (1, 1, "version", "the word is not known here")),
    ("[", (1, 2, "", "not readable")),
    ("x", (1, 1, "", "")),
    ("version: 1\ncases: &a []", (2, 8, "", "an anchor")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FAULTS)
def test_faults(text: str, expected: Any) -> None:
    with pytest.raises(InvalidPolicyError) as raised:
        read_cases(text)
    (error,) = raised.value.errors
    assert (error.line, error.column, error.field) == expected[:3]
    assert error.message.startswith(expected[3])


def test_the_table_has_a_schema() -> None:
    assert case_schema()["properties"]["cases"]["items"] == {"$ref": "#/$defs/PolicyCase"}
