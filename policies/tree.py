"""Findings as parts of the result tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from checks.finding import Finding
from policies.verdict import Node, fold_all, settled


def leaf(finding: Finding) -> Node:
    return Node(finding.check, finding.status, finding.reason, finding=finding)


def group(name: str, findings: Sequence[Finding]) -> Node:
    """All of `findings`; the first that has the group's status speaks for it."""
    status = fold_all(finding.status for finding in findings)
    speaker = next((finding.reason for finding in findings if finding.status is status), "Nothing was looked at.")
    return Node(name, status, speaker, tuple(leaf(finding) for finding in findings))


def required(name: str, nodes: Iterable[Node]) -> Node:
    """The root of a required check."""
    children = tuple(nodes)
    status = settled(fold_all(child.status for child in children))
    first = next((child for child in children if child.status is status), None)
    return Node(name, status, first.reason if first else "Nothing was looked at.", children)
