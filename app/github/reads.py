"""Typed REST reads of a repository: pull requests, checks, people, git objects, rules.

All raise the errors of `app.github.errors`; NotFound also means that this App may not see the object. Source of the
paths: https://docs.github.com/rest
"""

from __future__ import annotations

from app.github.addresses import route
from app.github.client import GitHubClient, Params
from app.github.errors import NotFound
from app.github.rest_models import (
    Activity,
    AsyncMerge,
    CheckRun,
    CheckRunPage,
    Commit,
    Comparison,
    Content,
    GitRef,
    IssueComment,
    Layers,
    Listing,
    Member,
    Membership,
    OpenIssue,
    Permission,
    Pull,
    Rule,
    RuleSuite,
)

REPO = "/repos/{owner}/{name}"


async def pull(client: GitHubClient, owner: str, name: str, number: int) -> Pull:
    """A pull request by REST, for what GraphQL does not tell: its `stack`."""
    path = route(REPO + "/pulls/{number}", owner=owner, name=name, number=number)
    return await client.get(path, purpose="read:stack", model=Pull)


async def layers(client: GitHubClient, owner: str, name: str, stack: int) -> Layers:
    """The pull requests of a stack (by its number), from the bottom."""
    path = route(REPO + "/stacks/{stack}", owner=owner, name=name, stack=stack)
    return await client.get(path, purpose="read:stack", model=Layers)


async def check_runs(
    client: GitHubClient, owner: str, name: str, ref: str, *, check_name: str | None = None, app_id: int | None = None
) -> Listing[CheckRun]:
    """Check runs of a commit, re-run ones included (`filter=all`), of one name or one App if wanted."""
    path = route(REPO + "/commits/{sha}/check-runs", owner=owner, name=name, sha=ref)
    wanted = {"filter": "all", "check_name": check_name, "app_id": app_id}
    params: Params = {key: value for key, value in wanted.items() if value is not None}
    pages, complete = await client.pages(path, purpose="read:checks", model=CheckRunPage, params=params)
    items = tuple(run for page in pages for run in page.check_runs)
    return Listing(items=items, complete=complete and len(items) >= pages[-1].total_count)


async def permission(client: GitHubClient, owner: str, name: str, login: str) -> Permission:
    """A person's permission on the repository. Somebody who has none may come as `none` or as NotFound."""
    path = route(REPO + "/collaborators/{login}/permission", owner=owner, name=name, login=login)
    return await client.get(path, purpose="read:permission", model=Permission)


async def team_membership(client: GitHubClient, org: str, team: str, login: str) -> Membership | None:
    """A person's membership of a team (by slug), child teams included; None when there is none.

    Only `state` "active" is a membership: an invitation is "pending". A team that does not exist reads as None too.
    """
    path = route("/orgs/{org}/teams/{team}/memberships/{login}", org=org, team=team, login=login)
    try:
        return await client.get(path, purpose="members", model=Membership)
    except NotFound:
        return None


async def team_members(client: GitHubClient, org: str, team: str, *, most: int) -> Listing[Member]:
    """The active members of a team (by slug), child teams included, up to `most` pages of 100.

    NotFound where there is no such team; who is only invited is not in the list.
    https://docs.github.com/rest/teams/members#list-team-members
    """
    path = route("/orgs/{org}/teams/{team}/members", org=org, team=team)
    pages, complete = await client.pages(path, purpose="members", model=list[Member], most=most)
    return Listing(items=tuple(one for page in pages for one in page), complete=complete)


async def organization_membership(client: GitHubClient, org: str, login: str) -> Membership | None:
    """The same for an organisation: https://docs.github.com/rest/orgs/members. An invitation is "pending"."""
    path = route("/orgs/{org}/memberships/{login}", org=org, login=login)
    try:
        return await client.get(path, purpose="members", model=Membership)
    except NotFound:
        return None


async def activity(client: GitHubClient, owner: str, name: str, ref: str, *, most: int = 1) -> Listing[Activity]:
    """Who moved a ref (`refs/heads/…`), newest first; `most` pages of 100. Contents read suffices."""
    path = route(REPO + "/activity", owner=owner, name=name)
    pages, complete = await client.pages(
        path, purpose="read:activity", model=list[Activity], params={"ref": ref}, most=most
    )
    return Listing(items=tuple(row for page in pages for row in page), complete=complete)


async def git_ref(client: GitHubClient, owner: str, name: str, ref: str) -> GitRef | None:
    """The object that a ref (`refs/heads/…`) points at, None when there is no such ref."""
    path = route(REPO + "/git/ref/{ref}", owner=owner, name=name, ref=ref.removeprefix("refs/"))
    try:
        return await client.get(path, purpose="read:ref", model=GitRef)
    except NotFound:
        return None


