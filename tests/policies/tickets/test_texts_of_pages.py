"""The words of the pages stand in every language, with the same places for what is put in."""

from __future__ import annotations

import string
from typing import get_args

import pytest

from policies.tickets.page_texts import ENGLISH, PAGE_TEXTS
from policies.tickets.texts import TEXTS
from policies.tickets.words import Language


def _places(words: str) -> set[str | None]:
    return {name for _, name, _, _ in string.Formatter().parse(words) if name is not None}


@pytest.mark.parametrize("language", get_args(Language))
def test_every_language_has_the_same_words(language: Language) -> None:
    table = PAGE_TEXTS[language]
    assert {key: _places(words) for key, words in table.items()} == {key: _places(ENGLISH[key]) for key in ENGLISH}
    assert not table.keys() & TEXTS[language].keys()
