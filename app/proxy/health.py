"""Whether fetching and pushing reach GitHub, each by itself: one of them can be broken while the other works."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

Direction = Literal["fetch", "push"]


@dataclass(frozen=True, slots=True)
class State:
    """`failing_since` is None while the last request got through."""

    failing_since: datetime | None = None
    because: str = ""


@dataclass
class Health:
    directions: dict[Direction, State] = field(default_factory=lambda: {"fetch": State(), "push": State()})

    def worked(self, direction: Direction) -> None:
        self.directions[direction] = State()

    def failed(self, direction: Direction, because: str) -> None:
        since = self.directions[direction].failing_since or datetime.now(UTC)
        self.directions[direction] = State(since, because)

    def as_json(self) -> dict[str, object]:
        return {
            name: "ok"
            if state.failing_since is None
            else {"failing_since": str(state.failing_since), "because": state.because}
            for name, state in self.directions.items()
        }
