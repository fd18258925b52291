"""From nothing to two registered Apps, and what somebody without the key gets."""

from __future__ import annotations

import html
import json
import re
import stat
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import FastAPI

from app.config import read_settings
from app.registrations import UnreadableRegistration, load, path_of
from app.web.pages import Pages
from app.web.set_up import SetUp
from tests.github.server import SimulatedGitHub

pytestmark = pytest.mark.anyio

HERE = "http://127.0.0.1:8000"
KEY = "the-key-that-was-printed"


@dataclass
class Place:
    github: SimulatedGitHub
    data: Path
    page: SetUp
    browser: httpx.AsyncClient

    async def register(self, meanwhile: str | None = None) -> httpx.Response:
        """Press the button on the page that shows what will be registered, and follow it through GitHub. `meanwhile`
        is an address that another page asks for before that."""
        offered = await self.browser.get("/set-up/app", params={"address": HERE, "account": "acme"})
        if meanwhile is not None:
            await self.browser.get("/set-up/app", params={"address": meanwhile, "account": "eve"})
        address, manifest = form_of(offered.text)
        headers = {"authorization": f"Bearer {self.github.user_token('ada')}"}
        transport = httpx.ASGITransport(app=self.github.app)
        async with httpx.AsyncClient(transport=transport, headers=headers) as at_github:
            answer = await at_github.post(address, data={"manifest": json.dumps(manifest)})
        back = urlsplit(answer.headers["location"])
        return await self.browser.get(f"{back.path}?{back.query}")


def form_of(page: str) -> tuple[str, dict[str, object]]:
    """Where the form goes, and the manifest in it."""
    address = re.search(r'<form action="(http[^"]+)"', page)
    manifest = re.search(r'name="manifest" value="([^"]+)"', page)
    assert address is not None
    assert manifest is not None
    return html.unescape(address.group(1)), json.loads(html.unescape(manifest.group(1)))


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    github = SimulatedGitHub.create(tmp_path / "github")
    github.organization("acme")
    github.user("ada")
    data, pages = tmp_path / "data", Pages()
    page = SetUp(data, github.world.base_url, KEY, pages, lambda: httpx.ASGITransport(app=github.app))
    web = FastAPI()
    web.include_router(page.router())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=web), base_url=HERE) as browser:
        yield Place(github, data, page, browser)
    await github.stop()


async def test_both_apps_are_registered_with_exactly_the_permissions_shown(place: Place) -> None:
    assert (await place.browser.get("/set-up", params={"key": KEY})).status_code == 303
    offered = await place.browser.get("/set-up/app", params={"address": HERE, "account": "acme"})
    _, manifest = form_of(offered.text)
    for name, level in manifest["default_permissions"].items():  # type: ignore[attr-defined]
        assert f"<code>{name}</code></td><td>{level}</td>" in offered.text
    assert (await place.register(meanwhile="https://evil.example")).status_code == 303
    assert not place.page.connected.is_set()
    assert "Install both Apps" in (await place.register()).text
    assert place.page.connected.is_set()

    gate, courier = load(place.data, "gate"), load(place.data, "courier")
    assert gate is not None
    assert courier is not None
    assert stat.S_IMODE(path_of(place.data, "gate").stat().st_mode) == 0o600
    made = place.github.world.apps[gate.app_id]
    assert (made.permissions, made.webhook_url) == (manifest["default_permissions"], f"{HERE}/webhooks/github")
    assert place.github.world.apps[courier.app_id].permissions["contents"] == "write"

    settings = read_settings({"MERGEGATE_DATA": str(place.data)})
    assert settings.gate is not None
    assert settings.courier is not None
    assert settings.pages is not None
    assert (settings.gate.app_id, settings.courier.app_id) == (gate.app_id, courier.app_id)
    assert (settings.pages.public_url, len(settings.webhook_secrets)) == (HERE, 1)
    assert "PRIVATE KEY" not in repr(settings)


async def test_one_can_go_on_without_the_courier_and_take_it_up_later(place: Place) -> None:
    await place.browser.get("/set-up", params={"key": KEY})
    await place.register()
    assert "Connected" in (await place.browser.post("/set-up/done")).text
    assert place.page.connected.is_set()
    assert "Install the App" in (await place.browser.get("/set-up/app")).text
    assert read_settings({"MERGEGATE_DATA": str(place.data)}).courier is None


async def test_probes_let_it_live_while_a_person_registers_and_send_it_no_work(place: Place) -> None:
    """The image's own health check asks `/healthz`; who is unhealthy is ended by some that run containers."""
    assert (await place.browser.get("/healthz")).status_code == 200
    assert (await place.browser.get("/readyz")).status_code == 503


async def test_without_the_key_nothing_is_shown_or_done(place: Place) -> None:
    assert (await place.browser.get("/set-up", params={"key": "guessed"})).status_code == 403
    for path in ("/set-up", "/set-up/app", "/set-up/registered?state=x&code=y"):
        assert (await place.browser.get(path)).status_code == 403
    assert (await place.browser.post("/set-up/done")).status_code == 403
    assert not place.page.connected.is_set()
    # With it, but from a registration that this page did not begin, or with a code that GitHub does not know.
    await place.browser.get("/set-up", params={"key": KEY})
    assert (await place.browser.get("/set-up/registered", params={"state": "x", "code": "y"})).status_code == 403
    offered = await place.browser.get("/set-up/app", params={"address": HERE})
    state = urlsplit(form_of(offered.text)[0]).query.removeprefix("state=")
    assert (await place.browser.get("/set-up/registered", params={"state": state, "code": "y"})).status_code == 502
    assert load(place.data, "gate") is None


@pytest.mark.parametrize(
    ("address", "account"),
    [
        ("", ""),
        ("gate.example", ""),
        ("http://gate.example", ""),
        ("https://gate.example", "../settings"),
        (HERE, "a b"),
    ],
)
async def test_what_cannot_be_an_address_or_an_account_is_asked_again(place: Place, address: str, account: str) -> None:
    await place.browser.get("/set-up", params={"key": KEY})
    answer = await place.browser.get("/set-up/app", params={"address": address, "account": account})
    assert answer.status_code == 400
    assert 'name="manifest"' not in answer.text


async def test_the_form_may_only_go_to_github(place: Place) -> None:
    await place.browser.get("/set-up", params={"key": KEY})
    offered = await place.browser.get("/set-up/app", params={"address": HERE})
    policy = offered.headers["content-security-policy"]
    assert f"form-action 'self' {place.github.world.base_url};" in policy


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = path_of(tmp_path, "gate")
    path.parent.mkdir()
    path.write_text("{")
    with pytest.raises(UnreadableRegistration, match=r"gate\.json is damaged .* register the App again"):
        read_settings({"MERGEGATE_DATA": str(tmp_path)})


def test_who_may_not_read_a_registration_is_not_told_to_remove_it(tmp_path: Path) -> None:
    """It may be whole: another user's, or `MERGEGATE_DATA` names a file."""
    (tmp_path / "file").touch()
    with pytest.raises(
        UnreadableRegistration, match=r"Not a directory\. .* as the user that the service runs as"
    ) as said:
        read_settings({"MERGEGATE_DATA": str(tmp_path / "file")})
    assert "remove" not in str(said.value)
