"""Bars of the week's numbers: heights by hand, gaps where nothing was counted."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date

import pytest

from policies.tickets.metrics import measure
from policies.tickets.plot import HEIGHT, TOP, WIDTH, Plot, ceiling, plots
from policies.tickets.rates import Ratio, Reruns
from policies.tickets.records import Records
from policies.tickets.report import rows
from policies.tickets.week import Week
from tests.policies.tickets.weeks import NOW, weeks_of

NOTHING = measure(Records(), Week(date(2026, 11, 16), UTC), NOW)
SOME = replace(
    NOTHING,
    week="2026-W48",
    completed=3,
    cap_hits=Ratio(1, 4),
    reruns=Reruns(Ratio(1, 4), {"infra": 1}),
)


def _named(found: tuple[Plot, ...]) -> dict[str, Plot]:
    return {plot.key: plot for plot in found}


def test_heights_are_shares_of_the_next_round_number() -> None:
    found = _named(plots([NOTHING, SOME]))
    merged = found["completed"]
    assert (merged.shown, merged.most) == ("3", "5")
    assert [(bar.x, bar.width) for bar in merged.bars] == [(0, WIDTH / 2 - 4), (WIDTH / 2, WIDTH / 2 - 4)]
    assert [bar.height for bar in merged.bars] == [0, round((HEIGHT - TOP) * 3 / 5, 1)]
    assert merged.bars[1].y == round(HEIGHT - (HEIGHT - TOP) * 3 / 5, 1)
    assert merged.told == "2026-W47: 0; 2026-W48: 3"
    assert found["cap_hit_rate"].most == "50.0 %"
    assert found["cap_hit_rate"].bars[1].height == round((HEIGHT - TOP) / 2, 1)


def test_nothing_to_count_is_a_gap_and_never_recorded_is_no_plot() -> None:
    found = _named(plots([NOTHING, SOME]))
    assert found["cap_hit_rate"].bars[0].height is None
    assert found["cap_hit_rate"].bars[0].shown == "n/a"
    assert not found["cap_hit_rate"].empty
    assert found["canary_pass"].empty
    assert found["canary_pass"].shown == "not recorded"


def test_a_cause_of_any_week_stands_behind_its_number_in_all_of_them() -> None:
    early = replace(NOTHING, reruns=Reruns(Ratio(2, 4), {"conflict": 2}))
    keys = [plot.key for plot in plots([early, SOME])]
    assert keys[keys.index("rerun_rate") :][:3] == ["rerun_rate", "reruns_infra", "reruns_conflict"]
    assert [bar.shown for bar in _named(plots([early, SOME]))["reruns_infra"].bars] == ["0", "1"]
    assert set(keys) == {row.key for week in (early, SOME) for row in rows(week)}


def test_what_is_not_nothing_is_seen() -> None:
    weeks = [replace(SOME, completed=1), replace(SOME, completed=1_000)]
    assert [bar.height for bar in _named(plots(weeks))["completed"].bars] == [1, HEIGHT - TOP]


@pytest.mark.parametrize(
    ("value", "top"),
    [(0, 1), (-1, 1), (1, 1), (1.01, 2), (2, 2), (3, 5), (7, 10), (0.03, 0.05), (0.3, 0.5), (1_000, 1_000)],
)
def test_the_top_is_the_next_of_one_two_and_five(value: float, top: float) -> None:
    assert ceiling(value) == pytest.approx(top)


def test_no_bar_leaves_the_picture() -> None:
    for plot in plots(weeks_of(30)):
        for bar in plot.bars:
            assert 0 <= bar.x <= bar.x + bar.width <= WIDTH
            assert bar.height is None or 0 <= bar.y <= bar.y + bar.height <= HEIGHT + 0.1
