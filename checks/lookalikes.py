"""Texts as people see them: without what nothing shows, and with look-alikes of Latin letters as those letters.

Hidden and compatibility characters: https://www.unicode.org/reports/tr36/ and https://www.unicode.org/reports/tr15/;
letters of other scripts: https://www.unicode.org/reports/tr39/, of whose list this holds what looks the same in print.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"})
# Letters and marks without a shape, which Unicode does not class as format characters.
_HIDDEN_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")
_OF_EMOJI = frozenset("\u200d\ufe0e\ufe0f")  # joiner and variation selectors
_LONGEST_KEPT = 200  # characters; NFKC makes eighteen of some, https://www.unicode.org/reports/tr15/
_LATIN = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԌԜаеѕіјорсухһԁԛԝցΑΒΕΖΗΙΚΜΝΟΡΤΥΧονкіıɡ",
    "ABESIJKMHOPCTYXGWaesijopcyxhdqwgABEZHIKMNOPTYXovkiig",
)


def is_hidden(character: str) -> bool:
    """Control, direction, zero-width, variation and unassigned characters, and letters that show nothing."""
    if character in _HIDDEN_LETTERS or "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef":
        return True
    return unicodedata.category(character) in _HIDDEN_CATEGORIES


def visible(text: str) -> str:
    """The text in Unicode's form NFKC without hidden characters, blanks of any kind as one space and none at the ends.

    What makes one emoji of several characters stays, since emoji need it.
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return _visible(text) if len(text) > _LONGEST_KEPT else _kept(text)


@lru_cache(maxsize=4096)
def _kept(text: str) -> str:
    return _visible(text)


def _visible(text: str) -> str:
    kept = (character for before, character in zip(" " + text, text, strict=False) if _is_kept(before, character))
    return " ".join(unicodedata.normalize("NFKC", "".join(kept)).split())


def _is_kept(before: str, character: str) -> bool:
    if character in _OF_EMOJI:
        return unicodedata.category(before) in ("So", "Sk", "Sm") or before in _OF_EMOJI
    return character.isspace() or not is_hidden(character)


def as_latin(text: str) -> str:
    """`visible`, with letters of other scripts that look like Latin ones as those."""
    return visible(text).translate(_LATIN)
