"""The board of a repository: the text of one issue that says who must do what, whatever number of tickets. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Protocol

from policies.escape import code, inert, plain_address
from policies.tickets.card import card_digest
from policies.tickets.escalation import Cause
from policies.tickets.escalation_digest import place
from policies.tickets.labels import listed_at
from policies.tickets.limits import Limits, Used
from policies.tickets.page_texts import PAGE_TEXTS
from policies.tickets.states import ENDED, State
from policies.tickets.texts import TEXTS
from policies.tickets.words import WORDS, Language

MOST_LISTED = 10  # lines of a section
MOST_RUNNING = 15  # lines in which tickets in work stand singly, and pools when they do not
MOST_WAITING = 5
LONGEST_QUESTION = 80  # characters
AT_ONCE = timedelta(minutes=1)  # between two writes
AT_LEAST = timedelta(minutes=10)  # between two writes of which only times and amounts are news
_S = State
RUNNING = (_S.RUNNING, _S.VERIFYING, _S.QUEUED, _S.STOPPING)
MERGED = (_S.MERGED, _S.SETTLED, _S.REVERTED)
HEADINGS = {
    _S.NEEDS_HUMAN: "h_needs",
    _S.MERGEABLE: "h_mergeable",
    _S.VERIFY_FAILED: "h_failed",
    _S.WAITING: "h_waiting",
}
STOPPED = (_S.STOPPED, _S.CANCELLED)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an agent says it is; None where it says nothing."""

    step: int | None = None
    steps: int | None = None
    percent: int | None = None
    silent: bool = False


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A ticket. `said` is its open question or why its checks failed, `address` that of the question's comment.

    `limits` is None where it was never accepted; `uncertain`: what is asked is about evidence that is no clear pass.
    """

    number: int
    state: State
    since: datetime
    risk: str
    limits: Limits | None = None
    used: Used = field(default_factory=Used)
    pool: str | None = None
    pull_number: int | None = None
    cause: Cause | None = None
    said: str = ""
    address: str | None = None
    uncertain: bool = False
    progress: Progress = field(default_factory=Progress)
    waits_for: tuple[int, ...] = ()
    title: str = ""  # of the issue; the text leaves it out, because GitHub shows it behind every number


@dataclass(frozen=True, slots=True)
class Board:
    """`repository` is its address on GitHub; amounts are US dollars, of the day of UTC of `updated`."""

    language: Language
    repository: str
    updated: datetime
    rows: tuple[BoardRow, ...]
    spent: Decimal
    most: Decimal
    worst: Decimal  # spent today if every ticket in work uses all that it may
    brake_by: str | None = None
    missed: str | None = None  # the limit that did not stop its canary ticket, so that nothing begins
    page: str | None = None  # address of the same with buttons


_ByState = defaultdict[State, list[BoardRow]]


def board_text(board: Board) -> str:
    """Markdown of less than 30,000 characters. No line begins with a command, and nothing in it mentions anybody."""
    grouped = by_state(board.rows)
    return "\n".join([*_head(board, grouped), *_people(board, grouped), *_agents(board, grouped)])


def by_state(rows: Sequence[BoardRow]) -> _ByState:
    """A stop that is not confirmed needs a person."""
    grouped: _ByState = defaultdict(list)
    for row in rows:
        grouped[_S.NEEDS_HUMAN if row.cause is Cause.STOP_UNCONFIRMED else row.state].append(row)
    return grouped


def board_digest(board: Board) -> str:
    """The same while nothing but times and amounts changed."""
    rows = tuple(_steady(row, board) for row in sorted(board.rows, key=lambda row: row.number))
    steady = replace(board, rows=rows, spent=Decimal(0), worst=Decimal(0))
    return card_digest(board_text(steady).partition("\n")[2])


def _steady(row: BoardRow, board: Board) -> BoardRow:
    ended_before = row.state in ENDED and not is_of_today(row, board)
    since = row.since if ended_before else board.updated
    return replace(row, since=since, used=Used(attempts=row.used.attempts), progress=Progress())


def is_due(last: datetime | None, now: datetime, *, news: bool, other: bool) -> bool:
    """Whether it is written now. `news`: its digest differs from what was written last; `other`: its text does."""
    if last is None:
        return True
    return (news and now - last >= AT_ONCE) or (other and now - last >= AT_LEAST)


def _head(board: Board, grouped: _ByState) -> Iterator[str]:
    words = TEXTS[board.language]
    counts = {
        "need_you": len(grouped[_S.NEEDS_HUMAN]),
        "mergeable": len(grouped[_S.MERGEABLE]),
        "failed": len(grouped[_S.VERIFY_FAILED]),
        "running": sum(len(grouped[state]) for state in RUNNING),
        "waiting": len(grouped[_S.WAITING]),
    }
    parts = [words[key].format(count=count) for key, count in counts.items()]
    parts.append(words["spent"].format(cost=f"{board.spent:.2f}", most=f"{board.most:.2f}"))
    parts.append(words["updated"].format(time=board.updated.astimezone(UTC).strftime("%H:%M")))
    yield f"**{' · '.join(parts)}**"
    if board.brake_by is not None:
        yield from ("", f"⚠️ {words['brake'].format(who=code(board.brake_by))}")
    if board.missed is not None:
        yield from ("", f"⚠️ {words['canary'].format(limit=code(board.missed))}")
    page = plain_address(board.page)
    if page is not None:
        yield from ("", f"[{PAGE_TEXTS[board.language]['with_buttons']}]({page})")


def _people(board: Board, grouped: _ByState) -> Iterator[str]:
    needing = in_order(grouped[_S.NEEDS_HUMAN])
    yield from _section(board, _S.NEEDS_HUMAN, needing, [_asking(row, board) for row in needing[:MOST_LISTED]])
    passed = in_order(grouped[_S.MERGEABLE])
    yield from _section(board, _S.MERGEABLE, passed, [_passed(row, board) for row in passed[:MOST_LISTED]])
    failed = in_order(grouped[_S.VERIFY_FAILED])
    yield from _section(board, _S.VERIFY_FAILED, failed, [_failed(row, board) for row in failed[:MOST_LISTED]])


def _agents(board: Board, grouped: _ByState) -> Iterator[str]:
    words = TEXTS[board.language]
    running = [row for state in RUNNING for row in grouped[state]]
    if running:
        yield from ("", f"### {words['h_running']} ({len(running)})", *_running(board, running))
    waiting = sorted(grouped[_S.WAITING], key=lambda row: (row.since, row.number))
    yield from _section(board, _S.WAITING, waiting, [_waits(row, board) for row in waiting[:MOST_WAITING]])
    ended = {
        "merged": _ended(board, grouped, MERGED),
        "cap_hit": _ended(board, grouped, (_S.CAP_HIT,)),
        "stopped": _ended(board, grouped, STOPPED),
    }
    yield from ("", f"### {words['h_ended']} ({sum(ended.values())})")
    yield "- " + " · ".join(f"{words[key]}: {count}" for key, count in ended.items())
    yield from ("", words["worst"].format(worst=f"{board.worst:.2f}"), "", words["how"])


def _section(board: Board, state: State, rows: Sequence[BoardRow], lines: Sequence[str]) -> Iterator[str]:
    """A numbered list, with a link to what is left out of it. One of nothing is left out: the first line says so."""
    if not rows:
        return
    words = TEXTS[board.language]
    yield from ("", f"### {words[HEADINGS[state]]} ({len(rows)})")
    yield from (f"{ordinal}. {line}" for ordinal, line in enumerate(lines, 1))
    if len(rows) > len(lines):
        more = words["more"].format(count=len(rows) - len(lines))
        yield from ("", f"[{more}]({listed_at(board.repository, state)})")


def in_order(rows: Sequence[BoardRow]) -> list[BoardRow]:
    return sorted(rows, key=lambda row: place(row.risk, row.since, row.number, uncertain=row.uncertain))


def _asking(row: BoardRow, board: Board) -> str:
    words = TEXTS[board.language]
    cause = WORDS[board.language].states[row.state][0] if row.cause is None else words[row.cause]
    said, address = inert(row.said, LONGEST_QUESTION), plain_address(row.address)
    link = "" if address is None else f"[→]({address})"
    return _joined(f"#{row.number}", cause, age(row, board), words["uncertain"] if row.uncertain else "", said, link)


def _passed(row: BoardRow, board: Board) -> str:
    return _joined(f"#{row.number}", row.risk, _pull(row), age(row, board))


def _failed(row: BoardRow, board: Board) -> str:
    return _joined(f"#{row.number}", inert(row.said, LONGEST_QUESTION), _attempt(row, board), _pull(row))


def _running(board: Board, running: Sequence[BoardRow]) -> Iterator[str]:
    pools = defaultdict[str, list[BoardRow]](list)
    for row in sorted(running, key=lambda row: row.number):
        pools[row.pool or ""].append(row)
    words = TEXTS[board.language]
    singly = len(running) <= MOST_RUNNING
    for name, rows in sorted(pools.items())[:MOST_RUNNING]:
        yield f"- {code(name, 50) if name else words['any']}: {len(rows)}"
        yield from (f"  - {_work(row, board)}" for row in rows if singly)
    if len(pools) > MOST_RUNNING:
        yield f"- {words['more'].format(count=len(pools) - MOST_RUNNING)}"


def _work(row: BoardRow, board: Board) -> str:
    words, done = TEXTS[board.language], row.progress
    state = "" if row.state is _S.RUNNING else WORDS[board.language].states[row.state][0]
    step = "" if done.step is None else words["step"].format(step=done.step, steps=done.steps or "?")
    percent = "" if done.percent is None else f"{done.percent} %"
    silent = words["silent"] if done.silent else ""
    return _joined(f"#{row.number}", state, step, percent, silent, *_used(row, board))


def _used(row: BoardRow, board: Board) -> Iterator[str]:
    if row.limits is not None:
        words = TEXTS[board.language]
        yield words["minutes"].format(used=f"{row.used.minutes:.0f}", most=row.limits.minutes)
        yield words["cost"].format(used=f"{row.used.cost:.2f}", most=f"{row.limits.cost:.2f}")


def _waits(row: BoardRow, board: Board) -> str:
    names = ", ".join(f"#{number}" for number in row.waits_for[:MOST_WAITING])
    waits = TEXTS[board.language]["blocked"].format(tickets=names) if names else ""
    return _joined(f"#{row.number}", row.risk, waits, age(row, board))


def _attempt(row: BoardRow, board: Board) -> str:
    if row.limits is None:
        return ""
    return TEXTS[board.language]["attempt"].format(attempt=row.used.attempts, most=row.limits.attempts)


def _pull(row: BoardRow) -> str:
    return "" if row.pull_number is None else f"→ #{row.pull_number}"


class _Viewed(Protocol):
    @property
    def updated(self) -> datetime: ...


def age(row: BoardRow, board: _Viewed) -> str:
    """Whole minutes, hours or days; clocks that disagree make no negative age."""
    minutes = max(0, int((board.updated - row.since).total_seconds() // 60))
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} d"


def _ended(board: Board, grouped: _ByState, states: Sequence[State]) -> int:
    return sum(is_of_today(row, board) for state in states for row in grouped[state])


def is_of_today(row: BoardRow, board: Board) -> bool:
    return row.since.astimezone(UTC).date() == board.updated.astimezone(UTC).date()


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)
