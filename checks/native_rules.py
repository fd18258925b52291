"""GitHub's own rules about reviews, as its rulesets say them for a branch.

https://docs.github.com/en/rest/repos/rules#get-rules-for-a-branch
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TeamRule:
    """So many approvals of a team (by id) for changes of these paths."""

    team_id: int
    approvals: int
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NativeReviews:
    """The `pull_request` rules of the branch, the strictest of each kind.

    `extra_for_agents`: one more approval where an agent of GitHub's opened it under its own name.
    """

    approvals: int = 0
    code_owners: bool = False
    last_push: bool = False
    threads: bool = False
    extra_for_agents: bool = False
    teams: tuple[TeamRule, ...] = ()


def read_rules(rules: Iterable[tuple[str, Mapping[str, Any]]]) -> NativeReviews:
    """From type and parameters of every effective rule; unknown types and parameters are passed over."""
    found = [parameters for kind, parameters in rules if kind == "pull_request"]
    counts = [parameters.get("required_approving_review_count") for parameters in found]
    return NativeReviews(
        approvals=max((count for count in counts if isinstance(count, int)), default=0),
        code_owners=_any(found, "require_code_owner_review"),
        last_push=_any(found, "require_last_push_approval"),
        threads=_any(found, "required_review_thread_resolution"),
        extra_for_agents=_any(found, "require_extra_approval_for_unattributed_changes"),
        teams=tuple(team for parameters in found for team in _teams(parameters)),
    )


def _any(found: Iterable[Mapping[str, Any]], name: str) -> bool:
    return any(parameters.get(name) is True for parameters in found)


def _teams(parameters: Mapping[str, Any]) -> Iterator[TeamRule]:
    listed = parameters.get("required_reviewers")
    for one in listed if isinstance(listed, list) else ():
        reviewer = one.get("reviewer") or {}
        yield TeamRule(
            int(reviewer.get("id") or 0), int(one.get("minimum_approvals") or 0), tuple(one.get("file_patterns") or ())
        )
