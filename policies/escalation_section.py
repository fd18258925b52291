"""The part of a policy's section `ticket` about who is told of what, and when: `ticket.pushes`."""

from __future__ import annotations

from datetime import time, timedelta
from typing import Annotated, Literal, Self, get_args
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator, model_validator

from policies.fields import Person, Section

# A day ends at 23:59 at the latest: what is told in its last minute is told at the next day's begin.
CLOCK = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
ZONE = r"^[A-Za-z][A-Za-z0-9_+/-]{0,63}$"
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: tuple[Day, ...] = get_args(Day)
Clock = Annotated[str, Field(pattern=CLOCK)]


class Pushes(Section):
    """When people are told of what cannot be decided without them. Nothing else tells anybody at once."""

    zone: Annotated[str, Field(pattern=ZONE)] = Field(description="Time zone of the clocks below, like `Asia/Tokyo`.")
    begins: Clock = Field(description="When the hours begin in which people may be told.")
    ends: Clock = Field(description="When they end. Only a stop that is not confirmed is told outside of them.")
    days: Annotated[tuple[Day, ...], Field(min_length=1, max_length=7)] = Field(description="Days with such hours.")
    on_call: Annotated[tuple[Person, ...], Field(max_length=50)] = Field(
        description="Logins of who is told after the ticket's accepter and those asked for an approval, in this order."
    )
    daily: Annotated[int, Field(ge=0, le=1_000)] = Field(description="Messages to one person on one day, at most.")
    again_after: Annotated[int, Field(ge=1, le=10_080)] = Field(
        description="Minutes of those hours without an answer after which the next person is told."
    )
    critical_after: Annotated[int, Field(ge=1, le=1_440)] = Field(
        description="The same of a ticket of critical risk, in minutes of any hour."
    )
    together: Annotated[int, Field(ge=0, le=1_440)] = Field(
        description="Minutes in which further tickets with the same cause join a message that was sent."
    )
    digest: Clock = Field(description="When the board's issue lists what waits for people, on each of those days.")

    @field_validator("zone")
    @classmethod
    def _known(cls, zone: str) -> str:
        """The data of time zones is the interpreter's, like its tables of Unicode: no file of anybody's is read."""
        try:
            ZoneInfo(zone)
        except (LookupError, ValueError, OSError):
            raise ValueError("it is no time zone; write one like UTC or Asia/Tokyo") from None
        return zone

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.ends <= self.begins:
            raise ValueError("`ends` is not after `begins`")
        return self

    @property
    def weekdays(self) -> frozenset[int]:
        """Monday is 0."""
        return frozenset(DAYS.index(day) for day in self.days)


def clock(written: str) -> time:
    return time.fromisoformat(written)


def minutes(count: int) -> timedelta:
    return timedelta(minutes=count)
