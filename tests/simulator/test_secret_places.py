"""Names of secrets, environments and the retention in the shapes that githubkit's models have, and who may see them."""

from __future__ import annotations

import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github.server import SimulatedGitHub
from tests.github.state import Deployable
from tests.simulator.shop import as_user, shop, valid

pytestmark = pytest.mark.anyio
URL = "/repos/acme/shop"


async def test_secrets_are_shown_by_name_to_whoever_may_write(hub: SimulatedGitHub) -> None:
    repository = await shop(hub)
    hub.organization("acme", owners=["ada"], members=["bob"])
    repository.collaborators["carol"] = "read"
    hub.user("carol")
    repository.secrets, repository.organization_secrets = ["KEY"], ["SHARED"]
    repository.dependabot_secrets = ["FEED"]
    shapes = {
        "actions/secrets": models.ReposOwnerRepoActionsSecretsGetResponse200,
        "actions/organization-secrets": models.ReposOwnerRepoActionsOrganizationSecretsGetResponse200,
        "dependabot/secrets": models.ReposOwnerRepoDependabotSecretsGetResponse200,
    }
    async with as_user(hub, "ada") as api, as_user(hub, "carol") as reader:
        shown = [valid(shape, (await api.get(f"{URL}/{path}")).json()) for path, shape in shapes.items()]
        assert [[one["name"] for one in page["secrets"]] for page in shown] == [["KEY"], ["SHARED"], ["FEED"]]
        assert {(await reader.get(f"{URL}/{path}")).status_code for path in shapes} == {403}


async def test_an_environment_says_which_branches_may_use_it(hub: SimulatedGitHub) -> None:
    repository = await shop(hub)
    hub.organization("acme", owners=["ada"])
    made = [
        Deployable(1, "open"),
        Deployable(2, "guarded", protected_only=True),
        Deployable(3, "own/one", branches=["main", "release/*"], reviewed=True, secrets=["KEY"]),
    ]
    repository.environments = {one.name: one for one in made}
    async with as_user(hub, "ada") as api:
        listed = valid(models.ReposOwnerRepoEnvironmentsGetResponse200, (await api.get(f"{URL}/environments")).json())
        policies = [one["deployment_branch_policy"] for one in listed["environments"]]
        of_own = await api.get(f"{URL}/environments/own%2Fone/deployment-branch-policies")
        secrets = await api.get(f"{URL}/environments/own%2Fone/secrets")
        unknown = await api.get(f"{URL}/environments/none/secrets")
    assert policies == [
        None,
        {"protected_branches": True, "custom_branch_policies": False},
        {"protected_branches": False, "custom_branch_policies": True},
    ]
    shape = models.ReposOwnerRepoEnvironmentsEnvironmentNameDeploymentBranchPoliciesGetResponse200
    assert [one["name"] for one in valid(shape, of_own.json())["branch_policies"]] == ["main", "release/*"]
    kept = valid(models.ReposOwnerRepoEnvironmentsEnvironmentNameSecretsGetResponse200, secrets.json())
    assert ([one["name"] for one in kept["secrets"]], unknown.status_code) == (["KEY"], 404)


async def test_how_long_is_kept_is_the_administrators_to_know(hub: SimulatedGitHub) -> None:
    repository = await shop(hub)
    hub.organization("acme", owners=["ada"], members=["bob"])
    repository.collaborators["bob"] = "write"
    url = f"{URL}/actions/permissions/artifact-and-log-retention"
    async with as_user(hub, "ada") as api, as_user(hub, "bob") as writer:
        kept = valid(models.ActionsArtifactAndLogRetentionResponse, (await api.get(url)).json())
        assert (kept, (await writer.get(url)).status_code) == ({"days": 90, "maximum_allowed_days": 90}, 403)


async def test_accounts_by_id_and_an_organisations_apps(hub: SimulatedGitHub) -> None:
    await shop(hub)
    hub.organization("acme", owners=["ada"], members=["bob"])
    app, _ = hub.register_app("helper", {}, [])
    hub.install(app, "acme")
    number = hub.world.accounts["bob"].id
    async with as_user(hub, "ada") as api, as_user(hub, "bob") as member:
        person = valid(models.PublicUser, (await api.get(f"/user/{number}")).json())
        apps = valid(models.OrgsOrgInstallationsGetResponse200, (await api.get("/orgs/acme/installations")).json())
        assert (person["login"], (await api.get("/user/1")).status_code) == ("bob", 404)
        assert [one["app_slug"] for one in apps["installations"]] == ["helper"]
        assert (await member.get("/orgs/acme/installations")).status_code == 404
