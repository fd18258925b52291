"""The section of the policy file about what happens once all required checks are green."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator, model_validator

from policies.fields import Line, Section
from policies.people_sections import Approvers

STAMP = r"^((mon|tue|wed|thu|fri|sat|sun)|[0-9]{4}-(0[1-9]|1[0-2])-[0-3][0-9]) ([01][0-9]|2[0-3]):[0-5][0-9]$"
Stamp = Annotated[str, Field(pattern=STAMP)]


@cache
def zone_of(name: str) -> ZoneInfo:
    """Raises ValueError for a name that the time zone database does not have."""
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError):
        raise ValueError("that is no time zone; write one like `Europe/Berlin` or `UTC`") from None


class Window(Section):
    """A time in which nothing is merged: every week, or once."""

    starts: Stamp = Field(description="`fri 16:00` for every week, or `2026-12-23 12:00` for once.")
    ends: Stamp = Field(description="The first minute after it, in the same form.")
    zone: Annotated[str, Field(min_length=1, max_length=64)] = Field(
        default="UTC", description="Time zone of both, for example `Europe/Berlin`."
    )
    reason: Line = Field(default="a freeze window", description="Why, in a few words that the check run shows.")

    @field_validator("zone")
    @classmethod
    def _known(cls, name: str) -> str:
        return zone_of(name).key

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if self.starts[0].isdigit() != self.ends[0].isdigit():
            raise ValueError("`starts` and `ends` are of two forms; give both a weekday, or both a date")
        if self.starts == self.ends or (self.is_once and self.starts > self.ends):
            raise ValueError("the window ends before it starts")
        return self

    @model_validator(mode="after")
    def _on_the_calendar(self) -> Self:
        for stamp in (self.starts, self.ends) if self.is_once else ():
            try:
                datetime.fromisoformat(stamp)
            except ValueError:
                raise ValueError(f"the calendar has no {stamp[:10]}") from None
        return self

    @property
    def is_once(self) -> bool:
        return self.starts[0].isdigit()


class Freeze(Section):
    """When nothing is merged."""

    windows: Annotated[tuple[Window, ...], Field(max_length=50)] = Field(description="Times in which nothing is.")
    label: Annotated[str, Field(max_length=50)] = Field(
        description="Nothing is while an open issue has this label. Empty: no issue is looked at."
    )
    exceptions: Approvers = Field(
        description="Who may let a pull request pass a freeze, by `/requeue despite-freeze`. Nobody, until named."
    )

    @property
    def freezes(self) -> bool:
        """Whether it names any freeze at all."""
        return bool(self.windows or self.label)


class Probation(Section):
    """When the gate begins to enqueue an agent's work by itself."""

    pull_requests: int = Field(ge=1, le=1000, description="Pull requests merged by people before.")
    days: int = Field(ge=1, le=365, description="Days in which none of them was reverted.")


class Queue(Section):
    """What happens when all required checks are green."""

    kind: Literal["native", "serial", "external"] = Field(
        description="Whose queue merges: GitHub's own merge queue, the gate's serial one, or somebody else's."
    )
    enqueue: Literal["off", "probation", "on"] = Field(
        description="Whether the gate asks for the merge of an agent's pull request: never, after probation, always."
    )
    probation: Probation = Field(description="The length of the probation.")
    method: Literal["merge", "squash", "rebase"] = Field(
        description="Merge method where the repository has no merge queue of its own that decides it."
    )
    jump: Approvers = Field(description="Who may put a pull request in front of a serial queue, by `/requeue jump`.")
    checks_minutes: int = Field(
        ge=5, le=720, description="How long the runs of a pull request's turn in a serial queue may take."
    )
    turn_minutes: int = Field(
        ge=5, le=720, description="How long a serial queue waits for a person to merge, once it is their turn."
    )
    freeze: Freeze = Field(description="When nothing is merged, and who may pass.")
