"""`mergegate explain`: the last decision about a pull request, from the store."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter, ValidationError

from app.ages import ago
from app.cli.gate_store import in_store, known_repository
from app.cli.printing import print_json, print_line, print_verdict, progress, verdict_record
from app.config import read_settings
from app.keys import PullKey
from app.local.clone import CannotLook
from app.logging import configure_logging
from app.store import decisions, pulls
from app.store.database import Connection
from policies.escape import clean
from policies.statement import test_result
from policies.verdict import Verdict

_VERDICT: TypeAdapter[Verdict] = TypeAdapter(Verdict)


@dataclass(frozen=True, slots=True)
class PullName:
    """`OWNER/REPO#N`."""

    owner: str
    repository: str
    number: int

    def __str__(self) -> str:
        return f"{self.owner}/{self.repository}#{self.number}"


@dataclass(frozen=True, slots=True)
class Decided:
    """The last verdict, when it was reached, and how many requests it and the pull request as a whole cost."""

    verdict: Verdict
    at: datetime
    requests: dict[str, int]
    requests_in_all: int


def explain(
    pull_request: Annotated[str, typer.Argument(metavar="OWNER/REPO#N", help="For example acme/shop#12.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show the last decision about a pull request. Exit code 2: there is none."""
    name = parse_name(pull_request)
    configure_logging()
    settings = read_settings(os.environ)
    with progress("Looking it up"):
        decided = asyncio.run(in_store(settings, partial(_look_up, name=name)))
    age = datetime.now(UTC) - decided.at
    if as_json:
        print_json(_record(name, decided, age))
        return
    _print(name, decided, age)


def parse_name(text: str) -> PullName:
    """Raises CannotLook."""
    full, _, number = text.partition("#")
    owner, _, repository = full.partition("/")
    if not owner or not repository or "/" in repository or not number.isascii() or not number.isdigit():
        raise CannotLook(f"{clean(text, 200)!r} names no pull request. Write OWNER/REPO#N, for example acme/shop#12.")
    return PullName(owner, repository, int(number[:18]))


async def _look_up(connection: Connection, name: PullName) -> Decided:
    """Raises CannotLook."""
    repository = await known_repository(connection, name.owner, name.repository)
    pull = await pulls.find_pull(connection, repository.repository_id, name.number)
    key = PullKey(repository.installation_id, repository.repository_id, name.number)
    decision = await decisions.latest(connection, str(key))
    if decision is None or decision.decided_at is None:
        raise CannotLook(f"nothing was decided about {clean(str(name), 200)} yet. Check the number, or wait a moment.")
    try:
        verdict = _VERDICT.validate_python(decision.verdict)
    except ValidationError as wrong:
        raise CannotLook(
            f"the decision about {clean(str(name), 200)} was recorded by another version. Ask that one."
        ) from wrong
    return Decided(verdict, decision.decided_at, dict(decision.requests), pull.requests if pull else 0)


def _record(name: PullName, decided: Decided, age: timedelta) -> dict[str, Any]:
    verdict = decided.verdict
    return {
        "pull_request": str(name),
        **verdict_record(verdict),
        "kind": verdict.kind,
        "mode": verdict.mode,
        "gated": verdict.gated,
        "head": verdict.head_sha,
        "target": verdict.target_ref,
        "evidence": verdict.evidence.status.value,
        "review": verdict.review.status.value,
        "needed": list(verdict.needed),
        "approved_by": list(verdict.approved_by),
        "key": verdict.key,
        "decided_at": decided.at.isoformat(),
        "age_seconds": round(age.total_seconds()),
        "test_result": test_result(verdict),
        "requests": {"by_purpose": decided.requests, "pull_request": decided.requests_in_all},
    }


def _print(name: PullName, decided: Decided, age: timedelta) -> None:
    print_verdict(decided.verdict)
    last = sum(decided.requests.values())
    print_line(f"{clean(str(name), 200)} at {decided.verdict.head_sha[:12]}, decided {ago(age)} ago.")
    print_line(f"Requests to GitHub: {last} for this decision, {decided.requests_in_all} for the pull request.")
