"""Freezes: windows by the clock of their zone, over the end of a week and over a change to summer time, and issues."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from policies.errors import InvalidPolicyError
from policies.freeze import FreezingIssue, frozen, window_end
from policies.load import load
from policies.queue_section import Window
from tests.policies.build import presets

WEEKEND = Window(starts="fri 16:00", ends="mon 08:00", zone="Europe/Berlin", reason="weekend")
NIGHT = Window(starts="tue 22:00", ends="wed 06:00", zone="America/New_York")
NEARLY_ALWAYS = Window(starts="fri 16:00", ends="fri 08:00")
HOLIDAYS = Window(starts="2026-12-23 12:00", ends="2027-01-04 08:00", zone="Europe/Berlin", reason="holidays")
SUMMER = Window(starts="sun 01:00", ends="sun 04:00", zone="Europe/Berlin")

# 2026-11-27 is a Friday. Berlin is one hour ahead of UTC in winter, New York five behind. Clocks went forward in Berlin
# on Sunday 2026-03-29 at 02:00 (EU directive 2000/84/EC: the last Sunday of March, 01:00 UTC).
WINDOWS = [
    ("before the weekend", WEEKEND, "2026-11-27T14:59:00", None),
    ("its first minute", WEEKEND, "2026-11-27T15:00:00", "2026-11-30T07:00:00"),
    ("on Sunday", WEEKEND, "2026-11-29T12:00:00", "2026-11-30T07:00:00"),
    ("on Monday, early", WEEKEND, "2026-11-30T06:59:59", "2026-11-30T07:00:00"),
    ("on Monday at the end", WEEKEND, "2026-11-30T07:00:00", None),
    ("in the night", NIGHT, "2026-11-25T03:00:00", "2026-11-25T11:00:00"),
    ("in the evening", NIGHT, "2026-11-25T02:59:00", None),
    ("nearly a whole week", NEARLY_ALWAYS, "2026-11-27T17:00:00", "2026-12-04T08:00:00"),
    ("and its end on the same day", NEARLY_ALWAYS, "2026-11-27T07:00:00", "2026-11-27T08:00:00"),
    ("and its gap", NEARLY_ALWAYS, "2026-11-27T12:00:00", None),
    ("before the holidays", HOLIDAYS, "2026-12-23T10:59:00", None),
    ("over New Year", HOLIDAYS, "2026-12-31T23:30:00", "2027-01-04T07:00:00"),
    ("after the holidays", HOLIDAYS, "2027-01-04T07:00:00", None),
    ("before summer time", SUMMER, "2026-03-29T00:30:00", "2026-03-29T02:00:00"),
    ("in summer time", SUMMER, "2026-03-29T01:59:00", "2026-03-29T02:00:00"),
    ("an hour that winter would still freeze", SUMMER, "2026-03-29T02:30:00", None),
]


@pytest.mark.parametrize(("window", "now", "end"), [row[1:] for row in WINDOWS], ids=[row[0] for row in WINDOWS])
def test_windows(window: Window, now: str, end: str | None) -> None:
    found = window_end(window, datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert (found and found.astimezone(UTC).replace(tzinfo=None).isoformat()) == end


def policy_of(text: str) -> str:
    return f"version: 1\nqueue:\n  freeze:\n    {text}\n"


def test_a_freeze_says_until_when_and_why() -> None:
    windows = "windows: [{starts: fri 16:00, ends: mon 08:00, zone: Europe/Berlin, reason: weekend}]"
    freeze = load(policy_of(windows), presets()).queue.freeze
    state = frozen(freeze, datetime(2026, 11, 28, 12, tzinfo=UTC))
    assert state is not None
    assert state.reason == "Merging is frozen until Mon 2026-11-30 08:00 Europe/Berlin: weekend."
    assert frozen(freeze, datetime(2026, 12, 1, tzinfo=UTC)) is None


def test_of_two_windows_the_one_that_ends_last_is_named() -> None:
    windows = "windows: [{starts: fri 16:00, ends: mon 08:00}, {starts: 2026-11-28 00:00, ends: 2026-12-02 00:00}]"
    state = frozen(load(policy_of(windows), presets()).queue.freeze, datetime(2026, 11, 28, 12, tzinfo=UTC))
    assert state is not None
    assert "Wed 2026-12-02 00:00 UTC" in state.reason


def test_an_open_issue_freezes_until_somebody_closes_it() -> None:
    freeze = load("version: 1", presets()).queue.freeze
    issues = (FreezingIssue(9, "later"), FreezingIssue(7, "Database\nis down"))
    state = frozen(freeze, datetime(2026, 11, 28, tzinfo=UTC), issues)
    assert state is not None
    assert (state.reason, state.until) == ("Merging is frozen while issue #7 is open: Database is down.", None)
    assert frozen(freeze, datetime(2026, 11, 28, tzinfo=UTC)) is None


REFUSED = [
    ("{starts: friday, ends: mon 08:00}", "that is no time"),
    ("{starts: fri 24:00, ends: mon 08:00}", "that is no time"),
    ("{starts: fri 16:00, ends: 2026-12-01 08:00}", "of two forms"),
    ("{starts: fri 16:00, ends: fri 16:00}", "ends before it starts"),
    ("{starts: 2026-12-02 16:00, ends: 2026-12-01 16:00}", "ends before it starts"),
    ("{starts: 2026-02-29 16:00, ends: 2026-03-01 16:00}", "the calendar has no 2026-02-29"),
    ("{starts: fri 16:00, ends: mon 08:00, zone: Europe/Berln}", "no time zone"),
    ("{starts: fri 16:00, ends: mon 08:00, zone: ../../etc/passwd}", "no time zone"),
]


@pytest.mark.parametrize(("window", "said"), REFUSED)
def test_a_window_that_cannot_be_is_refused_with_its_line(window: str, said: str) -> None:
    with pytest.raises(InvalidPolicyError) as refused:
        load(policy_of(f"windows: [{window}]"), presets())
    (error,) = refused.value.errors
    assert said in error.message
    assert error.line == 4
