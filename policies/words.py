"""Sentences about the policy itself and about the people it names."""

from __future__ import annotations

from checks.branches import BRANCHES
from checks.electorate import Electorate
from checks.finding import Evidence, Finding, Fix, errored, failed, passed
from policies.load import PolicyState
from policies.schema import POLICY_PATH


def policy_finding(state: PolicyState) -> Finding:
    place = _place(state)
    # Without the commit: the words must stay the same while the branch moves on and the policy does not.
    at = Evidence("policy", digest=state.digest)
    if state.origin == "file":
        return passed("policy", f"The policy is {place}.", at)
    if state.origin == "default":
        branch = state.source.ref.removeprefix(BRANCHES)
        return passed("policy", f"`{branch}` has no `{POLICY_PATH}`, so the default policy applies.", at)
    if state.origin == "unread":
        fix = Fix("wait", "Nothing to do: the gate looks again by itself.")
        return errored("policy", f"{place} could not be read: {state.because}", at, fix=fix)
    return _broken(state, place, at)


def _place(state: PolicyState) -> str:
    if state.source.given is not None:
        return f"`{state.source.given}`"
    return f"`{POLICY_PATH}` of `{state.source.ref.removeprefix('refs/heads/')}`"


def _broken(state: PolicyState, place: str, at: Evidence) -> Finding:
    first, more = state.errors[0], len(state.errors) - 1
    others = f" There are {more} more." if more else ""
    where = place.replace(" of ", " on ", 1)
    fix = Fix("repair-policy", f"A person must repair {where}. {first.step}", first.field or None)
    return failed("policy", f"{place} is broken: {first}{others}", at, fix=fix)


def still_needed(who: Electorate, owner: str, counted: tuple[str, ...]) -> tuple[str, ...]:
    """Who may still approve, in words for a title: logins, `owner/team`, organisations, or who has a permission."""
    users = tuple(user for user in who.users if user.lower() not in {login.lower() for login in counted})
    teams = tuple(f"{owner}/{team}" for team in who.teams)
    members = tuple(f"members of {organization}" for organization in who.organizations)
    anyone = (f"anyone with {who.permission.name.lower()} permission",) if who.permission else ()
    return users + teams + members + anyone
