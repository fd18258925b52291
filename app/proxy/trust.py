"""`.github/mergegate-trust.yml`: which workload identities may have a session, as the default branch says.

One parser for whoever checks the file and for the exchange. Claims are compared whole, patterns match the whole value,
and a rule without an exact claim is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import re2
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from app.errors import ActionableError
from app.proxy.grant import Right
from app.proxy.sessions import FEWEST_HOURS
from checks.document import DocumentError, read_document
from checks.paths import PathPatterns
from policies.ticket_section import POOL

TRUST_PATH = ".github/mergegate-trust.yml"
LONGEST_VALUE = 2048  # characters of a claim
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:/-]{1,100}$")]
Text = Annotated[str, Field(min_length=1, max_length=500)]


class BadTrust(ActionableError, ValueError):
    """The file cannot be used; the message says where and why."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Rule(_Section):
    """One identity. Every claim and every pattern must fit.

    With a `pool` it claims that pool's tickets (or the one `ticket`) instead of opening sessions by branch. `branches`
    must then hold every ticket's branch and `rights` the usual three. The session is the ticket's: it lasts as long as
    the time limit, its operator is who accepted the ticket, and its agent is named after the pool.
    """

    issuer: Annotated[str, Field(pattern=r"^https?://[A-Za-z0-9.:/_-]{1,200}$")]
    audience: Text
    claims: Annotated[dict[Name, str | bool | int], Field(min_length=1, max_length=20)]
    patterns: Annotated[dict[Name, Text], Field(max_length=20)] = Field(default_factory=dict)
    branches: Annotated[list[Text], Field(min_length=1, max_length=50)]
    agent: Text
    operator: Text | None = None
    ticket: Annotated[int, Field(gt=0)] | None = None
    pool: Annotated[str, Field(pattern=POOL)] | None = None
    rights: Annotated[list[Literal["push", "force", "delete", "pull_request", "comment"]], Field(max_length=5)] = [
        "push",
        "pull_request",
        "comment",
    ]
    hours: Annotated[float | int, Field(ge=FEWEST_HOURS, le=24)] = 2

    @field_validator("patterns")
    @classmethod
    def _compiled(cls, patterns: dict[str, str]) -> dict[str, str]:
        for pattern in patterns.values():
            try:
                re2.compile(pattern, _quiet())
            except re2.error as wrong:
                raise ValueError(f"{pattern!r} is no pattern that RE2 knows") from wrong
        return patterns

    @field_validator("branches")
    @classmethod
    def _readable(cls, branches: list[str]) -> list[str]:
        PathPatterns(tuple(branches))
        return branches

    @property
    def granted(self) -> frozenset[Right]:
        return frozenset(Right(word) for word in self.rights)

    def accepts(self, claims: Mapping[str, Any]) -> bool:
        """Whether every claim is what it must be. The audience and the signature are looked at elsewhere."""
        exact = all(_same(claims.get(name), value) for name, value in self.claims.items())
        return exact and all(_fits(claims.get(name), pattern) for name, pattern in self.patterns.items())

    def has_branch(self, name: str) -> bool:
        """Whether a session may have this branch (short name) by this rule; the policy has a word in it too."""
        return PathPatterns(tuple(self.branches)).matches_exactly(name)


class Trust(_Section):
    version: Literal[1]
    trust: Annotated[list[Rule], Field(min_length=1, max_length=50)]


def read_trust(text: str) -> Trust:
    """Raises BadTrust."""
    try:
        document = read_document(text)
        return Trust.model_validate(document.value)
    except DocumentError as wrong:
        raise BadTrust(f"{TRUST_PATH}: {wrong}") from wrong
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        line = document.line_of(tuple(first["loc"]))
        where = ".".join(str(part) for part in first["loc"])
        raise BadTrust(f"{TRUST_PATH}: line {line}, {where or 'the whole file'}: {first['msg']}") from wrong


def _quiet() -> Any:
    options = re2.Options()
    options.log_errors = False
    return options


def _same(value: object, wanted: str | bool | int) -> bool:
    """Equal and of one type: `1` is not `true`, and not `"1"`."""
    return type(value) is type(wanted) and value == wanted


def _fits(value: object, pattern: str) -> bool:
    if not isinstance(value, str) or len(value) > LONGEST_VALUE or not value.isascii():
        return False
    return bool(re2.compile(pattern, _quiet()).fullmatch(value))
