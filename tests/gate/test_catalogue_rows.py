"""No row of the catalogue goes unshown."""

from __future__ import annotations

import importlib
import re

import pytest

from tests.gate.catalogue_rows import BEYOND_RULES, COMMON_FORMS, DETERMINISTIC, PLAYED, STORIES
from tests.shared import SHARED

NOTES = SHARED / "research" / "evidence.md"
_ROW = re.compile(r"^\| (\d+) \|.*\| (yes|part|no)\b[^|]*\|$", re.MULTILINE)


def test_every_deterministic_row_is_played_through_the_whole_gate() -> None:
    assert DETERMINISTIC - {cheat.number for cheat in PLAYED} == frozenset()


def test_every_row_is_of_one_kind() -> None:
    rows = [*DETERMINISTIC, *COMMON_FORMS, *BEYOND_RULES]
    assert sorted(rows) == list(range(1, 60))
    assert STORIES.keys() <= set(rows)


@pytest.mark.parametrize("story", sorted({story for stories in STORIES.values() for story in stories}))
def test_every_story_is_there(story: str) -> None:
    module, _, name = story.partition(":")
    assert callable(getattr(importlib.import_module(f"tests.gate.{module}"), name))


@pytest.mark.skipif(not NOTES.exists(), reason="the research notes are not beside this checkout")
def test_the_rows_are_those_of_the_notes() -> None:
    kinds = {int(number): kind for number, kind in _ROW.findall(NOTES.read_text())}
    assert kinds == {
        **dict.fromkeys(DETERMINISTIC, "yes"),
        **dict.fromkeys(COMMON_FORMS, "part"),
        **dict.fromkeys(BEYOND_RULES, "no"),
    }
