"""What an agent says at its end: that it is done, or that it cannot finish."""

from __future__ import annotations

from app.agent_api import bodies
from app.agent_api.call import Answer, Refused, Session
from app.agent_api.saying import next_of, open_run
from app.store import work
from app.store.tickets import messages, runs
from app.store.tickets.moving import Cause
from app.store.tickets.runs import Progress
from app.tickets.changing import changed, key_of, marks
from policies.escape import clean
from policies.tickets.states import Event

NO_PULL = "The gate has seen no pull request of this branch yet: push it and open one, or the attempt ends in silence."


async def done(session: Session, asked: bodies.Done) -> Answer:
    """The ticket is looked at now. Words decide nothing: the gate judges the pull request.

    Raises Refused, DatabaseAway.
    """
    async with session.call.database.transaction() as connection:
        run = await open_run(session, connection)
        said = "done" if asked.summary is None else clean(asked.summary, bodies.LONGEST_LINE)
        await runs.report(connection, run.id, Progress(percent=100, doing=said))
        row = await session.row(connection)
        waiting = await messages.undelivered(connection, *session.own)
        await work.mark(connection, await marks(connection, key_of(row)))
    following = NO_PULL if row.pull_number is None else "Wait at GET /session/verdict."
    told = bodies.Standing(
        ticket=row.number, state=row.state, attempt=run.attempt, messages=len(waiting), next=following
    )
    return Answer(told.model_dump(mode="json"), 202)


async def give_up(session: Session, asked: bodies.GivenUp) -> Answer:
    """The attempt ends, and with it the session: another one may begin. Raises Refused, DatabaseAway."""
    async with session.call.database.transaction() as connection:
        run = await open_run(session, connection)
        row = await session.locked(connection)
        cause = Cause(session.grant.agent, f"the agent gave up: {clean(asked.reason, bodies.LONGEST_TEXT)}")
        if not await changed(connection, key_of(row), Event.RELEASED, cause):
            state = row.state.replace("_", " ")
            raise Refused(409, f"The ticket is {state}, where giving up changes nothing.", next_of(row))
    told = bodies.Standing(
        ticket=row.number, state="waiting", attempt=run.attempt, messages=0, next="Stop: this session has ended."
    )
    return Answer(told.model_dump(mode="json"))
