"""The resync: what it asks for at 10,000 open pull requests, and what it finds after a day without any delivery."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.gate.fanout import PAGE_EVERY, fan_out_repository, resync
from app.gate.gate import Gate
from app.gate.mirror import Mirrors
from app.gate.redelivery import MOST_REDELIVERIES, lost, tells
from app.github import installations
from app.github.budgets import UNLIMITED, Urgency
from app.github.client import Settings
from app.github.clients import GitHubApp
from app.github.identity import AppIdentity
from app.github.installation_models import Delivery
from app.keys import PullKey, RepositoryKey
from app.priorities import BRANCH_MOVED, CHANGED, NEVER_SEEN, UNCHANGED, urgency_of
from app.store import work
from app.store.database import Database
from app.store.worker import Done, Sleep
from tests.client.double import API, INSTALLATION, GitHubDouble, pem
from tests.gate.scene import Scene
from tests.gate.shop import POLICY, agent_pull, fail_ci, open_shop, release_ci, withhold_ci
from tests.gate.test_stories import GREEN

pytestmark = pytest.mark.anyio

REPOSITORY = 9
KEY = RepositoryKey(INSTALLATION, REPOSITORY)
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
OPEN = 10_000
TIP = "c" * 40
HOUR = timedelta(hours=1)
BUDGET = 5000  # requests an hour of an installation: GitHub's smallest
PULLS = """
insert into pulls (repository_id, number, installation_id, head_sha, head_ref, base_ref, open, kind, seen_at,
  changed_at, target_sha)
select %(repository)s, number, %(installation)s, lpad(number::text, 40, '0'), 'refs/heads/agent/' || number,
  'refs/heads/main', true, 'agent', %(seen)s + number * interval '1 second', %(seen)s, %(tip)s
