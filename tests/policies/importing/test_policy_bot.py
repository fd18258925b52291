"""policy-bot's configurations as ours: the same pull requests pass, and wait for the same people."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from checks.finding import Status
from policies.case_run import run_cases
from policies.case_sections import read_cases
from policies.importing.detect import import_policy
from policies.importing.imported import NEVER, ForeignError, Imported, render
from policies.importing.policy_bot import import_policy_bot
from policies.importing.policy_bot_words import condition_of
from policies.load import PolicyState
from policies.verdict import Verdict
from tests.policies.build import state
from tests.policies.importing.public_policies import PEOPLE, PUBLIC, Public

ROWS = [(public, given, meaning) for public in PUBLIC for given, meaning in public.meaning]


def imported(value: Any) -> Imported:
    return import_policy(".policy.yml", yaml.safe_dump(value))


def in_force(value: Any) -> PolicyState:
    found = state(render(imported(value), "x"))
    assert not found.errors, found.errors
    return found


def verdict(policy: PolicyState, given: dict[str, Any]) -> Verdict:
    """policy-bot knows people only; what an agent chooses itself, as its title, lets its work past nothing here."""
    kind = "agent" if given.get("author", "").endswith("[bot]") else "person"
    case = {"name": "x", "given": {"risk": "low", "kind": kind, **given}, "expect": {"verdict": "passed"}}
    table = {"version": 1, "people": PEOPLE, "cases": [case]}
    (result,) = run_cases(policy, read_cases(json.dumps(table)))
    return result.verdict


@pytest.mark.parametrize(("public", "given", "meaning"), ROWS, ids=[f"{row[0].place}-{row[1]}" for row in ROWS])
def test_what_it_means(public: Public, given: dict[str, Any], meaning: str) -> None:
    review = verdict(in_force(public.value), given)
    if meaning == "passes":
        assert review.review.status is Status.PASSED
    elif meaning == "never":
        assert review.review.status is Status.FAILED
    else:
        assert review.review.status is Status.PENDING
        assert meaning == "waits" or ", ".join(sorted(review.needed)) == meaning


def _of(condition: dict[str, Any]) -> Imported:
    rule = {"name": "auto", "if": condition, "requires": {"count": 0}}
    person = {"name": "person", "requires": {"count": 1, "permissions": ["write"]}}
    return imported({"policy": {"approval": [{"or": ["auto", "person"]}]}, "approval_rules": [rule, person]})


BOT = {"users": ["dependabot[bot]"]}


@pytest.mark.parametrize(
    ("condition", "turned"),
    [
        (
            {"has_author_in": BOT, "author_is_only_contributor": True},
            {"all": [{"author": BOT}, {"only_contributors": BOT}]},
        ),
        ({"has_author_in": {"users": ["a", "b"]}, "author_is_only_contributor": True}, None),
        ({"has_author_in": {"teams": ["a"]}, "author_is_only_contributor": True}, None),
        ({"author_is_only_contributor": True}, None),
        ({"has_author_in": BOT, "author_is_only_contributor": False}, None),
        ({"has_successful_status": ["ci/test"]}, {"kinds": ["agent", "outsider", "dependency-bot"]}),
        ({"has_status": {"statuses": ["ci/test"]}}, {"kinds": ["agent", "outsider", "dependency-bot"]}),
        (
            {"has_status": {"statuses": ["ci/test"], "conclusions": ["success"]}},
            {"kinds": ["agent", "outsider", "dependency-bot"]},
        ),
        ({"has_status": {"statuses": ["ci/test"], "conclusions": ["success", "skipped"]}}, None),
        ({"has_status": {"statuses": []}}, None),
        ({"has_successful_status": "ci/test"}, None),
    ],
)
def test_what_a_rule_that_passes_by_itself_asks(condition: dict[str, Any], turned: dict[str, Any] | None) -> None:
    """None: part of it has no counterpart, so that the rule never passes by itself."""
    found = _of(condition)
    rule = found.policy["rules"]["auto"]
    if turned is None:
        assert NEVER in [each["condition"] for each in rule["require"].get("all", [rule["require"]])]
        assert any("never passes" in lost for lost in found.lost)
    else:
        assert rule["when"] == turned
        assert not any("never passes" in lost for lost in found.lost)
    asks_for_a_job = turned is not None and "kinds" in turned
    assert (found.policy.get("ci") == {"jobs": ["ci/test"]}) is asks_for_a_job
    assert not state(render(found, "x")).errors


@pytest.mark.parametrize("public", PUBLIC, ids=[public.place for public in PUBLIC])
def test_what_is_lost_is_said(public: Public) -> None:
    lost = "\n".join(imported(public.value).lost)
    for words in public.lost:
        assert words in lost
    assert all(f"# - {line}" in render(imported(public.value), "x") for line in lost.splitlines())


def test_a_policy_elsewhere_is_named() -> None:
    """As in Betterment/charlatan, whose file only points at another repository's."""
    with pytest.raises(ForeignError, match=r"it only points at mobile\.yml of acme/policies; import that file"):
        imported({"remote": "acme/policies", "path": "mobile.yml", "ref": "main"})


