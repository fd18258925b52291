"""CODEOWNERS and a branch's rules as policies of ours."""

from __future__ import annotations

import json
from typing import Any

import pytest

from policies.importing.detect import import_policy
from policies.importing.github_rules import import_branch_rules
from policies.importing.imported import ForeignError, render
from tests.policies.build import state


def test_codeowners() -> None:
    found = import_policy(".github/CODEOWNERS", "* @ada\n/x nobody\n")
    assert found.policy["rules"] == {"code-owners": {"require": {"code_owners": {}}}}
    assert len(found.lost) == 1 and found.lost[0].startswith("line 2 of it is skipped: ")
    assert not state(render(found, "CODEOWNERS")).errors


@pytest.mark.parametrize(("text", "said"), [("# nothing\n", "names no owner"), ("* @a\n" * 800_000, "too large")])
def test_codeowners_that_say_nothing(text: str, said: str) -> None:
    with pytest.raises(ForeignError, match=said):
        import_policy("CODEOWNERS", text)


# The answer's form: https://docs.github.com/rest/repos/rules#get-rules-for-a-branch
REVIEWERS = [
    {"file_patterns": ["src/*"], "minimum_approvals": 2, "reviewer": {"id": 42, "type": "Team"}},
    {"file_patterns": [], "minimum_approvals": 0, "reviewer": {"id": 42, "type": "Team"}},
]
RULES: list[dict[str, Any]] = [
    {"type": "deletion"},
    {
        "type": "pull_request",
        "parameters": {
            "required_approving_review_count": 1,
            "require_code_owner_review": True,
            "required_review_thread_resolution": True,
            "required_reviewers": REVIEWERS,
        },
    },
    {"type": "pull_request", "parameters": {"required_approving_review_count": 2}},
]


def test_a_branchs_rules() -> None:
    found = import_policy("rules.json", json.dumps(RULES))
    assert found.policy["rules"] == {
        "approvals": {"require": {"approvals": {"count": 2}}},
        "code-owners": {"require": {"code_owners": {}}},
        "reviewers-42-0": {
            "when": {"paths": ["src/*"]},
            "require": {"approvals": {"count": 2, "teams": ["42"]}},
        },
        "reviewers-42-1": {"require": {"approvals": {"count": 1, "teams": ["42"]}}},
    }
    assert found.lost == [
        "the slug of team 42: write it instead of the number, which nobody is a member of",
        "the resolution of review threads, which GitHub goes on to demand",
        "the rule `deletion`, which GitHub goes on to enforce",
    ]
    assert not state(render(found, "x")).errors


def test_rules_that_ask_for_no_review() -> None:
    with pytest.raises(ForeignError, match="none of the rules asks for a pull request"):
        import_branch_rules([{"type": "deletion"}])
    assert import_branch_rules([{"type": "pull_request"}]).policy == {"version": 1, "rules": {}}
