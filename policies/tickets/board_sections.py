"""The board as pages and programs have it: every ticket in its section, in the order in which people act. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from policies.tickets.board import MERGED, RUNNING, STOPPED, Board, BoardRow, by_state, in_order, is_of_today
from policies.tickets.labels import listed_at
from policies.tickets.states import State

Key = Literal["needs_you", "mergeable", "failed", "running", "waiting", "draft", "ended"]
_S = State
# The label by which GitHub lists the rest of a section; none where several labels make one.
LABELLED: dict[Key, State] = {
    "needs_you": _S.NEEDS_HUMAN,
    "mergeable": _S.MERGEABLE,
    "failed": _S.VERIFY_FAILED,
    "waiting": _S.WAITING,
    "draft": _S.DRAFT,
}


@dataclass(frozen=True, slots=True)
class Section:
    """`more` is the address at which GitHub lists all of it."""

    key: Key
    rows: tuple[BoardRow, ...]
    more: str | None


def sections(board: Board) -> tuple[Section, ...]:
    """All of them, also those of nothing: whoever must decide, then what agents do, then what ended today."""
    states = by_state(board.rows)
    running = [row for state in RUNNING for row in states[state]]
    ended = [row for state in (*MERGED, _S.CAP_HIT, *STOPPED) for row in states[state] if is_of_today(row, board)]
    return (
        _section(board, "needs_you", in_order(states[_S.NEEDS_HUMAN])),
        _section(board, "mergeable", in_order(states[_S.MERGEABLE])),
        _section(board, "failed", in_order(states[_S.VERIFY_FAILED])),
        _section(board, "running", sorted(running, key=lambda row: (row.pool or "", row.number))),
        _section(board, "waiting", sorted(states[_S.WAITING], key=lambda row: (row.since, row.number))),
        _section(board, "draft", sorted(states[_S.DRAFT], key=lambda row: row.number)),
        _section(board, "ended", sorted(ended, key=lambda row: (row.since, row.number), reverse=True)),
    )


def _section(board: Board, key: Key, rows: Iterable[BoardRow]) -> Section:
    state = LABELLED.get(key)
    return Section(key, tuple(rows), None if state is None else listed_at(board.repository, state))


def board_record(board: Board) -> dict[str, Any]:
    """For JSON. Amounts are US dollars as text, times ISO 8601; null is what is not known."""
    return {
        "repository": board.repository,
        "updated": board.updated.isoformat(),
        "spent_today": f"{board.spent:.2f}",
        "budget_today": f"{board.most:.2f}",
        "worst_today": f"{board.worst:.2f}",
        "brake_by": board.brake_by,
        "missed_canary": board.missed,
        "sections": {one.key: [row_record(row) for row in one.rows] for one in sections(board)},
    }


def row_record(row: BoardRow) -> dict[str, Any]:
    limits = row.limits
    return {
        "number": row.number,
        "title": row.title,
        "state": row.state,
        "since": row.since.isoformat(),
        "risk": row.risk,
        "pool": row.pool,
        "pull": row.pull_number,
        "cause": row.cause,
        "said": row.said,
        "question": row.address,
        "uncertain": row.uncertain,
        "waits_for": list(row.waits_for),
        "used": {"minutes": round(row.used.minutes), "attempts": row.used.attempts, "cost": f"{row.used.cost:.2f}"},
        "limits": limits and {"minutes": limits.minutes, "attempts": limits.attempts, "cost": f"{limits.cost:.2f}"},
        "progress": {
            "step": row.progress.step,
            "steps": row.progress.steps,
            "percent": row.progress.percent,
            "silent": row.progress.silent,
        },
    }
