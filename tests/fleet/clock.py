"""The one clock of a simulated night: of the gate, of GitHub, of agents and, by `store`, of the database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass
class Clock:
    """`now` is aware and never goes back."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now

    def seconds(self) -> float:
        return self.now.timestamp()

    def whole(self) -> datetime:
        """As GitHub tells times."""
        return self.now.replace(microsecond=0)

    def advance(self, to: datetime) -> None:
        self.now = max(self.now, to)

    def after(self, minutes: float) -> datetime:
        return self.now + timedelta(minutes=minutes)
