"""Snapshots as the store keeps them with each decision, and back."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from checks.group_snapshot import GroupSnapshot
from checks.snapshot import Snapshot


class UnreadableRecord(ValueError):
    """A snapshot that another version wrote."""


def dump_snapshot(snapshot: Snapshot | GroupSnapshot) -> bytes:
    """JSON in ASCII: what is not UTF-8 in git stays what it is, escaped."""
    return json.dumps(asdict(snapshot), default=_plain, ensure_ascii=True).encode()


def _plain(value: object) -> object:
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a snapshot holds a {type(value).__name__}, which has no form in the store yet")


def read_snapshot(record: bytes) -> Snapshot:
    """Raises UnreadableRecord."""
    snapshot: Snapshot = _read(_snapshots(), record)
    return snapshot


def read_group_snapshot(record: bytes) -> GroupSnapshot:
    """The same of a merge group, or of a trial of the serial queue."""
    snapshot: GroupSnapshot = _read(_group_snapshots(), record)
    return snapshot


def _read(form: TypeAdapter[Any], record: bytes) -> Any:
    try:
        return form.validate_python(json.loads(record))
    except ValueError as wrong:  # pydantic's is one
        raise UnreadableRecord(f"the recorded snapshot cannot be read back: {str(wrong)[:300]}") from wrong


@cache
def _snapshots() -> TypeAdapter[Any]:
    """Built when one is read: it takes longer than reading."""
    return TypeAdapter(Snapshot)


@cache
def _group_snapshots() -> TypeAdapter[Any]:
    return TypeAdapter(GroupSnapshot)
