"""The first line of `mergegate doctor`: nothing that could not be read counts as well."""

from __future__ import annotations

import pytest

from app.cli.doctor import _tell
from app.local.examination import Symptom
from app.local.examination.facts import Level


def symptoms(*levels: Level) -> list[Symptom]:
    return [Symptom(level, "GitHub answered 404", "Use another token.") for level in levels]


@pytest.mark.parametrize(
    ("levels", "verdict"),
    [
        ((), "acme/shop: nothing is wrong."),
        (("odd",), "acme/shop: nothing is wrong."),
        (("unknown",), "acme/shop: 1 thing could not be read; of the rest nothing is wrong."),
        (("unknown", "unknown"), "acme/shop: 2 things could not be read; of the rest nothing is wrong."),
        (("wrong",), "acme/shop: 1 thing is wrong."),
        (("wrong", "wrong", "unknown"), "acme/shop: 2 things are wrong, 1 thing could not be read."),
    ],
)
def test_the_first_line(levels: tuple[Level, ...], verdict: str, capsys: pytest.CaptureFixture[str]) -> None:
    _tell("acme/shop", {}, symptoms(*levels), as_json=False)
    first, *others = capsys.readouterr().out.splitlines()
    assert first == verdict
    assert [line[2:] for line in others] == ["GitHub answered 404. Use another token."] * len(levels)
