"""What an independent judge said of a change: another model, asked by the gate about exactly one head, base and ticket.

An opinion weighs little. It can send a change that would pass to a person, and nothing else; see `policies.judging`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Word = Literal["pass", "fail", "cannot_tell"]
JUDGE = r"^[a-z][a-z0-9-]{0,39}$"
"""A judge's name, in a policy and where the server tells its programs."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """One judge on one subject, see `opinion_id`.

    `said` is None until it is known how the call ended. `reasons` are the judge's own words, or the gate's where it got
    none from it. `digest` is that of what the judge wrote.
    """

    id: str
    judge: str
    asked_at: datetime
    said: Word | None = None
    reasons: tuple[str, ...] = ()
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Opinions:
    """The opinions about a head, the judges that this server has, and what the repository's day of UTC holds by now:
    calls, and US dollars as far as the judges told them."""

    given: tuple[Opinion, ...] = ()
    judges: frozenset[str] = frozenset()
    calls: int = 0
    cost: float = 0.0


def opinion_id(
    repository_id: int, number: int, judge: str, *, head_sha: str, base_sha: str, ticket_digest: str | None
) -> str:
    """The same for the same judge and subject, so that nothing is asked twice and a push makes an opinion stale.

    `base_sha` is the merge base: what the judge is shown is the difference from there to the head.
    """
    parts = (str(repository_id), str(number), judge, head_sha, base_sha, ticket_digest or "")
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
