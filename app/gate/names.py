"""Names that GitHub's paths want, beside the ids that keys hold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RepositoryName:
    """A repository as GitHub's paths want it."""

    id: int
    owner: str
    name: str
    default_branch: str | None = None  # short name

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"
