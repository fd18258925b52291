"""Faults in rules: each names line, column, what is wrong and what to write instead."""

from __future__ import annotations

import pytest

from policies.errors import InvalidPolicyError
from policies.load import load
from tests.policies.build import presets

_SCHEMA = "See `mergegate policy schema`"


def _errors(text: str) -> list[tuple[int, int, str, str, str]]:
    with pytest.raises(InvalidPolicyError) as raised:
        load(f"version: 1\n{text}", presets())
    return [(e.line, e.column, e.field, e.message, e.hint) for e in raised.value.errors]


ROWS = [
    ("rules: {a: {require: {rule: xyz}}, b: {require: {approvals: {}}}}",
     (2, 23, "rules.a.require.rule", "there is no rule `xyz`", "Name a rule of this file")),
    ("rules: {a: {require: {rule: payment}}, payments: {require: {approvals: {}}}}",
     (2, 23, "rules.a.require.rule", "there is no rule `payment`", "Did you mean `payments`?")),
    ("rules: {a: {require: {rule: a}}}",
     (2, 23, "rules.a.require.rule", "the rule leads back to itself: `a` names `a`", "Take one of the names out")),
    ("rules:\n  a: {require: {any: [{approvals: {}}, {rule: b}]}}\n  b: {require: {rule: a}}",
     (3, 41, "rules.a.require.any[1].rule", "the rule leads back to itself: `a` names `b` names `a`",
      "Take one of the names out")),
    ("rules:\n  x: {require: {rule: b}}\n  b: {require: {at_least: {count: 1, of: [{rule: b}]}}}",
     (4, 44, "rules.b.require.at_least.of[0].rule", "the rule leads back to itself: `b` names `b`",
      "Take one of the names out")),
    ("rules: {a: {standalone: false, require: {approvals: {}}}}",
     (2, 13, "rules.a.standalone", "no rule names it, and it does not hold by itself, so it would never apply",
      "Name it in another rule, or take it out")),
    ("rules: {a: {when: {pats: [x]}, require: {approvals: {}}}}",
     (2, 20, "rules.a.when.pats", "there is no such field", "Did you mean `paths`?")),
    ("rules: {a: {require: {any: [{all: [{aprovals: {}}]}]}}}",
     (2, 37, "rules.a.require.any[0].all[0].aprovals", "there is no such field", "Did you mean `approvals`?")),
    ("rules: {a: {when: {not: {lables: [x]}}, require: {approvals: {}}}}",
     (2, 26, "rules.a.when.not.lables", "there is no such field", "Did you mean `labels`?")),
    ("rules: {a: {when: {}, require: {approvals: {}}}}",
     (2, 13, "rules.a.when", "the condition is empty; say what it looks at, or leave it out", _SCHEMA)),
    ("rules: {a: {require: {}}}",
     (2, 13, "rules.a.require", "0 demands are given, and one is expected; join them by `all`", _SCHEMA)),
    ("rules: {a: {require: {approvals: {}, code_owners: {}}}}",
     (2, 13, "rules.a.require", "2 demands are given, and one is expected; join them by `all`", _SCHEMA)),
    ("rules: {a: {when: {fork: true}}}", (2, 9, "rules.a.require", "it is missing", "Add it")),
    ("rules: {a: {require: {all: []}}}", (2, 23, "rules.a.require.all", "the list is empty", "Name at least one")),
    ("rules: {a: {require: {any: []}}}", (2, 23, "rules.a.require.any", "the list is empty", "Name at least one")),
    ("rules: {a: {require: {at_least: {count: 3, of: [{approvals: {}}]}}}}",
     (2, 23, "rules.a.require.at_least", "3 of 1 can never be met", _SCHEMA)),
    ("rules: {a: {require: {at_least: {count: 0, of: [{approvals: {}}]}}}}",
     (2, 34, "rules.a.require.at_least.count", "the number is below 1", "Write 1 or more")),
    ("rules: {a: {require: {approvals: {count: 0}}}}",
     (2, 35, "rules.a.require.approvals.count", "the number is below 1", "Write 1 or more")),
    ("rules: {a: {require: {approvals: {users: []}}}}",
     (2, 35, "rules.a.require.approvals.users", "the list is empty", "Name at least one")),
    ("rules: {a: {require: {approvals: {teams: ['@acme/core']}}}}",
     (2, 43, "rules.a.require.approvals.teams[0]", "that is no team's slug",
      "Write it without the organisation, for example `core`")),
    ("rules: {a: {require: {approvals: {organizations: ['@acme']}}}}",
     (2, 51, "rules.a.require.approvals.organizations[0]", "that is no organisation's login",
      "Write it without `@`, for example `acme`")),
    ("rules: {a: {when: {author: {}}, require: {approvals: {}}}}",
     (2, 20, "rules.a.when.author", "nobody is named; give permission, users, teams or organizations", _SCHEMA)),
    ("rules: {a: {when: {risk: [hihg]}, require: {approvals: {}}}}",
     (2, 27, "rules.a.when.risk[0]", "the word is not known here", "Did you mean `high`?")),
    ("rules: {a: {when: {size: {}}, require: {approvals: {}}}}",
     (2, 20, "rules.a.when.size", "nothing is measured; give files, additions, deletions or lines", _SCHEMA)),
    ("rules: {a: {when: {size: {files: {}}}, require: {approvals: {}}}}",
     (2, 27, "rules.a.when.size.files", "no bound is given; give at_least, at_most or both", _SCHEMA)),
    ("rules: {a: {when: {size: {files: {at_least: 2, at_most: 1}}}, require: {approvals: {}}}}",
     (2, 27, "rules.a.when.size.files", "at_least is above at_most, so no number is meant", _SCHEMA)),
    ("rules: {a: {when: {ticket: {given: false, ids: [x]}}, require: {approvals: {}}}}",
     (2, 20, "rules.a.when.ticket", "`given: false` means no ticket, which has no other fields", _SCHEMA)),
    ("rules: {a: {when: {content: [data-dropped, secret-aded]}, require: {approvals: {}}}}",
     (2, 44, "rules.a.when.content[1]", "there is no kind of finding `secret-aded`", "Did you mean `secret-added`?")),
    ("rules: {a: {require: {condition: {not: {content: [x]}}}}}",
     (2, 51, "rules.a.require.condition.not.content[0]", "there is no kind of finding `x`",
      "Write one that a check run shows as `tampering.<kind>`")),
    ("rules: {a: {when: {content: [zizmor-]}, require: {approvals: {}}}}",
     (2, 30, "rules.a.when.content[0]", "there is no kind of finding `zizmor-`",
      "Write one that a check run shows as `tampering.<kind>`")),
    ("rules: {a: {when: {areas: [paymant]}, require: {approvals: {}}}}",
     (2, 28, "rules.a.when.areas[0]", "there is no area `paymant`", "Did you mean `payment`?")),
    ("risk: {areas: {s: {risk: low, paths: [x]}}}\nrules: {a: {when: {areas: [s, qqqq]}, require: {approvals: {}}}}",
     (3, 31, "rules.a.when.areas[1]", "there is no area `qqqq`", "Add it under `risk.areas`, with its paths")),
    ("rules: {a: {when: {title: '(wip'}, require: {approvals: {}}}}",
     (2, 20, "rules.a.when.title", "the pattern cannot be used: missing ): (wip",
      "Write it in RE2's syntax, https://github.com/google/re2/wiki/Syntax")),
    ("rules: {a: {require: {condition: {title: '((x{900}){900}){900}'}}}}",
     (2, 35, "rules.a.require.condition.title", "the pattern cannot be used: invalid repetition size: {900}",
      "Write it in RE2's syntax, https://github.com/google/re2/wiki/Syntax")),
    ("rules: {A: {require: {approvals: {}}}}",
     (2, 9, "rules.A", "the name is not allowed", "Write small letters, digits and hyphens, at most 40")),
    ("rules: [x]", (2, 1, "rules", "fields are expected here", "Write them below, indented, or leave the line out")),
    ("rules: {a: {require: yes}}",
     (2, 13, "rules.a.require", "fields are expected here", "Write them below, indented, or leave the line out")),
    ("veto: {user: [ada]}", (2, 8, "veto.user", "there is no such field", "Did you mean `users`?")),
    ("override: {permission: owner}",
     (2, 12, "override.permission", "the word is not known here",
      "Write 'read', 'triage', 'write', 'maintain' or 'admin'")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_fault(text: str, expected: tuple[int, int, str, str, str]) -> None:
    assert _errors(text) == [expected]


@pytest.mark.parametrize("field", ["paths", "only_paths", "agents", "target", "source", "repositories"])
def test_patterns_of_rules_are_looked_at(field: str) -> None:
    (found,) = _errors(f"rules: {{a: {{when: {{{field}: ['a', '[z-a]']}}, require: {{approvals: {{}}}}}}}}")
    assert found[2] == f"rules.a.when.{field}[1]"
    assert "cannot be read" in found[3]


@pytest.mark.parametrize("field", ["ids", "agents"])
def test_patterns_of_tickets_are_looked_at(field: str) -> None:
    (found,) = _errors(
        f"rules: {{a: {{when: {{any: [{{ticket: {{{field}: ['/']}}}}]}}, require: {{approvals: {{}}}}}}}}"
    )
    assert found[2] == f"rules.a.when.any[0].ticket.{field}[0]"


def _chain(length: int) -> str:
    rules = [f"  r{number}: {{require: {{rule: r{number + 1}}}}}" for number in range(length)]
    return "\n".join(["rules:", *rules, f"  r{length}: {{require: {{approvals: {{}}}}}}"])


def test_ten_rules_may_name_one_another_in_a_row() -> None:
    load(f"version: 1\n{_chain(9)}", presets())
    (found,) = _errors(_chain(10))
    assert found[3].startswith("more than 10 rules name one another in a row: `r0` names `r1` names")
    # Whichever of them is looked at first.
    turned = _chain(10).split("\n")
    assert _errors("\n".join(["rules:", *reversed(turned[1:])]))[0][3].startswith("more than 10 rules")


def test_what_is_made_to_be_slow_is_refused_soon() -> None:
    """Every rule names all that follow it, twice: followed one by one that would be 2 to the power of their number."""
    names = [f"r{number}" for number in range(150)]
    wide = "\n".join(
        f"  {name}: {{require: {{all: [{', '.join(f'{{rule: {other}}}' for other in names[at + 1 : at + 4] * 2)}]}}}}"
        for at, name in enumerate(names[:-1])
    )
    deep = "rules: {a: {require: " + "{any: [" * 400 + "{approvals: {}}" + "]}" * 400 + "}}"
    big = "rules:\n" + "".join(f"  r{number}: {{require: {{approvals: {{}}}}}}\n" for number in range(40_000))
    for text in (f"rules:\n{wide}\n  r149: {{require: {{approvals: {{}}}}}}", deep, big, "rules: &a {b: *a}"):
        assert len(_errors(text)) == 1


def test_every_entry_that_is_wrong_is_named_and_not_their_list() -> None:
    found = _errors("rules: {a: {require: {approvals: {users: ['@a', '@b']}}}}")
    assert [row[2] for row in found] == ["rules.a.require.approvals.users[0]", "rules.a.require.approvals.users[1]"]


def test_rules_of_a_file_replace_those_of_the_same_name_as_a_whole() -> None:
    own = "rules:\n  a: {when: {fork: true}, require: {approvals: {}}}\n  b: {require: {approvals: {}}}\n"
    below = {**presets(), "default": presets()["default"] + own}
    policy = load("version: 1\nrules: {a: {require: {code_owners: {}}}}", below)
    assert sorted(policy.rules) == ["a", "b"]
    assert policy.rules["a"].when is None
