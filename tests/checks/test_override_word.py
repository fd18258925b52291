"""Which lines at the top are the command that overrides, and what they say."""

from __future__ import annotations

import pytest

from checks.override_word import LONGEST_REASON, override_words


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("/override a1b2c3d The shop is down.", ("a1b2c3d", "The shop is down.")),
        ("/override A1B2C3D4 it burns\nmore", ("a1b2c3d4", "it burns")),
        ("\n  /override  a1b2c3d   it   burns \r\n", ("a1b2c3d", "it burns")),
        ("／override a1b2c3d it burns", ("a1b2c3d", "it burns")),
        ("/ Override a1b2c3d x", ("a1b2c3d", "x")),
        ("/override a1b2c3d\nReason: it burns\n", ("a1b2c3d", "it burns")),
        ("/approve GHJK\n/override a1b2c3d it burns", ("a1b2c3d", "it burns")),
        ("/gate override a1b2c3d it burns", ("a1b2c3d", "it burns")),
        ("/override a1b2c3d", None),
        ("/override a1b2c3d \u3164\u2800", None),
        ("/override a1b2c3d \n reason", None),
        ("/override a1b2c3 too short", None),
        ("/override please", None),
        ("please /override a1b2c3d now", None),
        ("> /override a1b2c3d now", None),
        ("`/override a1b2c3d now`", None),
        ("/overrides a1b2c3d now", None),
        ("", None),
        ("/override a1b2c3d " + "x" * 5_000, ("a1b2c3d", "x" * LONGEST_REASON)),
        ("    /override a1b2c3d now", None),
    ],
)
def test_words(body: str, words: tuple[str, str] | None) -> None:
    assert override_words(body) == words
