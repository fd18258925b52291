"""Errors in a policy file: where, what is wrong, and what to write instead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic_core import ErrorDetails

from checks.document import Document, Fault, Path
from policies.escalation_section import CLOCK, ZONE
from policies.fields import APP, LOGIN, ORGANIZATION, PERSON, REUSE, TEAM
from policies.queue_section import STAMP
from policies.schema import policy_schema
from policies.ticket_section import WORKFLOW_FILE

_MOST_ERRORS = 20
_DICTIONARY_KEY = "[key]"  # pydantic's mark for "the key itself is wrong"

# By pydantic's error type (https://docs.pydantic.dev/latest/errors/validation_errors/); others keep its sentence.
_WORDS = {
    "bool_type": ("true or false is expected", "Write true or false, without quotes"),
    "int_type": ("a whole number is expected", "Write a number, without quotes"),
    "string_type": ("text is expected", "Put it in quotes"),
    "tuple_type": ("a list is expected", "Write a list, for example [one, two]"),
    "model_type": ("fields are expected here", "Write them below, indented, or leave the line out"),
    "dict_type": ("fields are expected here", "Write them below, indented, or leave the line out"),
    "string_too_long": ("the text is longer than {max_length} characters", "Shorten it"),
    "string_too_short": ("the text is empty", "Write something, or leave it out"),
    "too_long": ("the list has more than {max_length} entries", "Join some of them in a pattern"),
    "too_short": ("the list is empty", "Name at least one"),
    "greater_than_equal": ("the number is below {ge}", "Write {ge} or more"),
    "less_than_equal": ("the number is above {le}", "Write {le} or less"),
    "literal_error": ("the word is not known here", "Write {expected}"),
    "missing": ("it is missing", "Add it"),
    "value_error": ("{error}", "See `mergegate policy schema`"),
}
_FORMS = {
    APP: ("that is no App's slug or id", 'Write its slug, for example `buildkite`, or its id in quotes: `"72"`'),
    REUSE: (
        "that is no file of a repository at a whole commit id",
        "Write OWNER/REPOSITORY/PATH@COMMIT with all 40 digits, so that nobody can change it later",
    ),
    ORGANIZATION: ("that is no organisation's login", "Write it without `@`, for example `acme`"),
    LOGIN: ("that is no login", "Write it without `@`, for example `ada` or `dependabot[bot]`"),
    PERSON: ("that is no person's login, and only a person's word counts here", "Write it without `@`, as `ada`"),
    STAMP: ("that is no time", "Write `fri 16:00` for every week, or `2026-12-23 12:00` for once"),
    TEAM: ("that is no team's slug", "Write it without the organisation, for example `core`"),
    CLOCK: ("that is no time of a day", "Write hours and minutes in quotes, for example `'08:30'`"),
    ZONE: ("that is no name of a time zone", "Write one like `UTC` or `Asia/Tokyo`"),
    WORKFLOW_FILE: ("that is no file name of a workflow", "Write it without its folder, for example `agent.yml`"),
}


@dataclass(frozen=True, slots=True)
class PolicyError:
    """`line` and `column` are 1-based; `field` is written like `risk.areas.payment.paths[0]`, empty for the whole."""

    line: int
    column: int
    field: str
    message: str
    hint: str

    def __str__(self) -> str:
        field = f"`{self.field}`: " if self.field else ""
        return f"line {self.line}, column {self.column}: {field}{self.message}. {self.step}"

    @property
    def step(self) -> str:
        """The hint as a sentence."""
        return self.hint if self.hint.endswith("?") else f"{self.hint}."


class InvalidPolicyError(ValueError):
    """A policy file that cannot be used. `errors` has at least one entry, in the order of the lines."""

    def __init__(self, *errors: PolicyError) -> None:
        self.errors = tuple(sorted(errors, key=lambda error: (error.line, error.column)))[:_MOST_ERRORS]
        super().__init__(" ".join(map(str, self.errors)))


def unreadable(fault: Fault) -> PolicyError:
    hint = fault.hint or "Repair it there; an editor with YAML support shows it too"
    return PolicyError(fault.line or 1, fault.column or 1, fault.field or "", fault.message, hint)


def error_at(document: Document, path: Path, message: str, hint: str) -> PolicyError:
    """An error at the field `path`, or where it would belong when the file does not have it."""
    return PolicyError(*_place(document, path), field_name(path), message, hint)


def _place(document: Document, path: Path) -> tuple[int, int]:
    while path and path not in document.lines:
        path = path[:-1]
    return document.lines[path], document.columns[path]


def field_name(path: Path) -> str:
    name = ""
    for part in path:
        name += f"[{part}]" if isinstance(part, int) else f".{part}"
    return name.removeprefix(".")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint, or nothing when no known word is near."""
    near = difflib.get_close_matches(word[:100], sorted(known), n=1)
    return f"Did you mean `{near[0]}`?" if near else ""


