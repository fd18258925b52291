"""Characters that make a text look different from what it is: directions, invisible ones, letters of other scripts.

Bidirectional controls: https://www.unicode.org/reports/tr9/ and https://trojansource.codes; invisible ones and mixed
scripts: https://www.unicode.org/reports/tr39/. Text in Arabic, Persian or Hebrew, and emoji, need some of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change
from checks.tampering.endings import is_code
from checks.tampering.occurrences import Mark, added_marks, only_with
from checks.tampering.places import extension, is_test_path

# Overrides, embeddings and isolates: they turn the order of what stands around them.
_DIRECTION = re2.compile(rb"[\x{202a}-\x{202e}\x{2066}-\x{2069}]")
# Characters without a glyph. Joiners only beside ASCII, since scripts and emoji need them; a mark only inside a file.
_HIDDEN = re2.compile(
    rb"[\x{ad}\x{34f}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180e}\x{200b}\x{2060}-\x{2064}\x{3164}\x{ffa0}\x{fff9}-\x{fffb}]"
    rb"|[\w\s][\x{200c}-\x{200f}\x{61c}]|[\x{200c}-\x{200f}]\w|[^\x{feff}]\x{feff}"
)
# Text in characters that nothing shows: tags but for those of flags, and rows of variation selectors.
_SMUGGLED = re2.compile(
    rb"(?:^|[^\x{1f3f4}\x{e0020}-\x{e007f}])[\x{e0000}-\x{e007f}]{2,}|[\x{fe00}-\x{fe0f}\x{e0100}-\x{e01ef}]{3,}"
)
# Letters of Cyrillic and Greek that look like a Latin one, and words that hold one.
_LOOKALIKES = "АВЕЅІЈКМНОРСТУХаеѕіјорсухһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧονКІ"
_WORD = re2.compile(f"[\\w\\x{{370}}-\\x{{52f}}]*[{_LOOKALIKES}][\\w\\x{{370}}-\\x{{52f}}]*".encode())

_SETTINGS = frozenset({"yml", "yaml", "toml", "ini", "cfg", "json", "xml", "html", "css", ""})


def invisible_characters(changes: Sequence[Change]) -> Iterator[Alteration]:
    """Alterations of kind `bidi-control`, `invisible-character`, `hidden-text` and `lookalike-identifier`."""
    changes = only_with(changes, lambda data: not data.isascii())
    for mark in added_marks(changes, _DIRECTION, _everywhere):
        reason = f"A character turns the direction of this line ({_name(mark.text)}): it reads otherwise than it runs."
        yield _found("bidi-control", mark, reason, _weight(mark.path))
    for mark in added_marks(changes, _HIDDEN, _is_read_by_programs):
        reason = f"This line holds what nobody sees ({_name(mark.text)})."
        yield _found("invisible-character", mark, reason, _weight(mark.path))
    for mark in added_marks(changes, _SMUGGLED, _everywhere):
        reason = "This line holds a text in characters that nothing shows; a program or an agent still reads it."
        yield _found("hidden-text", mark, reason, Weight.PERSON)
    for mark in added_marks(changes, _WORD, is_code):
        if _is_mixed(mark.text):
            reason = f"A name mixes Latin letters with others that look the same: `{mark.text[:60]}`."
            yield _found("lookalike-identifier", mark, reason, Weight.RISK)


def _everywhere(_: str) -> bool:
    return True


def _is_read_by_programs(path: str) -> bool:
    return is_code(path) or extension(path) in _SETTINGS


def _weight(path: str) -> Weight:
    """Product code has no use for them; tests of how text is handled do, and so do texts."""
    return Weight.PERSON if is_code(path) and not is_test_path(path) else Weight.RISK


def _is_mixed(word: str) -> bool:
    """Latin letters, and beside them nothing but lookalikes: `API-ключ` is honest, `аdmin` is not."""
    foreign = [letter for letter in word if not letter.isascii()]
    return any(letter.isascii() and letter.isalpha() for letter in word) and set(foreign) <= set(_LOOKALIKES)


def _name(text: str) -> str:
    return ", ".join(f"U+{ord(character):04X}" for character in text if not character.isascii())[:80]


def _found(kind: str, mark: Mark, reason: str, weight: Weight) -> Alteration:
    return Alteration(kind, mark.path, mark.line, "", mark.source, reason, weight, mark.path, "")
