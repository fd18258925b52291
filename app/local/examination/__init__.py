"""What is wrong with how a repository is guarded, from what GitHub answered about it. Pure.

Each symptom says what was found, and what to do about it. What could not be read is said as that and never taken for
good: bypass lists are shown only to those who may edit them.
"""

from __future__ import annotations

from app.local.examination import (
    bypasses,
    installation,
    queues,
    required_checks,
    rules,
    secret_places,
    settings,
    workflow_rights,
)
from app.local.examination.facts import (
    CouldNotRead,
    Environment,
    Facts,
    Followed,
    Installed,
    Level,
    Posted,
    Secrets,
    Symptom,
)

__all__ = [
    "CouldNotRead",
    "Environment",
    "Facts",
    "Followed",
    "Installed",
    "Level",
    "Posted",
    "Secrets",
    "Symptom",
    "examine",
]
_PARTS = (rules, bypasses, settings, secret_places, workflow_rights, queues, required_checks, installation)


def examine(facts: Facts) -> list[Symptom]:
    """Every symptom; none when all is as it should be."""
    return [symptom for part in _PARTS for symptom in part.symptoms(facts)]
