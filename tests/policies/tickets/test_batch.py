"""Templates and rows become children that differ in their rows' words alone."""

from __future__ import annotations

import pytest

from checks.tickets.form import TicketForm, parse_form
from policies.tickets.batch import Batch, NoBatch, batch_of
from tests.checks.test_tickets import body

TEMPLATE = body({"Goal": "Move the module {module} to the new logger.", "Allowed paths": "src/{module}/**"})
ROWS = "### Rows\n\n| module | owner |\n|---|:-:|\n| cart | ada |\n| search \\| find | bob |\n"
TITLE = "Logger in {module} for {owner}"


def made(rows: str = ROWS, title: str = TITLE, template: str = TEMPLATE) -> Batch:
    return batch_of(title, f"{template}\n\n{rows}")


def test_children_differ_in_their_words_alone() -> None:
    batch = made()
    assert [child.title for child in batch.children] == ["Logger in cart for ada", "Logger in search | find for bob"]
    form = parse_form(batch.children[0].body)
    assert isinstance(form, TicketForm)
    assert (form.goal, form.allowed_paths) == ("Move the module cart to the new logger.", ("src/cart/**",))
    assert made().template == batch.template
    assert made(ROWS.replace("cart", "{owner}")).template == batch.template
    assert made(template=TEMPLATE.replace("new", "old")).template != batch.template


def test_notes_go_along_and_what_was_left_empty_stays_empty() -> None:
    (child, _) = made("### Why\n\nRows\n\n" + ROWS).children
    assert "### Why\n\nRows" in child.body
    assert child.body.count("_No response_") == 2


def test_a_word_is_never_read_as_a_place() -> None:
    (first, _) = made(ROWS.replace("cart", "{owner}")).children
    assert first.title == "Logger in {owner} for ada"


def test_rows_may_stand_anywhere_and_with_the_ends_of_lines_of_windows() -> None:
    first = batch_of(TITLE, f"{ROWS}\n{TEMPLATE}")
    assert [child.title for child in first.children] == [child.title for child in made().children]
    assert isinstance(parse_form(first.children[0].body), TicketForm)
    assert batch_of(TITLE, f"{TEMPLATE}\n\n{ROWS}".replace("\n", "\r\n")).template == made().template


@pytest.mark.parametrize(
    ("rows", "because"),
    [
        ("", "one section `### Rows`"),
        (ROWS + ROWS.replace("Rows", "行"), "one section"),
        ("### Rows\n\ncart", "Markdown table"),
        ("### Rows\n\n| module | owner |\n| cart | ada |\n| cart | ada |", "Markdown table"),
        ("### Rows\n\n| module | owner |\n|---|---|\n| cart |", "row 1 has 1 words for 2 columns"),
        ("### Rows\n\n| module | owner |\n|---|---|\n| cart | |", "1 to 500 characters"),
        ("### Rows\n\n| module | module |\n|---|---|\n| cart | ada |", "a name of its own"),
        ("### Rows\n\n| module | 1 |\n|---|---|\n| cart | ada |", "a name of its own"),
        ("### Rows\n\n| module | other |\n|---|---|\n| cart | ada |", "these stand on one side only: other, owner"),
        ("### Rows\n\n| module | owner |\n|---|---|\n" + "| cart | ada |\n" * 2, "two rows are the same"),
        ("### Rows\n\n| module | owner |\n|---|---|\n" + "| cart | ada |\n" * 201, "at most 200 rows"),
        ("### Rows\n\n" + "x" * 70_000, "longer than"),
        ("### Goal\n\nother\n\n" + ROWS, "more than once"),
    ],
)
def test_what_is_no_batch_is_said(rows: str, because: str) -> None:
    with pytest.raises(NoBatch, match=because):
        made(rows)
