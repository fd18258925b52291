"""Comments that approve are acknowledged once: a thumb where they count, a puzzled face where they do not."""

from __future__ import annotations

from contextlib import suppress

from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.observation import Observation
from app.gate.people_effects import AnswerComment
from app.github import writes
from app.github.client import GitHubClient
from app.github.errors import NotFound
from app.store import comment_approvals
from app.store.comment_approvals import CommentApproval
from checks.finding import Status
from policies.verdict import Verdict

COUNTS, DOES_NOT = "+1", "confused"


def answers(observation: Observation, verdict: Verdict) -> tuple[AnswerComment, ...]:
    """Pure. Nothing while it is not known who may approve; the next look knows more."""
    if not verdict.gated or verdict.review.status is Status.ERRORED:
        return ()
    return tuple(AnswerComment(one.comment_id, _answer(one, verdict)) for one in observation.unanswered)


def _answer(one: CommentApproval, verdict: Verdict) -> str:
    counted = {login.casefold() for login in verdict.approved_by}
    counts = one.commit_id == verdict.head_sha and one.author_login.casefold() in counted
    return COUNTS if counts else DOES_NOT


async def answer_comment(gate: Gate, client: GitHubClient, repository: RepositoryName, effect: AnswerComment) -> None:
    """GitHub takes the same reaction twice for one, so an answer that was given and not noted does no harm."""
    with suppress(NotFound):  # the comment was deleted meanwhile
        await writes.react(client, repository.owner, repository.name, effect.comment_id, effect.content)
    async with gate.database.transaction() as connection:
        await comment_approvals.answered(connection, repository.id, effect.comment_id, effect.content)
