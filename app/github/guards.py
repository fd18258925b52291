"""What guards a repository beside its rules, with a person's token: workflows' rights, secrets, environments.

The service never asks this; its Apps may not. Source of the paths: https://docs.github.com/en/rest/actions,
/rest/deployments and /rest/dependabot
"""

from __future__ import annotations

from typing import Any

from app.github.addresses import route
from app.github.client import GitHubClient
from app.github.errors import NotFound, UnexpectedAnswer
from app.github.reads import REPO
from app.github.rest_models import Model
from app.github.run_models import RunPage

Json = dict[str, Any]


async def repository(client: GitHubClient, owner: str, name: str) -> Json:
    """The repository with its settings, as far as the token may see them; `full_name` and `default_branch` always."""
    found = await client.get(route(REPO, owner=owner, name=name), purpose="read:repository", model=Json)
    return _with_texts("GET repository", found, "full_name", "default_branch")


def _with_texts(asked: str, found: Json, *members: str) -> Json:
    """Raises UnexpectedAnswer."""
    lacking = [member for member in members if not isinstance(found.get(member), str)]
    if lacking:
        raise UnexpectedAnswer(asked, f"the answer has no {lacking[0]}")
    return found


async def workflow_permissions(client: GitHubClient, owner: str, name: str) -> Json:
    return await _setting(client, owner, name, "/actions/permissions/workflow")


async def retention(client: GitHubClient, owner: str, name: str) -> Json:
    """For how many `days` checks, statuses, logs and artifacts are kept."""
    return await _setting(client, owner, name, "/actions/permissions/artifact-and-log-retention")


async def _setting(client: GitHubClient, owner: str, name: str, which: str) -> Json:
    return await client.get(route(REPO + which, owner=owner, name=name), purpose="read:repository", model=Json)


async def has_classic_protection(client: GitHubClient, owner: str, name: str, branch: str) -> bool:
    """Whoever may not see it is answered the same as where there is none, so only an administrator's 404 says no."""
    path = route(REPO + "/branches/{ref}/protection", owner=owner, name=name, ref=branch)
    try:
        await client.get(path, purpose="read:rules", model=Json)
    except NotFound as wrong:
        if "not protected" in wrong.because.lower():
            return False
        raise
    return True


class _Named(Model):
    name: str


class _SecretPage(Model):
    secrets: tuple[_Named, ...]


async def secrets(client: GitHubClient, owner: str, name: str, kept: str) -> list[str]:
    """Names of secrets at `actions/secrets`, `actions/organization-secrets` or `dependabot/secrets`."""
    return await _secret_names(client, route(REPO + "/{path}", owner=owner, name=name, path=kept))


async def environment_secrets(client: GitHubClient, owner: str, name: str, environment: str) -> list[str]:
    template = REPO + "/environments/{environment}/secrets"
    return await _secret_names(client, route(template, owner=owner, name=name, environment=environment))


async def _secret_names(client: GitHubClient, path: str) -> list[str]:
    pages, _ = await client.pages(path, purpose="read:secrets", model=_SecretPage, most=10)
    return [one.name for page in pages for one in page.secrets]


class _EnvironmentPage(Model):
    environments: tuple[Json, ...] = ()


async def environments(client: GitHubClient, owner: str, name: str) -> list[Json]:
    """Each has a `name`."""
    path = route(REPO + "/environments", owner=owner, name=name)
    pages, _ = await client.pages(path, purpose="read:environments", model=_EnvironmentPage, most=10)
    return [_with_texts("GET environments", one, "name") for page in pages for one in page.environments]


class _Pattern(Model):
    name: str
    type: str = "branch"


class _PatternPage(Model):
    branch_policies: tuple[_Pattern, ...]


async def environment_branches(client: GitHubClient, owner: str, name: str, environment: str) -> list[str]:
    """Patterns of the branches that may use an environment with branch policies of its own."""
    template = REPO + "/environments/{environment}/deployment-branch-policies"
    path = route(template, owner=owner, name=name, environment=environment)
    pages, _ = await client.pages(path, purpose="read:environments", model=_PatternPage, most=10)
    return [one.name for page in pages for one in page.branch_policies if one.type != "tag"]


async def longest_group_run(client: GitHubClient, owner: str, name: str) -> float | None:
    """Minutes that the longest of the last hundred runs for merge groups took; None where there was none."""
    path, asked = route(REPO + "/actions/runs", owner=owner, name=name), {"event": "merge_group", "status": "success"}
    pages, _ = await client.pages(path, purpose="read:runs", model=RunPage, params=asked, most=1)
    runs = [run for page in pages for run in page.workflow_runs]
    took = [run.updated_at - (run.run_started_at or run.created_at) for run in runs]
    return max((one.total_seconds() / 60 for one in took), default=None)


async def login(client: GitHubClient, account: int) -> str:
    """https://docs.github.com/en/rest/users/users#get-a-user-using-their-id. Raises NotFound."""
    found = await client.get(route("/user/{account}", account=account), purpose="read:people", model=Json)
    return str(found["login"])


class _Installation(Model):
    app_id: int
    app_slug: str


class _InstallationPage(Model):
    installations: tuple[_Installation, ...]


async def apps(client: GitHubClient, organization: str) -> dict[int, str]:
    """Slugs of the Apps that an organisation has installed, by id; for its owners."""
    path = route("/orgs/{organization}/installations", organization=organization)
    pages, _ = await client.pages(path, purpose="read:apps", model=_InstallationPage, most=10)
    return {one.app_id: one.app_slug for page in pages for one in page.installations}


async def app_id(client: GitHubClient, slug: str) -> int:
    """https://docs.github.com/en/rest/apps/apps#get-an-app. Raises NotFound."""
    found = await client.get(route("/apps/{slug}", slug=slug), purpose="read:apps", model=Json)
    return int(found["id"])
