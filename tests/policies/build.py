"""A pull request and a policy that pass; each test changes one thing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from checks.finding import Finding
from checks.snapshot import Risk
from policies.load import PolicySource, PolicyState, read_policy
from policies.tree import group, required
from policies.verdict import Verdict

HEAD = "a1" * 20
TARGET = "b2" * 20
NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@cache
def presets() -> dict[str, str]:
    folder = Path(__file__).parents[2] / "policies"
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.yml")}


def state(text: str | None = None) -> PolicyState:
    """The state of a policy file with this text; None: there is no file."""
    return read_policy(PolicySource(text, "refs/heads/main", TARGET), presets())


def verdict(evidence: tuple[Finding, ...], review: tuple[Finding, ...], **changes: Any) -> Verdict:
    """A verdict over findings given by hand, one part a check."""
    start = Verdict(
        head_sha=HEAD,
        target_ref="refs/heads/main",
        policy_digest="sha256:" + "c" * 64,
        bundle_digest="sha256:" + "d" * 64,
        ticket_digest=None,
        kind="agent",
        mode="enforce",
        gated=True,
        risk=Risk.LOW,
        areas=(),
        evidence=required("evidence", [group(finding.check.partition(".")[0], (finding,)) for finding in evidence]),
        review=required("review", [group("approvals", review)]),
    )
    return replace(start, **changes)
