"""A workload identity's token for a session, so that no secret has to be put into the agent's machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Annotated, Any

import structlog
from pydantic import ConfigDict, Field, ValidationError

from app.github import contents
from app.github.client import GitHubClient
from app.github.clients import GitHubApp
from app.github.errors import GitHubError
from app.json_model import JsonModel
from app.proxy.describing import described, json_answer
from app.proxy.identities import Identities, NotGenuine
from app.proxy.incoming import BadRequest, Body, Incoming, Receive, Send, token_of
from app.proxy.opening import Asked, Place, checked, find_place
from app.proxy.sessions import CannotOpen, IdentityUsed, open_session
from app.proxy.trust import TRUST_PATH, BadTrust, Rule, Trust, read_trust
from app.proxy.upstream import UpstreamDown
from app.proxy.used_identities import UsedIdentity, identity_of
from app.store.database import Database
from checks.branches import BRANCHES
from policies.escape import clean

log = structlog.get_logger(__name__)

MOST_ASKED = 4 * 1024  # bytes
NOT_TRUSTED = (
    f"No rule of {TRUST_PATH} on that repository's default branch gives this identity a session on that branch. Look "
    "at the rule's issuer, audience, claims and branches. Trying the same again will not help."
)


class Exchanged(JsonModel):
    """Body of `POST /session/exchange`; the identity's token is the bearer token."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    repository: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}$")]
    branch: Annotated[str, Field(min_length=1, max_length=220)]


class Exchange:
    def __init__(
        self, database: Database, courier: GitHubApp, presets: Mapping[str, str], identities: Identities
    ) -> None:
        self._database = database
        self._courier = courier
        self._presets = presets
        self._identities = identities

    async def __call__(self, incoming: Incoming, receive: Receive, send: Send) -> None:
        """Raises BadRequest, BodyFailed, DatabaseAway."""
        token = token_of(incoming)
        if token is None:
            await json_answer(send, 401, {"message": "Give the identity's token as a bearer token."})
            return
        try:
            # Before the body: whoever proves nothing does not keep a connection by sending it slowly.
            claims = await self._identities.genuine(token.get_secret_value())
            asked = _read(await Body(receive, MOST_ASKED).whole())
            await self._opened(asked, claims, identity_of(token.get_secret_value(), claims["exp"]), send)
        except NotGenuine as wrong:
            await json_answer(send, 401, {"message": f"The identity's token is refused: {wrong}."})
        except UpstreamDown as down:
            await json_answer(send, 503, {"message": f"The issuer cannot be asked for its keys: {down}. Try again."})

    async def _opened(self, asked: Exchanged, claims: Mapping[str, Any], identity: UsedIdentity, send: Send) -> None:
        try:
            place, trust = await self._trust(asked)
        except (CannotOpen, BadTrust, GitHubError) as wrong:
            # Who has no rule there does not learn whether the repository is.
            log.warning("an identity could not be exchanged", repository=asked.repository, because=str(wrong))
            await json_answer(send, 403, {"message": NOT_TRUSTED})
            return
        branch = asked.branch.removeprefix(BRANCHES)
        rule = rule_for(trust, claims, lambda one: one.pool is None and one.has_branch(branch))
        if rule is None:
            await json_answer(send, 403, {"message": NOT_TRUSTED})
            return
        try:
            wanted = checked(place, _asked(asked, rule, claims))
            token, grant = await open_session(self._database, wanted, identity)
        except IdentityUsed as used:
            log.warning("an identity was used a second time", repository=asked.repository, branch=asked.branch)
            await json_answer(send, 401, {"message": f"The identity's token is refused: {used}."})
            return
        except CannotOpen as cannot:
            await json_answer(send, 422, {"message": str(cannot)})
            return
        log.info("an identity was exchanged", session=grant.session, subject=clean(str(claims.get("sub")), 200))
        await json_answer(send, 201, await described(self._database, grant) | {"token": token.get_secret_value()})

    async def _trust(self, asked: Exchanged) -> tuple[Place, Trust]:
        owner, _, name = asked.repository.partition("/")
        place = await find_place(self._courier, self._presets, owner, name)
        client = self._courier.installation(place.installation_id)
        return place, await trust_of(client, owner, name, place.repository.default_branch)


async def trust_of(client: GitHubClient, owner: str, name: str, branch: str) -> Trust:
    """The repository's trust file on a branch (short name). Raises BadTrust and GitHub's errors."""
    found = await contents.file(client, owner, name, TRUST_PATH, branch)
    if found is None:
        raise BadTrust(f"there is no {TRUST_PATH}")
    try:
        return read_trust(found[1].decode("utf-8"))
    except UnicodeDecodeError as wrong:
        raise BadTrust(f"{TRUST_PATH} is not UTF-8") from wrong


def rule_for(trust: Trust, claims: Mapping[str, Any], fits: Callable[[Rule], bool]) -> Rule | None:
    """The first rule that fits in everything: issuer, audience, claims, patterns, and what is asked for."""
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    for rule in trust.trust:
        known = claims.get("iss") == rule.issuer and rule.audience in audiences
        if known and rule.accepts(claims) and fits(rule):
            return rule
    return None


def _asked(asked: Exchanged, rule: Rule, claims: Mapping[str, Any]) -> Asked:
    owner, _, name = asked.repository.partition("/")
    return Asked(
        owner=owner,
        repository=name,
        branch=asked.branch,
        agent=rule.agent,
        opened_by=clean(f"{rule.issuer} {claims.get('sub')}", 500),
        ticket=rule.ticket,
        operator=rule.operator,
        rights=rule.granted,
        lasts=timedelta(hours=rule.hours),
    )


def _read(raw: bytes) -> Exchanged:
    try:
        return Exchanged.model_validate_json(raw)
    except ValidationError:
        raise BadRequest('the body is {"repository": "OWNER/NAME", "branch": "agent/…"}', 422) from None
