"""What only looks like a name that a policy means is not known to be it, nor not to be."""

from __future__ import annotations

import pytest
import re2

from checks.accounts import Account
from checks.unread import Unread
from policies.spelling import has_label, has_title, names_bot
from policies.unknown import NeverKnown

UNKNOWN = "unknown"


def said(answer: bool | Unread) -> bool | str:
    return UNKNOWN if isinstance(answer, Unread) else answer


@pytest.mark.parametrize(
    ("pattern", "title", "expected"),
    [
        ("^WIP", "WIP: prices", True),
        ("^WIP", "Prices", False),
        ("^WIP", "\u200bWIP: prices", UNKNOWN),
        ("^WIP", "\u202eWIP: prices", UNKNOWN),
        ("^WIP", "ＷＩＰ: prices", UNKNOWN),
        ("^WIP", "WІР: prices", UNKNOWN),
        ("^WIP", "\u00a0WIP", UNKNOWN),
        # The other way round: nobody gets out of a rule, and nobody into one.
        ("^[^W]", "\u200bWIP", UNKNOWN),
        ("^docs:", "docs: caf\u00e9", True),
        ("caf\u00e9", "cafe\u0301", True),
        # Honest titles in other scripts and with emoji
        ("^Тест", "Тест: цены", True),
        ("^WIP", "Тест: цены", False),
        ("^fix", "\u26a0\ufe0f fix", False),
        ("^\u26a0\ufe0f", "\u26a0\ufe0f fix", True),
    ],
)
def test_titles(pattern: str, title: str, expected: bool | str) -> None:
    assert said(has_title(re2.compile(pattern), title)) == expected


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (("hold", "x"), True),
        (("Hold",), True),
        ((), False),
        (("on hold",), False),
        (("ho\u200bld",), UNKNOWN),
        (("hоld",), UNKNOWN),  # a Cyrillic o
        (("ｈｏｌｄ", "hold"), True),
    ],
)
def test_labels(labels: tuple[str, ...], expected: bool | str) -> None:
    assert said(has_label(("hold",), labels)) == expected


def test_a_label_that_only_looks_so_is_named() -> None:
    said = NeverKnown("the label 'ho\\u200bld' only looks like one that is meant")
    assert has_label(("hold",), ("ho\u200bld",)) == said


@pytest.mark.parametrize(
    ("users", "login", "expected"),
    [
        (("renovate[bot]",), "renovate[bot]", True),
        (("Renovate[bot]",), "renovate[bot]", True),
        (("renovate[bot]",), "renovate", True),  # GraphQL names an App without it
        (("renovate",), "renovate[bot]", UNKNOWN),
        (("renovate", "renovate[bot]"), "renovate[bot]", True),
        (("ada",), "renovate[bot]", False),
        ((), "renovate[bot]", False),
    ],
)
def test_bots(users: tuple[str, ...], login: str, expected: bool | str) -> None:
    assert said(names_bot(users, Account(login, 1, "Bot"))) == expected
