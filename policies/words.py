"""Sentences about the policy itself and about the people it names."""

from __future__ import annotations

from checks.electorate import Electorate
from checks.finding import Evidence, Finding, Fix, errored, failed, passed
from policies.load import PolicyState
from policies.schema import POLICY_PATH


def policy_finding(state: PolicyState) -> Finding:
    branch = state.source.ref.removeprefix("refs/heads/")
    # Without the commit: the words must stay the same while the branch moves on and the policy does not.
    at = Evidence("policy", digest=state.digest)
    if state.origin == "file" and state.source.given is not None:
        return passed("policy", f"The policy is the given file `{state.source.given}`.", at)
    if state.origin == "file":
        return passed("policy", f"The policy is `{POLICY_PATH}` of `{branch}`.", at)
    if state.origin == "default":
        return passed("policy", f"`{branch}` has no `{POLICY_PATH}`, so the default policy applies.", at)
    if state.origin == "unread":
        fix = Fix("wait", "Nothing to do: the gate looks again by itself.")
        return errored("policy", f"`{POLICY_PATH}` of `{branch}` could not be read: {state.because}", at, fix=fix)
    return _broken(state, branch, at)


def _broken(state: PolicyState, branch: str, at: Evidence) -> Finding:
    first, more = state.errors[0], len(state.errors) - 1
    others = f" There are {more} more." if more else ""
    fix = Fix("repair-policy", f"A person must repair `{POLICY_PATH}` on `{branch}`. {first.step}", first.field or None)
    return failed("policy", f"`{POLICY_PATH}` of `{branch}` is broken: {first}{others}", at, fix=fix)


def still_needed(who: Electorate, owner: str, counted: tuple[str, ...]) -> tuple[str, ...]:
    """Who may still approve, in words for a title: logins, `owner/team`, organisations, or who has a permission."""
    users = tuple(user for user in who.users if user.lower() not in {login.lower() for login in counted})
    teams = tuple(f"{owner}/{team}" for team in who.teams)
    members = tuple(f"members of {organization}" for organization in who.organizations)
    anyone = (f"anyone with {who.permission.name.lower()} permission",) if who.permission else ()
    return users + teams + members + anyone
