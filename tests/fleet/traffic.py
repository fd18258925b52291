"""What the gate asked of the simulated GitHub, counted there: by kind, and its writes by the minute and the hour."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.github.gateway import RequestRecord
from tests.github.server import SimulatedGitHub

WRITES = ("POST", "PATCH", "PUT", "DELETE")


def is_write(one: RequestRecord) -> bool:
    """Whether it makes or changes content: neither a token nor a check run, and not GraphQL, which reads here."""
    apart = ("access_tokens" in one.path, "check-runs" in one.path, one.operation is not None)
    return one.method in WRITES and not any(apart)


@dataclass
class Traffic:
    """Requests are taken out of the simulated GitHub's list, with its deliveries: neither is to grow over a night."""

    github: SimulatedGitHub
    app_id: int
    by_kind: Counter[str] = field(default_factory=Counter)
    written_at: list[datetime] = field(default_factory=list)
    refused: int = 0

    def take(self) -> None:
        for one in self.github.requests:
            if one.app_id == self.app_id:
                self._count(one)
        self.github.requests.clear()
        self.github.world.deliveries.clear()
        self.github.last_answers.clear()

    def _count(self, one: RequestRecord) -> None:
        told = " (304)" if one.status == 304 else ""
        self.by_kind[f"{one.method} {one.operation or one.template}{told}"] += 1
        self.refused += one.status in (403, 429)
        if is_write(one):
            self.written_at.append(one.at)

    @property
    def requests(self) -> int:
        return self.by_kind.total()

    @property
    def charged(self) -> int:
        """Those that GitHub's hourly budget is charged for."""
        return sum(count for kind, count in self.by_kind.items() if not kind.endswith("(304)"))


def most_within(moments: Sequence[datetime], length: timedelta) -> int:
    """The largest number of these that lie within any stretch shorter than that length."""
    most, window = 0, deque[datetime]()
    for moment in sorted(moments):
        window.append(moment)
        while moment - window[0] >= length:
            window.popleft()
        most = max(most, len(window))
    return most
