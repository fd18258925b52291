"""What Python sources can do to a test run besides changing tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from checks.tampering.alteration import Alteration
from checks.tampering.change import Change


def alterations(changes: Sequence[Change]) -> Iterable[Alteration]:
    return (alteration for change in changes for alteration in ())
