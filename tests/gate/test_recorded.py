"""A snapshot that was recorded with a decision reads back as exactly what it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.gate.recorded import UnreadableRecord, dump_snapshot, read_snapshot
from checks.accounts import Override
from checks.codeowners import parse
from checks.opinions import Opinion, Opinions
from checks.snapshot import PolicyProposal, Snapshot, VerdictChange
from checks.unread import Unread
from tests.policies.build import ADA, HEAD, NOW, person_snapshot, snapshot
from tests.policies.test_form_of_findings import CHANGES

MORE = {
    "teams": {"core": frozenset({"ada", "bea"}), "gone": Unread("HTTP 502")},
    "organizations": {"acme": frozenset({"ada"})},
    "same_change": frozenset({HEAD}),
    "overrides": (Override(ADA, "It burns.", HEAD, NOW, 9),),
    "codeowners": parse("CODEOWNERS", b"* @ada\n"),
    "opinions": Opinions((Opinion("a", "one", NOW, "fail", ("x",), "sha256:x"),), frozenset({"one"}), 2, 0.5),
    "policy_proposal": PolicyProposal((), False, (VerdictChange(1, "pending", "passed"),), 1, 1),
}
SNAPSHOTS: dict[str, Snapshot] = {name: snapshot(**changes) for name, changes in CHANGES.items()}
SNAPSHOTS |= {f"a person's: {name}": person_snapshot(**changes) for name, changes in CHANGES.items()}
SNAPSHOTS["more"] = snapshot(**MORE)


def test_it_reads_back_as_it_was() -> None:
    for name, of in SNAPSHOTS.items():
        assert read_snapshot(dump_snapshot(of)) == of, name


def test_names_that_are_no_text_stay_what_they_are() -> None:
    of = replace(snapshot(), title="a\udcffb")
    record = dump_snapshot(of)
    assert record.isascii()
    assert read_snapshot(record) == of


@pytest.mark.parametrize("record", [b"", b"{}", b"[1]", b'{"repository": 7}'])
def test_what_another_version_wrote_is_refused(record: bytes) -> None:
    with pytest.raises(UnreadableRecord, match="cannot be read back"):
        read_snapshot(record)
