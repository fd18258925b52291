"""Claiming by a workload identity: the issuer's signature, and a rule with a pool in the repository's trust file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from app.agent_api import bodies
from app.agent_api.call import Call, Parts, Refused
from app.agent_api.places import Seen
from app.github.errors import GitHubDown, GitHubError, RateLimited
from app.proxy.exchange import rule_for, trust_of
from app.proxy.identities import NotGenuine
from app.proxy.sessions import DEFAULT_RIGHTS, CannotOpen
from app.proxy.trust import TRUST_PATH, BadTrust, Rule
from app.proxy.upstream import UpstreamDown
from app.proxy.used_identities import identity_of, use
from app.secret import SecretStr
from app.store.database import Connection
from app.tickets.claims import branch_of
from checks.branches import BRANCHES

log = structlog.get_logger(__name__)

NOT_TRUSTED = Refused(
    403,
    f"No rule of {TRUST_PATH} on that repository's default branch lets this identity claim tickets of that pool.",
    "Look at the rule's issuer, audience, claims, branches, rights and pool. The same again will not help.",
)
BOTH = Refused(
    422, "With a workload identity the repository and the pool must be named.", 'Send {"repository": …, "pool": …}.'
)


@dataclass(frozen=True, slots=True)
class Trusted:
    """What an identity may claim. `held` uses the identity up in the claim's own transaction."""

    owner: str
    repository: str
    repository_id: int
    pool: str
    number: int | None
    held: Callable[[Connection], Awaitable[bool]]


async def trusted(call: Call, asked: bodies.Claiming) -> Trusted:
    """Raises Refused, RateLimited and GitHubDown."""
    claims = await claims_of(call.parts, call.token)
    if asked.repository is None or asked.pool is None:
        raise BOTH
    owner, _, name = asked.repository.partition("/")
    rule, seen = await _rule(call, owner, name, asked.pool, claims)
    identity = identity_of(call.token.get_secret_value(), claims["exp"])

    async def held(connection: Connection) -> bool:
        return await use(connection, identity)

    return Trusted(owner, name, seen.place.repository.id, asked.pool, rule.ticket, held)


async def claims_of(parts: Parts, token: SecretStr) -> Mapping[str, Any]:
    """The claims of an identity's token. Raises Refused."""
    identities = parts.identities
    if identities is None:
        raise Refused(401, "The token is not known here.", "Give an enrolment token (mergegate agent enrol).")
    try:
        return await identities.genuine(token.get_secret_value())
    except NotGenuine as wrong:
        fix = "Give an enrolment token (mergegate agent enrol), or a new token of an accepted issuer."
        raise Refused(401, f"The token is refused: {wrong}.", fix) from None
    except UpstreamDown as down:
        raise Refused(503, f"The issuer cannot be asked for its keys: {down}.", "Try again in a moment.") from None


async def _rule(call: Call, owner: str, name: str, pool: str, claims: Mapping[str, Any]) -> tuple[Rule, Seen]:
    """Who has no rule there does not learn whether the repository is."""
    places = call.parts.places
    try:
        seen = await places.find(owner, name)
        client = places.client(seen.courier.installation_id)
        trust = await trust_of(client, owner, name, seen.courier.repository.default_branch)
    except (RateLimited, GitHubDown):
        raise
    except (CannotOpen, BadTrust, GitHubError) as wrong:
        log.warning("an identity may claim nothing", repository=f"{owner}/{name}", because=str(wrong))
        raise NOT_TRUSTED from None
    rule = rule_for(trust, claims, lambda one: one.pool == pool and _may(one, seen))
    if rule is None:
        raise NOT_TRUSTED
    return rule, seen


def _may(rule: Rule, seen: Seen) -> bool:
    """Whether the rule gives at least what a claimed ticket's session has."""
    branch = branch_of(seen.place, rule.ticket or 0).removeprefix(BRANCHES)
    return rule.has_branch(branch) and rule.granted >= DEFAULT_RIGHTS
