"""`match` in bodies of Python tests: at most one of the cases runs, perhaps none.

https://docs.python.org/3/reference/compound_stmts.html#the-match-statement
"""

from __future__ import annotations

import pytest

from checks.tampering.units import SkipScope
from tests.checks.tampering.python_told import body_of

ONE = ("match cart:", "    case 1:", "        assert a")


@pytest.mark.parametrize(
    ("lines", "swallowed"),
    [
        (ONE, [True]),
        ((*ONE, "    case 2:", "        assert b"), [True, True]),
        ((*ONE, "    case _:", "        assert b"), [False, False]),
        ((*ONE, "    case other:", "        assert b"), [False, False]),
        ((*ONE, "    case 2 as two:", "        assert b"), [True, True]),
        ((*ONE, "    case _ if c:", "        assert b"), [True, True]),
        ((*ONE, "    case [_]:", "        assert b"), [True, True]),
        ((*ONE, "    case _:", "        pass"), [True]),
        ((*ONE, "    case 2:", "        pass", "    case _:", "        assert b"), [True, True]),
        # A case that fails the test judges it as well.
        ((*ONE, "    case _:", "        pytest.fail('other')"), [False]),
        ((*ONE, "    case _:", "        raise ValueError"), [False]),
        # What follows does not run where a case leaves the test.
        ((*ONE, "assert b"), [True, False]),
        ((*ONE, "    case 2:", "        return", "assert b"), [True, True]),
        ((*ONE, "    case 2:", "        raise ValueError", "assert b"), [True, False]),
        (("try:", *(f"    {line}" for line in ONE), "        case _: assert b", "except: pass"), [True, True]),
    ],
)
def test_what_can_fail_the_test(lines: tuple[str, ...], swallowed: list[bool]) -> None:
    assert [one.swallowed for one in body_of(*lines).assertions] == swallowed


def test_a_skip_in_a_case_is_one_under_a_condition() -> None:
    unit = body_of("match cart.kind:", "    case 'x':", "        pytest.skip('later')", "assert a")
    assert (unit.skipped, unit.skip_scope) == ("if cart.kind matches: pytest.skip('later')", SkipScope.CONDITION)
