"""Every rule about queues, merging, approvals and files has tests that exist; and a few that are told by the words."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from app.github import documents
from tests.gate.merge_rules import RULES, Rule

TESTS = Path(__file__).parents[1]


@cache
def functions(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.says[:60])
def test_a_rule_is_held_by_tests_that_are_there(rule: Rule) -> None:
    assert rule.tests
    for name in rule.tests:
        file, _, function = name.partition("::")
        assert function in functions(file), name


def test_the_queue_is_asked_for_a_head_and_for_nothing_else() -> None:
    """No method, no jump, and no auto-merge, which does nothing on what is green already."""
    assert "{pullRequestId: $pull, expectedHeadOid: $head}" in documents.ENQUEUE
    assert "dequeuePullRequest(input: {id: $pull})" in documents.DEQUEUE
    assert "AutoMerge(" not in "".join(_texts())


def test_the_gate_never_approves() -> None:
    assert not any("PullRequestReview(" in text and text.lstrip().startswith("mutation") for text in _texts())


def _texts() -> list[str]:
    return [value for name, value in vars(documents).items() if name.isupper() and isinstance(value, str)]
