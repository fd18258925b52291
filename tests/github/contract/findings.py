"""What the judges found."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class Finding:
    """`subject`: operation and status, or a webhook; `judge`: githubkit, openapi, errors or webhooks."""

    subject: str
    judge: str
    place: str  # JSON path within the body, indexes as N
    problem: str

    def __str__(self) -> str:
        return f"{self.subject} [{self.judge}] {self.place or '/'}: {self.problem}"


@dataclass
class Findings:
    """Collected over one or many simulated GitHubs."""

    found: set[Finding] = field(default_factory=set)
    undescribed: set[str] = field(default_factory=set)  # operations and webhooks that no description covers
    answers: int = 0  # checked
    deliveries: int = 0

    def assert_clean(self) -> None:
        """AssertionError that lists every finding."""
        lines = [f"  {finding}" for finding in sorted(self.found)]
        assert not lines, "answers that differ from GitHub's descriptions:\n" + "\n".join(lines)
