"""Path patterns of a policy that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from checks.document import Document, Path
from checks.paths import PathPatterns
from policies.errors import PolicyError, error_at
from policies.rule_parts import pattern_lists
from policies.schema import Policy


def pattern_errors(document: Document, policy: Policy) -> Iterator[PolicyError]:
    """Patterns that cannot be used; where each of them can, lists that are too large together."""
    whole = (*_lists(policy), *_areas(policy))
    refused = [(path, refusal) for path, patterns in whole if (refusal := _refusal(patterns))]
    if refused:  # only then are the patterns looked at one by one
        lists = (*_lists(policy), *_halves_of_areas(policy))
        each = [((*path, index), (pattern,)) for path, patterns in lists for index, pattern in enumerate(patterns)]
        unusable = [(path, refusal) for path, patterns in each if (refusal := _refusal(patterns))]
        for path, refusal in unusable or refused:
            yield error_at(document, path, f"the pattern cannot be used: {refusal}", "Write it in gitignore style")


@lru_cache(maxsize=512)
def _refusal(patterns: tuple[str, ...]) -> str:
    try:
        PathPatterns(patterns)
    except ValueError as invalid:
        return str(invalid)
    return ""


_Lists = list[tuple[Path, tuple[str, ...]]]


def _lists(policy: Policy) -> _Lists:
    return [
        (("branches",), policy.branches),
        (("agents", "branches"), policy.agents.branches),
        (("dependency_bots", "paths"), policy.dependency_bots.paths),
        (("ci", "workflows"), policy.ci.workflows),
        (("ci", "reports", "artifacts"), policy.ci.reports.artifacts),
        (("ci", "reports", "files"), policy.ci.reports.files),
        (("ci", "documentation"), policy.ci.documentation),
        *pattern_lists(policy),
    ]


def _halves_of_areas(policy: Policy) -> _Lists:
    areas = policy.risk.areas.items()
    halves = [(("risk", "areas", name, "paths"), area.paths) for name, area in areas]
    return [*halves, *((("risk", "areas", name, "more_paths"), area.more_paths) for name, area in areas)]


def _areas(policy: Policy) -> _Lists:
    """An area's two lists are used as one."""
    return [(("risk", "areas", name), area.all_paths) for name, area in policy.risk.areas.items()]
