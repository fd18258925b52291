"""The canonical form of a ticket: its JSON Schema, judged by a validator that is not ours, and the way back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pydantic import ValidationError

from checks.tickets.canonical import read_canonical, ticket_schema
from tests.checks.test_tickets import form

PUBLISHED = Path(__file__).parents[2] / "deploy" / "issue-form" / "ticket.schema.json"


def test_a_form_is_of_its_schema_and_comes_back() -> None:
    validator = jsonschema_rs.Draft202012Validator(ticket_schema())
    for one in (form(), form({"Time limit (minutes)": None, "Attempts": None, "Cost limit (USD)": None})):
        validator.validate(json.loads(one.canonical))
        assert read_canonical(json.loads(one.canonical)) == one


@pytest.mark.parametrize(
    "changes",
    [
        {"goal": "short"},
        {"allowed_paths": []},
        {"risk": "dire"},
        {"max_minutes": 0},
        {"max_attempts": 6},
        {"max_cost": "8.5"},
        {"max_cost": 8},
        {"depends_on": ["12"]},
        {"pool": ""},
        {"more": 1},
    ],
)
def test_what_is_no_ticket_is_of_neither(changes: dict[str, Any]) -> None:
    wrong = {**form().fields, **changes}
    assert not jsonschema_rs.Draft202012Validator(ticket_schema()).is_valid(wrong)
    with pytest.raises(ValidationError):
        read_canonical(wrong)


def test_the_published_schema_is_this_one() -> None:
    jsonschema_rs.meta.validate(ticket_schema())
    assert json.loads(PUBLISHED.read_text("utf-8")) == ticket_schema()
