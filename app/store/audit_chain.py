"""The audit log as a chain: how a record is written in bytes, what its digest is over, whether a log is whole. Pure.

A record is JSON in the form of RFC 8785 (https://www.rfc-editor.org/rfc/rfc8785), held to what needs no rules for
numbers and key order beyond those of Python's own encoder: names in ASCII, whole numbers that a double can hold.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

START = bytes(32)  # before the first record
LARGEST = 2**53 - 1  # RFC 8785, 3.2.2.3, by way of I-JSON (RFC 7493, 2.2)
_ANCHOR = re.compile(r"\bmergegate-audit ([1-9][0-9]{0,17}) sha256:([0-9a-f]{64})\b")


@dataclass(frozen=True, slots=True)
class Link:
    """One record of the log: its number, its canonical text, and the digest that the store holds for it.

    `copied`: whether the columns beside the text, by which records are found and go, say the same.
    """

    seq: int
    record: str
    digest: bytes
    copied: bool = True


@dataclass(frozen=True, slots=True)
class Head:
    """The last record's number and digest; 0 and `START` where there is none."""

    seq: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Verified:
    """Every digest fits. `first` is the first record that is still there; before it is what retention removed.

    `uncompared` are numbers of given anchors whose record is among the removed ones.
    """

    first: int
    last: int
    digest: bytes
    uncompared: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """Where the chain is broken first, and how, as a sentence."""

    seq: int
    because: str


def canonical(value: Mapping[str, Any]) -> str:
    """A JSON object as text, the same for equal objects.

    Raises ValueError for what has no single form here: floats, large numbers, names that are not ASCII.
    """
    _check(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _check(value: Any) -> None:
    if isinstance(value, float) or (isinstance(value, int) and abs(value) > LARGEST):
        raise ValueError(f"{value!r} has no place in an audit record; write it as text")
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) and name.isascii() for name in value):
            raise ValueError("names in an audit record are ASCII")
        for held in value.values():
            _check(held)
    elif isinstance(value, list | tuple):
        for held in value:
            _check(held)


def digest_of(before: bytes, record: str) -> bytes:
    return hashlib.sha256(before + record.encode()).digest()


def anchor_line(head: Head) -> str:
    """One line that stands for the whole log up to now, for a place that whoever can change the log cannot change."""
    return f"mergegate-audit {head.seq} sha256:{head.digest.hex()}"


def read_anchor(text: str) -> Head | None:
    """The head that a line from `anchor_line`, or a text with one in it, tells of."""
    found = _ANCHOR.search(text[:10_000])
    return None if found is None else Head(int(found.group(1)), bytes.fromhex(found.group(2)))


class Verifier:
    """Takes the records one after the other, in the order of their numbers, and says at the end what is so.

    `checkpoint` is the head that the newest removal of old records left, from the log itself; the log may begin right
    after it, else it begins with record 1. `anchors` are heads that were kept elsewhere.
    """

    def __init__(self, checkpoint: Head | None = None, anchors: Iterable[Head] = ()) -> None:
        self._checkpoint = checkpoint
        self._anchors = {anchor.seq: anchor.digest for anchor in anchors}
        self._first: int | None = None
        self._head = Head(0, START)
        self.broken: Broken | None = None

    def take(self, link: Link) -> None:
        """After the first break nothing more is looked at."""
        if self.broken is None:
            self.broken = self._begun(link) or self._fits(link)
            self._head = Head(link.seq, link.digest)

    def _begun(self, link: Link) -> Broken | None:
        if self._first is not None:
            return None
        self._first = link.seq
        if link.seq == 1:
            return None
        if self._checkpoint is None or self._checkpoint.seq != link.seq - 1:
            return Broken(link.seq, f"records before {link.seq} are missing, and no checkpoint says that they went")
        self._head = self._checkpoint
        return None

    def _fits(self, link: Link) -> Broken | None:
        if link.seq != self._head.seq + 1:
            return Broken(self._head.seq + 1, f"record {self._head.seq + 1} is missing; {link.seq} comes next")
        if digest_of(self._head.digest, link.record) != link.digest:
            return Broken(
                link.seq, f"record {link.seq} is not what its digest was made of, or the one before it is not"
            )
        if not link.copied:
            return Broken(link.seq, f"the columns of record {link.seq} say something else than the record")
        if self._anchors.get(link.seq, link.digest) != link.digest:
            return Broken(link.seq, f"record {link.seq} has another digest than the anchor that was given")
        return None

    def done(self, head: Head) -> Verified | Broken:
        """`head` is what the store says the last record is, read before the first record was taken."""
        if self.broken is not None:
            return self.broken
        missing = max([head.seq, *self._anchors])
        if missing > self._head.seq:
            return Broken(self._head.seq + 1, f"records {self._head.seq + 1} to {missing} are missing at the end")
        uncompared = tuple(sorted(seq for seq in self._anchors if seq < (self._first or 1)))
        return Verified(self._first or 0, self._head.seq, self._head.digest, uncompared)
