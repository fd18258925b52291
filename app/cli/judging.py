"""What `mergegate check` does once its command line is read."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.files import read_bytes, read_text, shown
from app.cli.printing import print_json, print_line, print_verdict, progress, verdict_record
from app.local.clone import CannotLook, find_clone
from app.local.judge import Request, judge
from app.local.work import finish
from checks.finding import Status
from policies.escape import clean

if TYPE_CHECKING:
    from checks.snapshot import Ticket
    from policies.verdict import Verdict

_EXIT_CODES = {Status.FAILED: 1, Status.ERRORED: 2}


@dataclass(frozen=True, slots=True)
class Asked:
    """The options by their defaults. `policy`, `bundle`, `ticket` and `logs` are names of files."""

    repo: str = "."
    base: str = "origin/HEAD"
    head: str = "HEAD"
    policy: str | None = None
    bundle: str | None = None
    logs: tuple[str, ...] = ()
    ticket: str | None = None
    tampering: bool = True
    as_json: bool = False


def report(asked: Asked) -> int:
    """Print the verdict; the exit code. Raises CannotLook."""
    # Models of a gate have no plugins; pydantic would search all that is installed for some.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    with _nothing_collected(), progress("Reading the change"):
        request = _request(asked)
        verdict = finish(judge(request))
    if find_clone(request.repository).is_shallow:
        sys.stderr.write("mergegate: the clone is shallow, so where the branches parted is not certain.\n")
    _print(verdict, as_json=asked.as_json)
    return _EXIT_CODES.get(verdict.status, 0)


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Nearly all that a judgement makes is needed until its end; looking for garbage takes a tenth of its time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def _request(asked: Asked) -> Request:
    return Request(
        repository=Path(asked.repo),
        base=asked.base,
        head=asked.head,
        now=datetime.now(UTC),
        policy=None if asked.policy is None else (shown(asked.policy), read_text(asked.policy)),
        bundle=None if asked.bundle is None else read_text(asked.bundle),
        ticket=None if asked.ticket is None else read_ticket(asked.ticket),
        logs=_logs(asked.logs),
        tampering=asked.tampering,
    )


def _print(verdict: Verdict, *, as_json: bool) -> None:
    if as_json:
        print_json(verdict_record(verdict))
        return
    print_verdict(verdict)
    print_line("Judged without GitHub, and therefore as an agent's: nobody is known to be a person.", "dim")


def read_ticket(name: str) -> Ticket:
    """Raises CannotLook."""
    from checks.snapshot import Ticket
    from checks.ticket import parse_ticket

    ticket = parse_ticket(read_text(name))
    if isinstance(ticket, Ticket):
        return ticket
    faults = "; ".join(f"{fault}{f' ({fault.hint})' if fault.hint else ''}" for fault in ticket)
    raise CannotLook(f"the ticket {shown(name)} cannot be used: {clean(faults, 1_000)}. Correct it.")


def _logs(names: Sequence[str]) -> dict[str, bytes]:
    if not names:
        return {}
    from app.gate.log_process import LOG_LIMIT

    return {shown(name): read_bytes(name, LOG_LIMIT) for name in names}
