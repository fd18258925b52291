"""Credentials: App JWTs, installation tokens, people; what is hidden (404) and what is forbidden (403).

The rules are GitHub's: https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app; the text of
the 401 for `exp` is from a recorded exchange.
"""

from __future__ import annotations

import base64
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
import jwt
import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github.server import SimulatedGitHub
from tests.github.state import App, Installation
from tests.simulator.shop import as_user, client, shop, valid

pytestmark = pytest.mark.anyio
SHOP = "/repos/acme/shop"
EXPIRY = (
    "'Expiration time' claim ('exp') must be a numeric value representing "
    "the future time at which the assertion expires"
)
GRANTED = {"checks": "write", "contents": "read", "issues": "write"}


@dataclass
class Registered:
    hub: SimulatedGitHub
    app: App
    key: str
    installation: Installation

    def assertion(self, key: str | None = None, **claims: Any) -> str:
        now = int(time.time())
        body = {"iat": now - 60, "exp": now + 540, "iss": str(self.app.id)} | claims
        return jwt.encode(body, key or self.key, "RS256")

    async def token(self, **narrowed: Any) -> httpx.Response:
        async with client(self.hub, self.assertion()) as api:
            return await api.post(f"/app/installations/{self.installation.id}/access_tokens", json=narrowed)


@pytest.fixture
async def registered(hub: SimulatedGitHub) -> Registered:
    await shop(hub)
    await hub.repository("acme/secret", {"a": "b"}, private=True)
    app, key = hub.register_app("gate", GRANTED, ["pull_request"])
    return Registered(hub, app, key, hub.install(app, "acme"))


async def test_an_app_reads_itself_with_its_own_assertion(registered: Registered) -> None:
    async with client(registered.hub, registered.assertion()) as api:
        body = valid(models.Integration, (await api.get("/app")).json())
        assert (body["slug"], body["permissions"]["checks"]) == ("gate", "write")
        found = valid(list[models.Installation], (await api.get("/app/installations")).json())
        assert [i["id"] for i in found] == [registered.installation.id]
        for path in (f"{SHOP}/installation", "/orgs/acme/installation"):
            assert (await api.get(path)).json()["id"] == registered.installation.id


async def test_a_client_id_is_an_issuer_too(registered: Registered) -> None:
    async with client(registered.hub, registered.assertion(iss=registered.app.client_id)) as api:
        assert (await api.get("/app")).status_code == 200


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"exp": 1}, EXPIRY),
        ({"exp": "soon"}, EXPIRY),
        ({"exp": int(time.time()) + 3600}, "'Expiration time' claim ('exp') is too far in the future"),
        (
            {"iat": int(time.time()) + 3600},
            "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
        ),
    ],
)
async def test_times_of_an_assertion(registered: Registered, claims: dict[str, Any], message: str) -> None:
    async with client(registered.hub, registered.assertion(**claims)) as api:
        refused = await api.get("/app")
    assert (refused.status_code, refused.json()["message"], refused.json()["status"]) == (401, message, "401")


async def test_an_assertion_needs_the_app_s_own_key_and_rs256(registered: Registered) -> None:
    _, strange = registered.hub.register_app("other", {}, [])
    plain = jwt.encode({"iat": 1, "exp": 2, "iss": str(registered.app.id)}, "x" * 32, "HS256")
    for assertion in (registered.assertion(key=strange), plain, "a.b.c"):
        async with client(registered.hub, assertion) as api:
            assert (await api.get("/app")).json()["message"] == "A JSON web token could not be decoded"


async def test_an_assertion_of_an_unknown_app(registered: Registered) -> None:
    async with client(registered.hub, registered.assertion(iss="999999")) as api:
        refused = await api.get("/app")
    assert (refused.status_code, refused.json()["message"]) == (404, "Integration not found")


async def test_a_second_key_works_while_keys_are_rotated(registered: Registered) -> None:
    other, key = registered.hub.register_app("other", {}, [])
    registered.app.more_public_keys.append(other.public_key_pem)
    async with client(registered.hub, registered.assertion(key=key)) as api:
        assert (await api.get("/app")).status_code == 200


