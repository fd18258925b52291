"""How much a session may ask and write, as tables over time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from app.proxy.api.limits import COMMENTING, KEPT, Limits, Requests, too_many_writes
from app.proxy.api.mutations import MUTATIONS
from app.proxy.api.routes import ALLOWED
from app.proxy.ledger import Entry

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def entry(
    minutes: float, route: str = "GraphQL addComment", comment: int | None = 5, outcome: str | None = "done"
) -> Entry:
    """A write so many minutes ago."""
    began = NOW - timedelta(minutes=minutes)
    return Entry(
        *(1, 1, 42, route, None, None, None, None, 3, comment, None, began, began),
        outcome=outcome,
    )


def test_a_burst_and_then_as_many_as_an_hour_allows() -> None:
    requests = Requests(Limits(burst=3, hourly=3600))
    assert [requests.take(1, 100.0) is None for _ in range(5)] == [True, True, True, False, False]
    assert requests.take(1, 100.5) is not None
    assert requests.take(1, 101.0) is None
    assert [requests.take(1, 1000.0) is None for _ in range(4)] == [True, True, True, False]


def test_sessions_do_not_share() -> None:
    requests = Requests(Limits(burst=1, hourly=60))
    assert requests.take(1, 0.0) is None
    assert requests.take(2, 0.0) is None
    denied = requests.take(1, 0.0)
    assert denied is not None and denied.seconds == 61 and denied.refusal.retry
    assert (denied.denied.status, denied.denied.retry_after) == (429, 61)


def test_a_clock_that_goes_back_gives_nothing() -> None:
    requests = Requests(Limits(burst=1, hourly=3600))
    assert requests.take(1, 100.0) is None
    assert requests.take(1, 50.0) is not None


def test_memory_does_not_grow_with_sessions() -> None:
    requests = Requests(Limits(burst=1, hourly=1))
    for session in range(KEPT + 10):
        requests.take(session, 0.0)
    assert requests.take(KEPT + 9, 0.0) is not None
    assert requests.take(0, 0.0) is None  # forgotten, so it begins anew


def test_comments_of_the_last_hour_are_counted() -> None:
    limits = Limits(comments=2, writes=10)
    assert too_many_writes(limits, [entry(5)], True, NOW) is None
    denied = too_many_writes(limits, [entry(5), entry(50)], True, NOW)
    assert denied is not None and denied.seconds == 601
    assert too_many_writes(limits, [entry(5), entry(50)], False, NOW) is None
    assert too_many_writes(limits, [entry(5), entry(61)], True, NOW) is None
    assert too_many_writes(limits, [entry(5), entry(50, "GraphQL updateIssueComment")], True, NOW) is None
    assert too_many_writes(limits, [entry(5), entry(50, outcome="failed", comment=None)], True, NOW) is None
    assert too_many_writes(limits, [entry(5), entry(0, outcome=None, comment=None)], True, NOW) is not None


def test_all_writes_are_counted_but_pushes() -> None:
    limits = Limits(comments=2, writes=3)
    edits = [entry(5, "PATCH", None), entry(6, "GraphQL updatePullRequest", None)]
    assert too_many_writes(limits, [*edits, entry(7, "push", None)], False, NOW) is None
    assert too_many_writes(limits, [*edits, entry(7, "PATCH", None, outcome=None)], False, NOW) is not None
    assert too_many_writes(limits, [*edits, entry(7, "PATCH", None, outcome="unknown")], False, NOW) is not None


def test_the_routes_that_comment_are_those_of_the_tables() -> None:
    rest = {one.name for one in ALLOWED if one.makes == "comment"}
    graphql = {f"GraphQL {name}" for name, one in MUTATIONS.items() if one.makes == "comment"}
    assert rest | graphql == COMMENTING


def test_some_count_as_more_than_one() -> None:
    requests = Requests(Limits(burst=10, hourly=3600))
    assert requests.take(1, 0.0, 9) is None
    assert requests.take(1, 0.0, 9) is None  # as many as there are
    assert requests.take(1, 0.0, 9) is not None
    assert requests.take(1, 1.0) is None