PREDICATES: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({"changed_files": {"paths": ["^a/"], "ignore": [r"\.md$"]}}, {"paths": ["/a/", "!*.md"]}, []),
    ({"changed_files": {"ignore": [r"\.md$"]}}, {"paths": ["*", "!*.md"]}, []),
    ({"changed_files": {"paths": ["[x]"]}}, {}, ["`changed_files`"]),
    ({"changed_files": {"paths": ["^a/"], "ignore": ["[x]"]}}, {}, ["`changed_files`"]),
    ({"changed_files": ["^a/"]}, {}, ["`changed_files`"]),
    ({"no_changed_files": {"paths": ["^a/"]}}, {"not": {"paths": ["/a/"]}}, []),
    ({"no_changed_files": {"paths": ["[x]"]}}, {}, ["`no_changed_files`"]),
    ({"only_changed_files": {"paths": ["^a/"]}}, {"only_paths": ["/a/"]}, []),
    ({"only_changed_files": {"paths": []}}, {}, ["`only_changed_files`"]),
    ({"has_contributor_in": {"users": ["a"]}}, {"contributor": {"users": ["a"]}}, []),
    ({"has_contributor_in": {"users": ["a b"]}}, {}, ["`has_contributor_in`"]),
    ({"has_author_in": {"teams": ["acme/Core Team"]}}, {}, ["`has_author_in`"]),
    ({"has_author_in": {"permissions": ["admin", "write"]}}, {"author": {"permission": "write"}}, []),
    ({"has_author_in": {}}, {}, ["`has_author_in`"]),
    ({"targets_branch": {"pattern": "^release/.*$"}}, {"target": ["/release/"]}, []),
    ({"targets_branch": {"pattern": ""}}, {}, ["`targets_branch`"]),
    ({"from_branch": {"pattern": "^x:y$"}}, {}, ["`from_branch`"]),
    ({"modified_lines": {"additions": "> 10", "deletions": "<1"}},
     {"size": {"additions": {"at_least": 11}, "deletions": {"at_most": 0}}}, []),
    ({"modified_lines": {"total": "many"}}, {}, ["`modified_lines`"]),
    ({"modified_lines": {}}, {}, ["`modified_lines`"]),
    ({"title": {"matches": ["^a", "^b"], "not_matches": ["c"]}},
     {"all": [{"any": [{"title": "^a"}, {"title": "^b"}]}, {"not": {"title": "c"}}]}, []),
    ({"title": {"matches": ["(a"]}}, {}, ["`title`"]),
    ({"title": {}}, {}, ["`title`"]),
    ({"has_labels": ["a", "b"]}, {"all": [{"labels": ["a"]}, {"labels": ["b"]}]}, []),
    ({"has_labels": []}, {}, ["`has_labels`"]),
    ({"has_labels": "a"}, {}, ["`has_labels`"]),
    ({"repository": {"matches": ["^acme/.*$"], "not_matches": ["^acme/x$"]}},
     {"all": [{"repositories": ["/acme/"]}, {"not": {"repositories": ["/acme/x"]}}]}, []),
    ({"repository": {"matches": ["[x]"]}}, {}, ["`repository`"]),
    ({"repository": {}}, {}, ["`repository`"]),
    ({"has_valid_signatures": True}, {"signed": True}, []),
    ({"has_valid_signatures": "yes"}, {}, ["`has_valid_signatures`"]),
    ({"has_workflow_result": {"workflows": ["a.yml"]}},
     {"workflows": [{"path": "a.yml", "conclusions": ["success"]}]}, []),
    ({"has_workflow_result": {}}, {}, ["`has_workflow_result`"]),
    ({"has_valid_signatures_by": {"users": ["x"]}, "has_labels": ["a"]}, {"labels": ["a"]},
     ["`has_valid_signatures_by`"]),
]  # fmt: skip


