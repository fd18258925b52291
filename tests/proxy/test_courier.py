"""The courier's tokens against the simulated GitHub: narrow, minted once, for one session, given back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.github.errors import GitHubError
from app.github.identity import AppIdentity
from app.proxy.courier import Courier
from app.proxy.grant import Grant
from app.proxy.minting import Minting
from app.proxy.upstream import Upstream
from app.secret import SecretStr
from tests.github.faults import Fault
from tests.github.server import SimulatedGitHub
from tests.github.state import Repository
from tests.proxy.build import grant

pytestmark = pytest.mark.anyio
PERMISSIONS = {"contents": "write", "pull_requests": "write", "issues": "write", "checks": "read"}


@dataclass
class Town:
    github: SimulatedGitHub
    courier: Courier
    shop: Repository
    installation_id: int
    given_back: list[str]
    clock: list[float]

    def mints(self) -> int:
        return sum("access_tokens" in one.path for one in self.github.requests)


@pytest.fixture
async def town(tmp_path: Path) -> AsyncIterator[Town]:
    github = SimulatedGitHub.create(tmp_path)
    await github.start()
    app, key = github.register_app("courier", PERMISSIONS, [])
    github.organization("acme")
    shop = await github.repository("acme/shop", {"a": "1"}, private=True)
    await github.repository("acme/other", {"a": "1"}, private=True)
    installation = github.install(app, "acme")
    given_back: list[str] = []
    clock = [github.world.now().timestamp()]

    async def revoke(token: SecretStr) -> None:
        given_back.append(token.get_secret_value())

    identity = AppIdentity("courier", app.id, (SecretStr(key),), github.world.base_url)
    async with Upstream(github.world.base_url) as upstream:
        courier = Courier(Minting(identity, upstream), revoke, lambda: clock[0])
        yield Town(github, courier, shop, installation.id, given_back, clock)
    await github.stop()


def _grant(town: Town, session: int = 1) -> Grant:
    return grant(session=session, installation_id=town.installation_id, repository_id=town.shop.id)


async def test_a_token_is_for_one_repository_and_the_permissions_asked(town: Town) -> None:
    token = await town.courier.token(_grant(town), {"contents": "read"})
    minted = town.github.world.tokens[token.get_secret_value()]
    assert minted.permissions == {"contents": "read", "metadata": "read"}
    assert minted.repository_ids == {town.shop.id}
    assert token.get_secret_value() not in repr(await town.courier.credential(_grant(town), {"contents": "read"}))


async def test_one_request_however_many_ask_and_one_cache_a_session(town: Town) -> None:
    mine, theirs = _grant(town), _grant(town, session=2)
    read = {"contents": "read"}
    same = await asyncio.gather(*(town.courier.token(mine, read) for _ in range(10)))
    assert len({one.get_secret_value() for one in same}) == 1 and town.mints() == 1
    other = await town.courier.token(theirs, read)
    write = await town.courier.token(mine, {"contents": "write"})
    assert len({same[0].get_secret_value(), other.get_secret_value(), write.get_secret_value()}) == 3
    assert town.courier.sessions == {1, 2}


async def test_an_old_token_is_replaced_before_it_ends(town: Town) -> None:
    first = await town.courier.token(_grant(town), {"contents": "read"})
    town.clock[0] += 3600 - 301
    assert await town.courier.token(_grant(town), {"contents": "read"}) == first
    town.clock[0] += 2
    assert await town.courier.token(_grant(town), {"contents": "read"}) != first


async def test_a_refused_token_is_forgotten(town: Town) -> None:
    first = await town.courier.token(_grant(town), {"contents": "read"})
    town.courier.evict(_grant(town, 2), first)
    assert await town.courier.token(_grant(town), {"contents": "read"}) == first
    town.courier.evict(_grant(town), first)
    assert await town.courier.token(_grant(town), {"contents": "read"}) != first


async def test_tokens_go_back_at_the_end(town: Town) -> None:
    mine = await town.courier.token(_grant(town), {"contents": "read"})
    theirs = await town.courier.token(_grant(town, 2), {"contents": "read"})
    await town.courier.end(1)
    assert town.given_back == [mine.get_secret_value()] and town.courier.sessions == {2}
    await town.courier.aclose()
    assert town.given_back == [mine.get_secret_value(), theirs.get_secret_value()]


async def test_a_failure_is_not_kept(town: Town) -> None:
    town.github.faults.add(Fault("fail", path="access_tokens", status=502))
    with pytest.raises(GitHubError):
        await town.courier.token(_grant(town), {"contents": "read"})
    assert await town.courier.token(_grant(town), {"contents": "read"})


@pytest.mark.parametrize(
    "permissions",
    [
        {"workflows": "write"},
        {"administration": "read"},
        {"checks": "write"},
        {"statuses": "write"},
        {"actions": "write"},
        {"contents": "admin"},
        {"members": "read"},
        {"metadata": "write"},
    ],
)
async def test_what_no_route_may_have_is_never_asked_for(town: Town, permissions: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="no route of the proxy"):
        await town.courier.token(_grant(town), permissions)
    assert town.mints() == 0
