"""Whether the way back is given and fits the change."""

from __future__ import annotations

from collections.abc import Collection

from checks.bundle import Bundle
from checks.finding import Finding
from checks.snapshot import Risk


def check(
    bundle: Bundle | None, level: Risk, areas: Collection[str], *, required: bool, tested_from: Risk = Risk.HIGH
) -> tuple[Finding, ...]:
    """Finding `rollback`, and `rollback.data-loss` (needs a person) where data would be lost."""
    raise NotImplementedError
