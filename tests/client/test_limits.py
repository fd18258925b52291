"""Primary budgets, secondary limits and the bucket for writes. Shapes: GitHub's page on rate limits."""

from __future__ import annotations

import tracemalloc
from datetime import UTC, datetime

import httpx
import pytest

from app.github.budgets import UNLIMITED, Urgency, WriteBucket, WriteLimits, urgency
from app.github.errors import GitHubDown, RateLimited
from tests.client.double import START, GitHubDouble, Thing

pytestmark = pytest.mark.anyio
PULL = "/repos/o/r/pulls/1"
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


def at(seconds: float) -> datetime:
    return datetime.fromtimestamp(START + seconds, UTC)


async def test_a_used_up_budget_is_known_before_asking(github: GitHubDouble) -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(START) + 900), "x-ratelimit-resource": "core"}
    route = github.get(PULL).respond(json={"number": 1}, headers=headers)
    client = github.client()
    await client.get(PULL, purpose="read", model=Thing)
    with pytest.raises(RateLimited) as caught:
        await client.get(PULL, purpose="read", model=Thing)
    assert caught.value.until == at(900)
    assert route.call_count == 1
    github.clock.now += 901
    await client.get(PULL, purpose="read", model=Thing)
    assert route.call_count == 2


async def test_rest_and_graphql_have_budgets_of_their_own(github: GitHubDouble) -> None:
    spent = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(START) + 900), "x-ratelimit-resource": "core"}
    github.get(PULL).respond(json={"number": 1}, headers=spent)
    github.post("/graphql").respond(json={"data": {"number": 2}})
    client = github.client()
    await client.get(PULL, purpose="read", model=Thing)
    answer = await client.graphql("query A { x }", {}, purpose="read", repository="r", model=Thing)
    assert answer.number == 2
    assert client.budget.remaining == {"core": 0}


@pytest.mark.parametrize("status", [403, 429])
async def test_a_primary_limit_waits_for_the_reset(github: GitHubDouble, status: int) -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(START) + 1200)}
    github.get(PULL).respond(status, headers=headers, json={"message": "API rate limit exceeded for installation"})
    with pytest.raises(RateLimited) as caught:
        await github.client().get(PULL, purpose="read", model=Thing)
    assert caught.value.until == at(1200)


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "30"}, 30),
        ({"retry-after": "Sun, 29 Nov 2026 12:02:00 GMT"}, 120),
        ({"retry-after": "soon"}, 60),
        ({"retry-after": "30", "x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(START) + 900)}, 30),
        ({"retry-after": "999999"}, 3700),
        ({"retry-after": "0"}, 1),
        ({}, 60),
        ({"x-ratelimit-remaining": "4000", "x-ratelimit-reset": str(int(START) + 900)}, 60),
    ],
    ids=["seconds", "date", "nonsense", "before reset", "too long", "zero", "none", "budget left"],
)
async def test_a_secondary_limit_is_a_pause_for_everything(
    github: GitHubDouble, status: int, headers: dict[str, str], wait: int
) -> None:
    github.get(PULL).respond(status, headers=headers, json={"message": SECONDARY})
    other = github.get("/repos/o/r/pulls/2").respond(json={"number": 2})
    client = github.client()
    with pytest.raises(RateLimited) as caught:
        await client.get(PULL, purpose="read", model=Thing)
    assert caught.value.until == at(wait)
    with pytest.raises(RateLimited):
        await client.get("/repos/o/r/pulls/2", purpose="read", model=Thing)
    assert other.call_count == 0


async def test_repeated_secondary_limits_wait_longer_up_to_a_quarter_of_an_hour(github: GitHubDouble) -> None:
    github.get(PULL).respond(403, json={"message": SECONDARY})
    client = github.client()
    waits = []
    for _ in range(6):
        with pytest.raises(RateLimited) as caught:
            await client.get(PULL, purpose="read", model=Thing)
        waits.append(caught.value.until.timestamp() - github.clock.now)
        github.clock.now = caught.value.until.timestamp()
    assert waits == [60, 120, 240, 480, 900, 900]


