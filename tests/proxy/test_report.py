"""Answers to pushes: what git prints of ours, and what is read of GitHub's."""

from __future__ import annotations

import pytest

from app.proxy.report import Answer, NoReport, progress, refused
from app.proxy.wire import PushHead, packet
from tests.proxy.build import BRANCH
from tests.proxy.test_wire import CAPABILITIES, FLUSH, command, read

REF = BRANCH.encode()


def test_every_command_is_refused_in_the_side_band() -> None:
    head = read(command() + command("refs/heads/main", capabilities=None) + FLUSH)
    said = refused(head, "refused", ["Do this."])
    answer = Answer(side_band=True)
    shown = answer.feed(said)
    answer.ended()
    assert shown == b"000e\x02Do this.\n"
    assert answer.outcome(REF) == "refused" and answer.outcome(b"refs/heads/main") == "refused"


def test_without_a_side_band_there_is_only_the_report() -> None:
    head = read(command(capabilities=b"report-status") + FLUSH)
    assert refused(head, "no", ["text"]) == packet(b"unpack ok\n") + packet(b"ng " + REF + b" no\n") + FLUSH


def test_without_a_report_nothing_is_reported() -> None:
    assert refused(read(command(capabilities=None) + FLUSH), "no", ["text"]) == b""
    assert refused(read(command(capabilities=b"side-band-64k") + FLUSH), "no", ["x"]) == b"0007\x02x\n" + FLUSH


def test_a_head_that_was_not_understood_has_a_report_too() -> None:
    head = PushHead()
    head.capabilities = frozenset(CAPABILITIES.decode().split())
    answer = Answer(side_band=True)
    answer.feed(refused(head, "no commands", []))
    answer.ended()
    assert answer.outcome(REF) == "no commands"


def test_nothing_that_is_said_can_be_more_than_a_line() -> None:
    said = progress(["a\nremote: b\x1b[2J\r\0" + "x" * 5000])
    assert said.count(b"\n") == 1 and b"\x1b" not in said and b"\0" not in said and len(said) < 1100


def test_progress_goes_on_at_once_and_the_report_is_kept() -> None:
    answer = Answer(side_band=True)
    first = packet(b"\x02Resolving deltas\r")
    report = packet(b"unpack ok\n") + packet(b"ok " + REF + b"\n") + FLUSH
    whole = first + packet(b"\x01" + report[:9]) + packet(b"\x01" + report[9:]) + FLUSH
    passed = b"".join(answer.feed(whole[number : number + 1]) for number in range(len(whole)))
    assert passed == first
    assert answer.outcome(REF) is None
    assert answer.ended() == packet(b"\x01" + report) + FLUSH


def _read(report: bytes) -> Answer:
    answer = Answer(side_band=False)
    answer.feed(report)
    return answer


UNPACKED = packet(b"unpack ok\n")


@pytest.mark.parametrize(
    ("report", "outcome"),
    [
        (UNPACKED + packet(b"ok " + REF + b"\n") + packet(b"option forced-update\n") + FLUSH, None),
        (
            UNPACKED + packet(b"ng " + REF + b" protected branch hook declined\n") + FLUSH,
            "protected branch hook declined",
        ),
        (
            packet(b"unpack index-pack abnormal exit\n") + packet(b"ng " + REF + b" unpacker error\n") + FLUSH,
            "unpacker error",
        ),
        (packet(b"unpack index-pack abnormal exit\n") + FLUSH, "index-pack abnormal exit"),
        (packet(b"unpack broken\n") + packet(b"ok " + REF + b"\n") + FLUSH, "broken"),
    ],
)
def test_outcomes(report: bytes, outcome: str | None) -> None:
    assert _read(report).outcome(REF) == outcome


@pytest.mark.parametrize(
    "report",
    [
        b"",
        FLUSH,
        UNPACKED + FLUSH,
        UNPACKED + packet(b"ok refs/heads/agent/work2\n") + FLUSH,
        packet(b"ok " + REF + b"\n") + FLUSH,
        b"<html>",
        UNPACKED + b"zzzz",
    ],
)
def test_what_says_nothing_is_no_success(report: bytes) -> None:
    with pytest.raises(NoReport):
        _read(report).outcome(REF)


@pytest.mark.parametrize("data", [b"", b"0000x", b"00", b"0005\x01", b"0003", b"fffe", b"<html>", b"00000006\x01x"])
def test_what_is_no_side_band_is_no_answer(data: bytes) -> None:
    answer = Answer(side_band=True)

    def whole() -> None:
        answer.feed(data)
        answer.ended()

    with pytest.raises(NoReport):
        whole()


def test_a_report_has_a_limit() -> None:
    with pytest.raises(NoReport):
        Answer(side_band=False).feed(b"x" * 70_000)
