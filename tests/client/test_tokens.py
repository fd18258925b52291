"""Minting: how often, how narrow, with which key, and what is said when it fails."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from app.github.counts import counting
from app.github.errors import BadCredentials, GitHubError, InstallationGone, NotFound, Refused
from app.github.identity import PURPOSES, AppIdentity
from app.secret import SecretStr
from tests.client.double import API, INSTALLATION, LONG, SHORT, START, GitHubDouble, Thing, pem

pytestmark = pytest.mark.anyio
PULL = "/repos/o/r/pulls/1"


def bearer(request: httpx.Request) -> str:
    return request.headers["authorization"].removeprefix("Bearer ")


def public(which: int) -> Any:
    return load_pem_private_key(pem(which).get_secret_value().encode(), None).public_key()


async def test_twenty_readers_share_one_mint(github: GitHubDouble) -> None:
    for number in range(20):
        github.get(f"/repos/o/r/pulls/{number}").respond(json={"number": number})
    client = github.client()
    paths = [f"/repos/o/r/pulls/{number}" for number in range(20)]
    things = await asyncio.gather(*[client.get(path, purpose="read", model=Thing) for path in paths])
    assert [thing.number for thing in things] == list(range(20))
    assert len(github.minted) == 1
    assert client.counts == {"mint": 1, "read": 20}


async def test_the_jwt_is_what_github_documents(github: GitHubDouble) -> None:
    github.get(PULL).respond(json={"number": 1})
    await github.client().get(PULL, purpose="read", model=Thing)
    token = bearer(github.minted[0])
    claims = jwt.decode(token, public(0), algorithms=["RS256"], options={"verify_exp": False, "verify_iat": False})
    assert claims == {"iss": "1234", "iat": int(START) - 60, "exp": int(START) + 540}


async def test_a_token_is_narrowed_to_purpose_and_repository(github: GitHubDouble) -> None:
    github.post("/repos/o/r/check-runs").respond(201, json={"number": 1})
    await github.client().post("/repos/o/r/check-runs", purpose="checks", model=Thing, json={})
    asked = json.loads(github.minted[0].content)
    assert asked == {"permissions": {"checks": "write", "metadata": "read"}, "repositories": ["r"]}


async def test_each_purpose_and_repository_has_its_own_token(github: GitHubDouble) -> None:
    client = github.client()
    first = await client.token("git", repository="a")
    second = await client.token("git", repository="b")
    assert await client.token("git", repository="a") == first
    assert first.token != second.token
    assert len(github.minted) == 2


@pytest.mark.parametrize("token", [SHORT, LONG], ids=["short", "several KB"])
async def test_both_token_forms_are_opaque(github: GitHubDouble, token: str) -> None:
    github.tokens = [token]
    route = github.get(PULL).respond(json={"number": 1})
    await github.client().get(PULL, purpose="read", model=Thing)
    assert route.calls.last.request.headers["authorization"] == f"token {token}"


async def test_a_token_is_renewed_five_minutes_before_its_end(github: GitHubDouble) -> None:
    client = github.client()
    first = await client.token("git", repository="r")
    github.clock.now += 3600 - 301
    assert await client.token("git", repository="r") == first
    github.clock.now += 2
    assert await client.token("git", repository="r") != first


async def test_expiry_with_fractions_of_a_second_is_read(github: GitHubDouble) -> None:
    github.mint.mock(
        return_value=httpx.Response(201, json={"token": SHORT, "expires_at": "2026-11-29T14:00:00.123+01:00"})
    )
    token = await github.client().token("git", repository="r")
    assert token.expires_at.timestamp() == START + 3600.123


async def test_a_401_evicts_once_and_is_tried_again(github: GitHubDouble) -> None:
    github.tokens = ["ghs_old00000000", "ghs_new00000000"]

    def answer(request: httpx.Request) -> httpx.Response:
        fresh = "ghs_new" in request.headers["authorization"]
        return (
            httpx.Response(200, json={"number": 1})
            if fresh
            else httpx.Response(401, json={"message": "Bad credentials"})
        )

    github.get(PULL).mock(side_effect=answer)
    client = github.client()
    assert (await client.get(PULL, purpose="read", model=Thing)).number == 1
    assert client.counts == {"mint": 2, "read": 2}


async def test_many_401s_at_once_mint_one_new_token(github: GitHubDouble) -> None:
    github.tokens = ["ghs_old00000000", "ghs_new00000000"]

    async def answer(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0.01)
        fresh = "ghs_new" in request.headers["authorization"]
        return httpx.Response(200, json={"number": 1}) if fresh else httpx.Response(401)

    paths = [f"/repos/o/r/pulls/{number}" for number in range(10)]
    for path in paths:
        github.get(path).mock(side_effect=answer)
    client = github.client()
    await asyncio.gather(*[client.get(path, purpose="read", model=Thing) for path in paths])
    assert len(github.minted) == 2


async def test_a_401_that_stays_is_bad_credentials_after_one_retry(github: GitHubDouble) -> None:
    route = github.get(PULL).respond(401, json={"message": "Bad credentials"})
    with pytest.raises(BadCredentials, match="Bad credentials"):
        await github.client().get(PULL, purpose="read", model=Thing)
    assert route.call_count == 2


async def test_the_second_key_is_tried_during_a_rotation_and_remembered(github: GitHubDouble) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        try:
            jwt.decode(bearer(request), public(1), ["RS256"], options={"verify_exp": False, "verify_iat": False})
        except jwt.InvalidSignatureError:
            return httpx.Response(401, json={"message": "A JSON web token could not be decoded"})
        return github._mint(request)

    github.mint.mock(side_effect=answer)
    client = github.client(keys=(pem(0), pem(1)))
    await client.token("git", repository="a")
    assert github.mint.call_count == 2
    await client.token("git", repository="b")
    assert github.mint.call_count == 3


async def test_a_wrong_key_is_said_with_githubs_reason(github: GitHubDouble) -> None:
    github.mint.respond(401, json={"message": "'Expiration time' claim ('exp') is too far in the future"})
    with pytest.raises(BadCredentials, match="too far in the future"):
        await github.client().token("git", repository="r")


async def test_a_good_key_behind_one_that_is_no_key_is_used(github: GitHubDouble) -> None:
    client = github.client(keys=(SecretStr("not a key"), pem(1)))
    await client.token("git", repository="r")
    (minted,) = [call.request for call in github.mint.calls]
    jwt.decode(bearer(minted), public(1), ["RS256"], options={"verify_exp": False, "verify_iat": False})


async def test_githubs_refusal_says_more_than_that_the_other_key_cannot_be_read(github: GitHubDouble) -> None:
    github.mint.respond(401, json={"message": "A JSON web token could not be decoded"})
    for keys in ((pem(0), SecretStr("not a key")), (SecretStr("not a key"), pem(0))):
        with pytest.raises(BadCredentials, match="could not be decoded"):
            await github.client(keys=keys).token("git", repository="r")


async def test_where_no_key_can_be_read_nothing_is_asked(github: GitHubDouble) -> None:
    with pytest.raises(BadCredentials, match="is no RSA key in PEM form"):
        await github.client(keys=(SecretStr("not a key"), SecretStr(""))).token("git", repository="r")
    assert not github.mint.called


@pytest.mark.parametrize("text", ["", "not a key"])
async def test_a_key_that_is_no_key_is_named_without_its_text(github: GitHubDouble, text: str) -> None:
    with pytest.raises(BadCredentials, match="private key 1 of the gate App is no RSA key in PEM form") as caught:
        await github.client(keys=(SecretStr(text),)).token("git", repository="r")
    assert "not a key" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "message", "how"),
    [(404, "Not Found", "removed"), (403, "This installation has been suspended", "suspended")],
)
async def test_a_lost_installation_is_a_case_of_its_own(
    github: GitHubDouble, status: int, message: str, how: str
) -> None:
    github.mint.respond(status, json={"message": message})
    with pytest.raises(InstallationGone, match=how) as caught:
        await github.client().get(PULL, purpose="read", model=Thing)
    assert caught.value.installation_id == INSTALLATION


async def test_a_permission_not_accepted_yet_leaves_the_rest_usable(github: GitHubDouble) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if "merge_queues" in json.loads(request.content)["permissions"]:
            said = "The permissions requested are not granted to this installation."
            return httpx.Response(422, json={"message": said})
        return github._mint(request)

    github.mint.mock(side_effect=answer)
    granted = {"contents": "write", "metadata": "read", "pull_requests": "read"}
    github.get(f"/app/installations/{INSTALLATION}").respond(json=installation(granted))
    await github.client().token("queue", repository="r")
    asked = json.loads(github.minted[0].content)["permissions"]
    assert asked == {"contents": "write", "metadata": "read", "pull_requests": "read"}


async def test_nothing_accepted_is_refused_with_what_is_missing(github: GitHubDouble) -> None:
    github.mint.respond(422, json={"message": "The permissions requested are not granted to this installation."})
    github.get(f"/app/installations/{INSTALLATION}").respond(json=installation({}))
    with pytest.raises(Refused, match="checks=write"):
        await github.client().token("checks", repository="r")


async def test_a_repository_outside_the_installation_is_not_found(github: GitHubDouble) -> None:
    said = "There is at least one repository that does not exist or is not accessible to the parent installation."
    github.mint.respond(422, json={"message": said})
    with pytest.raises(NotFound, match="not part of the installation"):
        await github.client().token("git", repository="r")


async def test_a_failed_mint_fails_every_waiter_and_is_not_kept(github: GitHubDouble) -> None:
    github.mint.respond(502)
    client = github.client()
    failed = await asyncio.gather(*[client.token("git", repository="r") for _ in range(5)], return_exceptions=True)
    assert all(isinstance(error, GitHubError) for error in failed)
    assert github.mint.call_count == 1
    github.mint.mock(side_effect=github._mint)
    assert (await client.token("git", repository="r")).token.get_secret_value().startswith("ghs_")


async def test_one_cancelled_waiter_does_not_cancel_the_others(github: GitHubDouble) -> None:
    async def slow(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0.05)
        return github._mint(request)

    github.mint.mock(side_effect=slow)
    client = github.client()
    first = asyncio.create_task(client.token("git", repository="r"))
    second = asyncio.create_task(client.token("git", repository="r"))
    await asyncio.sleep(0.01)
    first.cancel()
    assert (await second).token.get_secret_value()
    assert github.mint.call_count == 1


async def test_minting_is_counted_apart(github: GitHubDouble) -> None:
    github.get(PULL).respond(json={"number": 1})
    with counting("pull:7:1:1") as tally:
        await github.client().get(PULL, purpose="read:pull", model=Thing)
    assert tally.counts == {"mint": 1, "read:pull": 1}
    assert tally.cost == 1


def test_a_purpose_that_the_role_lacks_is_a_mistake() -> None:
    courier = AppIdentity("courier", 1, (pem(0),), API)
    with pytest.raises(ValueError, match="courier App has no purpose 'checks'"):
        courier.permissions("checks")


def test_no_token_may_change_workflows_rules_or_members() -> None:
    rights = {right for purposes in PURPOSES.values() for purpose in purposes.values() for right in purpose.items()}
    written = {name for name, level in rights if level != "read"}
    assert written == {"actions", "checks", "contents", "issues", "pull_requests", "statuses"}


def installation(permissions: dict[str, str]) -> dict[str, Any]:
    account = {"id": 1, "login": "o"}
    return {
        "id": INSTALLATION,
        "app_id": 1234,
        "account": account,
        "target_type": "Organization",
        "repository_selection": "all",
        "permissions": permissions,
    }
