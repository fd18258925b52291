"""What people read of the week that `test_metrics` counts by hand. Every number below is written out here."""

from __future__ import annotations

import string
from datetime import UTC, date, datetime
from typing import get_args

import pytest

from policies.tickets.metrics import measure
from policies.tickets.page_texts import PAGE_TEXTS
from policies.tickets.rates import RERUN_CAUSES
from policies.tickets.records import ESCALATIONS, Records
from policies.tickets.report import CSV_HEAD, Row, ScaleShown, csv_rows, report_record, report_text, rows
from policies.tickets.report_texts import ENGLISH, REPORT_TEXTS
from policies.tickets.week import Week
from policies.tickets.words import Language
from tests.policies.tickets.test_metrics import COUNTED_BY_HAND

NOTHING = measure(Records(), Week(date(2026, 11, 16), UTC), datetime(2027, 1, 1, tzinfo=UTC))
KEPT = ScaleShown(2, raised=False, because=("limits stopped 2 of 3 canary tickets",))
SHOWN = """\
**2026-W48: 2 merged of 5 that ended, 1 waiting for a person; 2 tickets may be in work at a time, not raised.**

Not more at a time, because:
- limits stopped 2 of 3 canary tickets

| | 2026-W48 | 2026-W47 |
|---|--:|--:|
| Merged | 2 | 0 |
| Ended in any way | 5 | 0 |
| Questions per merged ticket | 1.00 (2 of 2) | n/a |
| Further attempts per ended ticket | 0.20 (1 of 5) | n/a |
| … further attempts: verification | 1 | 0 |
| Pull requests with a conflict | 33.3 % (1 of 3) | not recorded |
| Wait for a person, median | 2.75 hours | n/a |
| Wait for a person, 90th percentile | 5.00 hours | n/a |
| Wait for a person, in all | 5.50 hours | 0.00 hours |
| Still wait for a person | 1 | 0 |
| The oldest of these | 110.00 hours | n/a |
| Reverted, of what was merged two weeks before | 33.3 % (1 of 3) | n/a |
| Ended tickets that went up to a person | 20.0 % (1 of 5) | n/a |
| … ended tickets that went up: permission expansion | 1 | 0 |
| Attempts ended by a limit | 33.3 % (2 of 6) | n/a |
| Merged without a person in between | 50.0 % (1 of 2) | n/a |
| Passed at the first verdict | 50.0 % (1 of 2) | n/a |
| Cost per merged ticket | ≥ 8.88 USD (17.75 of 2) | n/a |
| Attempts and judges that told no cost | 1 | 0 |
| Passes that were wrong, of two weeks before | 75.0 % (3 of 4) | n/a |
| Verdicts that a person overruled | 50.0 % (1 of 2) | n/a |
| Judges' passes that were wrong, of two weeks before | n/a | n/a |
| Judges' opinions that a person overruled | n/a | n/a |
| Until a stop was complete, 95th percentile | 5.00 seconds | n/a |
| Stops that are not confirmed | 1 | 0 |
| Canary tickets that were stopped | 66.7 % (2 of 3) | not recorded |
| Messages at once to one person on one day, at most | 2 | not recorded |
| Of these messages followed by an act | 33.3 % (1 of 3) | not recorded |
| Median of raised limits | 2.00 times | not recorded |
| Limits that people raised | 3 | not recorded |
| Paths that people allowed later | 1 | not recorded |"""


def test_the_comment_has_the_verdict_the_reasons_and_every_number_beside_the_week_before() -> None:
    assert report_text(COUNTED_BY_HAND, NOTHING, KEPT) == SHOWN


def test_a_step_needs_no_reasons() -> None:
    lines = report_text(COUNTED_BY_HAND, NOTHING, ScaleShown(5, raised=True, because=())).splitlines()
    assert lines[0].endswith("5 tickets may be in work at a time, raised.**")
    assert lines[2] == "| | 2026-W48 | 2026-W47 |"


def test_programs_tell_nothing_from_zero_and_from_what_is_not_recorded() -> None:
    record = report_record(NOTHING)
    assert record["revert_rate"] == {"value": None, "unit": "share", "recorded": True, "part": 0.0, "whole": 0}
    assert record["canary_pass"] == {"value": None, "unit": "share", "recorded": False}
    assert record["completed"] == {"value": 0, "unit": "", "recorded": True}
    plain = {row.key: row.plain for row in rows(NOTHING)}
    assert (plain["revert_rate"], plain["canary_pass"], plain["completed"]) == ("n/a", "not recorded", "0")


def test_a_spreadsheet_has_a_row_for_each_number() -> None:
    found = {row[1]: row for row in csv_rows(COUNTED_BY_HAND)}
    assert len(CSV_HEAD) == 6
    assert found["cap_hit_rate"] == ("2026-W48", "cap_hit_rate", "0.333333", 2, 6, "share")
    assert found["completed"] == ("2026-W48", "completed", "2", None, None, "")
    assert found["judge_overrule_rate"][2] == "n/a"


@pytest.mark.parametrize("language", get_args(Language))
def test_every_number_has_a_name_and_every_word_its_places_in_every_language(language: Language) -> None:
    found = [*rows(COUNTED_BY_HAND), *rows(NOTHING)]
    names = {row.key: row.named_in(language) for row in found}
    assert len(set(names.values())) == len(names)
    assert (names["completed"] == "Merged") is (language == "en")
    words = REPORT_TEXTS[language]
    assert {key: _places(text) for key, text in words.items()} == {key: _places(text) for key, text in ENGLISH.items()}
    assert not words.keys() & PAGE_TEXTS[language].keys()


def test_causes_are_named_with_what_they_are_causes_of() -> None:
    reruns = [Row(f"reruns_{cause}", "x", "", 1) for cause in (*RERUN_CAUSES.values(), "redirect", "conflict", "other")]
    raised = [Row(f"escalations_{cause}", "x", "", 1) for cause in sorted(ESCALATIONS)]
    assert {row.named_in("ja").partition("：")[0] for row in reruns} == {"… 追加の試行"}
    assert Row("escalations_data_migration", "x", "", 1).named_in("zh") == "… 上报给人的：它会更改已存储的数据"
    for row in (*reruns, *raised):
        assert row.named_in("zh").partition("：")[2], row.key


def test_units_and_ratios_are_in_the_language() -> None:
    assert Row("review_oldest", "", "hours", 2.0).shown == "2.00 hours"
    assert Row("review_oldest", "", "hours", 2.0).shown_in("ja") == "2.00 時間"
    assert Row("conflict_rate", "", "share", 0.5, 1, 2).shown_in("zh") == "50.0 % （2 中的 1）"
    assert Row("conflict_rate", "", "share", None, 0, 0).shown_in("ja") == "該当なし"
    assert Row("canary_pass", "", "share", None, recorded=False).shown_in("zh") == "没有记录"


def _places(words: str) -> set[str | None]:
    return {name for _, name, _, _ in string.Formatter().parse(words) if name is not None}
