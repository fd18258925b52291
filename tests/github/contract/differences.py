"""What may differ from a description, and why. Nothing else may."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.github.contract.findings import Finding


@dataclass(frozen=True)
class Difference:
    """All given patterns must be found in the finding: in its subject, its place, and its problem."""

    reason: str
    judge: str
    subject: str = ""
    place: str = ""
    problem: str = ""

    def covers(self, finding: Finding) -> bool:
        return (
            finding.judge == self.judge
            and re.search(self.subject, finding.subject) is not None
            and re.search(self.place, finding.place) is not None
            and re.search(self.problem, finding.problem) is not None
        )


KNOWN: tuple[Difference, ...] = (
    Difference(
        "REST version 2026-03-10 removed it; the file describes 2022-11-28",
        "openapi",
        problem='^"(merge_commit_sha|assignee)" is a required property',
    ),
)


def is_known(finding: Finding) -> bool:
    return any(difference.covers(finding) for difference in KNOWN)
