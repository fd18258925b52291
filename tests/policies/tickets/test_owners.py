"""Whom CODEOWNERS names for a ticket's paths."""

from __future__ import annotations

from checks.codeowners import ABSENT, parse
from policies.tickets.owners import logins_of

FILE = parse(
    "CODEOWNERS",
    b"* @ada\nshop/ @bob @acme/payments cyd@example.com\n/docs/*.md @eve @bob\nnobody/\n",
)


def test_people_own_what_a_pattern_allows_and_the_last_line_decides() -> None:
    assert logins_of(FILE, ["shop/**"]) == ("bob",)  # neither the team nor the address
    assert logins_of(FILE, ["/shop/", "docs/*.md", "README.md"]) == ("bob", "eve", "ada")
    assert logins_of(FILE, ["docs/deep/a.md"]) == ("ada",)
    assert logins_of(FILE, ["nobody/**"]) == ()
    assert logins_of(FILE, []) == ()
    assert logins_of(ABSENT, ["shop/**"]) == ()
