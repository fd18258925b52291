"""What rules require: approvals counted for their own people, owners, conditions, and how they are composed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.accounts import Permission
from checks.codeowners import ABSENT, parse
from checks.electorate import Electorate
from checks.finding import Status
from checks.snapshot import Risk
from checks.unread import Unread
from policies.demands import standing_rules
from policies.rule_parts import asks_about_contributors
from policies.rules import asks_for_owners, highest_permission, organizations_named, teams_named
from tests.policies.build import ADA, BEA, approval, change, run
from tests.policies.rule_case import CY, DAN, approved_by, court, demanded, policy_of, pull

P, F, W, E, S = Status.PASSED, Status.FAILED, Status.PENDING, Status.ERRORED, Status.SKIPPED
AWAY = Unread("GitHub answered 502")
OFFLINE = Unread("GitHub was not asked", offline=True)
OWNERS = parse(
    "CODEOWNERS",
    b"* @ada\n/billing/ @acme/security\n/docs/\n/both/ @cy @acme/core\n/far/ @other/team\n/mail/ a@example.org\n",
)

APPROVALS: list[tuple[str, tuple[Any, ...], Status]] = [
    ("{approvals: {}}", (), W),
    ("{approvals: {}}", (ADA,), P),
    ("{approvals: {count: 2}}", (ADA,), W),
    ("{approvals: {count: 2}}", (ADA, BEA), P),
    ("{approvals: {users: [cy]}}", (ADA, BEA), W),
    ("{approvals: {users: [CY]}}", (CY,), P),
    ("{approvals: {teams: [security]}}", (ADA,), W),
    ("{approvals: {teams: [security]}}", (CY,), P),
    ("{approvals: {teams: [security, core], count: 2}}", (CY, ADA), P),
    ("{approvals: {teams: [unknown]}}", (CY,), W),
    ("{approvals: {permission: maintain}}", (ADA,), W),
    ("{approvals: {permission: maintain}}", (CY,), P),
    ("{approvals: {permission: admin, teams: [security]}}", (CY,), P),
    ("{approvals: {organizations: [acme]}}", (ADA,), P),
    ("{approvals: {organizations: [acme]}}", (CY,), W),
    # Somebody who cannot write to the repository decides nothing, whoever names them.
    ("{approvals: {users: [dan]}}", (DAN,), W),
]


@pytest.mark.parametrize(("demand", "by", "status"), APPROVALS, ids=[f"{d}-{len(b)}" for d, b, _ in APPROVALS])
def test_approvals(demand: str, by: tuple[Any, ...], status: Status) -> None:
    of = pull(*approved_by(*by), organizations={"acme": frozenset({"ada"})})
    assert demanded(demand, of).status is status


def test_without_names_the_policys_approvers_are_meant() -> None:
    of = pull(*approved_by(ADA))
    named = "approvers: {users: [bea]}\nrequirements: {medium: {approvers: {teams: [security]}}}\nrules:\n"
    assert court(f"{named}  x: {{require: {{approvals: {{}}}}}}", of).rule("x").waits_for == (
        Electorate(teams=("security",)),
    )
    low = court(f"{named}  x: {{require: {{approvals: {{}}}}}}", of, level=Risk.LOW).rule("x")
    assert low.waits_for == (Electorate(users=("bea",)),)
    nobody = court("approvers: {}\nrules: {x: {require: {approvals: {}}}}", of).rule("x")
    assert nobody.words.startswith("0 of 1 approval by nobody: the policy names no approver")


def test_it_says_how_far_it_is_and_what_does_not_count() -> None:
    of = pull(approval(ADA, commit="9" * 40), approval(BEA, id=6))
    found = demanded("{approvals: {count: 2, teams: [core]}}", of)
    assert found.words == "1 of 2 approvals by team core (not counted: ada approved the earlier commit 999999999999)"
    assert (found.counted, found.people, found.waits_for) == (("bea",), 2, (Electorate(teams=("core",)),))
    enough = demanded("{approvals: {teams: [core]}}", pull(*approved_by(BEA)))
    assert (enough.words, enough.waits_for) == ("approved by bea; 1 needed by team core", ())


@pytest.mark.parametrize(("reviews", "status"), [(AWAY, E), (OFFLINE, W)])
def test_reviews_that_could_not_be_read(reviews: Unread, status: Status) -> None:
    found = demanded("{approvals: {teams: [core]}}", replace(pull(), reviews=reviews))
    assert (found.status, found.people) == (status, 1)
    assert reviews.because in found.words


OWNED: list[tuple[tuple[str, ...], tuple[Any, ...], Any, Status]] = [
    (("src/a.py",), (), OWNERS, W),
    (("src/a.py",), (ADA,), OWNERS, P),
    (("src/a.py",), (BEA,), OWNERS, W),
    (("billing/a.py",), (ADA,), OWNERS, W),
    (("billing/a.py",), (CY,), OWNERS, P),
    # Each group of owners must agree, not one of them for all.
    (("billing/a.py", "src/a.py"), (ADA,), OWNERS, W),
    (("billing/a.py", "src/a.py"), (ADA, CY), OWNERS, P),
    (("both/a.py",), (BEA,), OWNERS, P),
    (("docs/a.md",), (), OWNERS, P),
    (("docs/a.md", "src/a.py"), (), OWNERS, W),
    # An address, or a team elsewhere, names nobody whose approval could be told from others'.
    (("mail/a.py",), (ADA, BEA, CY), OWNERS, W),
    (("far/a.py",), (ADA, BEA, CY), OWNERS, W),
    (("src/a.py",), (ADA,), ABSENT, P),
    (("src/a.py",), (ADA,), None, E),
    (("src/a.py",), (ADA,), AWAY, E),
    (("src/a.py",), (ADA,), OFFLINE, W),
]


@pytest.mark.parametrize(("paths", "by", "owners", "status"), OWNED)
def test_code_owners(paths: tuple[str, ...], by: tuple[Any, ...], owners: Any, status: Status) -> None:
    of = pull(*approved_by(*by), codeowners=owners, **change(*paths))
    assert demanded("{code_owners: {}}", of).status is status


def test_locally_nobody_asked_for_the_owners() -> None:
    assert demanded("{code_owners: {}}", pull(number=None)).status is W


def test_two_owners_of_each_path() -> None:
    of = pull(*approved_by(CY), codeowners=OWNERS, **change("both/a.py"))
    assert demanded("{code_owners: {count: 2}}", of).status is W
    both = pull(*approved_by(CY, ADA), codeowners=OWNERS, **change("both/a.py"))
    assert demanded("{code_owners: {count: 2}}", both).status is P


def test_owned_paths_that_were_not_seen() -> None:
    seen = change("src/a.py")
    of = pull(*approved_by(ADA), codeowners=OWNERS, **{**seen, "merge_diff": AWAY})
    assert demanded("{code_owners: {}}", of).status is E
    assert "whether other owned paths are touched is not known" in demanded("{code_owners: {}}", of).words


def test_where_owners_may_do_instead_none_is_no_approval() -> None:
    of = pull(codeowners=OWNERS, **change("docs/a.md"))
    assert demanded("{any: [{code_owners: {}}, {approvals: {count: 2}}]}", of).status is W
    assert demanded("{all: [{code_owners: {}}]}", of).status is P
    assert demanded("{at_least: {count: 1, of: [{code_owners: {}}, {approvals: {}}]}}", of).status is W
    assert demanded("{any: [{all: [{code_owners: {}}]}]}", of).status is F


CONDITIONS: list[tuple[str, dict[str, Any], Status]] = [
    ("{signed: false}", {}, P),
    ("{signed: true}", {}, F),
    ("{signed: true}", {"commits": AWAY}, E),
    ("{signed: true}", {"commits": OFFLINE}, W),
    ("{workflows: [{path: .github/workflows/ci.yml}]}", {}, P),
    ("{workflows: [{path: .github/workflows/ci.yml}]}", {"runs": ()}, W),
    ("{workflows: [{path: .github/workflows/ci.yml}]}", {"runs": (run(conclusion="failure"),)}, F),
    ("{workflows: [{path: .github/workflows/ci.yml}]}", {"runs": AWAY}, E),
]


@pytest.mark.parametrize(("condition", "changes", "status"), CONDITIONS)
def test_conditions(condition: str, changes: dict[str, Any], status: Status) -> None:
    assert demanded(f"{{condition: {condition}}}", pull(**changes)).status is status


def test_a_condition_is_shown_as_it_was_written() -> None:
    assert demanded("{condition: {not: {signed: false}}}", pull()).words == '`{"not": {"signed": false}}` does not hold'
    assert demanded("{condition: {signed: false}}", pull()).words == '`{"signed": false}` holds'


SECURITY = "  security: {standalone: false, when: {paths: [auth/]}, require: {approvals: {teams: [security]}}}\n"
UNSIGNED = "  signed: {standalone: false, when: {signed: true}, require: {approvals: {teams: [core]}}}\n"

COMPOSED: list[tuple[str, str, dict[str, Any], tuple[Any, ...], Status]] = [
    ("{all: [{approvals: {users: [ada]}}, {approvals: {users: [cy]}}]}", "", {}, (ADA,), W),
    ("{all: [{approvals: {users: [ada]}}, {approvals: {users: [cy]}}]}", "", {}, (ADA, CY), P),
    ("{all: [{approvals: {users: [ada]}}, {condition: {signed: true}}]}", "", {}, (ADA,), F),
    ("{any: [{approvals: {users: [ada]}}, {approvals: {users: [cy]}}]}", "", {}, (CY,), P),
    ("{any: [{approvals: {users: [ada]}}, {condition: {signed: true}}]}", "", {}, (), W),
    ("{any: [{approvals: {users: [ada]}}, {condition: {signed: false}}]}", "", {}, (), P),
    ("{at_least: {count: 2, of: [{approvals: {users: [ada]}}, {approvals: {users: [cy]}}, {condition: {fork: true}}]}}",
     "", {}, (ADA,), W),
    ("{at_least: {count: 2, of: [{approvals: {users: [ada]}}, {condition: {signed: false}}]}}", "", {}, (ADA,), P),
    ("{at_least: {count: 2, of: [{approvals: {users: [ada]}}, {condition: {signed: true}}]}}", "", {}, (ADA,), F),
    ("{any: [{all: [{approvals: {users: [cy]}}, {approvals: {users: [bea]}}]}, {approvals: {users: [ada]}}]}",
     "", {}, (CY,), W),
    # A named rule that does not apply is left out; where nothing is left, nothing passes.
    ("{rule: security}", SECURITY, {}, (CY,), F),
    ("{all: [{rule: security}, {approvals: {users: [ada]}}]}", SECURITY, {}, (ADA,), P),
    ("{any: [{rule: security}, {rule: security}]}", SECURITY, {}, (ADA, CY), F),
    ("{rule: security}", SECURITY, change("auth/a.py"), (CY,), P),
    ("{rule: security}", SECURITY, change("auth/a.py"), (ADA,), W),
    ("{at_least: {count: 1, of: [{rule: security}, {approvals: {users: [ada]}}]}}", SECURITY, {}, (), W),
    # Whether a named rule applies is not known: it must be met, and never stands in for another.
    ("{any: [{rule: signed}, {approvals: {users: [cy]}}]}", UNSIGNED, {"commits": ()}, (ADA,), W),
    ("{any: [{rule: signed}, {condition: {fork: true}}]}", UNSIGNED, {"commits": ()}, (), E),
    ("{any: [{rule: signed}, {condition: {fork: true}}]}", UNSIGNED, {"commits": OFFLINE}, (ADA,), W),
    ("{all: [{rule: signed}, {condition: {fork: false}}]}", UNSIGNED, {"commits": ()}, (ADA,), P),
    ("{any: [{rule: signed}, {condition: {fork: true}}]}", UNSIGNED, {"commits": ()}, (ADA,), E),
    ("{all: [{rule: signed}, {approvals: {users: [cy]}}]}", UNSIGNED, {"commits": ()}, (CY,), W),
]  # fmt: skip


@pytest.mark.parametrize(("demand", "more", "changes", "by", "status"), COMPOSED)
def test_composition(demand: str, more: str, changes: dict[str, Any], by: tuple[Any, ...], status: Status) -> None:
    assert demanded(demand, pull(*approved_by(*by), **changes), more).status is status


def test_a_rule_whose_condition_is_not_known_holds() -> None:
    text = "rules: {x: {when: {signed: true}, require: {approvals: {teams: [core]}}}}"
    waits = court(text, pull(commits=())).rule("x")
    assert waits.status is W
    assert waits.words.endswith("whether the rule applies is not known (no commit of it was seen), so it counts")
    assert court(text, pull(*approved_by(ADA), commits=())).rule("x").status is P
    assert court(text, pull(commits=AWAY)).rule("x").status is W


def test_a_rule_that_does_not_apply_is_skipped() -> None:
    found = court("rules: {x: {when: {fork: true}, require: {approvals: {}}}}", pull()).rule("x")
    assert (found.status, found.words) == (S, "rule `x` does not apply")


def test_the_words_follow_what_decides() -> None:
    both = "[{approvals: {users: [ada]}}, {approvals: {users: [cy]}}]"
    assert demanded(f"{{all: {both}}}", pull()).words == "0 of 1 approval by @ada and 0 of 1 approval by @cy"
    assert demanded(f"{{all: {both}}}", pull(*approved_by(ADA))).words == "0 of 1 approval by @cy"
    assert demanded(f"{{any: {both}}}", pull()).words == "0 of 1 approval by @ada or 0 of 1 approval by @cy"
    nested = demanded(f"{{any: [{{all: {both}}}, {{approvals: {{users: [bea]}}}}]}}", pull())
    assert nested.words == "(0 of 1 approval by @ada and 0 of 1 approval by @cy) or 0 of 1 approval by @bea"
    counted = demanded(f"{{at_least: {{count: 2, of: {both}}}}}", pull(*approved_by(ADA)))
    assert counted.words == "1 of 2 of: approved by ada; 1 needed by @ada; 0 of 1 approval by @cy"
    assert counted.waits_for == (Electorate(users=("cy",)),)


def test_who_must_be_known_for_the_rules() -> None:
    policy = policy_of(
        "veto: {teams: [board]}\noverride: {permission: admin}\n"
        "rules:\n  a: {when: {author: {teams: [staff]}}, "
        "require: {approvals: {teams: [core], organizations: [acme]}}}\n"
        "  b: {require: {any: [{code_owners: {}}, {condition: {contributor: {organizations: [ext]}}}]}}\n"
        "  c: {require: {condition: {only_contributors: {users: [x]}}}}\n"
    )
    assert teams_named(policy) == ("board", "core", "staff")
    assert organizations_named(policy) == ("acme", "ext")
    assert highest_permission(policy) is Permission.ADMIN
    assert asks_for_owners(policy)
    assert asks_about_contributors(policy)
    plain = policy_of("")
    assert not asks_about_contributors(plain)
    assert (teams_named(plain), organizations_named(plain), asks_for_owners(plain)) == ((), (), False)
    assert highest_permission(plain) is Permission.WRITE


def test_rules_stand_in_the_order_of_their_names() -> None:
    text = "rules:\n  b: {require: {rule: c}}\n  a: {require: {approvals: {}}}\n"
    text += "  c: {standalone: false, require: {approvals: {}}}"
    assert list(standing_rules(policy_of(text))) == ["a", "b"]
