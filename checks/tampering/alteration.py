"""What the analysis found: one thing that weakens, hides or bypasses the tests, with its place on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

LONGEST_QUOTE = 300  # characters of `before` and `after`
MOST_ALTERATIONS = 500  # of one pull request; `Analysis.cut` says that there were more


class Weight(StrEnum):
    """What an alteration means for the verdict."""

    FAILED = "failed"  # deterministic: it weakens what proves the change
    PERSON = "person"  # only a person can judge whether it is honest
    RISK = "risk"  # worth knowing: it raises the risk and holds nothing by itself


@dataclass(frozen=True, slots=True)
class Alteration:
    """One finding of the analysis.

    `kind` is a stable word (`test-removed`, `test-skipped`, `assertion-weakened`, `runner-configuration`, …) and names
    the finding `tampering.<kind>`. `line` is 1-based in the file's new side, or in its old side where `after` is empty.
    `before` and `after` are source text, at most LONGEST_QUOTE characters, hostile. `subject` is what a bundle can
    declare: the qualified name of the test or the path. `risk_area` is the area that it belongs to.
    """

    kind: str
    path: str
    line: int | None
    before: str
    after: str
    reason: str  # a sentence that a stranger can act on
    weight: Weight
    subject: str = ""
    risk_area: str = "tests"


@dataclass(frozen=True, slots=True)
class Analysis:
    """The whole difference. `unread` are paths that could not be analysed (too large, no parse), with why."""

    alterations: tuple[Alteration, ...]
    unread: tuple[tuple[str, str], ...] = ()
    cut: bool = False
    tests_before: int = 0  # test units in the changed files
    tests_after: int = 0