async def commit(client: GitHubClient, owner: str, name: str, sha: str) -> Commit:
    """A commit with tree, parents, and the accounts that GitHub maps its author and committer to."""
    path = route(REPO + "/commits/{sha}", owner=owner, name=name, sha=sha)
    return await client.get(path, purpose="read:commit", model=Commit)


async def compare(client: GitHubClient, owner: str, name: str, base: str, head: str) -> Comparison:
    """From the merge base of two commits to `head`. Lists end at GitHub's own limits; see Comparison."""
    path = route(REPO + "/compare/{revisions}", owner=owner, name=name, revisions=f"{base}...{head}")
    return await client.get(path, purpose="read:compare", model=Comparison)


async def content(client: GitHubClient, owner: str, name: str, path: str, ref: str) -> Content | None:
    """A file at a commit, None when nothing is there. A folder raises UnexpectedAnswer."""
    address = route(REPO + "/contents/{path}", owner=owner, name=name, path=path)
    try:
        return await client.get(address, purpose="read:content", model=Content, params={"ref": ref})
    except NotFound:
        return None


async def branch_rules(client: GitHubClient, owner: str, name: str, branch: str) -> Listing[Rule]:
    """The rules in force on a branch (short name), those of the organisation included. Metadata read suffices."""
    path = route(REPO + "/rules/branches/{branch}", owner=owner, name=name, branch=branch)
    pages, complete = await client.pages(path, purpose="read:rules", model=list[Rule])
    return Listing(items=tuple(rule for page in pages for rule in page), complete=complete)


async def rule_suites(client: GitHubClient, owner: str, name: str, ref: str) -> Listing[RuleSuite]:
    """How pushes and merges to a ref were judged, newest first; one page. Needs administration read."""
    path = route(REPO + "/rulesets/rule-suites", owner=owner, name=name)
    pages, complete = await client.pages(
        path, purpose="read:suites", model=list[RuleSuite], params={"ref": ref}, most=1
    )
    return Listing(items=tuple(suite for page in pages for suite in page), complete=complete)


async def bypasses(client: GitHubClient, owner: str, name: str) -> Listing[RuleSuite]:
    """Pushes and merges of the last week, to any branch, that went past a rule, newest first; one page."""
    path = route(REPO + "/rulesets/rule-suites", owner=owner, name=name)
    params: Params = {"rule_suite_result": "bypass", "time_period": "week"}
    pages, complete = await client.pages(path, purpose="read:suites", model=list[RuleSuite], params=params, most=1)
    return Listing(items=tuple(suite for page in pages for suite in page), complete=complete)


async def rule_suite(client: GitHubClient, owner: str, name: str, suite_id: int) -> RuleSuite:
    """One rule suite with its evaluations."""
    path = route(REPO + "/rulesets/rule-suites/{suite_id}", owner=owner, name=name, suite_id=suite_id)
    return await client.get(path, purpose="read:suites", model=RuleSuite)


async def async_merge(client: GitHubClient, owner: str, name: str, number: int, uuid: str) -> AsyncMerge:
    """How far an asynchronous merge request is. NotFound a day after its end: read the pull request instead."""
    path = route(REPO + "/pulls/{number}/merge-async/{uuid}", owner=owner, name=name, number=number, uuid=uuid)
    return await client.get(path, purpose="read:merge", model=AsyncMerge)


async def labelled_issues(client: GitHubClient, owner: str, name: str, label: str) -> Listing[OpenIssue]:
    """Open issues with a label, pull requests left out; one page is enough to know whether there is one."""
    path = route(REPO + "/issues", owner=owner, name=name)
    params: Params = {"labels": label, "state": "open", "sort": "created", "direction": "asc"}
    pages, complete = await client.pages(path, purpose="read:issues", model=list[OpenIssue], params=params)
    issues = tuple(one for page in pages for one in page if one.pull_request is None)
    return Listing(items=issues, complete=complete)


async def issue_comments(client: GitHubClient, owner: str, name: str, number: int) -> Listing[IssueComment]:
    """The conversation of an issue or pull request, oldest first, up to 1,000 comments."""
    path = route(REPO + "/issues/{number}/comments", owner=owner, name=name, number=number)
    pages, complete = await client.pages(path, purpose="read:comments", model=list[IssueComment])
    return Listing(items=tuple(one for page in pages for one in page), complete=complete)
