"""What only raises the risk never fills the list."""

from __future__ import annotations

from checks.tampering import configuration, content_risk, surface, workflow_edits
from checks.tampering.alteration import Alteration, Weight
from checks.tampering.bounded import MOST_OF_A_KIND, few_of_each
from tests.checks.tampering.honest import changes_between


def _one(kind: str, number: int, weight: Weight = Weight.RISK) -> Alteration:
    return Alteration(kind, f"{number}.py", 1, "", "", "It is so.", weight)


def test_the_first_of_each_kind_and_all_that_hold() -> None:
    held = [_one("a", number, Weight.PERSON) for number in range(30)] + [_one("a", 99, Weight.FAILED)]
    risks = [_one("a", number) for number in range(MOST_OF_A_KIND)]
    others = [_one("b", number) for number in range(MOST_OF_A_KIND + 2)]
    found = list(few_of_each([*risks, *held, *others]))
    assert found[: len(held)] == held
    assert found[len(held) : len(held) + MOST_OF_A_KIND] == risks
    first, *rest = found[len(held) + MOST_OF_A_KIND :]
    assert (first.path, first.reason) == ("0.py", "It is so. (One of 22.)")
    assert rest == others[1:MOST_OF_A_KIND]
    assert list(few_of_each([])) == []


def test_every_part_is_bounded() -> None:
    before = dict.fromkeys((f"a{number}.py" for number in range(30)), "x\n")
    many = dict.fromkeys(before, "x  # noqa\ny = eval(x)\nаdmin = 1\n")
    changes = changes_between(before, many)
    assert len(list(configuration.alterations(changes))) == MOST_OF_A_KIND
    assert len(list(content_risk.alterations(changes))) == MOST_OF_A_KIND
    assert len(list(surface.alterations(changes))) == MOST_OF_A_KIND
    path = ".github/workflows/a.yml"
    steps = "".join(f"      - uses: a/b{number}@v1\n" for number in range(30))
    workflow = changes_between({path: "on: push\n"}, {path: f"on: push\njobs:\n  a:\n    steps:\n{steps}"})
    assert len(list(workflow_edits.alterations(workflow))) == MOST_OF_A_KIND
