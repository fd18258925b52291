"""A ticket file: strict, with faults that name the line and the field."""

from __future__ import annotations

import pytest

from checks.document import Fault, read_document
from checks.snapshot import Risk, Ticket
from checks.ticket import parse_ticket

WHOLE = """
id: T-7
allowed_paths: [src/**]
forbidden_paths: [auth/]
risk: medium
verification_commands: [pytest -q]
agent: claude
operator: olivia
"""


def test_reads_every_field() -> None:
    assert parse_ticket(WHOLE) == Ticket(
        id="T-7",
        digest=read_document(WHOLE).digest,
        allowed_paths=("src/**",),
        forbidden_paths=("auth/",),
        risk=Risk.MEDIUM,
        verification_commands=("pytest -q",),
        agent="claude",
        operator="olivia",
    )


@pytest.mark.parametrize(("text", "name"), [("id: 7", "7"), ('{"id": "7"}', "7"), ("id: a", "a")])
def test_only_the_id_is_needed(text: str, name: str) -> None:
    assert parse_ticket(text) == Ticket(name, read_document(text).digest)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", Fault("the document is empty", 1, column=None)),
        ("- a", Fault("a ticket is a mapping of fields", 1, hint="begin with `id: …`")),
        ("risk: low", Fault("is missing", 1, "id", "add `id`")),
        ("id: true", Fault("must be a string", 1, "id")),
        ("id: ''", Fault("must have at least 1 character", 1, "id")),
        ("id: a\nriks: low", Fault("is no known field", 2, "riks", "did you mean `risk`?")),
        (
            "id: a\nrisk: lov",
            Fault("must be 'low', 'medium', 'high' or 'critical'", 2, "risk", "did you mean `low`?"),
        ),
        ("id: a\nallowed_paths: src", Fault("must be a list", 2, "allowed_paths")),
        ("id: a\nallowed_paths: [1]", Fault("must be a string", 2, "allowed_paths.0")),
        (
            "id: a\nforbidden_paths:\n  - a\n  - /",
            Fault(
                "the path pattern '/' matches nothing; write `\\#` for a name that begins with `#`",
                2,
                "forbidden_paths",
            ),
        ),
    ],
)
def test_says_what_is_wrong(text: str, fault: Fault) -> None:
    (found,) = _faults(text)
    assert (found.message, found.line, found.field, found.hint) == (fault.message, fault.line, fault.field, fault.hint)


def _faults(text: str) -> tuple[Fault, ...]:
    read = parse_ticket(text)
    assert not isinstance(read, Ticket)
    return read
