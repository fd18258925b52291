"""When a ticket needs a person: tests over facts for the few causes that people are told of at once. Pure.

Whatever is not named here tells nobody: a failed test, a conflict that rebases, a flaky run, trouble of the
infrastructure.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Literal

MOST_ERROR = 2_000  # characters of a first error that are compared
STOP_LATE = timedelta(seconds=60)
MOST_CAP_SHARE = 0.10  # of a day's attempts that limits may end before it is more than a line in the digest
GRAVE = frozenset({"high", "critical"})
_VARYING = re.compile(r"0x[0-9a-f]+|[0-9a-f]{7,64}|[0-9]+", re.ASCII)


class Cause(StrEnum):
    """Why a person is asked. The first four are the ticket's own, the others the system's."""

    REQUIREMENT_CONFLICT = "requirement_conflict"
    PERMISSION_EXPANSION = "permission_expansion"
    REPEATED_FAILURE = "repeated_failure"
    DATA_MIGRATION = "data_migration"
    STOP_UNCONFIRMED = "stop_unconfirmed"
    JUDGES_DISAGREE = "judges_disagree"
    CAP_HITS = "cap_hits"


Way = Literal["push", "digest"]


@dataclass(frozen=True, slots=True)
class Power:
    """Something that an agent may not do: `kind` is path, host, branch, secret or workflow."""

    kind: str
    what: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a ticket. `lines` are those of its snapshot, `quoted` the two that an agent or a judge says
    cannot both hold, `failures` the fingerprints of its failed verdicts since a person let it go on last, the oldest
    first, `stopping` how long its stop is unconfirmed.
    """

    risk: str
    lines: frozenset[str] = frozenset()
    quoted: tuple[str, str] | None = None
    refused: frozenset[Power] = frozenset()
    wanted: frozenset[Power] = frozenset()
    attempts_left: int = 1
    failures: tuple[str, ...] = ()
    migration: bool = False  # as the ticket says
    migrating: tuple[str, ...] = ()  # changed files that are migrations
    stopping: timedelta | None = None
    disagree: bool = False  # a judge and a person, or two judges
    capped: bool = False  # a limit ended it today


def causes(facts: Facts) -> tuple[Cause, ...]:
    """All that hold, those that cannot wait first."""
    return tuple(_causes(facts))


def way(cause: Cause, risk: str, cap_share: float = 0.0) -> Way:
    """Whether a person is told at once. `cap_share`: of today's attempts, those that a limit ended."""
    if cause is Cause.JUDGES_DISAGREE:
        return "push" if risk in GRAVE else "digest"
    if cause is Cause.CAP_HITS:
        return "push" if cap_share > MOST_CAP_SHARE else "digest"
    return "push"


def failure_fingerprint(command: str, first_error: str, failing: Collection[str]) -> str:
    """The same for the same failure: numbers, addresses and hashes in its error do not count, nor the tests' order."""
    error = _VARYING.sub("#", " ".join(first_error[:MOST_ERROR].casefold().split()))
    parts = (command, error, *sorted(set(failing)))
    spelled = "".join(f"{len(part)}:{part}" for part in parts)
    return "sha256:" + hashlib.sha256(spelled.encode("utf-8", "surrogatepass")).hexdigest()


def is_repeated(failures: Sequence[str]) -> bool:
    """Whether the newest failure, the last one, was there before."""
    return bool(failures) and failures[-1] in failures[:-1]


def _causes(facts: Facts) -> Iterator[Cause]:
    if facts.stopping is not None and facts.stopping >= STOP_LATE:
        yield Cause.STOP_UNCONFIRMED
    if facts.quoted is not None and _quotes_two(facts.quoted, facts.lines):
        yield Cause.REQUIREMENT_CONFLICT
    if facts.refused & facts.wanted:
        yield Cause.PERMISSION_EXPANSION
    if _fails_again(facts):
        yield Cause.REPEATED_FAILURE
    if facts.migration or facts.migrating:
        yield Cause.DATA_MIGRATION
    if facts.disagree:
        yield Cause.JUDGES_DISAGREE
    if facts.capped:
        yield Cause.CAP_HITS


def _quotes_two(quoted: tuple[str, str], lines: frozenset[str]) -> bool:
    """Both stand in the snapshot, word by word, and are two: whoever cannot quote them has found no conflict."""
    spelled = {" ".join(line.split()) for line in lines}
    one, other = (" ".join(line.split()) for line in quoted)
    return one != other and {one, other} <= spelled


def _fails_again(facts: Facts) -> bool:
    """A failure that stays after another try at it, or no try left after a failure."""
    return is_repeated(facts.failures) or (bool(facts.failures) and facts.attempts_left <= 0)
