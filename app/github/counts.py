"""How many requests each piece of work cost, by purpose.

Every request is counted when it is sent, under the label of its purpose. Minting a token and following a redirect have
labels of their own, `mint` and `redirect`, because they are not part of what a verdict costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import prometheus_client

MINT = "mint"
REDIRECT = "redirect"

SENT = prometheus_client.Counter(
    "mergegate_github_requests",
    "Requests sent to GitHub; the App's own have no installation",
    ["purpose", "installation"],
)


@dataclass(frozen=True)
class Tally:
    """Requests sent for one key while `counting(key)` was open, by purpose."""

    key: str
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def cost(self) -> int:
        """Requests without minting and redirects."""
        return sum(number for purpose, number in self.counts.items() if purpose not in (MINT, REDIRECT))


_open: ContextVar[tuple[Tally, ...]] = ContextVar("github_tallies", default=())


@contextmanager
def counting(key: str) -> Iterator[Tally]:
    """Count all requests made inside, also by tasks started inside, for `key`. May be nested; each level counts.

    A read that joins another one already under way costs nothing and is not counted.
    """
    tally = Tally(key)
    token = _open.set((*_open.get(), tally))
    try:
        yield tally
    finally:
        _open.reset(token)


def count(purpose: str, installation_id: int | None) -> None:
    """Note one request that is about to be sent; the App's own belong to no installation."""
    SENT.labels(purpose, "" if installation_id is None else str(installation_id)).inc()
    for tally in _open.get():
        tally.counts[purpose] += 1
