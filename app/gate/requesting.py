"""What the gate does towards people. Whom it is about to ask is noted first, so that they are asked once."""

from __future__ import annotations

from typing import assert_never

import structlog

from app.gate.comment_approvals import answer_comment
from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.people_effects import AnswerComment, AskReviewers, OfPeople, WithdrawRequests
from app.gate.routing import logins, team_slugs
from app.github import writes
from app.github.client import GitHubClient
from app.github.errors import NotFound, Refused
from app.store import review_requests

log = structlog.get_logger(__name__)


async def towards_people(gate: Gate, client: GitHubClient, repository: RepositoryName, effect: OfPeople) -> None:
    match effect:
        case AnswerComment():
            await answer_comment(gate, client, repository, effect)
        case AskReviewers():
            await _ask(gate, client, repository, effect)
        case WithdrawRequests():
            await _withdraw(gate, client, repository, effect)
        case _:
            assert_never(effect)


async def _ask(gate: Gate, client: GitHubClient, repository: RepositoryName, effect: AskReviewers) -> None:
    """One by one: GitHub refuses all of a request for one who has no access. Whom it refuses is not asked again."""
    async with gate.database.transaction() as connection:
        await review_requests.ask(connection, repository.id, effect.number, effect.reviewers)
    for reviewer in effect.reviewers:
        people, teams = logins([reviewer]), team_slugs([reviewer])
        try:
            await writes.request_reviewers(
                client, repository.owner, repository.name, effect.number, people=people, teams=teams
            )
        except Refused as refused:
            log.warning("no review can be requested", reviewer=reviewer, because=refused.because)
            async with gate.database.transaction() as connection:
                await review_requests.refused(connection, repository.id, effect.number, reviewer)


async def _withdraw(gate: Gate, client: GitHubClient, repository: RepositoryName, effect: WithdrawRequests) -> None:
    people, teams = logins(effect.reviewers), team_slugs(effect.reviewers)
    try:
        await writes.remove_requested_reviewers(
            client, repository.owner, repository.name, effect.number, people=people, teams=teams
        )
    except (NotFound, Refused) as refused:
        log.warning("a request for a review stays", because=refused.because)
    async with gate.database.transaction() as connection:
        await review_requests.withdraw(connection, repository.id, effect.number, effect.reviewers)