@pytest.mark.parametrize(("predicates", "condition", "doubts"), PREDICATES)
def test_predicates(predicates: dict[str, Any], condition: dict[str, Any], doubts: list[str]) -> None:
    assert condition_of(predicates) == (condition, doubts)


def _policy(rule: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"policy": {"approval": ["a"], **more}, "approval_rules": [{"name": "a", **rule}]}


def test_whoever_cannot_be_named_leaves_it_closed() -> None:
    bots = _policy({"requires": {"count": 1, "users": ["x[bot]"]}})
    assert imported(bots).lost[0] == "approvals by bots never count: x[bot]"
    assert verdict(in_force(bots), {"approvals": ["dev"]}).review.status is Status.FAILED
    unknown = _policy({"requires": {"conditions": {"has_valid_signatures_by": {"users": ["x"]}}}})
    assert verdict(in_force(unknown), {}).review.status is Status.FAILED
    assert "until what it requires is written: `has_valid_signatures_by`" in imported(unknown).lost[0]


def test_merges_of_the_target_keep_approvals_only_where_no_rule_says_otherwise() -> None:
    keeps = {"requires": {"count": 1}, "options": {"ignore_update_merges": True}}
    assert imported(_policy(keeps)).policy["review"] == {"keep_on_clean_merge": True}
    other = _policy(keeps)
    other["policy"]["approval"].append("b")
    other["approval_rules"].append(
        {"name": "b", "options": {"invalidate_on_push": True, "ignore_commits_by": {"x": 1}}}
    )
    mixed = imported(other)
    assert "review" not in mixed.policy
    assert any(sentence.startswith("`ignore_update_merges`") for sentence in mixed.lost)
    assert any(sentence.startswith("`ignore_commits_by`") for sentence in mixed.lost)


def test_disapproval() -> None:
    none = imported(_policy({}, disapproval={"options": {}}))
    assert "veto" not in none.policy
    some = imported(_policy({}, disapproval={"requires": {"users": ["em"]}, "if": {"has_labels": ["x"]}}))
    assert some.policy["veto"] == {"users": ["em"]}
    assert "the condition of the disapproval: the veto holds for every pull request" in some.lost
    bots = imported(_policy({}, disapproval={"requires": {"users": ["x[bot]"]}}))
    assert bots.policy["veto"] == {}


def test_names_are_made_ours_and_stay_apart() -> None:
    rules = [{"name": name} for name in ("Größe!", "größe", "2 people", "approval", "x" * 90)]
    value = {"policy": {"approval": [rule["name"] for rule in rules]}, "approval_rules": [*rules, {"name": "spare"}]}
    found = imported(value)
    assert list(found.policy["rules"]) == ["approval", "gr-e", "gr-e-2", "r-2-people", "approval-2", "x" * 36]
    assert "rule 'spare' is not used by its policy" in found.lost
    in_force(value)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"policy": []}, "it has no `policy`"),
        ({"policy": {"approval": ["gone"]}, "approval_rules": []}, "names the rule 'gone', which it does not define"),
        ({"policy": {"approval": [{"or": []}]}, "approval_rules": []}, "an empty `or` or `and`"),
        ({"policy": {"approval": [{"xor": ["a"]}]}, "approval_rules": [{"name": "a"}]}, "no tree of `or`, `and`"),
        ({"policy": {"approval": [7]}, "approval_rules": []}, "no tree of `or`, `and`"),
    ],
)
def test_what_cannot_be_imported(value: Any, said: str) -> None:
    with pytest.raises(ForeignError, match=said):
        imported(value)


def test_without_approval_nothing_is_demanded() -> None:
    found = import_policy_bot({"policy": {}, "approval_rules": [{"name": "a"}]})
    assert found.policy == {"version": 1}
    assert found.lost[0] == "the policy has no `approval`, so it demands nothing"
