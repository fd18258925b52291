"""What a well-formed policy may still not say."""

from __future__ import annotations

from collections.abc import Iterator

from checks.document import Document, Path
from checks.paths import PathPatterns
from checks.snapshot import Risk
from policies.errors import PolicyError, error_at
from policies.schema import POLICY_PATH, Policy, risk_of


def guard_errors(document: Document, policy: Policy) -> tuple[PolicyError, ...]:
    errors = tuple(_bad_patterns(document, policy))
    return errors or tuple(_unguarded(document, policy))


def _bad_patterns(document: Document, policy: Policy) -> Iterator[PolicyError]:
    for path, pattern in _patterns(policy):
        try:
            PathPatterns((pattern,))
        except ValueError as invalid:
            yield error_at(document, path, f"the pattern cannot be used: {invalid}", "Write it in gitignore style")


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


def _unguarded(document: Document, policy: Policy) -> Iterator[PolicyError]:
    """Whoever can change the policy unseen can change everything else."""
    guarded = any(
        risk_of(area.risk) >= Risk.HIGH and PathPatterns(area.all_paths).matches(POLICY_PATH)
        for area in policy.risk.areas.values()
    )
    if not guarded:
        hint = f"Keep `{POLICY_PATH}` in an area of high or critical risk"
        yield error_at(document, ("risk", "areas", "gate"), "the policy does not guard itself", hint)
