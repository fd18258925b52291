"""Every route of the agents' API: what it takes, what it answers, and what serves it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import BaseModel

from app.agent_api import bodies, claiming, ending, hearing, saying
from app.agent_api.call import Answer

SMALL = 8 * 1024  # bytes
MOST_WAIT = 30  # seconds


@dataclass(frozen=True, slots=True)
class Route:
    """`takes` is None where the body is text or there is none; `most` its size in bytes, 0 where there is none.

    `answers` has the shape of each status that is a success. `session` says whether a session's token is needed, or
    else a proof that allows claiming. A route that `waits` takes `?wait=SECONDS`.
    """

    method: str
    path: str
    name: str
    says: str
    serves: Callable[..., Awaitable[Answer]]
    answers: dict[int, tuple[type[BaseModel], ...]]
    takes: type[BaseModel] | None = None
    most: int = 0
    waits: bool = False
    session: bool = True


ROUTES: tuple[Route, ...] = (
    Route(
        *("POST", "/agent/claim", "claimTicket", "Claims a waiting ticket; waits for one."),
        claiming.claim,
        {200: (bodies.Claim, bodies.NoClaim)},
        bodies.Claiming,
        SMALL,
        waits=True,
        session=False,
    ),
    Route(
        *("POST", "/session/progress", "reportProgress", "Says how far it is. Also the sign of life."),
        saying.progress,
        {200: (bodies.Standing,)},
        bodies.Progress,
        SMALL,
    ),
    Route(
        *("POST", "/session/questions", "askQuestion", "Asks a person. The attempt rests until the answer."),
        saying.ask,
        {200: (bodies.QuestionAsked,)},
        bodies.Asking,
        SMALL,
    ),
    Route(
        *("GET", "/session/messages", "readMessages", "What people and the gate say; waits for the first."),
        hearing.read_messages,
        {200: (bodies.Messages,)},
        waits=True,
    ),
    Route(
        *("POST", "/session/messages/read", "acknowledgeMessages", "Messages were read and are not shown again."),
        hearing.acknowledge,
        {200: (bodies.Remaining,)},
        bodies.Acknowledged,
        SMALL,
    ),
    Route(
        *("POST", "/session/evidence", "submitEvidence", "Hands over the evidence bundle: the body is its text."),
        saying.give_evidence,
        {201: (bodies.EvidenceGiven,)},
        most=saying.MOST_EVIDENCE,
    ),
    Route(
        *("GET", "/session/verdict", "getVerdict", "The gate's newest verdict; with If-None-Match waits for another."),
        hearing.read_verdict,
        {200: (bodies.VerdictTold,), 304: ()},
        waits=True,
    ),
    Route(
        *("GET", "/session/limits", "getLimits", "What holds, what was used, what is left."),
        hearing.read_limits,
        {200: (bodies.LimitsTold,)},
    ),
    Route(
        *("POST", "/session/done", "reportDone", "The agent is finished; the gate judges its pull request."),
        ending.done,
        {202: (bodies.Standing,)},
        bodies.Done,
        SMALL,
    ),
    Route(
        *("POST", "/session/failed", "giveUp", "The agent cannot finish; its attempt and its session end."),
        ending.give_up,
        {200: (bodies.Standing,)},
        bodies.GivenUp,
        SMALL,
    ),
)
BY_NAME = {(route.method, route.path): route for route in ROUTES}
PATHS = frozenset(route.path for route in ROUTES)
