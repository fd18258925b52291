"""`mergegate ticket check`, and the issue form that it reads."""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from typer.testing import CliRunner

from app.cli.commands import app
from checks.tickets.canonical import ticket_schema
from checks.tickets.form import parse_form
from checks.tickets.words import ANSWER_OF, FIELD_OF, HEADINGS, folded
from tests.checks.test_tickets import body, form

FORM = Path(__file__).parents[2] / "deploy" / "issue-form" / "ticket.yml"


def asked(text: str, *options: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ("ticket", "check", "-", *options), input=text)
    return done.exit_code, done.stdout + done.stderr


def test_a_ready_ticket_and_one_that_is_not() -> None:
    assert asked(body()) == (0, f"Ready: it can be finished without a reply. {form().digest}\n")
    code, out = asked(body({"Goal": "Do it somehow, as it seems best to you.", "Verification commands": ""}))
    assert code == 1
    assert out.splitlines()[0] == "Not ready: 2 to repair."
    assert "- Goal: `somehow` leaves something open" in out
    code, out = asked("nothing", "--json")
    assert (code, json.loads(out)["ticket"]) == (1, None)
    assert json.loads(asked(body(), "--json")[1])["ticket"]["max_cost"] == "8.50"
    assert asked(body(), "too many")[0] == 2


def test_the_form_asks_for_exactly_what_is_read() -> None:
    fields = {one["attributes"]["label"]: one for one in yaml.safe_load(FORM.read_text(encoding="utf-8"))["body"]}
    assert [FIELD_OF[folded(label)] for label in fields] == list(HEADINGS)
    for label, field in fields.items():
        name = FIELD_OF[folded(label)]
        options = field["attributes"].get("options", [])
        assert {ANSWER_OF[name][folded(one)] for one in options} == set(ANSWER_OF.get(name, {}).values())
    required = {label for label, field in fields.items() if field.get("validations", {}).get("required")}
    # GitHub writes `_No response_` for what is left empty: that must do for everything that the form does not require.
    given: dict[str, str | None] = {label: "_No response_" for label in fields if label not in required}
    assert not isinstance(parse_form(body(given)), tuple)


def test_the_schema_of_what_is_accepted_is_printed() -> None:
    done = CliRunner().invoke(app, ("ticket", "schema"))
    assert (done.exit_code, json.loads(done.stdout)) == (0, ticket_schema())
