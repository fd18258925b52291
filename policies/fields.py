"""The words, forms and limits that the sections of a policy file are made of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from checks.accounts import Permission
from checks.snapshot import Risk

RiskWord = Literal["low", "medium", "high", "critical"]
PermissionWord = Literal["read", "triage", "write", "maintain", "admin"]
Kind = Literal["agent", "person", "outsider", "dependency-bot"]

AreaName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
Pattern = Annotated[str, Field(min_length=1, max_length=256)]
Patterns = Annotated[tuple[Pattern, ...], Field(max_length=500)]
# OWNER/REPOSITORY/PATH@COMMIT, as GitHub Actions names a reusable workflow; the whole commit id, which nothing moves.
REUSE = r"^([A-Za-z0-9-]{1,100})/([A-Za-z0-9._-]{1,100})/([^@\s]{1,300})@([0-9a-f]{40})$"
# https://docs.github.com/en/get-started/signing-up-for-github/creating-an-account-on-github; Apps end in `[bot]`.
LOGIN = r"^[A-Za-z0-9_-]{1,100}(\[bot\])?$"
PERSON = r"^[A-Za-z0-9_-]{1,100}$"
ORGANIZATION = r"^[A-Za-z0-9-]{1,100}$"
TEAM = r"^[a-z0-9_-]{1,100}$"
APP = r"^[a-z0-9][a-z0-9-]{0,99}$"  # a slug, which is also how an id looks
Login = Annotated[str, Field(pattern=LOGIN)]
Person = Annotated[str, Field(pattern=PERSON)]  # whose word counts for something, which a bot's never does
Persons = Annotated[tuple[Person, ...], Field(max_length=500)]
Logins = Annotated[tuple[Login, ...], Field(max_length=500)]
Team = Annotated[str, Field(pattern=TEAM)]
Teams = Annotated[tuple[Team, ...], Field(max_length=100)]
Reuse = Annotated[str, Field(pattern=REUSE)]
Organization = Annotated[str, Field(pattern=ORGANIZATION)]
Organizations = Annotated[tuple[Organization, ...], Field(max_length=20)]
Line = Annotated[str, Field(min_length=1, max_length=500)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def risk_of(word: RiskWord) -> Risk:
    return Risk[word.upper()]


def permission_of(word: PermissionWord | None) -> Permission | None:
    return None if word is None else Permission[word.upper()]
