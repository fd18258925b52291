"""Mergify's conditions as demands of ours."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from policies.importing.detect import import_policy
from policies.importing.imported import ALWAYS, NEVER, ForeignError, Imported, render
from policies.importing.mergify import import_mergify
from tests.policies.build import state
from tests.policies.importing.test_policy_bot import verdict


def imported(*conditions: Any, **more: Any) -> Imported:
    value = {"queue_rules": [{"name": "default", "queue_conditions": list(conditions)}], **more}
    return import_policy(".mergify.yml", yaml.safe_dump(value))


BOT = "author=dependabot[bot]"
NOT = {"condition": {"not": {"labels": ["wip"]}}}
WORDS: list[tuple[Any, Any]] = [
    ("#approved-reviews-by>=2", {"approvals": {"count": 2}}),
    ("#approved-reviews-by > 1", {"approvals": {"count": 2}}),
    ("#approved-reviews-by ≥ 2", {"approvals": {"count": 2}}),
    ("#approved-reviews-by>=0", {"condition": ALWAYS}),
    ("#approved-reviews-by<2", {"condition": NEVER}),
    ("approved-reviews-by=@acme/Core", {"approvals": {"teams": ["core"]}}),
    ("approved-reviews-by=ada", {"approvals": {"users": ["ada"]}}),
    ("approved-reviews-by=a b", {"condition": NEVER}),
    ("approved-reviews-by~=a", {"condition": NEVER}),
    ("-approved-reviews-by=ada", {"condition": NEVER}),
    ("base=main", {"condition": {"target": ["/main"]}}),
    ("base!=main", {"condition": {"not": {"target": ["/main"]}}}),
    ("-base!=main", {"condition": {"target": ["/main"]}}),
    ("base~=^release/.*$", {"condition": {"target": ["/release/"]}}),
    ("base~=[x]", {"condition": NEVER}),
    ("head=a*", {"condition": {"source": ["/a\\*"]}}),
    ("head~=^bot/", {"condition": {"source": ["/bot/"]}}),
    ("label=ready", {"condition": {"labels": ["ready"]}}),
    ("-label=wip", NOT),
    ("label!=wip", NOT),
    ("label ≠ wip", NOT),
    ('label="two words"', {"condition": {"labels": ["two words"]}}),
    ("label=", {"condition": NEVER}),
    ("files=go.mod", {"condition": {"paths": ["/go.mod"]}}),
    ("-files~=^src/", {"condition": {"not": {"paths": ["/src/"]}}}),
    ("#files<10", {"condition": {"size": {"files": {"at_most": 9}}}}),
    ("#files=10", {"condition": {"size": {"files": {"at_least": 10, "at_most": 10}}}}),
    ("#files<=10", {"condition": {"size": {"files": {"at_most": 10}}}}),
    ("#files!=10", {"condition": NEVER}),
    ("#added-lines>=10", {"condition": {"size": {"additions": {"at_least": 10}}}}),
    ("#deleted-lines>10", {"condition": {"size": {"deletions": {"at_least": 11}}}}),
    ("#commits<3", {"condition": NEVER}),
    ("author=dependabot[bot]", {"condition": {"author": {"users": ["dependabot[bot]"]}}}),
    ("author=@acme/Core", {"condition": {"author": {"teams": ["core"]}}}),
    ("author=@acme", {"condition": NEVER}),
    ("author~=^dependabot(|-preview)\\[bot\\]$",
     {"condition": {"author": {"users": ["dependabot[bot]", "dependabot-preview[bot]"]}}}),
    ("-author~=^(ada|bob)$", {"condition": {"not": {"author": {"users": ["ada", "bob"]}}}}),
    ("author~=^bot-.*$", {"condition": NEVER}),
    ("author~=bot", {"condition": NEVER}),
    ("author~=^a b$", {"condition": NEVER}),
    ("author~=^(a$", {"condition": NEVER}),
    ("label~=^(ready|go!)$", {"condition": {"labels": ["ready", "go!"]}}),
    ("label~=^ready", {"condition": NEVER}),
    ("label~=^(|ready)$", {"condition": NEVER}),
    ("title=Release 1.0", {"condition": {"title": "^Release\\ 1\\.0$"}}),
    ("approved-reviews-by=mergify[bot]", {"condition": NEVER}),
    ("title~=^fix", {"condition": {"title": "^fix"}}),
    ("-conflict", {"condition": ALWAYS}),
    ("-draft", {"condition": ALWAYS}),
    ("#changes-requested-reviews-by=0", {"condition": ALWAYS}),
    ("check-failure=x", {"condition": NEVER}),
    ("-check-success=x", {"condition": NEVER}),
    ("Base = main", {"condition": NEVER}),
    (7, {"condition": NEVER}),
    ({"xor": []}, {"condition": NEVER}),
    ({"or": ["label=a", "label=b"]}, {"any": [{"condition": {"labels": ["a"]}}, {"condition": {"labels": ["b"]}}]}),
    ({"and": ["label=a", "-draft"]}, {"condition": {"labels": ["a"]}}),
    ({"and": ["label=a", "approved-reviews-by=b"]},
     {"all": [{"condition": {"labels": ["a"]}}, {"approvals": {"users": ["b"]}}]}),
    ({"not": "label=wip"}, NOT),
    ({"not": "#approved-reviews-by>=1"}, {"condition": NEVER}),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "demand"), WORDS, ids=[str(row[0]) for row in WORDS])
def test_words(condition: Any, demand: Any) -> None:
    found = imported(condition)
    assert found.policy["rules"] == {"merge": {"require": demand}}
    assert bool(found.lost) is (demand == {"condition": NEVER})
    assert not state(render(found, "x")).errors


def test_ways_of_merging_are_alternatives_and_checks_are_jobs() -> None:
    found = imported(
        "base=main",
        "status-success=test",
        "#approved-reviews-by>=1",
        pull_request_rules=[
            {
                "name": "bots",
                "conditions": ["author=dependabot[bot]", "check-success = test"],
                "actions": {"merge": {}},
            },
            {"name": "tell", "conditions": ["label=x"], "actions": {"comment": {}, "label": {}}},
        ],
        defaults={"actions": {}},
    )
    assert found.policy["ci"] == {"jobs": ["test"]}
    assert found.policy["rules"]["merge"]["require"] == {
        "any": [
            {"all": [{"condition": {"target": ["/main"]}}, {"approvals": {"count": 1}}]},
            {"condition": {"author": {"users": ["dependabot[bot]"]}}},
        ]
    }
    assert "rule 'tell' does comment, label, which no policy does" in found.lost
    assert "`defaults`" in found.lost
    policy = state(render(found, "x"))
    assert verdict(policy, {}).review.status.value == "pending"
    assert verdict(policy, {"approvals": ["dev"]}).review.status.value == "passed"
    assert verdict(policy, {"author": "dependabot[bot]"}).review.status.value == "passed"


def test_older_names_of_conditions() -> None:
    value = {"queue_rules": [{"name": "q", "conditions": ["label=a"], "merge_conditions": ["label=b"]}]}
    demand = import_mergify(value).policy["rules"]["merge"]["require"]
    assert demand == {"all": [{"condition": {"labels": ["a"]}}, {"condition": {"labels": ["b"]}}]}


def test_protections() -> None:
    def rule(when: list[Any], success: list[Any]) -> Any:
        one = {"name": "Freeze now", "if": when, "success_conditions": success}
        return import_mergify({"merge_protections": [one]}).policy["rules"]["freeze-now"]["require"]

    core = {"approvals": {"teams": ["core"]}}
    wanted = ["approved-reviews-by=@acme/core"]
    assert rule([], wanted) == core
    assert rule(["base=main"], wanted) == {"any": [{"condition": {"not": {"target": ["/main"]}}}, core]}
    both = rule(["base=main", {"or": ["label=a", "label=b"]}], wanted)
    assert both["any"][0]["condition"]["not"]["all"][1] == {"any": [{"labels": ["a"]}, {"labels": ["b"]}]}
    assert rule(["#approved-reviews-by>=1"], wanted) == core
    assert rule(["#approved-reviews-by>=1", "label=a"], wanted) == core


def test_without_any_rule_nothing_is_demanded() -> None:
    assert import_mergify({"queue_rules": []}).policy == {"version": 1}
    with pytest.raises(ForeignError, match="it has none of queue_rules"):
        import_mergify({"defaults": {}})
