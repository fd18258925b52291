"""Units and assertions in a few words, for what compares them whatever their language."""

from __future__ import annotations

from typing import Any

from checks.tampering.units import Assertion, Strength, Unit

EXACT = Strength.EXACT


def assertion(target: str, expected: str | None = None, matcher: str = "equal", **more: Any) -> Assertion:
    given = {"line": 3, "text": f"{target} {matcher} {expected}", "strength": EXACT, **more}
    return Assertion(matcher=matcher, target=target, expected=expected, **given)


def unit(name: str = "test_total", **more: Any) -> Unit:
    given = {"path": "tests/test_cart.py", "line": 2, "end_line": 9, "assertions": (), "body": name, **more}
    return Unit(name=name, **given)
