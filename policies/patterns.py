"""Path patterns of a policy that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from checks.document import Document, Path
from checks.paths import PathPatterns
from policies.errors import PolicyError, error_at
from policies.schema import Policy


def pattern_errors(document: Document, policy: Policy) -> Iterator[PolicyError]:
    for path, pattern in _patterns(policy):
        refusal = _refusal(pattern)
        if refusal:
            yield error_at(document, path, f"the pattern cannot be used: {refusal}", "Write it in gitignore style")


@lru_cache(maxsize=4096)
def _refusal(pattern: str) -> str:
    try:
        PathPatterns((pattern,))
    except ValueError as invalid:
        return str(invalid)
    return ""


def _patterns(policy: Policy) -> Iterator[tuple[Path, str]]:
    lists: list[tuple[Path, tuple[str, ...]]] = [
        (("branches",), policy.branches),
        (("agents", "branches"), policy.agents.branches),
        (("dependency_bots", "paths"), policy.dependency_bots.paths),
        (("ci", "workflows"), policy.ci.workflows),
    ]
    for name, area in policy.risk.areas.items():
        lists.append((("risk", "areas", name, "paths"), area.paths))
        lists.append((("risk", "areas", name, "more_paths"), area.more_paths))
    for path, patterns in lists:
        yield from (((*path, index), pattern) for index, pattern in enumerate(patterns))
