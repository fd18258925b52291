"""The section of the policy file about what happens once all required checks are green."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from policies.fields import Section


class Probation(Section):
    """When the gate begins to enqueue an agent's work by itself."""

    pull_requests: int = Field(ge=1, le=1000, description="Pull requests merged by people before.")
    days: int = Field(ge=1, le=365, description="Days in which none of them was reverted.")


class Queue(Section):
    """What happens when all required checks are green."""

    enqueue: Literal["off", "probation", "on"] = Field(
        description="Whether the gate asks for the merge of an agent's pull request: never, after probation, always."
    )
    probation: Probation = Field(description="The length of the probation.")
    method: Literal["merge", "squash", "rebase"] = Field(
        description="Merge method where the repository has no merge queue of its own that decides it."
    )
