"""`/approve CODE`: the command of a person at a phone, and the few letters that stand for what they saw."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import re2

from checks.commands import read_commands

# No vowels, so that no words come about; no letter of a hexadecimal number, so that a code is no commit id.
ALPHABET = "GHJKLMNPQRSTVWXZ"
SHORTEST = 4
_WORD = re2.compile(r"[0-9A-Za-z]{4,64}")
_COMMIT = re2.compile(r"[0-9a-f]{7,64}")


def code_of(key: str, shown: Mapping[str, str]) -> str:
    """The code for a verdict key, in capitals; `shown` are the pull request's codes so far with their keys.

    Letters of the key's digest, as few as no other key has had: an agent can make a commit whose first letters are
    those of an earlier one, and an approval of the one must not become one of the other.
    """
    known = next((code for code, owner in shown.items() if owner == key), None)
    if known is not None:
        return known
    digits = hashlib.sha256(key.encode()).hexdigest()
    letters = "".join(ALPHABET[int(digit, 16)] for digit in digits)
    lengths = range(SHORTEST, len(letters) + 1)
    return next(letters[:length] for length in lengths if letters[:length] not in shown)


def approved_word(body: str) -> str | None:
    """What a comment's first `/approve` names: a code in capitals, or the beginning of a commit id in small letters.

    None where there is no such command; what follows the code is for people.
    """
    command = next((one for one in read_commands(body) if one.verb == "approve"), None)
    word = command.words[0] if command is not None and command.words else ""
    if _WORD.fullmatch(word) is None:
        return None
    return word.lower() if is_commit(word.lower()) else word.upper()


def is_commit(word: str) -> bool:
    """Whether it is the beginning of a commit id, long enough to tell commits apart."""
    return _COMMIT.fullmatch(word) is not None
