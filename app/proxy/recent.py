"""Grants that were found a moment ago, for the second request of a push.

What a session may do never changes while it lives; whether it lives does. A push asks that of the store when it begins
(`ledger.begin_push`), before anything is sent, so looking its token up once more says nothing new. Every other request
looks its token up itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from app.proxy.grant import Grant
from app.proxy.session_token import token_hash

SECONDS = 60.0  # git makes its pack between the two requests
MOST = 4096  # grants


class RecentGrants:
    """`now` is a clock in seconds that does not go back."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._found: dict[bytes, tuple[float, Grant]] = {}

    def keep(self, token: str, grant: Grant) -> None:
        key = token_hash(token)
        self._found.pop(key, None)
        self._found[key] = (self._now(), grant)
        if len(self._found) > MOST:
            del self._found[next(iter(self._found))]

    def get(self, token: str) -> Grant | None:
        """None when it was not found within the last minute."""
        at, grant = self._found.get(token_hash(token), (float("-inf"), None))
        return grant if self._now() - at < SECONDS else None
