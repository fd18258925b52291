"""Output of earlier runs that a cache prints again: it counts for nothing, and what is fresh beside it does."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from checks.ci_jobs import ran_in_part
from checks.logs import replays
from checks.logs.parse import parse_log
from checks.logs.report import LogReport

LOGS = Path(__file__).parent / "real/monorepos/replays"
JEST = ("PASS ./a.test.js", "Test Suites: 1 passed, 1 total", "Tests:       2 passed, 2 total", "Snapshots:   0 total")
RUN = (*JEST, "Time:        1.4 s")
HIT = "cache hit, replaying logs c71d83eee50f950e"
NX = "> nx run core:test  [existing outputs match the cache, left as is]"


def rows() -> list[dict[str, str]]:
    with (LOGS / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["name"])
def test_real_logs(row: dict[str, str]) -> None:
    """Made by the tools themselves (real/monorepos/replays/make.sh)."""
    found = parse_log((LOGS / f"{row['name']}.log").read_bytes())
    assert (found.passed, found.failed, found.skipped) == (int(row["passed"]), 0, int(row["skipped"]))
    assert sum(one.cached for one in found.summaries) == int(row["replayed"])
    assert (found.green is True) is (row["green"] == "yes"), found.reasons
    assert ran_in_part(found), "where the policy names the job, that is enough"


def report(*lines: str) -> LogReport:
    return parse_log("\n".join(lines).encode())


def cached(*lines: str) -> list[bool]:
    return [one.cached for one in report(*lines).summaries]


def test_a_replay_is_said() -> None:
    found = report(HIT, *RUN)
    assert (found.green, found.passed) == (False, 2)
    assert found.reasons == ("line 3: its output was replayed from a cache, it is not a fresh run",)


@pytest.mark.parametrize(
    "line",
    [
        HIT,
        "core:test: cache hit, replaying logs c71d83eee50f950e",
        "cache hit (remote), replaying logs c71d83eee50f950e",
        "cache hit, replaying output c71d83eee50f950e",
        NX,
        "> nx run core:test:ci  [local cache]",
        "> nx run my app:test  [remote cache]",
        "##[group]✅ > nx run core:test  [remote cache]",
        "::group::✅ > nx run core:test  [remote cache]",
        "2026-11-30T08:00:00.0000000Z ##[group]✅ > nx run core:test  [remote cache]",
    ],
)
def test_beginnings(line: str) -> None:
    name = "core:test: " if line.startswith("core:test: ") else ""
    assert cached(line, *(name + each for each in RUN)) == [True]


@pytest.mark.parametrize(
    "line",
    [
        "cache miss, executing c71d83eee50f950e",
        "cache bypass, force executing c71d83eee50f950e",
        "> nx run core:test",
        "##[group]✅ > nx run core:test",
        " NX   Successfully ran target test for 2 projects",
        " NX   Ran target test for 2 projects",
        " Tasks:    2 successful, 2 total",
        "##[group]Run npm test",
    ],
)
def test_ends(line: str) -> None:
    assert cached(HIT, *RUN, line, *RUN) == [True, False]
    assert cached(line, *RUN) == [False]


@pytest.mark.parametrize(
    "line", ["a cache hit, replaying logs c7", "cache hit", "> nx run a  [b]", "a:test (cached, 1)"]
)
def test_lines_that_say_nothing(line: str) -> None:
    assert cached(line, *RUN) == [False]


def test_a_replay_that_begins_a_later_step_ends_with_it() -> None:
    step = "##[group]Run npm test"
    assert cached(*RUN, step, HIT, *RUN, step, *RUN) == [False, True, False]
    assert cached(step, HIT, *RUN) == [True]


def test_a_build_s_replay_is_no_matter_for_tests() -> None:
    lines = ("core:build: " + HIT, "core:build: built", *(f"core:test: {line}" for line in RUN))
    assert (cached(*lines), report(*lines).green) == ([False], True)


@pytest.mark.parametrize("at", [0, 5])
def test_moon_names_the_task_before_or_after(at: int) -> None:
    lines = [*(f"core:test | {line}" for line in RUN), *(f" web:test | {line}" for line in RUN)]
    lines.insert(at, "▮▮▮▮ web:test (cached, 31c7ce06)")
    assert cached(*lines) == [False, True]


def test_what_is_red_stays_red_and_is_no_cached_result() -> None:
    red = (*JEST[:2], "Tests:       1 failed, 1 passed, 2 total", JEST[3], "Time:        1.4 s")
    found = report(HIT, *red)
    assert (found.failed, found.green, found.summaries[0].cached) == (1, False, False)
    assert not ran_in_part(found)


def test_with_very_many_replays_nothing_after_them_is_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "MOST_REPLAYS", 3)
    fresh = "cache miss, executing c7"
    assert cached(*[HIT, fresh] * 2, *RUN) == [False]
    assert cached(*[HIT, fresh] * 3, *RUN) == [True]
    assert cached(*[HIT, fresh] * 9, *RUN) == [True]
    named = [f"▮▮▮▮ a{n}:test (cached, 31c7ce06)" for n in range(4)]
    assert cached(*named[:2], *(f"a3:test | {line}" for line in RUN)) == [False]
    assert cached(*named, *(f"a3:test | {line}" for line in RUN)) == [True]
