"""The names of the areas in which a change is risky."""

from __future__ import annotations

from typing import Literal, get_args

Area = Literal[
    "authentication",
    "payment",
    "permissions",
    "data-deletion",
    "migration",
    "ci",
    "dependencies",
    "secrets",
    "infrastructure",
    "tests",
    "agent-instructions",
    "gate",
]

AREAS: tuple[str, ...] = get_args(Area)
