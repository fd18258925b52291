"""Comments that approve are acknowledged once: a thumb where they count, a puzzled face where they do not. Pure."""

from __future__ import annotations

from app.gate.observation import Observation, Unanswered
from app.gate.people_effects import AnswerComment
from checks.finding import Status
from policies.verdict import Verdict

COUNTS, DOES_NOT = "+1", "confused"


def answers(observation: Observation, verdict: Verdict) -> tuple[AnswerComment, ...]:
    """Nothing while it is not known who may approve; the next look knows more."""
    if not verdict.gated or verdict.review.status is Status.ERRORED:
        return ()
    return tuple(AnswerComment(one.comment_id, _answer(one, verdict)) for one in observation.unanswered)


def _answer(one: Unanswered, verdict: Verdict) -> str:
    counted = {login.casefold() for login in verdict.approved_by}
    return COUNTS if one.commit == verdict.head_sha and one.login.casefold() in counted else DOES_NOT
