"""A ticket written as a file, for a judgement without GitHub."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from checks.bundle_schema import Line
from checks.document import Document, DocumentError, Fault, read_document
from checks.faults import faults_of
from checks.paths import PathPatterns
from checks.snapshot import Risk, Ticket


def _readable(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return PathPatterns(patterns).patterns


Patterns = Annotated[tuple[str, ...], AfterValidator(_readable)]


class TicketFile(BaseModel):
    """The fields of the file. Paths are gitignore-style patterns; no allowed paths means no limit."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: Annotated[str, Field(min_length=1, max_length=200)]
    allowed_paths: Patterns = ()
    forbidden_paths: Patterns = ()
    risk: Literal["low", "medium", "high", "critical"] = "low"
    verification_commands: Annotated[tuple[Line, ...], Field(max_length=100)] = ()
    agent: Line | None = None
    operator: Line | None = None

    @model_validator(mode="before")
    @classmethod
    def _lists_are_tuples(cls, value: dict[str, object]) -> dict[str, object]:
        return {key: tuple(item) if isinstance(item, list) else item for key, item in value.items()}


def parse_ticket(text: str) -> Ticket | tuple[Fault, ...]:
    """A ticket in YAML or JSON: id, allowed_paths, forbidden_paths, risk, verification_commands, agent, operator.

    A number as id is taken as text. The digest is that of the content.
    """
    try:
        document = read_document(text)
    except DocumentError as error:
        return (error.fault,)
    if not isinstance(document.value, dict):
        return (Fault("a ticket is a mapping of fields", 1, hint="begin with `id: …`"),)
    return _read(document, dict(document.value))


def _read(document: Document, fields: dict[str, object]) -> Ticket | tuple[Fault, ...]:
    number = fields.get("id")
    if isinstance(number, int) and not isinstance(number, bool):
        fields["id"] = str(number)
    try:
        file = TicketFile.model_validate(fields)
    except ValidationError as error:
        return faults_of(error, document, TicketFile)
    return Ticket(
        id=file.id,
        digest=document.digest,
        allowed_paths=file.allowed_paths,
        forbidden_paths=file.forbidden_paths,
        risk=Risk[file.risk.upper()],
        verification_commands=file.verification_commands,
        agent=file.agent,
        operator=file.operator,
    )
