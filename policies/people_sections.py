"""Sections of the policy file about people: whose work it is, and whose approval counts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from checks.origin import OutsideWord
from policies.fields import Line, Logins, Organizations, Patterns, PermissionWord, Persons, RiskWord, Section, Teams


class Agents(Section):
    """Marks of an agent. One is enough, and no setting takes one away again."""

    branches: Patterns = Field(description="Branch patterns, gitignore style. The namespace that agents may push to.")
    apps: Logins = Field(description="Logins of Apps and accounts that are agents, for example `copilot-swe-agent`.")
    trailers: Annotated[tuple[Line, ...], Field(max_length=100)] = Field(
        description="Names of commit trailers that agents leave, for example `Agent-Logs-Url`."
    )
    outside_pushes: OutsideWord = Field(
        description="A head of a session's branch that did not come through it: refuse it, ask a person, or allow it."
    )
    freeze: bool = Field(
        description="Whether a push from outside of the session, or one that leaves the ticket's scope, freezes it."
    )


class People(Section):
    """Who is a person: whoever one of these fields names. Given as a whole, it replaces the preset's.

    A pull request is a person's only if author, pusher and every committer are people and no mark says otherwise.
    """

    permission: PermissionWord | None = Field(
        default=None, description="Whoever has at least this permission on the repository is a person."
    )
    users: Persons = Field(default=(), description="Logins of people.")
    teams: Teams = Field(
        default=(), description="Slugs of teams of the owning organisation whose active members are people."
    )


class Outsiders(Section):
    """Pull requests from forks of people without write permission."""

    approvals: int = Field(ge=1, le=10, description="Approvals that an outsider's pull request needs at the least.")


class DependencyBots(Section):
    """Signed updates of manifests and lock files, and of nothing else, by a dependency bot. They need no bundle."""

    accounts: Logins = Field(description="Logins of dependency bots, for example `dependabot[bot]`.")
    paths: Patterns = Field(description="Manifests and lock files that such an update may change.")
    risk: RiskWord = Field(description="Risk of such an update; anything else a bot does is judged as an agent's.")
    updates: Literal["patch", "minor", "major"] = Field(
        description="The largest step of a version that has this risk. A larger one is high, and so is a new package, "
        "another source, a missing checksum, and whatever else is no new version."
    )


class Approvers(Section):
    """Whose approval counts: whoever one of these fields names. Given as a whole, it replaces the preset's."""

    permission: PermissionWord | None = Field(
        default=None, description="Whoever has at least this permission on the repository may approve."
    )
    users: Persons = Field(default=(), description="Logins whose approval counts.")
    teams: Teams = Field(
        default=(), description="Slugs of teams of the owning organisation whose active members' approval counts."
    )
    organizations: Organizations = Field(
        default=(), description="Logins of organisations whose active members' approval counts."
    )


class ReviewRules(Section):
    """Special rules of review."""

    allow_operator: bool = Field(
        description="Whether the person who runs the agent may approve its work. Suits one person alone."
    )
    people_need_approval: bool = Field(
        description="Whether a person's own pull request needs the approvals of its risk. false suits one person alone."
    )
    one_more_for_unmapped: bool = Field(
        description="Whether commits by an address that belongs to no account need one more person's approval."
    )
    keep_on_clean_merge: bool = Field(
        description="Whether an approval stays when only clean merges of the target came since, proved by their trees."
    )