async def test_a_token_lives_one_hour_and_says_so_in_whole_seconds(registered: Registered) -> None:
    made = await registered.token()
    assert made.status_code == 201
    body = valid(models.InstallationToken, made.json())
    expires = time.strptime(body["expires_at"], "%Y-%m-%dT%H:%M:%SZ")
    assert expires.tm_year >= 2026
    async with client(registered.hub, body["token"]) as api:
        assert (await api.get(SHOP)).status_code == 200
        registered.hub.world.clock_offset = timedelta(minutes=59)
        assert (await api.get(SHOP)).status_code == 200
        registered.hub.world.clock_offset = timedelta(minutes=61)
        refused = await api.get(SHOP)
    assert (refused.status_code, refused.json()["message"]) == (401, "Bad credentials")


@pytest.mark.parametrize(("long", "length"), [(True, 520), (False, 40)])
async def test_both_forms_of_token(registered: Registered, long: bool, length: int) -> None:
    registered.hub.world.switches.long_tokens = long
    token = (await registered.token()).json()["token"]
    assert token.startswith("ghs_")
    assert len(token) == length
    async with client(registered.hub, token) as api:
        assert (await api.get(SHOP)).status_code == 200


async def test_a_header_asks_for_a_form(registered: Registered) -> None:
    path = f"/app/installations/{registered.installation.id}/access_tokens"
    async with client(registered.hub, registered.assertion()) as api:
        made = [
            await api.post(path, headers={"x-github-stateless-s2s-token": form}) for form in ("enabled", "disabled")
        ]
    assert [len(m.json()["token"]) for m in made] == [520, 40]


async def test_a_token_is_narrowed_by_permission(registered: Registered) -> None:
    made = (await registered.token(permissions={"issues": "read"})).json()
    assert made["permissions"] == {"metadata": "read", "issues": "read"}
    async with client(registered.hub, made["token"]) as api:
        assert (await api.get(f"{SHOP}/issues")).status_code == 200
        refused = await api.post(f"{SHOP}/issues", json={"title": "no"})
        assert refused.status_code == 403
        assert refused.json()["message"] == "Resource not accessible by integration"
        assert refused.headers["x-accepted-github-permissions"] == "issues=write"
        assert (await api.get(f"{SHOP}/contents/README.md")).status_code == 403


async def test_a_token_is_narrowed_by_repository(registered: Registered) -> None:
    secret = registered.hub.repo("acme/secret")
    for narrowed in ({"repositories": ["secret"]}, {"repository_ids": [secret.id]}):
        made = (await registered.token(**narrowed)).json()
        assert [r["full_name"] for r in made["repositories"]] == ["acme/secret"]
        async with client(registered.hub, made["token"]) as api:
            listed = (await api.get("/installation/repositories")).json()
            assert [r["full_name"] for r in listed["repositories"]] == ["acme/secret"]
            assert (await api.post(f"{SHOP}/issues", json={"title": "no"})).status_code == 403


@pytest.mark.parametrize(
    "wanted",
    [
        {"permissions": {"contents": "write"}},
        {"permissions": {"administration": "read"}},
        {"repositories": ["nowhere"]},
        {"repository_ids": [1]},
        {"repositories": [f"r{n}" for n in range(501)]},
    ],
)
async def test_asking_for_more_than_is_granted(registered: Registered, wanted: dict[str, Any]) -> None:
    refused = await registered.token(**wanted)
    assert refused.status_code == 422
    assert refused.json()["message"]


async def test_a_token_loses_what_its_installation_loses(registered: Registered) -> None:
    token = (await registered.token()).json()["token"]
    async with client(registered.hub, token) as api:
        assert (await api.post(f"{SHOP}/issues", json={"title": "yes"})).status_code == 201
        registered.installation.permissions["issues"] = "read"
        assert (await api.post(f"{SHOP}/issues", json={"title": "no"})).status_code == 403
        registered.installation.suspended = True
        assert (await api.get(SHOP)).json()["message"] == "This installation has been suspended"


async def test_a_revoked_token_works_nowhere(registered: Registered) -> None:
    token = (await registered.token()).json()["token"]
    async with client(registered.hub, token) as api:
        assert (await api.delete("/installation/token")).status_code == 204
        assert (await api.get(SHOP)).status_code == 401