async def test_success_ends_the_growing(github: GitHubDouble) -> None:
    limit = httpx.Response(403, json={"message": SECONDARY})
    github.get(PULL).mock(side_effect=[limit, httpx.Response(200, json={"number": 1}), limit])
    client = github.client()
    for expected in (60, None, 60):
        if expected is None:
            await client.get(PULL, purpose="read", model=Thing)
            continue
        with pytest.raises(RateLimited) as caught:
            await client.get(PULL, purpose="read", model=Thing)
        assert caught.value.until.timestamp() - github.clock.now == expected
        github.clock.now += expected + 1


@pytest.mark.parametrize("kind", ["RATE_LIMITED", "RATE_LIMIT"])
async def test_graphql_says_rate_limited_inside_a_200(github: GitHubDouble, kind: str) -> None:
    errors = [{"type": kind, "message": "API rate limit exceeded for installation ID 7."}]
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(START) + 600)}
    github.post("/graphql").respond(json={"data": None, "errors": errors}, headers=headers)
    with pytest.raises(RateLimited) as caught:
        await github.client().graphql("query A { x }", {}, purpose="read", repository="r", model=Thing)
    assert caught.value.until == at(600)


async def test_a_secondary_limit_inside_a_200_waits_a_minute(github: GitHubDouble) -> None:
    github.post("/graphql").respond(json={"errors": [{"message": SECONDARY}]})
    with pytest.raises(RateLimited) as caught:
        await github.client().graphql("query A { x }", {}, purpose="read", repository="r", model=Thing)
    assert caught.value.until == at(60)


async def test_a_limit_while_minting_is_a_limit(github: GitHubDouble) -> None:
    github.mint.respond(403, headers={"retry-after": "40"}, json={"message": SECONDARY})
    with pytest.raises(RateLimited) as caught:
        await github.client().get(PULL, purpose="read", model=Thing)
    assert caught.value.until == at(40)


class Time:
    """A clock that sleeping moves on."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


async def test_writes_come_in_a_burst_and_then_one_a_second() -> None:
    time = Time()
    bucket = WriteBucket(WriteLimits(burst=3), time, time.sleep)
    moments = []
    for _ in range(6):
        await bucket.turn("POST /x", START)
        moments.append(time.now - 1000)
    assert moments == [0, 0, 0, 1, 2, 3]


async def test_a_write_that_would_wait_long_takes_no_place() -> None:
    time = Time()
    bucket = WriteBucket(WriteLimits(per_minute=2, burst=2, patience=3), time, time.sleep)
    await bucket.turn("POST /x", START)
    await bucket.turn("POST /x", START)
    assert [await _put_off(bucket) for _ in range(3)] == [at(60), at(90), at(120)]
    time.now += 58
    await bucket.turn("POST /x", START)
    assert time.now == 1060


async def test_no_more_than_the_hourly_number_of_writes() -> None:
    time = Time()
    limits = WriteLimits(per_second=100, burst=100, per_minute=100, per_hour=4, patience=0)
    bucket = WriteBucket(limits, time, time.sleep)
    for _ in range(4):
        await bucket.turn("POST /x", START)
    with pytest.raises(RateLimited) as caught:
        await bucket.turn("POST /x", START)
    assert caught.value.until == at(3600)


async def test_where_there_is_no_limit_nothing_is_remembered() -> None:
    time = Time()
    bucket = WriteBucket(UNLIMITED, time, time.sleep)
    await bucket.turn("POST /x", START)
    tracemalloc.start()
    for _ in range(10_000):
        time.now += 0.01
        await bucket.turn("POST /x", START)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 10_000 and time.now == pytest.approx(1100), "a number for each would be 240 kB; and none has waited"


async def test_the_default_stays_below_githubs_published_limits() -> None:
    """80 content-creating requests a minute and 500 an hour: GitHub's page on secondary limits."""
    time = Time()
    bucket = WriteBucket(WriteLimits(patience=4000), time, time.sleep)
    moments = []
    for _ in range(900):
        await bucket.turn("POST /x", START)
        moments.append(time.now)
    for window, most in ((60, 80), (3600, 500)):
        busiest = max(sum(1 for other in moments if start <= other < start + window) for start in moments)
        assert busiest < most