def explain_errors(
    document: Document, errors: Sequence[ErrorDetails], schema: Mapping[str, Any] | None = None
) -> tuple[PolicyError, ...]:
    """The first errors of a file in words; looking for what was meant is too dear to do it for thousands.

    `schema` is the JSON Schema of the file, the policy's where it is None.
    """
    first = sorted(errors, key=lambda error: _place(document, error["loc"]))[:_MOST_ERRORS]
    return tuple(_explained(document, error, schema) for error in first if not _is_hollow(error, first))


def _is_hollow(error: ErrorDetails, among: Sequence[ErrorDetails]) -> bool:
    """A list is called too short as well when its entries are wrong."""
    path: Path = error["loc"]
    return error["type"] == "too_short" and any(
        other is not error and other["loc"][: len(path)] == path for other in among
    )


def _explained(document: Document, error: ErrorDetails, schema: Mapping[str, Any] | None) -> PolicyError:
    path: Path = error["loc"]
    if error["type"] == "extra_forbidden":
        return _unknown_field(document, path, schema or _schema())
    if path[-1:] == (_DICTIONARY_KEY,):
        hint = "Write small letters, digits and hyphens, at most 40"
        return error_at(document, path[:-1], "the name is not allowed", hint)
    context = error.get("ctx", {})
    if error["type"] == "string_pattern_mismatch":
        return error_at(document, path, *_FORMS[context["pattern"]])
    message, hint = _WORDS.get(error["type"], (error["msg"], "See `mergegate policy schema`"))
    near = did_you_mean(str(error["input"]), _expected(context)) if error["type"] == "literal_error" else ""
    return error_at(document, path, message.format(**context), near or hint.format(**context))


def _expected(context: Mapping[str, Any]) -> list[str]:
    """pydantic joins the words of a Literal as `'low', 'medium' or 'high'`."""
    return str(context["expected"]).replace(" or ", ", ").replace("'", "").split(", ")


def _unknown_field(document: Document, path: Path, schema: Mapping[str, Any]) -> PolicyError:
    known = _fields_at(schema, path[:-1])
    hint = did_you_mean(str(path[-1]), known) or f"Remove it; known here: {', '.join(sorted(known))}"
    return error_at(document, path, "there is no such field", hint)


@cache
def _schema() -> dict[str, Any]:
    return policy_schema()


def _fields_at(schema: Mapping[str, Any], path: Path) -> tuple[str, ...]:
    """Names of the fields that the model at `path` has."""
    node: Mapping[str, Any] = schema
    for part in path:
        node = _resolved(schema, node["items"] if isinstance(part, int) else _fields_of(node, part)[part])
    return tuple(node["properties"])


def _fields_of(node: Mapping[str, Any], part: str) -> Mapping[str, Any]:
    return node.get("properties") or dict.fromkeys([part], *node["patternProperties"].values())


def _resolved(schema: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = node.get("$ref") or next((option["$ref"] for option in node.get("anyOf", ()) if "$ref" in option), "")
    return schema["$defs"][reference.rpartition("/")[2]] if reference else node
