"""Who wants a pull request merged: people, by auto-merge or `/requeue` on this head, and never an App."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from app.gate.observation import Wish
from app.gate.queue_state import newest_wish
from app.store.requeues import DoneRequeue

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