@pytest.mark.parametrize(
    ("level", "at_once"), [(Urgency.RESYNC, 42), (Urgency.HEAD, 51), (Urgency.COMMAND, 57), (Urgency.GROUP, 60)]
)
async def test_part_of_the_writes_is_kept_back_for_the_more_urgent(level: Urgency, at_once: int) -> None:
    """Sixty a minute: the least urgent leave thirty of a hundred, and so on, and the most urgent may take all."""
    time = Time()
    bucket = WriteBucket(WriteLimits(per_second=1e6, burst=1000, per_minute=60, per_hour=1000, patience=0), time)
    with urgency(level):
        for _ in range(at_once):
            await bucket.turn("POST /x", START)
        with pytest.raises(RateLimited):
            await bucket.turn("POST /x", START)
    for _ in range(60 - at_once):
        await bucket.turn("POST /x", START)
    with pytest.raises(RateLimited):
        await bucket.turn("POST /x", START)


async def test_those_who_are_put_off_come_one_after_the_other() -> None:
    """Behind each other at the hour's pace, within ten minutes; the less urgent do not stand in the others' row."""
    time = Time()
    bucket = WriteBucket(WriteLimits(per_second=1e6, burst=1000, per_minute=1000, per_hour=10, patience=0), time)
    for _ in range(10):
        await bucket.turn("POST /x", START)
    assert [await _put_off(bucket) for _ in range(4)] == [at(3600), at(3960), at(4200), at(4200)]
    with urgency(Urgency.COMMAND):
        assert await _put_off(bucket) == at(3600)


async def _put_off(bucket: WriteBucket) -> datetime:
    with pytest.raises(RateLimited) as caught:
        await bucket.turn("POST /x", START)
    return caught.value.until


async def test_a_mutation_is_a_write_and_a_query_is_none(github: GitHubDouble) -> None:
    github.post("/graphql").respond(json={"data": {"number": 1}})
    client = github.client(writes=WriteLimits(burst=1, per_second=0.001, patience=0))
    for _ in range(3):
        await client.graphql("query A { x }", {}, purpose="read", repository="r", model=Thing)
    await client.graphql("mutation B { x }", {}, purpose="queue", repository="r", model=Thing)
    with pytest.raises(RateLimited):
        await client.graphql("mutation B { x }", {}, purpose="queue", repository="r", model=Thing)


async def test_check_runs_have_a_bucket_of_their_own(github: GitHubDouble) -> None:
    """A comment does not wait for a hundred check runs, nor they for it."""
    checks, comments = "/repos/acme/shop/check-runs", "/repos/acme/shop/issues/1/comments"
    github.post(checks).respond(json={"number": 1})
    github.post(comments).respond(json={"number": 1})
    client = github.client(writes=WriteLimits(per_second=1e6, burst=1000, per_minute=3, per_hour=2, patience=0))
    for path, purpose, most in ((checks, "checks", 3), (comments, "comments", 2)):
        for _ in range(most):
            await client.post(path, purpose=purpose, model=Thing, json={})
        with pytest.raises(RateLimited):
            await client.post(path, purpose=purpose, model=Thing, json={})


async def test_a_mutation_that_failed_at_github_may_have_happened(github: GitHubDouble) -> None:
    route = github.post("/graphql").respond(502)
    with pytest.raises(GitHubDown) as caught:
        await github.client().graphql("mutation B { x }", {}, purpose="queue", repository="r", model=Thing)
    assert caught.value.may_have_happened
    assert route.call_count == 1


async def test_a_limit_header_that_is_no_number_is_ignored(github: GitHubDouble) -> None:
    headers = {"x-ratelimit-remaining": "none", "x-ratelimit-reset": "-1"}
    github.get(PULL).respond(json={"number": 1}, headers=headers)
    client = github.client()
    await client.get(PULL, purpose="read", model=Thing)
    assert client.budget.remaining == {}
