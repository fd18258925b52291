"""`/approve CODE`: the command of a person at a phone, and the few letters that stand for what they saw."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping

import re2

# No vowels, so that no words come about; no letter of a hexadecimal number, so that a code is no commit id.
ALPHABET = "GHJKLMNPQRSTVWXZ"
SHORTEST = 4
_LONGEST_LINE = 300  # characters of a first line that are looked at
_COMMAND = re2.compile(r"(?i)/ ?approve +([0-9a-z]{4,64})(?: .*)?")
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
    """What the first line of a comment approves: a code in capitals, or the beginning of a commit id in small letters.

    None where it is no such command. Forms of full width, blanks and line ends of every kind are taken as they are
    meant; what follows the code is for people.
    """
    first = body[: 2 * _LONGEST_LINE].lstrip().partition("\n")[0][:_LONGEST_LINE]
    line = " ".join(unicodedata.normalize("NFKC", first).split())
    found = _COMMAND.fullmatch(line)
    if found is None:
        return None
    word = str(found.group(1))
    return word.lower() if is_commit(word.lower()) else word.upper()


def is_commit(word: str) -> bool:
    """Whether it is the beginning of a commit id, long enough to tell commits apart."""
    return _COMMIT.fullmatch(word) is not None
