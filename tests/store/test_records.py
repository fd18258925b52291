"""The small repositories: what goes in comes out, and what may change is all that changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.store import check_runs, ci_builds, ci_runs, decisions, landings, notices, repositories, reviews
from app.store.check_runs import CheckRun
from app.store.ci_runs import CiRun
from app.store.database import Database
from app.store.decisions import Decision
from app.store.landings import Landing
from app.store.notices import Notice
from app.store.prune import Periods, prune_all
from app.store.repositories import Repository
from app.store.reviews import Review

pytestmark = pytest.mark.anyio

HEAD = "a" * 40
YEAR = Periods(decisions=timedelta(days=365), facts=timedelta(days=365))
REVIEW = Review(
    repository_id=2,
    pull_number=7,
    review_id=80,
    reviewer_id=5,
    reviewer_login="octocat",
    state="APPROVED",
    commit_id=HEAD,
    base_ref="refs/heads/main",
    submitted_at=datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC),
    source="delivery",
    bundle_digest="sha256:1",
    at_head=True,
)


async def test_a_review_keeps_what_it_was_about(database: Database) -> None:
    later = replace(
        REVIEW, commit_id="b" * 40, base_ref="refs/heads/other", bundle_digest="sha256:2", source="observed"
    )
    async with database.transaction() as connection:
        await reviews.record(connection, [REVIEW])
        await reviews.record(connection, [replace(later, state="CHANGES_REQUESTED")])
        assert await reviews.of_pull(connection, 2, 7) == [replace(REVIEW, given="APPROVED")]
        await reviews.record(connection, [replace(later, state="dismissed")])
        dismissed = replace(REVIEW, state="DISMISSED", given="APPROVED")
        assert await reviews.of_pull(connection, 2, 7) == [dismissed]
        await reviews.record(connection, [later])
        assert await reviews.of_pull(connection, 2, 7) == [dismissed]
        for who in ("ada", "bob"):  # a look can come before the delivery that says by whom; the first of those stands
            await reviews.record(connection, [replace(later, state="DISMISSED", dismissed_by=who)])
        assert await reviews.of_pull(connection, 2, 7) == [replace(dismissed, dismissed_by="ada")]
        unseen = replace(REVIEW, review_id=82, pull_number=9, state="DISMISSED")
        await reviews.record(connection, [unseen])
        assert await reviews.of_pull(connection, 2, 9) == [unseen]


async def test_an_unknown_digest_is_not_filled_in_later(database: Database) -> None:
    """What the reviewer did not see must not become what they approved."""
    blind = replace(REVIEW, bundle_digest=None)
    async with database.transaction() as connection:
        await reviews.record(connection, [blind, replace(REVIEW, review_id=81)])
        await reviews.record(connection, [REVIEW])
        seen = [replace(blind, given="APPROVED"), replace(REVIEW, review_id=81, given="APPROVED")]
        assert await reviews.of_pull(connection, 2, 7) == seen
        assert await reviews.of_pull(connection, 2, 8) == []


async def test_a_repository_is_found_by_its_newest_name(database: Database) -> None:
    async with database.transaction() as connection:
        await repositories.save(connection, [Repository(2, 1, "octo", "old", "main"), Repository(3, 9, "octo", "x")])
        await repositories.save(connection, [Repository(2, 1, "octo", "new")])
        renamed = Repository(2, 1, "octo", "new", "main")
        assert await repositories.named(connection, "OCTO", "New") == renamed
        assert await repositories.named(connection, "octo", "old") is None
        assert await repositories.named(connection, "octo\0", "new") is None  # as an address may hold it
        await repositories.remove(connection, [2])
        assert await repositories.find(connection, 2) is None
        assert await repositories.find(connection, 3) == Repository(3, 9, "octo", "x")


async def test_several_check_runs_of_one_name_are_kept(database: Database) -> None:
    first = CheckRun(2, 500, HEAD, "mergegate/evidence", "key-1", "completed", "failure", "sha256:1")
    second = CheckRun(2, 501, HEAD, "mergegate/evidence", "key-2", "in_progress", None, "sha256:2")
    async with database.transaction() as connection:
        await check_runs.save(connection, second)
        await check_runs.save(connection, replace(first, status="in_progress", conclusion=None))
        await check_runs.save(connection, first)
        assert await check_runs.of_head(connection, 2, HEAD) == [first, second]
        assert await check_runs.unfinished(connection, timedelta(0)) == [second]
        assert await check_runs.unfinished(connection, timedelta(days=12)) == []


def decision(key: str, number: int) -> Decision:
    return Decision(
        key=key,
        repository_id=2,
        head_sha=HEAD,
        verdict_key=f"v{number}",
        verdict={"status": "failed", "why": ["zero tests", None, 1.5, True]},
        snapshot=b"\x00\xffsnapshot" * 100,
        plan=[{"effect": "update", "name": "mergegate/evidence"}],
        requests={"observe": 3},
    )


async def test_the_latest_decision_comes_back_whole(database: Database) -> None:
    async with database.transaction() as connection:
        await decisions.record(connection, decision("a", 1))
        newest = await decisions.record(connection, decision("a", 2))
        await decisions.record(connection, decision("b", 3))
        found = await decisions.latest(connection, "a")
        assert found is not None and found.decided_at is not None
        assert replace(found, decided_at=None) == replace(decision("a", 2), id=newest)
        assert await decisions.latest(connection, "c") is None
        assert [each.verdict_key for each in await decisions.of_key(connection, "a")] == ["v2", "v1"]
        assert [each.verdict_key for each in await decisions.of_head(connection, 2, HEAD)] == ["v3", "v2", "v1"]


async def test_json_that_postgresql_cannot_hold_does_not_wedge_a_key(database: Database) -> None:
    hostile = replace(decision("a", 1), verdict={"nul \0": ["half \ud800", "\N{PILE OF POO}"]})
    async with database.transaction() as connection:
        await decisions.record(connection, hostile)
        found = await decisions.latest(connection, "a")
    assert found is not None
    ((key, value),) = found.verdict.items()
    assert key == "nul \N{REPLACEMENT CHARACTER}"
    assert value[0].startswith("half \N{REPLACEMENT CHARACTER}") and value[1] == "\N{PILE OF POO}"


async def test_the_newest_decision_of_a_key_is_never_pruned(database: Database) -> None:
    async with database.transaction() as connection:
        for number in range(3):
            await decisions.record(connection, decision("a", number))
        await connection.execute("update decisions set decided_at = now() - interval '400 days'")
    assert (await prune_all(database, YEAR))["decisions"] == 2
    async with database.transaction() as connection:
        assert [each.verdict_key for each in await decisions.of_key(connection, "a")] == ["v2"]


async def test_facts_of_a_run_are_only_those_of_exactly_that_state(database: Database) -> None:
    run = CiRun(2, 900, 1, "2026-05-04T03:02:01Z", {"jobs": [{"name": "test", "conclusion": "success"}]})
    async with database.transaction() as connection:
        await ci_runs.save(connection, replace(run, updated_at="2026-05-04T03:00:00Z", facts=None))
        await ci_runs.save(connection, run)
        assert await ci_runs.find(connection, 2, 900, 1, run.updated_at) == run
        assert await ci_runs.find(connection, 2, 900, 1, "2026-05-04T03:00:00Z") is None
        assert await ci_runs.find(connection, 2, 900, 2, run.updated_at) is None


async def test_a_notice_is_intended_once_and_remembers_its_comment(database: Database) -> None:
    notice = Notice(2, 7, "eviction", HEAD)
    async with database.transaction() as connection:
        assert await notices.intend(connection, notice) is None
        again = await notices.intend(connection, notice)
        assert again is not None and again.comment_id is None
        await notices.posted(connection, notice, 31)
        await notices.posted(connection, notice, 32)
        stands = await notices.intend(connection, notice)
        assert stands is not None and stands.comment_id == 31
        assert await notices.intend(connection, replace(notice, subject="b" * 40)) is None


async def test_what_is_known_about_a_landing_only_grows(database: Database) -> None:
    landing = Landing(2, "refs/heads/main", HEAD)
    async with database.transaction() as connection:
        await landings.save(connection, landing)
        assert [each.sha for each in await landings.unjudged(connection, 2)] == [HEAD]
        await landings.save(connection, replace(landing, pull_number=7, judged=True, alarm="another tree"))
        await landings.save(connection, landing)
        found = await landings.find(connection, 2, "refs/heads/main", HEAD)
        assert found is not None
        assert (found.pull_number, found.judged, found.alarm) == (7, True, "another tree")
        assert await landings.unjudged(connection, 2) == []
        assert await landings.alarms(connection) == [found]


async def test_a_build_of_another_ci_system_is_known_as_long_as_its_check_run_says_the_same(database: Database) -> None:
    async with database.transaction() as connection:
        await ci_builds.save(connection, 2, 91, "old", {"jobs": []})
        await ci_builds.save(connection, 2, 91, "new \0", {"jobs": [{"name": "nul \0"}]})
        assert await ci_builds.find(connection, 2, 91, "old") is None
        assert await ci_builds.find(connection, 2, 92, "new \0") is None
        found = await ci_builds.find(connection, 2, 91, "new \0")
        assert found == {"jobs": [{"name": "nul \N{REPLACEMENT CHARACTER}"}]}
        await connection.execute("update ci_builds set recorded_at = now() - interval '400 days'")
    assert (await prune_all(database, YEAR))["ci_builds"] == 1
