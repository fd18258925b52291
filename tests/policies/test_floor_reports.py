"""Test reports under a baseline: each policy judges those that its own words name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from checks.finding import Status
from checks.reports.report import TestReport
from checks.unread import Unread
from policies.evaluate import evaluate
from policies.floor import for_baseline
from policies.merge_group import evaluate_group
from tests.checks.build import group
from tests.policies.build import run, snapshot
from tests.policies.test_floor_orders import both

P, F = Status.PASSED, Status.FAILED
REQUIRED = "version: 1\nci: {reports: {required: true}}\n"


@pytest.mark.parametrize("words", [REQUIRED, "version: 1\n"])
def test_each_policy_judges_the_reports_that_its_own_words_name(words: str) -> None:
    """A repository that names other files for reports hides none from the baseline, and the other way round."""
    agrees, contradicts = (TestReport("junit", "junit", count, 0, 0, 0) for count in (12, 9))
    for own, baseline, status in (
        ((agrees,), (agrees,), P),
        ((agrees,), (contradicts,), F),
        ((contradicts,), (agrees,), F),
        ((agrees,), Unread("too large"), F),
    ):
        of = snapshot(runs=(run(reports=own, baseline_reports=baseline),))
        assert evaluate(both(words, words), of).evidence.status is status


def test_the_baseline_s_missing_reports_are_missing_whatever_the_repository_s_are() -> None:
    agrees = TestReport("junit", "junit", 12, 0, 0, 0)
    of = snapshot(runs=(run(reports=(agrees,), baseline_reports=()),))
    assert evaluate(both("version: 1\n", REQUIRED), of).evidence.status is F
    assert evaluate(both(REQUIRED, "version: 1\n"), of).evidence.status is P


def test_so_it_is_of_a_merge_group() -> None:
    runs = group().runs
    assert isinstance(runs, tuple)
    of = group(runs=(replace(runs[0], reports=(), baseline_reports=Unread("too large")),))
    assert evaluate_group(both("version: 1\n", "version: 1\n"), of).evidence.status is F
    away = group(runs=Unread("HTTP 502"))
    assert for_baseline(away) is away
