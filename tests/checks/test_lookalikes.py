"""What people see of a text: the cases are of Unicode's technical reports 15, 36 and 39."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from checks.lookalikes import as_latin, is_hidden, visible
from checks.paths import PathIndex, PathPatterns

ZERO_WIDTH, RIGHT_TO_LEFT, NO_BREAK, SOFT_HYPHEN, FILLER = "\u200b", "\u202e", "\u00a0", "\u00ad", "\u3164"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("WIP: a", "WIP: a"),
        ("  WIP:  a ", "WIP: a"),
        (f"{ZERO_WIDTH}WIP", "WIP"),
        (f"{RIGHT_TO_LEFT}WIP", "WIP"),
        (f"W{SOFT_HYPHEN}I{FILLER}P", "WIP"),
        ("W\U000e0041IP\ufe0f", "WIP"),
        (f"WIP{NO_BREAK}a", "WIP a"),
        ("WIP\x00\x1b", "WIP"),
        ("ＷＩＰ", "WIP"),  # full width
        ("ﬁx", "fix"),
        ("caf" + "e\u0301", "caf\u00e9"),
        ("", ""),
        # What makes one emoji of several characters
        ("\u26a0\ufe0f WIP", "\u26a0\ufe0f WIP"),
        ("\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"),
    ],
)
def test_visible(text: str, seen: str) -> None:
    assert visible(text) == seen


def test_letters_that_look_latin() -> None:
    assert as_latin("WІР") == "WIP"  # I and P are Cyrillic
    assert as_latin(f"{ZERO_WIDTH}аdmin") == "admin"
    assert as_latin("Тест Δ é") == "Tecт Δ é"


def test_every_listed_letter_stands_for_one_of_another_script() -> None:
    from checks.lookalikes import _LATIN

    for letter, latin in _LATIN.items():
        assert chr(latin).isascii()
        assert unicodedata.name(chr(letter)).split()[0] in ("CYRILLIC", "GREEK", "ARMENIAN", "LATIN")


@pytest.mark.parametrize("character", ["\u200b", "\u202e", "\ufe0f", "\U000e0101", "\u3164", "\n", "\u0378", "\ue000"])
def test_hidden(character: str) -> None:
    assert is_hidden(character)


@pytest.mark.parametrize(
    "path",
    [
        f"src/{ZERO_WIDTH}auth/x.py",
        "src/ａｕｔｈ/x.py",
        "src/аuth/x.py",  # a Cyrillic a
        "src/AUTH/x.py",
        f"src/auth{RIGHT_TO_LEFT}/x.py",
    ],
)
def test_rules_that_restrict_see_paths_as_people_do(path: str) -> None:
    patterns = PathPatterns(["/src/auth/"])
    assert patterns.matches(path)
    assert not patterns.matches_exactly(path)
    assert list(PathIndex([patterns]).matches(path)) == [(0, "/src/auth/")]


def test_a_pattern_in_another_script_is_the_same_in_both_views() -> None:
    patterns = PathPatterns(["тест/", "caf\u00e9/"])
    assert patterns.matches("тест/a")
    assert patterns.matches("cafe\u0301/a")
    assert not patterns.matches("test/a")


def test_a_long_text_stays_no_longer_than_it_is_used() -> None:
    """One character becomes eighteen, and whoever changes files has thousands of names."""
    visible("\u0627")
    before = sys.getallocatedblocks()
    for number in range(1000):
        assert len(visible("\ufdfa" * 500 + str(number))) > 9_000
    assert sys.getallocatedblocks() - before < 500