from generate_series(1, %(open)s) as number
"""


@dataclass
class Crowd:
    """A repository of many open pull requests on a server that only knows how to list them."""

    gate: Gate
    github: GitHubDouble
    numbers: list[int]
    changed: dict[int, dict[str, Any]] = field(default_factory=dict)
    pages: int = 0

    def answer(self, request: httpx.Request) -> httpx.Response:
        cursor = json.loads(request.content)["variables"]["cursor"]
        start = int(cursor or 0)
        self.pages += 1
        page = self.numbers[start : start + 100]
        more = start + 100 < len(self.numbers)
        pulls = {
            "totalCount": len(self.numbers),
            "nodes": [self.node(number) for number in page],
            "pageInfo": {"hasNextPage": more, "endCursor": str(start + 100) if more else None},
        }
        return httpx.Response(200, json={"data": {"repository": {"pullRequests": pulls}}})

    def node(self, number: int) -> dict[str, Any]:
        head = f"{number:040d}"
        commit = {"oid": head, "checkSuites": {"totalCount": 0, "nodes": []}}
        node = {
            "id": f"PR_{number}",
            "number": number,
            "headRefOid": head,
            "headRefName": f"agent/{number}",
            "baseRefName": "main",
            "baseRef": {"name": "main", "target": {"oid": TIP}},
            "isDraft": False,
            "isCrossRepository": False,
            "updatedAt": NOON.isoformat(),
            "mergeQueueEntry": None,
            "head": {"totalCount": 1, "nodes": [{"commit": commit}]},
        }
        return node | self.changed.get(number, {})

    async def marked(self) -> dict[int, int]:
        """Number to priority of the pull requests that are to be looked at."""
        rows = await self.gate.database.query("select key, priority from work where key like 'pull:%%'")
        return {int(key.rsplit(":", 1)[1]): priority for key, priority in rows}


@pytest.fixture
async def crowd(tmp_path: Path, database: Database) -> AsyncIterator[Crowd]:
    github = GitHubDouble()
    app = GitHubApp(
        AppIdentity("gate", 1234, (pem(0),), API),
        settings=Settings(writes=UNLIMITED, now=github.clock),
        connect=github.transport,
    )
    mirrors = Mirrors(tmp_path, lambda *_: pytest.fail("no git here"))
    gate = Gate(database, app, mirrors, {}, 1234, lambda: NOON)
    opened = Crowd(gate, github, list(range(1, OPEN + 1)))
    github.post("/graphql").mock(side_effect=opened.answer)
    github.router.get(url__regex=r"/repos/o/r\d*/issues\?").respond(json=[])  # no tickets
    values = {"repository": REPOSITORY, "installation": INSTALLATION, "open": OPEN, "tip": TIP, "seen": NOON}
    async with database.transaction() as connection:
        await connection.execute(PULLS, values)
        await connection.execute(
            "insert into repositories (repository_id, installation_id, owner, name) values (%s, %s, 'o', 'r')",
            (REPOSITORY, INSTALLATION),
        )
    yield opened
    await app.aclose()


async def _hours_later(database: Database, hours: float) -> None:
    await database.query("update repositories set listed_at = listed_at - %s::interval", (timedelta(hours=hours),))


async def test_ten_thousand_open_pull_requests_fit_the_hour(crowd: Crowd) -> None:
    """A hundred pages find what happened; only that is looked at, and a bounded part of the rest."""
    crowd.numbers = [*range(41, OPEN + 1), *range(OPEN + 1, OPEN + 51)]
    later = (NOON + timedelta(hours=5)).isoformat()
    crowd.changed = {number: {"updatedAt": later} for number in range(1000, 1200)}
    assert await fan_out_repository(crowd.gate, KEY, news=False) == Done()
    marked = await crowd.marked()
    by_priority = {level: [n for n, own in marked.items() if own == level] for level in set(marked.values())}
    assert sorted(by_priority[NEVER_SEEN]) == list(range(OPEN + 1, OPEN + 51))
    assert sorted(by_priority[CHANGED]) == [*range(1, 41), *range(1000, 1200)]
    assert sorted(by_priority[UNCHANGED]) == list(range(41, 341)), "those that were looked at longest ago"
    assert crowd.pages == 101
    assert BUDGET * 0.85 > 101 + 12 * (50 + 240), "what happened fits, at twelve requests a full verdict, into one hour"


async def test_a_long_list_is_read_the_more_seldom(crowd: Crowd) -> None:
    await fan_out_repository(crowd.gate, KEY, news=False)
    pages = crowd.pages
    for _ in range(6):
        await fan_out_repository(crowd.gate, KEY, news=False)
    assert crowd.pages == pages == 100
    await _hours_later(crowd.gate.database, 100 * PAGE_EVERY / HOUR)
    await fan_out_repository(crowd.gate, KEY, news=False)
    assert crowd.pages == 2 * pages
    assert 2 * pages * HOUR / (99 * PAGE_EVERY) < BUDGET / 6, "points of lists in an hour, two a page"


async def test_lists_of_many_repositories_share_the_hour(crowd: Crowd) -> None:
    """Five hundred repositories with nothing open would cost more than the budget if each were listed every time."""
    crowd.numbers = []
    await crowd.gate.database.query(
        "insert into repositories (repository_id, installation_id, owner, name, listed_at, listed_pages) "
        "select 1000 + number, %s, 'o', 'r' || number, now() - interval '1 hour', 0 "
        "from generate_series(1, 499) as number",
        (INSTALLATION,),
    )
    await fan_out_repository(crowd.gate, KEY, news=False)
    for number in range(1, 4):
        await fan_out_repository(crowd.gate, RepositoryKey(INSTALLATION, 1000 + number), news=False)
    assert crowd.pages == 1, "the one that was never listed"
    await _hours_later(crowd.gate.database, 0.25)
    for number in range(1, 4):
        await fan_out_repository(crowd.gate, RepositoryKey(INSTALLATION, 1000 + number), news=False)
    assert crowd.pages == 4
    assert 2 * 500 * HOUR / (499 * PAGE_EVERY) < BUDGET / 6


async def test_the_unchanged_have_their_turn_in_proportion_to_the_time(crowd: Crowd) -> None:
    await fan_out_repository(crowd.gate, KEY, news=False)
    await crowd.gate.database.query("delete from work")
    await _hours_later(crowd.gate.database, 0.6)
    await fan_out_repository(crowd.gate, KEY, news=False)
    marked = await crowd.marked()
    assert set(marked.values()) == {UNCHANGED}
    assert 180 <= len(marked) <= 190


async def test_news_of_the_repository_looks_at_everything(crowd: Crowd) -> None:
    """A changed default branch or ruleset has no stamp on any pull request."""
    await fan_out_repository(crowd.gate, KEY, news=True)
    assert await crowd.marked() == dict.fromkeys(range(1, OPEN + 1), BRANCH_MOVED)


async def test_news_comes_before_ten_thousand_looks_that_only_make_sure(crowd: Crowd) -> None:
    """However long they have waited, up to an hour, and though they were marked first."""
    database = crowd.gate.database
    await fan_out_repository(crowd.gate, KEY, news=False)
    await database.query("delete from work where key not like 'pull:%%'")
    await database.query("update work set due_at = due_at - interval '55 minutes'")
    async with database.transaction() as connection:
        await work.mark(connection, [work.Mark("pull:7:9:9999")])
    lease = await work.claim(database)
    assert lease is not None
    assert (lease.key, lease.priority) == ("pull:7:9:9999", 0)
    assert urgency_of(PullKey(7, 9, 9999), lease.priority) is Urgency.HEAD
    lease = await work.claim(database)
    assert lease is not None
    assert urgency_of(PullKey(7, 9, 1), lease.priority) is Urgency.RESYNC


async def test_a_key_that_was_given_up_is_tried_again_when_its_pull_request_changed(crowd: Crowd) -> None:
    """In polling mode nothing else would ever tell of it."""
    database = crowd.gate.database
    crowd.changed = {1000: {"updatedAt": (NOON + timedelta(hours=5)).isoformat()}}
    async with database.transaction() as connection:
        await work.mark(connection, [work.Mark(f"pull:7:9:{number}") for number in (1000, 2)])
    await database.query("update work set parked = true, attempts = 12")
    await fan_out_repository(crowd.gate, KEY, news=False)
    assert [one.key for one in await work.parked(database)] == ["pull:7:9:2"]


def attempt(guid: str, status: int, minutes: int = 0, *, event: str = "push", redelivery: bool = False) -> Delivery:
    return Delivery(
        id=f"{guid}-{minutes}",
        guid=guid,
        delivered_at=NOON + timedelta(minutes=minutes),
        redelivery=redelivery,
        status="",
        status_code=status,
        event=event,
    )


def test_lost_is_what_no_attempt_handed_over() -> None:
    attempts = [
        attempt("late", 0, 9),
        attempt("run", 502, 1, event="workflow_run"),
        attempt("early", 503, 2),
        attempt("there", 202, 3),
        attempt("second time", 202, 5, redelivery=True),
        attempt("second time", 500, 4),
        attempt("refused twice", 401, 7, redelivery=True),
        attempt("refused twice", 401, 6),
        attempt("refused once", 401, 8),
    ]
    assert [each.guid for each in lost(attempts)] == ["early", "refused once", "late", "run"]
    assert not tells(attempts[3]), "it arrived, as nearly all do"
    assert lost([each for each in attempts if tells(each)]) == lost(attempts)


async def test_a_day_in_which_nothing_was_told_is_found_by_one_resync(stage: Scene) -> None:
    """Every delivery of the day was lost, and GitHub has none of them left to send again."""
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    calm = await agent_pull(stage, shop, "calm")
    moved = await agent_pull(stage, shop, "moved")
    closed = await agent_pull(stage, shop, "closed")
    withhold_ci(stage, shop)
    awaited = await agent_pull(stage, shop, "awaited")
    await stage.settle()
    assert stage.verdict(shop, awaited)["evidence"] == "in_progress"
    stage.github.world.switches.lose_deliveries = True
    await release_ci(stage, shop)
    fail_ci(stage, shop)
    await stage.github.push(shop, "agent/moved", {"shop/more.py": "RATE = 2\n"}, author="courier[bot]")
    await stage.github.close_pull(shop, closed.number, "ada")
    fresh = await agent_pull(stage, shop, "fresh")
    await stage.github.settle()
    await stage.gate.database.query("update pulls set seen_at = seen_at - interval '1 day'")
    before = len(stage.requests())
    await resync(stage.gate, stage.interval, webhooks=False)
    await stage.run_to_rest()
    verdicts = {pull.number: stage.verdict(shop, pull) for pull in (calm, moved, awaited, fresh)}
    spent = len(stage.requests()) - before
    assert verdicts[calm.number] == verdicts[awaited.number] == GREEN
    assert verdicts[moved.number]["evidence"] == verdicts[fresh.number]["evidence"] == "failure"
    assert spent <= 60, spent
    await stage.run_to_rest()
    await stage.assert_settled()


async def test_what_did_not_change_is_not_looked_at(stage: Scene) -> None:
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    await agent_pull(stage, shop)
    await stage.settle()
    key = RepositoryKey(stage.installation.id, shop.id)
    await fan_out_repository(stage.gate, key, news=False)
    await stage.run_to_rest()
    before = len(stage.requests())
    await fan_out_repository(stage.gate, key, news=False)
    await stage.gate.database.query("delete from work where priority = %s", (UNCHANGED,))
    await stage.run_to_rest()
    assert [one.operation for one in stage.requests()[before:] if one.operation] == ["OpenPulls"]


async def test_lost_deliveries_are_searched_back_to_the_last_search(stage: Scene) -> None:
    """Two pages of a hundred are lost; a bounded number is asked for at a time, until all of them came."""
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    pull = await agent_pull(stage, shop)
    await stage.settle()
    await resync(stage.gate, stage.interval, webhooks=True)
    stage.app.webhook_secret = "wrong for a day"
    for number in range(120):
        await stage.github.add_labels(shop, pull.number, "ada", f"label-{number}")
    await stage.github.settle()
    stage.app.webhook_secret = "webhook-secret"
    deliveries = stage.github.world.deliveries
    missing = {one.guid for one in deliveries if one.status_code == 401}
    assert len(missing) >= 120
    rounds = -(-len(missing) // MOST_REDELIVERIES)
    for _ in range(rounds):
        before = sum(one.redelivery for one in deliveries)
        assert isinstance(await resync(stage.gate, stage.interval, webhooks=True), Sleep)
        await stage.github.settle()
        assert sum(one.redelivery for one in deliveries) - before <= MOST_REDELIVERIES
    assert missing <= {one.guid for one in deliveries if one.status_code == 202}
    before = len(stage.github.requests)
    await resync(stage.gate, stage.interval, webhooks=True)
    listed = [one for one in stage.github.requests[before:] if one.path == "/app/hook/deliveries"]
    assert sum(one.redelivery for one in deliveries) == len(missing), "nothing is asked for twice"
    assert len(listed) <= -(-len(deliveries) // 100)


async def test_of_deliveries_that_nobody_wants_only_the_newest_is_held(stage: Scene) -> None:
    await agent_pull(stage, await open_shop(stage))
    await stage.settle()
    before = stage.gate.github.app.etags.size
    everything = await installations.deliveries(stage.gate.github.app, since=None)
    assert len(everything.items) > 1
    listing = await installations.deliveries(stage.gate.github.app, since=None, keep=lambda _: False)
    assert listing.items == everything.items[:1]
    assert stage.gate.github.app.etags.size == before, "pages of what grows are not asked for again"
