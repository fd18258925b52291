"""Check-run titles: one line of a phone that says the one next step."""

from __future__ import annotations

from checks.finding import Finding, Status
from policies.escape import clean
from policies.verdict import Node, Run, Verdict

LONGEST = 80  # characters
_ORDER = (Status.FAILED, Status.ERRORED, Status.PENDING)


def title(verdict: Verdict, run: Run) -> str:
    if verdict.overridden_by is not None:
        return clean(f"Overridden by {verdict.overridden_by.author.login}: {verdict.overridden_by.reason}", LONGEST)
    if run == "observe":
        return _observed_title(verdict)
    if run == "review":
        return _review_title(verdict)
    if verdict.evidence.status is not Status.PASSED:
        return _next_step(verdict.evidence)
    if verdict.kind == "person":
        return f"Not an agent's; {verdict.risk.word} risk"
    return f"Evidence complete and true; {verdict.risk.word} risk"


def _observed_title(verdict: Verdict) -> str:
    blocked = verdict.evidence.status is not Status.PASSED
    return clean("Observing. " + title(verdict, "evidence" if blocked else "review"), LONGEST)


def _review_title(verdict: Verdict) -> str:
    if verdict.review.status is Status.PASSED:
        by = ", ".join(verdict.approved_by)
        return clean(f"Approved by {by}", LONGEST) if by else f"No approval needed at {verdict.risk.word} risk"
    if verdict.needed:
        command = f": /approve {verdict.code}" if verdict.code else ""
        wanted = "a review of the code" if verdict.reads_code else "approval"
        return clean(f"Needs {wanted} by {' or '.join(verdict.needed)}", LONGEST - len(command)) + command
    if verdict.review.status is Status.PENDING:  # a draft: nobody is asked, so no fix is the next step
        return clean(verdict.review.reason, LONGEST)
    return _next_step(verdict.review)


def group_title(root: Node) -> str:
    return "Every member stands as judged" if root.status is Status.PASSED else _next_step(root)


def _next_step(root: Node) -> str:
    """The first fix, of the most urgent finding, and how much else there is."""
    found = [finding for status in _ORDER for finding in root.findings if finding.status is status]
    if not found:
        return clean(root.reason, LONGEST)
    more = f" (+{len(found) - 1} more)" if len(found) > 1 else ""
    return _shortened(_step(found[0]), LONGEST - len(more)) + more


def _step(finding: Finding) -> str:
    return finding.fix.text if finding.fix else finding.reason


def _shortened(text: str, limit: int) -> str:
    """The text, or its first sentence where all of it has no room."""
    line = clean(text, 2 * limit)
    first = line.partition(". ")[0].removesuffix(".")
    return clean(line if len(line) <= limit else first, limit)
