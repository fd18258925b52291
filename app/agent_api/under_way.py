"""How many requests of one token, from one address and in all are under way, most of which wait for something.

Each holds a connection, of which the proxy has a thousand for git as well: whoever has one token, or one machine, must
not hold them all. Kept in this process.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.agent_api.call import Refused

AGAIN = 10  # seconds


@dataclass(slots=True)
class UnderWay:
    """The most that there may be: by a token of a session, by a token that claims, from an address, in all.

    Behind something that speaks TLS for the proxy all agents come from one address.
    """

    session: int = 16
    claiming: int = 400
    address: int = 400
    all: int = 700
    _held: Counter[object] = field(default_factory=Counter)

    @contextlib.contextmanager
    def one(self, token: bytes, address: str, *, session: bool) -> Iterator[None]:
        """A request while the block lasts; `token` is a digest. Raises Refused."""
        limits = {
            ("token", token): (self.session if session else self.claiming, "with this token"),
            ("address", address): (self.address, "from this address"),
            "all": (self.all, "at this proxy"),
        }
        for key, (most, where) in limits.items():
            if self._held[key] >= most:
                raise _too_many(most, where)
        self._held.update(limits.keys())
        try:
            yield
        finally:
            self._held.subtract(limits.keys())
            for key in limits:
                if not self._held[key]:
                    del self._held[key]


def _too_many(most: int, where: str) -> Refused:
    message = f"{most} requests {where} are under way, which is the most that may be."
    fix = f"Let some of them end, for one that waits is enough for each agent, and go on in {AGAIN} seconds."
    return Refused(429, message, fix, {"retry-after": str(AGAIN)})
