"""Who gets to see a pull request's page, and what stands there."""

from __future__ import annotations

import re
from datetime import timedelta

import httpx
import pytest

from app.rotation import Rotating
from app.secret import SecretStr
from tests.gate.scene import PUBLIC, Scene
from tests.gate.shop import agent_pull, fail_ci, open_shop, pass_ci
from tests.github.faults import Fault
from tests.web.browser import Browser, web_of

pytestmark = pytest.mark.anyio


async def test_only_who_may_read_the_repository_sees_its_verdict_and_history(stage: Scene) -> None:
    shop = await open_shop(stage)
    shop.private = True
    fail_ci(stage, shop)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    red = pull.head_sha
    pass_ci(stage, shop)
    await stage.github.push(shop, "agent/discount", {"shop/discount.py": "RATE = 0.2\n"}, author="courier[bot]")
    await stage.settle()
    web, path = web_of(stage), f"/acme/shop/pull/{pull.number}"

    assert {run.details_url for run in stage.check_runs(shop, pull.head_sha)} == {PUBLIC + path}
    async with Browser(stage, web, "eve") as eve:
        answer = await eve.open(path)
        cookie = eve.cookies
    page = answer.text
    assert answer.status_code == 200
    assert "Evidence complete and true; low risk" in page
    assert f"The head moved from {red[:12]} to {pull.head_sha[:12]}." in page
    assert "ci: failed became passed." in page
    assert re.search(r"Snapshot</dt><dd><code>sha256:[0-9a-f]{64}<", page)
    assert "script-src" not in answer.headers["content-security-policy"]
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "__Host-mergegate" in cookie
    assert not [
        token for token in stage.github.world.tokens.values() if token.value[:4] == "ghu_" and not token.revoked
    ]

    # A stranger learns nothing: what is there, what is not there, and what is no pull request look the same.
    stage.github.user("mallory")
    async with Browser(stage, web, "mallory") as mallory:
        refused = [await mallory.open(where) for where in (path, "/acme/shop/pull/999", "/acme/none/pull/1")]
    assert {one.status_code for one in refused} == {404}
    assert len({one.content for one in refused}) == 1

    # Whose login was given to somebody else since is that person no more.
    async with Browser(stage, web, "eve") as eve:
        await eve.open(path)
        stage.github.world.accounts["eve"].id += 1
        stage.clock += timedelta(minutes=2)
        assert (await eve.open(path)).status_code == 404


async def test_a_page_shows_hostile_words_as_words(stage: Scene) -> None:
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop, "<img/src=x>&'{{7-7}}", body="no bundle")
    await stage.settle()
    async with Browser(stage, web_of(stage), "ada") as ada:
        page = (await ada.open(f"/acme/shop/pull/{pull.number}")).text
    assert "What blocks" in page
    assert "&lt;img/src=x&gt;&amp;&#39;{{7-7}}" in page
    assert "<b>odd" not in page
    assert "<img" not in page


async def test_signing_in_belongs_to_one_browser_and_one_try(stage: Scene) -> None:
    web = web_of(stage)
    await open_shop(stage)
    async with Browser(stage, web, "ada") as ada:
        began = await ada.get("/sign-in?to=//evil.example/x")
        asked = httpx.URL(began.headers["location"])
        assert asked.params["redirect_uri"] == f"{PUBLIC}/signed-in"
        assert (await ada.get("/signed-in", params={"state": "guessed", "code": "c"})).status_code == 400
        # A code that GitHub does not know, with the right state.
        answer = await ada.get("/signed-in", params={"state": asked.params["state"], "code": "wrong"})
        assert answer.status_code == 400
        assert "GitHub did not confirm who you are" in answer.text
    # Another browser with ada's state has not begun this sign-in.
    async with Browser(stage, web, "mallory") as other:
        state = asked.params["state"]
        assert (await other.get("/signed-in", params={"state": state, "code": "c"})).status_code == 400
        other.cookies.set("__Host-mergegate", "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.")
        assert (await other.get("/acme/shop/pull/1")).status_code == 303
    # Nothing leads to another site after the sign-in.
    async with Browser(stage, web, "ada") as ada:
        answer = await ada.get("/sign-in?to=//evil.example/x")
        home = await ada._follow(answer.headers["location"])
        front = (await ada.get(home.headers["location"])).headers["location"]
        assert front == "/"
        assert (await ada.get(front)).status_code == 200


async def test_a_session_ends_by_time_and_by_hand(stage: Scene) -> None:
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    web, path = web_of(stage), f"/acme/shop/pull/{pull.number}"
    async with Browser(stage, web, "ada") as ada:
        assert (await ada.open(path)).status_code == 200
        assert (await ada.post("/sign-out", headers={"sec-fetch-site": "cross-site"})).status_code == 400
        assert (await ada.get(path)).status_code == 200
        assert (await ada.post("/sign-out", headers={"sec-fetch-site": "same-origin"})).status_code == 200
        assert (await ada.get(path)).status_code == 303
        await ada.open(path)
        stage.clock += timedelta(hours=13)
        assert (await ada.get(path)).status_code == 303


async def test_a_session_outlives_its_client_secret_while_that_stands_behind_the_new_one(stage: Scene) -> None:
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    old = SecretStr(stage.app.client_secret)
    secrets = Rotating([old])
    web, path = web_of(stage, secrets), f"/acme/shop/pull/{pull.number}"
    async with Browser(stage, web, "ada") as before, Browser(stage, web, "ada") as after:
        assert (await before.open(path)).status_code == 200
        begun = await after.get("/sign-in?to=/")
        stage.app.client_secrets_made += 1
        new = SecretStr(stage.app.client_secret)
        secrets.become([new, old])
        assert (await before.get(path)).status_code == 200
        # A sign-in that was begun before ends after, and GitHub is told the new secret.
        assert (await after.follow(begun)).status_code == 200
        secrets.become([new])
        assert (await after.get(path)).status_code == 200
        assert (await before.get(path)).status_code == 303


async def test_a_page_that_cannot_be_shown_says_so(stage: Scene) -> None:
    shop = await open_shop(stage)
    pull = await agent_pull(stage, shop)
    await stage.settle()
    path = f"/acme/shop/pull/{pull.number}"
    async with Browser(stage, web_of(stage), "ada") as ada:
        await ada.open("/sign-in")
        stage.github.faults.add(Fault("fail", path="/collaborators/", count=3))
        assert (await ada.get(path)).status_code == 503
        stage.github.faults.clear()
        await stage.gate.database.query("""update decisions set verdict = '{"kind": "old"}'""")
        answer = await ada.get(path)
        assert answer.status_code == 503
        assert "Another version" in answer.text
