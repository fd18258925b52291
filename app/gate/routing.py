"""Requests for reviews: planned from the verdict's asks (pure), and made through GitHub."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.gate.observation import Observation
from app.gate.people_effects import AskReviewers, WithdrawRequests
from checks.finding import Status
from checks.unread import Unread
from policies.routing import Standing, route
from policies.verdict import Verdict

SETTLED = (Status.PASSED, Status.PENDING)


def requests(observation: Observation, verdict: Verdict) -> tuple[AskReviewers | WithdrawRequests, ...]:
    """Nobody is asked before the evidence is complete, and nothing changes while somebody objects or cannot be read."""
    standing, snapshot = observation.requests, observation.snapshot
    if standing is None or not verdict.gated or verdict.mode == "observe" or verdict.review.status not in SETTLED:
        return ()
    number = snapshot.number or 0
    routing = route(verdict.asks, _with_answers(observation, standing), f"{snapshot.repository.id}/{number}")
    ask = routing.ask if verdict.evidence.status is Status.PASSED else ()
    effects = (AskReviewers(number, ask), WithdrawRequests(number, routing.withdraw))
    return tuple(effect for effect in effects if effect.reviewers)


def _with_answers(observation: Observation, standing: Standing) -> Standing:
    reviews = observation.snapshot.reviews
    answered = () if isinstance(reviews, Unread) else (f"@{one.author.login.casefold()}" for one in reviews)
    return replace(standing, answered=frozenset(answered))


def logins(reviewers: Sequence[str]) -> tuple[str, ...]:
    return tuple(one.removeprefix("@") for one in reviewers if one.startswith("@"))


def team_slugs(reviewers: Sequence[str]) -> tuple[str, ...]:
    return tuple(one.partition("/")[2] for one in reviewers if not one.startswith("@"))
