"""What is kept back for the more urgent, and budgets read by a clock that is wrong. No answer is asked for in vain."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime

import httpx
import pytest

from app.github.budgets import LONGEST_REST, Urgency, skew, urgency
from app.github.errors import GitHubDown, RateLimited
from tests.client.double import START, GitHubDouble, Thing

pytestmark = pytest.mark.anyio
PULL = "/repos/o/r/pulls/1"
LIMIT = 5000
RESET = int(START) + 900


def headers(remaining: int, reset: int = RESET, **more: str) -> dict[str, str]:
    said = {"x-ratelimit-limit": LIMIT, "x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset}
    return {**{name: str(value) for name, value in said.items()}, "x-ratelimit-resource": "core", **more}


@pytest.mark.parametrize(
    ("remaining", "may_ask"),
    [
        (1501, {Urgency.RESYNC, Urgency.HEAD, Urgency.COMMAND, Urgency.GROUP}),
        (1500, {Urgency.HEAD, Urgency.COMMAND, Urgency.GROUP}),
        (750, {Urgency.COMMAND, Urgency.GROUP}),
        (250, {Urgency.GROUP}),
        (0, set()),
    ],
)
async def test_the_rest_of_the_hour_is_for_the_more_urgent(
    github: GitHubDouble, remaining: int, may_ask: set[Urgency]
) -> None:
    route = github.get(PULL).respond(json={"number": 1}, headers=headers(remaining))
    client = github.client()
    await client.get(PULL, purpose="read", model=Thing)
    for level in may_ask:
        with urgency(level):
            await client.get(PULL, purpose="read", model=Thing)
    for level in set(Urgency) - may_ask:
        with urgency(level), pytest.raises(RateLimited) as caught:
            await client.get(PULL, purpose="read", model=Thing)
        assert caught.value.until == datetime.fromtimestamp(RESET, UTC)
    assert route.call_count == 1 + len(may_ask), "who may not ask sends nothing"


async def test_after_the_reset_everybody_may_ask_again(github: GitHubDouble) -> None:
    github.get(PULL).mock(
        side_effect=[
            httpx.Response(200, json={"number": 1}, headers=headers(1)),
            httpx.Response(200, json={"number": 1}, headers=headers(LIMIT - 1, RESET + 3600)),
        ]
    )
    client = github.client()
    await client.get(PULL, purpose="read", model=Thing)
    github.clock.now = RESET + 1
    with urgency(Urgency.RESYNC):
        await client.get(PULL, purpose="read", model=Thing)
    assert client.budget.remaining == {"core": LIMIT - 1}


async def test_a_budget_without_a_known_limit_keeps_nothing_back(github: GitHubDouble) -> None:
    known = {name: value for name, value in headers(3).items() if name != "x-ratelimit-limit"}
    route = github.get(PULL).respond(json={"number": 1}, headers=known)
    client = github.client()
    with urgency(Urgency.RESYNC):
        await client.get(PULL, purpose="read", model=Thing)
        await client.get(PULL, purpose="read", model=Thing)
    assert route.call_count == 2


async def test_an_urgent_read_does_not_join_one_that_may_be_refused(github: GitHubDouble) -> None:
    """The flight of the resync ends with RateLimited when its answer leaves too little; the group's does not."""
    github.get("/repos/o/r").respond(json={"number": 1}, headers=headers(100))
    github.get(PULL).respond(json={"number": 2}, headers=headers(99))
    client = github.client()
    await client.get("/repos/o/r", purpose="read", model=Thing)

    async def ask(level: Urgency) -> Thing:
        with urgency(level):
            return await client.get(PULL, purpose="read", model=Thing)

    low, high = await asyncio.gather(ask(Urgency.RESYNC), ask(Urgency.GROUP), return_exceptions=True)
    assert isinstance(low, RateLimited)
    assert isinstance(high, Thing)


@pytest.mark.parametrize("ahead", [-600, 600, 0])
async def test_a_clock_that_is_ten_minutes_wrong_moves_no_wait(github: GitHubDouble, ahead: int) -> None:
    """GitHub says: reset in five minutes. By its own clock; ours shows another time."""
    date = format_datetime(datetime.fromtimestamp(START, UTC), usegmt=True)
    route = github.get(PULL).respond(json={"number": 1}, headers=headers(0, int(START) + 300, date=date))
    github.clock.now = START + ahead
    client = github.client()
    await client.get(PULL, purpose="read", model=Thing)
    with pytest.raises(RateLimited) as caught:
        await client.get(PULL, purpose="read", model=Thing)
    assert caught.value.until.timestamp() - github.clock.now == 300
    github.clock.now += 299
    with pytest.raises(RateLimited):
        await client.get(PULL, purpose="read", model=Thing)
    assert route.call_count == 1
    github.clock.now += 2
    await client.get(PULL, purpose="read", model=Thing)
    assert route.call_count == 2


@pytest.mark.parametrize("date", ["", "soon", "x" * 5000, "Sun, 29 Nov 99999 12:00:00 GMT"])
async def test_a_date_that_is_none_is_ignored(github: GitHubDouble, date: str) -> None:
    github.get(PULL).respond(json={"number": 1}, headers=headers(0, date=date))
    client = github.client()
    await client.get(PULL, purpose="read", model=Thing)
    with pytest.raises(RateLimited) as caught:
        await client.get(PULL, purpose="read", model=Thing)
    assert caught.value.until == datetime.fromtimestamp(RESET, UTC)


@pytest.fixture
def in_new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_new_york")
@pytest.mark.parametrize(
    "date", ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
)
def test_a_date_is_in_universal_time_wherever_we_are(date: str) -> None:
    """The examples of https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7, all of which a recipient must accept."""
    said = datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC).timestamp()
    assert skew(date, said) == 0
    assert skew(date, said + 600) == 600


async def test_a_github_that_goes_on_failing_is_left_alone_for_growing_moments(github: GitHubDouble) -> None:
    """An hour of outage costs a request each half minute, not one for each waiting key every few seconds."""
    route = github.get(PULL).respond(503)
    client = github.client()
    for _ in range(720):  # a key that looks again every five seconds
        with pytest.raises(GitHubDown):
            await client.get(PULL, purpose="read", model=Thing)
        github.clock.now += 5
    assert route.call_count <= 3600 / LONGEST_REST + 10
    github.get(PULL).respond(json={"number": 1})
    github.clock.now += LONGEST_REST
    assert (await client.get(PULL, purpose="read", model=Thing)).number == 1
    assert (await client.get(PULL, purpose="read", model=Thing)).number == 1


async def test_single_faults_leave_nobody_alone(github: GitHubDouble) -> None:
    github.get(PULL).mock(
        side_effect=[httpx.ReadTimeout("slow"), *[httpx.Response(502)] * 3, httpx.Response(200, json={"number": 1})] * 2
    )
    client = github.client()
    for _ in range(2):
        for _ in range(4):
            with pytest.raises(GitHubDown):
                await client.get(PULL, purpose="read", model=Thing)
        assert (await client.get(PULL, purpose="read", model=Thing)).number == 1