async def test_an_app_sees_no_permission_of_its_own_on_a_repository(registered: Registered) -> None:
    """Recorded on github.com: all false, whatever the token may do."""
    token = (await registered.token()).json()["token"]
    async with client(registered.hub, token) as api:
        body = valid(models.FullRepository, (await api.get(SHOP)).json())
        listed = valid(
            models.InstallationRepositoriesGetResponse200, (await api.get("/installation/repositories")).json()
        )
    for repository in (body, listed["repositories"][0]):
        assert set(repository["permissions"].values()) == {False}


async def test_what_is_private_does_not_exist_for_strangers(registered: Registered) -> None:
    registered.hub.user("stranger")
    async with as_user(registered.hub, "stranger") as api, client(registered.hub) as nobody:
        for caller in (api, nobody):
            hidden = await caller.get("/repos/acme/secret")
            absent = await caller.get("/repos/acme/nowhere")
            assert hidden.status_code == absent.status_code == 404
            assert hidden.json() == absent.json()
        assert (await api.get(SHOP)).status_code == 200


async def test_an_app_s_assertion_opens_no_repository(registered: Registered) -> None:
    async with client(registered.hub, registered.assertion()) as api:
        assert (await api.get("/repos/acme/secret")).status_code == 404
        assert (await api.get("/installation/repositories")).status_code == 403


@pytest.mark.parametrize("credential", ["Bearer nonsense", "token ghp_unknown", "Basic !!!", "Digest x", "Bearer"])
async def test_bad_credentials(registered: Registered, credential: str) -> None:
    async with client(registered.hub) as api:
        refused = await api.get(SHOP, headers={"authorization": credential})
    assert (refused.status_code, refused.json()["message"]) == (401, "Bad credentials")


async def test_a_token_as_basic_password_and_with_the_old_scheme(registered: Registered) -> None:
    token = registered.hub.user_token("ada")
    basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    async with client(registered.hub) as api:
        for header in (f"Basic {basic}", f"token {token}", f"Bearer {token}"):
            body = valid(models.PrivateUser, (await api.get("/user", headers={"authorization": header})).json())
            assert body["login"] == "ada"


async def test_permissions_of_people(registered: Registered) -> None:
    hub = registered.hub
    hub.team("acme", "core", ["carl"])
    hub.team("acme", "young", ["nina"], parent="core")
    hub.repo("acme/shop").teams["core"] = "maintain"
    hub.user("stranger")
    expected = {
        "ada": ("admin", "admin"),
        "bob": ("write", "write"),
        "dan": ("read", "read"),
        "carl": ("write", "maintain"),
        "nina": ("write", "maintain"),
        "stranger": ("read", "read"),
    }
    token = (await registered.token()).json()["token"]
    async with client(hub, token) as api:
        for login, (permission, role) in expected.items():
            body = (await api.get(f"{SHOP}/collaborators/{login}/permission")).json()
            valid(models.RepositoryCollaboratorPermission, body)
            assert (login, body["permission"], body["role_name"]) == (login, permission, role)
        hidden = (await api.get("/repos/acme/secret/collaborators/stranger/permission")).json()
        assert hidden["permission"] == "none"
        assert (await api.get(f"{SHOP}/collaborators/gate[bot]/permission")).status_code == 404


async def test_an_app_is_made_from_a_manifest_once(hub: SimulatedGitHub) -> None:
    manifest = {
        "name": "Merge Gate",
        "hook_attributes": {"url": "https://gate.example/webhooks/github"},
        "default_permissions": {"checks": "write"},
        "default_events": ["pull_request"],
    }
    hub.world.manifest_codes["c0de"] = manifest
    async with client(hub) as api:
        made = await api.post("/app-manifests/c0de/conversions")
        body = valid(models.AppManifestsCodeConversionsPostResponse201, made.json())
        assert (await api.post("/app-manifests/c0de/conversions")).status_code == 404
    now = int(time.time())
    assertion = jwt.encode({"iat": now, "exp": now + 60, "iss": body["client_id"]}, body["pem"], "RS256")
    async with client(hub, assertion) as api:
        app = (await api.get("/app")).json()
        assert (app["slug"], app["permissions"]["checks"], app["events"]) == ("merge-gate", "write", ["pull_request"])
        assert (await api.get("/app/hook/config")).json()["url"] == "https://gate.example/webhooks/github"
