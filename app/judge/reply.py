"""What a judge may answer: one small JSON object. Its words are a stranger's, so they are short and on one line."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import ConfigDict, Field, ValidationError

from app.json_model import JsonModel
from app.judge.judges import Answer
from app.store.opinions import Ended
from checks.opinions import Word
from policies.escape import clean

LONGEST_SHOWN = 300  # characters of a reason
Reason = Annotated[str, Field(max_length=2_000)]


class Reply(JsonModel):
    """`reasons` for people, `cost` of this call in US dollars, `model` that was asked. Other keys are left alone."""

    model_config = ConfigDict(strict=True, frozen=True)

    verdict: Word
    reasons: Annotated[tuple[Reason, ...], Field(max_length=20)] = ()
    cost: Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)] | None = None
    model: Annotated[str, Field(max_length=200)] | None = None


def read_answer(answer: Answer) -> Ended:
    """How the call ended. Whatever is not an answer in this form is one that cannot tell."""
    if answer.because is not None:
        return Ended("cannot_tell", (answer.because,), exit_code=answer.code)
    try:
        reply = Reply.model_validate_json(answer.output)
    except ValidationError:
        return Ended("cannot_tell", ("its answer is not in the form that was asked for",), exit_code=answer.code)
    return Ended(
        reply.verdict,
        tuple(clean(reason, LONGEST_SHOWN) for reason in reply.reasons if reason.strip()),
        exit_code=answer.code,
        model=None if reply.model is None else clean(reply.model, 200),
        cost=None if reply.cost is None else Decimal(str(reply.cost)),
    )
