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


REMOVED = "REST version 2026-03-10 removed it; the file describes 2022-11-28"
NEWER_RULES = "GitHub has rule types that its descriptions lack, and tests make one up; parameters are still compared"
USER_AND_ENTERPRISE = "the description wants the account to be a user and an enterprise at once, which nothing can be"
NULL_DESCRIPTION = "a label without description has null there; the schemas of labels alone say so, this one forgets it"
NEWER_EVENTS = "the list of an App's events is older than the event; githubkit's issue 118 is about the same list"

KNOWN: tuple[Difference, ...] = (
    Difference(REMOVED, "openapi", problem='^"(merge_commit_sha|assignee|has_downloads)" is a required property$'),
    Difference(REMOVED, "openapi", subject="^GET /rate_limit", problem='^"rate" is a required property$'),
    Difference(USER_AND_ENTERPRISE, "openapi", "^GET /app/installations ", "^/N/account$", "is not valid under any"),
    Difference(NEWER_RULES, "githubkit", "/rules/branches/", "^/N$", "^no member of the union has this `type`$"),
    Difference(NEWER_RULES, "openapi", "/rules/branches/", "^/N$", '"type":"from_the_future"} is not valid under any'),
    Difference(NULL_DESCRIPTION, "openapi", place="/labels/N/description$", problem='^null is not of type "string"$'),
    Difference(NEWER_EVENTS, "webhooks", place="/app/events/N$", problem='^"repository_ruleset" is not one of'),
    Difference(
        NEWER_EVENTS,
        "webhooks",
        place="^/issue/performed_via_github_app/events/N$",
        problem='^"(merge_group|repository_ruleset)" is not one of',
    ),
)


def is_known(finding: Finding) -> bool:
    return any(difference.covers(finding) for difference in KNOWN)
