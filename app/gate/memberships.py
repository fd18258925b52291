"""Which of some people belong to a team or an organisation now. A team costs one request, however many are asked about.

What could not be read is never "no member": one answer that is missing makes the whole team unreadable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection

from app.github import reads
from app.github.client import GitHubClient
from app.github.errors import GitHubError, NotFound, RateLimited
from app.github.rest_models import Membership
from checks.unread import Unread

MOST_PAGES = 5  # of 100 members each; in a larger team each person is asked about


async def team_members(client: GitHubClient, owner: str, team: str, logins: Collection[str]) -> frozenset[str] | Unread:
    """Those of `logins` that are active members of the team or of a child team. Raises RateLimited."""
    return await _readable(_of_team(client, owner, team, logins))


async def organization_members(client: GitHubClient, name: str, logins: Collection[str]) -> frozenset[str] | Unread:
    """The same of an organisation. Each is asked about: a list shows an App that is not installed there only those who
    do not conceal it, and nobody would know. Raises RateLimited."""
    return await _readable(_each(lambda login: reads.organization_membership(client, name, login), logins))


async def _readable(members: Awaitable[frozenset[str]]) -> frozenset[str] | Unread:
    try:
        return await members
    except RateLimited:
        raise
    except GitHubError as wrong:
        return Unread(str(wrong))


async def _of_team(client: GitHubClient, owner: str, team: str, logins: Collection[str]) -> frozenset[str]:
    if len(logins) > 1:
        try:
            listing = await reads.team_members(client, owner, team, most=MOST_PAGES)
        except NotFound:
            return frozenset()  # there is no such team
        if listing.complete:
            members = {member.login.casefold() for member in listing.items}
            return frozenset(login for login in logins if login.casefold() in members)
    return await _each(lambda login: reads.team_membership(client, owner, team, login), logins)


async def _each(membership: Callable[[str], Awaitable[Membership | None]], logins: Collection[str]) -> frozenset[str]:
    answers = await asyncio.gather(*[membership(login) for login in logins])
    found = zip(logins, answers, strict=True)
    return frozenset(login for login, answer in found if answer is not None and answer.state == "active")
