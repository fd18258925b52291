"""The shape of the evidence bundle, version 1: models that read it, and the JSON Schema made from them.

The full form is an in-toto Statement v1 (https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md) with
one predicate of our own. As that specification demands, unknown fields of the statement are ignored. Inside the
predicate an unknown field is refused: there it can only be a mistake, and a field that is misspelt and silently
dropped would be missed later without a word.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, model_validator

from checks.areas import Area
from checks.snapshot import Risk

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:mergegate:change:v1"
SCHEMA_ID = "urn:mergegate:bundle:v1"

ObjectId = Annotated[str, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
Digest = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
Id = Annotated[int, Field(ge=1, lt=2**63)]
Text = Annotated[str, Field(min_length=1, max_length=8_192, pattern=r"\S")]
Line = Annotated[str, Field(min_length=1, max_length=1_024, pattern=r"\S")]
Names = Annotated[tuple[Line, ...], Field(max_length=5_000)]


def _https(url: str) -> str:
    try:
        parts = urlsplit(url)
        plain = parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        plain = False
    if not plain or not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("must be an https address without user name")
    return url


def _moment(text: str) -> str:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("must be a moment that exists, in RFC 3339") from None
    return text


def _sequence(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


# RFC 3339, section 5.6, with seconds and an offset.
Moment = Annotated[
    str,
    Field(max_length=40, pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$"),
    AfterValidator(_moment),
]
Url = Annotated[str, Field(max_length=2_048, pattern=r"^https://"), AfterValidator(_https)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _lists_are_tuples(cls, value: object) -> object:
        return {key: _sequence(item) for key, item in value.items()} if isinstance(value, dict) else value


class Pointer(Section):
    """Where the proof can be fetched. The gate fetches it itself; the pointer only says where to look."""

    run: Id | None = Field(default=None, description="Id of the workflow run.")
    job: Id | None = Field(default=None, description="Id of the job, whose raw log is meant.")
    artifact: Id | None = Field(default=None, description="Id of the artifact.")
    digest: Digest | None = Field(default=None, description="sha256 of the job's raw log or of the artifact.")

    @model_validator(mode="after")
    def _points_somewhere(self) -> Pointer:
        if self.run is None and self.job is None and self.artifact is None:
            raise ValueError("must name a run, a job or an artifact")
        if self.digest is not None and self.job is None and self.artifact is None:
            raise ValueError("a digest needs the job or the artifact that it belongs to")
        return self


class Command(Section):
    command: Line = Field(description="The command line, exactly as it was run.")
    exit_code: int = Field(ge=-255, le=255, description="Its exit code.")
    where: Literal["local", "ci"] = Field(description="`ci` is compared with the raw logs; `local` never counts.")
    tree: ObjectId | None = Field(default=None, description="Tree of the files that it ran on.")
    started_at: Moment | None = Field(default=None, description="When it began, in RFC 3339.")
    output: Digest | None = Field(default=None, description="sha256 of what it printed.")
    evidence: Pointer | None = Field(default=None, description="The run or job in which it ran.")


class Tests(Section):
    """Numbers of tests, or their names."""

    added: Annotated[int, Field(ge=0)] | Names = Field(default=0, description="Tests that are new.")
    removed: Annotated[int, Field(ge=0)] | Names = Field(default=0, description="Tests that are gone.")
    skipped: Annotated[int, Field(ge=0)] | Names = Field(default=0, description="Tests that are skipped now.")
    weakened: Annotated[int, Field(ge=0)] | Names = Field(default=0, description="Tests that check less now.")

    def count(self, name: Literal["added", "removed", "skipped"]) -> int:
        value: int | tuple[str, ...] = getattr(self, name)
        return value if isinstance(value, int) else len(value)


class RiskClaim(Section):
    level: Literal["low", "medium", "high", "critical"] = Field(description="The agent's own word; it only raises.")
    areas: Annotated[tuple[Area, ...], Field(max_length=12)] | None = Field(
        default=None, description="Areas that the change touches."
    )
    known: Annotated[tuple[Text, ...], Field(max_length=100)] | None = Field(
        default=None, description="Known risks, one sentence each; an empty list says that there are none."
    )

    @property
    def risk(self) -> Risk:
        return Risk[self.level.upper()]


class Rollback(Section):
    strategy: Literal["revert", "flag-off", "down-migration", "manual"] = Field(description="How to go back.")
    steps: Annotated[tuple[Text, ...], Field(max_length=100)] = Field(default=(), description="Steps, in order.")
    data_loss: bool | None = Field(default=None, description="Whether going back loses data.")
    tested: bool | None = Field(default=None, description="Whether going back was tried.")


class Producer(Section):
    """Who wrote the bundle, in its own words."""

    agent: Line = Field(description="Name of the agent.")
    version: Line | None = None
    model: Line | None = None
    session: Line | None = None


class Predicate(Section):
    reason: Text | None = Field(default=None, description="Why this change is made.")
    commands: Annotated[tuple[Command, ...], Field(max_length=500)] | None = Field(
        default=None, description="Commands that were run."
    )
    changed_files: Names | None = Field(default=None, description="Every changed path; of a rename the new one.")
    evidence: Annotated[tuple[Pointer, ...], Field(max_length=500)] | None = Field(
        default=None, description="Runs, jobs and artifacts that prove it."
    )
    tests: Tests | None = Field(default=None, description="What happened to tests.")
    risk: RiskClaim | None = Field(default=None, description="Level, areas and known risks.")
    rollback: Rollback | None = Field(default=None, description="The way back.")
    preview: Url | None = Field(default=None, description="Where the change can be seen.")
    producer: Producer | None = Field(default=None, description="Who wrote this bundle.")


class Bundle(Predicate):
    """The short form, and what the full form is read into. `head` and `tree` are object ids of commit and tree."""

    head: ObjectId | None = Field(default=None, description="The commit that this bundle is about.")
    tree: ObjectId | None = Field(default=None, description="The tree of that commit.")


class GitDigest(BaseModel):
    """Digests of a subject; other algorithms are allowed and not read."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, defer_build=True)

    git_commit: ObjectId | None = Field(default=None, alias="gitCommit")
    git_tree: ObjectId | None = Field(default=None, alias="gitTree")


class Subject(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, defer_build=True)

    name: str | None = Field(default=None, max_length=1_024)
    digest: GitDigest


class Statement(BaseModel):
    """in-toto Statement v1."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, defer_build=True)

    type: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: Annotated[tuple[Subject, ...], BeforeValidator(_sequence), Field(min_length=1, max_length=1)]
    predicate_type: Literal["urn:mergegate:change:v1"] = Field(alias="predicateType")
    predicate: Predicate

    def bundle(self) -> Bundle:
        digest = self.subject[0].digest
        parts = {name: getattr(self.predicate, name) for name in Predicate.model_fields}
        return Bundle.model_construct(**parts, head=digest.git_commit, tree=digest.git_tree)


def bundle_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of both forms of the bundle."""
    schema = TypeAdapter(Statement | Bundle).json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "Mergegate evidence bundle",
        **schema,
    }
