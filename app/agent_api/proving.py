"""Whether a token proves anything at all, looked at before the request's body is read."""

from __future__ import annotations

from app.agent_api.call import Parts, grant_of
from app.agent_api.claiming import UNKNOWN
from app.agent_api.trusting import claims_of
from app.proxy.session_token import ENROLMENT, token_hash, well_formed
from app.secret import SecretStr
from app.store import enrolments


async def proven(parts: Parts, token: SecretStr, *, session: bool) -> None:
    """Raises Refused unless it is a live session's, or for claiming a live enrolment's or an identity's, DatabaseAway.

    What it allows is looked at again by what serves the route, in its own transaction.
    """
    if session:
        await grant_of(parts.database, token)
        return
    given = token.get_secret_value()
    if not well_formed(given, ENROLMENT):
        await claims_of(parts, token)
        return
    async with parts.database.transaction() as connection:
        if await enrolments.find_live(connection, token_hash(given)) is None:
            raise UNKNOWN
