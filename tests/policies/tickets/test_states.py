"""The table of states, walked whole."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.tickets.labels import LABELS, label_of, relabelled
from policies.tickets.states import (
    ACTIVE,
    AT_WORK,
    BLOCKS_MERGE,
    ENDED,
    ENDS_AS,
    TABLE,
    WITH_SESSION,
    Event,
    Position,
    State,
    allowed,
    step,
)

# The ways that the design draws: what leads from where to where.
DRAWN = [
    (State.DRAFT, Event.ACCEPTED, State.WAITING),
    (State.WAITING, Event.CLAIMED, State.RUNNING),
    (State.RUNNING, Event.SUBMITTED, State.VERIFYING),
    (State.VERIFYING, Event.PASSED, State.MERGEABLE),
    (State.MERGEABLE, Event.ENQUEUED, State.QUEUED),
    (State.QUEUED, Event.MERGED, State.MERGED),
    (State.MERGED, Event.SETTLED, State.SETTLED),
    (State.MERGED, Event.REVERTED, State.REVERTED),
    (State.VERIFYING, Event.FAILED, State.VERIFY_FAILED),
    (State.VERIFY_FAILED, Event.RESUMED, State.RUNNING),
    (State.VERIFY_FAILED, Event.EXHAUSTED, State.NEEDS_HUMAN),
    (State.RUNNING, Event.ASKED, State.NEEDS_HUMAN),
    (State.NEEDS_HUMAN, Event.ANSWERED, State.RUNNING),
    (State.RUNNING, Event.NOT_STARTED, State.WAITING),
    (State.CANCELLED, Event.REOPENED, State.DRAFT),
]


@pytest.mark.parametrize(("before", "event", "after"), DRAWN)
def test_the_ways_of_the_design(before: State, event: Event, after: State) -> None:
    assert step(Position(before), event) == Position(after)


@pytest.mark.parametrize(("event", "end"), sorted(ENDS_AS.items()))
@pytest.mark.parametrize("state", sorted(ACTIVE))
def test_every_active_state_stops_and_ends_as_what_stopped_it(state: State, event: Event, end: State) -> None:
    stopping = step(Position(state), event)
    assert stopping == Position(State.STOPPING, end)
    assert step(stopping, Event.CONFIRMED) == Position(end)


@pytest.mark.parametrize("event", [event for event in Event if event is not Event.CONFIRMED])
def test_what_is_being_stopped_can_only_end(event: Event) -> None:
    assert step(Position(State.STOPPING, State.CAP_HIT), event) is None
    assert step(Position(State.STOPPING), Event.CONFIRMED) == Position(State.STOPPED)


def test_the_sets_are_whole() -> None:
    assert ACTIVE | ENDED | {State.DRAFT, State.STOPPING} == set(State)
    assert not ACTIVE & ENDED
    assert WITH_SESSION == AT_WORK
    assert not WITH_SESSION & set(BLOCKS_MERGE)
    assert not ENDED & {state for (state, _), after in TABLE.items() if after in WITH_SESSION}


def test_an_attempt_begins_by_a_claim_a_return_or_an_answer_alone() -> None:
    begins = {(state, event) for (state, event), after in TABLE.items() if after is State.RUNNING}
    assert begins == {
        (State.WAITING, Event.CLAIMED),
        (State.VERIFY_FAILED, Event.RESUMED),
        (State.NEEDS_HUMAN, Event.ANSWERED),
    }


def test_every_state_is_reached_and_what_is_allowed_is_what_changes() -> None:
    reached = {Position(State.DRAFT)}
    for _ in range(len(State)):
        reached |= {after for before, event in itertools.product(reached, Event) if (after := step(before, event))}
    assert {position.state for position in reached} == set(State)
    for position in reached:
        assert (position.ends_as is not None) is (position.state is State.STOPPING)
        assert allowed(position) == {event for event in Event if step(position, event) is not None}


@given(st.lists(st.sampled_from(list(Event)), max_size=40))
def test_no_way_leads_past_an_acceptance(events: list[Event]) -> None:
    position, accepted = Position(State.DRAFT), False
    for event in events:
        after = step(position, event)
        accepted |= event is Event.ACCEPTED and after is not None
        accepted &= event is not Event.REOPENED or after is None
        position = after or position
        assert accepted or position.state not in WITH_SESSION


def test_each_state_has_one_label() -> None:
    assert len(LABELS) == len(State)
    assert label_of(State.NEEDS_HUMAN) == "agent/needs-human"
    assert relabelled(["bug", "agent/waiting"], State.WAITING) == ((), ())
    assert relabelled(["Agent/Waiting"], State.WAITING) == ((), ())
    assert relabelled(["agent/waiting", "agent/needs-human", "agent/other"], State.RUNNING) == (
        ("agent/running",),
        ("agent/needs-human", "agent/waiting"),
    )
