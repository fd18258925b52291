"""How urgent a look at a key is. One point is worth ten seconds of waiting, so nothing waits for ever.

In the work table the higher comes first; towards GitHub, a part of each budget is kept for it (`app.github.budgets`).
"""

from __future__ import annotations

from app.github.budgets import Urgency
from app.keys import GroupKey, Key, QueueKey

GROUP = 60  # a merge group or a queue: everybody behind it waits
COMMAND = 30  # a person said something and waits for the answer
NEWS = 0  # a new head, a CI run that ended
NEVER_SEEN = -1  # found by the resync, and nobody told of it
CHANGED = -2  # found by the resync: something happened since the last look
RESYNC = -3  # a list that is read to find those
BRANCH_MOVED = -30  # many pull requests at once, none of them waiting for this
UNCHANGED = -360  # a look that only makes sure


def priority_of(key: Key, otherwise: int = NEWS) -> int:
    return GROUP if isinstance(key, GroupKey | QueueKey) else otherwise


def urgency_of(key: Key, priority: int) -> Urgency:
    """What may be asked for a key that was marked with that priority."""
    if isinstance(key, GroupKey | QueueKey):
        return Urgency.GROUP
    if priority >= COMMAND:
        return Urgency.COMMAND
    return Urgency.HEAD if priority >= CHANGED else Urgency.RESYNC
