"""Results that a test writes down itself, right before it compares them with the same."""

from __future__ import annotations

import ast

from checks.tampering.python.claims import Claim
from checks.tampering.units import Strength


def given_to_name(statement: ast.stmt | None) -> tuple[str, str] | None:
    """A name and the constant that it has now, whatever was computed: `result = 3`, `result = total() and 3`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as value):
            return name, ast.unparse(value)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BoolOp(values=[*_, ast.Constant() as value])):
            return name, ast.unparse(value)
        case _:
            return None


def is_of(claim: Claim, given: tuple[str, str] | None) -> bool:
    """Whether a claim compares just that name with just that constant; what says nothing anyway is known to."""
    sides = (claim.target, claim.expected)
    return given in (sides, sides[::-1]) and claim.strength is not Strength.NOTHING
