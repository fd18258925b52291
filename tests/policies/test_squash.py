"""What of a pull request's text becomes a commit message."""

from __future__ import annotations

import pytest

from policies.squash import CommitMessage, message
from tests.policies.build import BODY

FENCED = "Run it:\n\n```sh\necho '<!-- shown -->'\n```\n\nDone."


def test_the_bundle_stays_out() -> None:
    assert message("Faster totals", BODY) == CommitMessage("Faster totals", "Faster totals.")


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("One.\n\nTwo.\n", "One.\n\nTwo."),
        ("One.\r\n\r\n\r\n\r\nTwo.\rThree.", "One.\n\nTwo.\nThree."),
        ("", ""),
        ("  indented\n\tcode", "indented\n\tcode"),
        ("Why.\n\n~~~~ yaml mergegate\nreason: x\n```\n~~~~\n\nMore.", "Why.\n\nMore."),
        ("```mergegate\n```\nLeft.", "Left."),
        ("```mergegate\n\n```\nLeft.", "Left."),
        ("Left.\n```mergegate\nreason: x", "Left."),
        ("Left.\n```mergegate", "Left."),
        ("A.\n```mergegate\nreason: x\n```\nB.\n```json mergegate\n{}\n```\nC.", "A.\nB.\nC."),
        ("````\n```mergegate\nreason: x\n```\n````", "````\n```mergegate\nreason: x\n```\n````"),
        (FENCED, FENCED),
        ("```\n`` no end\n~~~\n```x\n```\n<!-- gone -->", "```\n`` no end\n~~~\n```x\n```"),
        ("A <!-- one --> b <!-- two --> c", "A  b  c"),
        ("A <!-- one\ntwo\n--> b", "A\n\n b"),
        # A fence ends the paragraph, so that this comment never began.
        ("A <!-- one\n```mergegate\n--> b", "A <!-- one"),
        ("A \ud800.", "A ?."),
        ("A.\n\n<!-- never\nclosed", "A."),
        ("A <!-- is how one begins\nB.", "A <!-- is how one begins\nB."),
        ("A <!-- x --> b <!-- y\n--> c <!-- z", "A  b\n c <!-- z"),
        ("<!--\n```\nhidden\n```\n-->\nSeen.", "Seen."),
        ("Plain\u200b and \u202eturned\x00.", "Plain and turned."),
        ("Co-authored-by: Ada <ada@example.org>", "Co-authored-by: Ada <ada@example.org>"),
    ],
)
def test_what_people_see_is_kept(body: str, kept: str) -> None:
    assert message("T", body).body == kept


def test_the_title_is_one_line() -> None:
    assert message("Fix\n\nSigned-off-by: x", "").title == "Fix Signed-off-by: x"
    assert len(message("x" * 999, "").title) == 250


def test_many_comments_that_never_end_cost_little() -> None:
    body = "a <!-- b\n" * 7_000
    assert message("T", body).body == body.strip()
