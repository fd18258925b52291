"""Who belongs to a team: one request a team, however many people are asked about; what is not known is never a no."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from app.gate.memberships import MOST_PAGES, organization_members, team_members
from app.github.counts import Tally, counting
from app.github.errors import RateLimited
from checks.unread import Unread
from tests.client.double import API, GitHubDouble

pytestmark = pytest.mark.anyio

PEOPLE = tuple(f"person{number}" for number in range(40))
TEAM = "/orgs/acme/teams/core/members"


def member(login: str) -> dict[str, Any]:
    """As https://docs.github.com/rest/teams/members#list-team-members shows one."""
    return {"login": login, "id": 1, "type": "User", "site_admin": False}


def pages(github: GitHubDouble, *members: list[str], endless: bool = False) -> None:
    def listed(request: httpx.Request) -> httpx.Response:
        number = int(request.url.params.get("page", "1"))
        more = endless or number < len(members)
        link = {"link": f'<{API}{TEAM}?per_page=100&page={number + 1}>; rel="next"'} if more else {}
        shown = members[min(number, len(members)) - 1]
        return httpx.Response(200, json=[member(login) for login in shown], headers=link)

    github.get(TEAM).mock(side_effect=listed)


def memberships(github: GitHubDouble, where: str, **states: str) -> None:
    for login in PEOPLE:
        state = states.get(login)
        status, body = (404, {"message": "Not Found"}) if state is None else (200, {"state": state, "role": "member"})
        github.get(f"{where}/memberships/{login}").respond(status, json=body)


async def asked(github: GitHubDouble, logins: tuple[str, ...] = PEOPLE) -> tuple[frozenset[str] | Unread, Tally]:
    with counting("x") as tally:
        return await team_members(github.client(), "acme", "core", logins), tally


async def test_a_team_costs_one_request_for_all(github: GitHubDouble) -> None:
    pages(github, ["Person3", "somebody", "person7"])
    found, tally = await asked(github)
    assert found == frozenset({"person3", "person7"})
    assert tally.cost == 1


async def test_a_larger_one_costs_its_pages(github: GitHubDouble) -> None:
    pages(github, ["person3"], ["person39"])
    found, tally = await asked(github)
    assert (found, tally.cost) == (frozenset({"person3", "person39"}), 2)


async def test_one_person_is_asked_about_alone(github: GitHubDouble) -> None:
    memberships(github, "/orgs/acme/teams/core", person3="active")
    found, tally = await asked(github, ("person3",))
    assert (found, tally.cost) == (frozenset({"person3"}), 1)
    assert (await asked(github, ()))[1].cost == 0


async def test_of_a_list_without_an_end_nobody_is_taken_for_no_member(github: GitHubDouble) -> None:
    pages(github, ["person3"], endless=True)
    memberships(github, "/orgs/acme/teams/core", person3="active", person4="pending", person39="active")
    found, tally = await asked(github)
    assert found == frozenset({"person3", "person39"}), "who is only invited is no member"
    assert tally.cost == MOST_PAGES + len(PEOPLE)


async def test_a_team_that_is_not_there_has_no_members(github: GitHubDouble) -> None:
    github.get(TEAM).respond(404, json={"message": "Not Found"})
    assert (await asked(github))[0] == frozenset()


@pytest.mark.parametrize("status", [403, 500])
async def test_what_cannot_be_read_is_not_known(github: GitHubDouble, status: int) -> None:
    github.get(TEAM).respond(status, json={"message": "Resource not accessible by integration"})
    assert isinstance((await asked(github))[0], Unread)


async def test_one_person_who_cannot_be_read_makes_the_team_unreadable(github: GitHubDouble) -> None:
    pages(github, ["person3"], endless=True)
    memberships(github, "/orgs/acme/teams/core", person3="active")
    github.get("/orgs/acme/teams/core/memberships/person4").respond(403, json={"message": "no"})
    assert isinstance((await asked(github))[0], Unread)


async def test_a_spent_budget_is_no_answer(github: GitHubDouble) -> None:
    limited = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1900000000"}
    github.get(TEAM).respond(403, json={"message": "API rate limit exceeded"}, headers=limited)
    with pytest.raises(RateLimited):
        await asked(github)


async def test_an_organisation_is_asked_about_each(github: GitHubDouble) -> None:
    """Its list shows a stranger only those who do not conceal it: https://docs.github.com/rest/orgs/members"""
    memberships(github, "/orgs/other", person1="active", person2="pending")
    assert await organization_members(github.client(), "other", PEOPLE) == frozenset({"person1"})
