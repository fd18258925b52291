"""Evidence behind a finding: five links, and how many more there are."""

from __future__ import annotations

import pytest

from checks.finding import Evidence, passed
from policies.explain import explain
from tests.policies.build import snapshot, verdict

NEXT = [(1, ""), (5, ""), (6, " and 1 more"), (9, " and 4 more")]


@pytest.mark.parametrize(("count", "more"), NEXT)
def test_at_most_five_links(count: int, more: str) -> None:
    evidence = tuple(Evidence(f"job {number}", f"https://github.com/acme/shop/{number}") for number in range(count))
    found = passed("ci", "Fine.", *evidence)
    shown = explain(verdict((found,), (passed("review", "Good."),)), snapshot(), "evidence").summary
    (line,) = (line for line in shown.splitlines() if "Fine." in line)
    assert line.count("https://github.com/acme/shop/") == min(count, 5)
    assert line.rstrip(")").endswith(more) and (more or "more" not in line)
