"""`mergegate replay`: a stored decision judged again from its own snapshot and policy."""

from __future__ import annotations

import asyncio
import os
import re
from typing import Annotated

import typer

from app.cli.explain import parse_name
from app.cli.gate_store import in_store
from app.cli.printing import print_json, print_line, progress
from app.config import read_settings
from app.gate.recorded import UnreadableRecord
from app.gate.replaying import Replay, replay
from app.keys import PullKey
from app.local.clone import CannotLook
from app.store import decided_policies, decisions, repositories
from app.store.database import Connection
from app.store.decisions import Decision
from policies.escape import clean

_NUMBER = re.compile(r"[0-9]{1,18}")
_AT_COMMIT = re.compile(r"([\w.-]{1,100})/([\w.-]{1,100})@([0-9a-f]{40})", re.ASCII)

_NAMES = (
    "Its number, or the last one of a pull request (OWNER/REPO#N) or of a group's or other head (OWNER/REPO@COMMIT)."
)


def replay_decision(
    decision: Annotated[str, typer.Argument(metavar="DECISION", help=_NAMES)],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Judge a stored decision again. Exit code 0: the same verdict; 1: another one; 2: it could not be judged."""

    async def look(connection: Connection) -> tuple[Decision, bytes | None]:
        found = await _found(connection, decision)
        policy = None if found.policy is None else await decided_policies.find(connection, found.policy)
        return found, policy

    with progress("Looking it up"):
        found, policy = asyncio.run(in_store(read_settings(os.environ), look))
    try:
        result = replay(found, policy)
    except UnreadableRecord as wrong:
        raise CannotLook(f"decision {found.id} cannot be judged again: {clean(str(wrong), 500)}") from None
    _print(found, result, as_json=as_json)
    raise typer.Exit(1 if result.differences else 0)


async def _found(connection: Connection, name: str) -> Decision:
    found = await _by_number(connection, int(name)) if _NUMBER.fullmatch(name) else await _latest(connection, name)
    if found is None:
        raise CannotLook(
            f"there is no decision {clean(name, 200)}. Give its number, OWNER/REPO#N or OWNER/REPO@COMMIT."
        )
    return found


async def _by_number(connection: Connection, number: int) -> Decision | None:
    return await decisions.find(connection, number)


async def _latest(connection: Connection, text: str) -> Decision | None:
    if (at := _AT_COMMIT.fullmatch(text)) is not None:
        return await _of_head(connection, *at.groups())
    name = parse_name(text)
    row = await repositories.named(connection, name.owner, name.repository)
    if row is None:
        return None
    return await decisions.latest(connection, str(PullKey(row.installation_id, row.repository_id, name.number)))


async def _of_head(connection: Connection, owner: str, repository: str, commit: str) -> Decision | None:
    row = await repositories.named(connection, owner, repository)
    found = [] if row is None else await decisions.of_head(connection, row.repository_id, commit, limit=1)
    return found[0] if found else None


def _print(found: Decision, result: Replay, *, as_json: bool) -> None:
    if as_json:
        value = {"decision": found.id, "same": not result.differences, "stored": result.stored, "again": result.again}
        print_json({**value, "differences": list(result.differences)})
        return
    if not result.differences:
        print_line(f"Decision {found.id} gives the same verdict again ({result.stored[:19]}).", "green")
        return
    print_line(f"Decision {found.id} gives another verdict: {result.stored[:19]} was {result.again[:19]}.", "bold red")
    for difference in result.differences:
        print_line(f"  {clean(difference, 600)}")
