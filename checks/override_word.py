"""`/override COMMIT REASON`: the command by which a person lets a head through in spite of its findings."""

from __future__ import annotations

import unicodedata

import re2

LONGEST_REASON = 1_000  # characters
_LONGEST_LINE = LONGEST_REASON + 100
_COMMAND = re2.compile(r"(?i)/ ?override +([0-9a-f]{7,64}) +(\S.*)")


def override_words(body: str) -> tuple[str, str] | None:
    """The beginning of a commit id, in small letters, and the reason, from a comment's first line; None: no command.

    Without a reason it is none. Forms of full width, blanks and line ends of every kind are taken as they are meant.
    """
    first = body[: 2 * _LONGEST_LINE].lstrip().partition("\n")[0][:_LONGEST_LINE]
    line = " ".join(unicodedata.normalize("NFKC", first).split())
    found = _COMMAND.fullmatch(line)
    return None if found is None else (str(found.group(1)).lower(), str(found.group(2))[:LONGEST_REASON])
