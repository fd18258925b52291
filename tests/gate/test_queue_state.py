"""Who wants a pull request merged: people, by auto-merge or `/requeue` on this head, and never an App."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from app.gate import rights
from app.gate.observation import Wish
from app.gate.presets import read_presets
from app.gate.queue_state import _refused, newest_wish, read_frozen
from app.store.requeues import DoneRequeue
from checks.accounts import Permission
from policies.floor import load_floor
from policies.load import load
from policies.schema import Policy
from policies.serial import Requeue

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)
HEAD = "a" * 40
SAID = (NOW, NOW - timedelta(1), LATER)


def pull(by: str | None = None, kind: str = "User", at: datetime | None = NOW) -> Any:
    actor = None if by is None else SimpleNamespace(login=by, type=kind)
    wish = None if by is None and kind == "User" else SimpleNamespace(enabled_by=actor, enabled_at=at)
    listed = [SimpleNamespace(full_database_id=int(each.timestamp()), last_edited_at=None) for each in SAID]
    comments = SimpleNamespace(nodes=listed, complete=True)
    return SimpleNamespace(head_ref_oid=HEAD, auto_merge_request=wish, comments=comments)


def edited() -> Any:
    of = pull()
    of.comments.nodes[0].last_edited_at = LATER
    return of


def without_comments(*, complete: bool) -> Any:
    of = pull()
    of.comments = SimpleNamespace(nodes=[], complete=complete)
    return of


def done(at: datetime = NOW, head: str = HEAD, refused: str | None = None, **what: bool) -> DoneRequeue:
    jump, despite = what.get("jump", False), what.get("despite", False)
    return DoneRequeue(1, int(at.timestamp()), 12, head, "bob", jump, despite, refused, at)


ROWS: list[tuple[str, Any, list[DoneRequeue], Wish | None]] = [
    ("nobody", pull(), [], None),
    ("auto-merge by a person", pull("ada"), [], Wish("ada", NOW)),
    ("auto-merge by an App", pull("courier[bot]", "Bot"), [], None),
    ("auto-merge by a deleted account", pull(None, "ghost"), [], None),
    ("auto-merge of an unknown time", pull("ada", at=None), [], None),
    ("a command", pull(), [done()], Wish("bob", NOW)),
    ("a command that was edited", edited(), [done()], None),
    ("a command that was deleted", without_comments(complete=True), [done()], None),
    ("a command beyond what is listed", without_comments(complete=False), [done()], Wish("bob", NOW)),
    ("a command on another head", pull(), [done(head="b" * 40)], None),
    ("a command that was refused", pull(), [done(refused="No.")], None),
    ("a jump", pull(), [done(jump=True)], Wish("bob", NOW, jump=True)),
    ("the newest of all", pull("ada"), [done(NOW - timedelta(1)), done(LATER, despite=True)],
     Wish("bob", LATER, despite_freeze=True)),
    ("auto-merge after a command", pull("ada", at=LATER), [done()], Wish("ada", LATER)),
]  # fmt: skip


@pytest.mark.parametrize(("of", "commands", "wish"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_wishes(of: Any, commands: list[DoneRequeue], wish: Wish | None) -> None:
    assert newest_wish(of, commands) == wish


WINTER = "queue: {freeze: {windows: [{starts: '2026-11-01 00:00', ends: '2026-12-24 00:00', reason: winter}]%s}}\n"


def policies(own: str, floor: str) -> tuple[Policy, ...]:
    presets = read_presets()
    return load(f"version: 1\n{own}", presets), load_floor(f"version: 1\n{floor}", presets)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("own", "floor", "frozen"), [("", "", False), (WINTER % "", "", True), ("", WINTER % "", True)]
)
async def test_a_freeze_of_either_policy_holds(own: str, floor: str, frozen: bool) -> None:
    gate: Any = SimpleNamespace(now=lambda: NOW)
    nothing: Any = object()  # no issue is asked for without a label
    found = await read_frozen(gate, nothing, nothing, policies(own, floor))
    assert (found is not None) is frozen
    assert found is None or "winter" in found.reason


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("own", "floor", "may"),
    [
        (WINTER % "", "", False),
        (WINTER % ", exceptions: {users: [bob]}", "", True),
        (WINTER % ", exceptions: {users: [bob]}", WINTER % "", False),
        (WINTER % ", exceptions: {users: [bob]}", WINTER % ", exceptions: {users: [bob]}", True),
    ],
)
async def test_an_exception_is_one_to_every_policy_that_freezes(
    own: str, floor: str, may: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def writer(*_: object) -> Permission:
        return Permission.WRITE

    monkeypatch.setattr(rights, "permission", writer)
    nothing: Any = object()
    command = Requeue(despite_freeze=True)
    refused = await _refused(nothing, nothing, policies(own, floor), "bob", command)
    assert (refused is None) is may
