"""`/override COMMIT REASON`: the command by which a person lets a head through in spite of its findings."""

from __future__ import annotations

import re2

from checks.commands import read_commands
from checks.lookalikes import visible

LONGEST_REASON = 1_000  # characters
_COMMIT = re2.compile(r"(?i)[0-9a-f]{7,64}")


def override_words(body: str) -> tuple[str, str] | None:
    """The beginning of a commit id, in small letters, and the reason, from the top of a comment; None: no such command.

    The reason follows the commit, or stands in a line `Reason: …` below; without one that can be seen it is no command.
    """
    command = next((one for one in read_commands(body) if one.verb == "override"), None)
    if command is None:
        return None
    commit, _, rest = command.text.partition(" ")
    reason = " ".join((rest.strip() or command.reason or "").split())[:LONGEST_REASON]
    return (commit.lower(), reason) if visible(reason) and _COMMIT.fullmatch(commit) else None
