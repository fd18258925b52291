"""A person's browser: keeps cookies, follows redirects between the service and the simulated GitHub."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape

import httpx
from fastapi import FastAPI

from app.secret import SecretStr
from app.web.people import people_router
from app.web.sign_in import UserAuthorization
from tests.gate.scene import PUBLIC, Scene

_ONWARD = re.compile('http-equiv="refresh" content="0; url=([^"]+)"')
_TOKEN = re.compile('name="token" value="([^"]+)"')


class Browser(httpx.AsyncClient):
    """`login` is who has signed in at GitHub; the cookies are this service's alone."""

    def __init__(self, stage: Scene, web: FastAPI, login: str) -> None:
        super().__init__(transport=httpx.ASGITransport(app=web), base_url=PUBLIC)
        self._stage = stage
        self._login = login

    def becomes(self, login: str) -> None:
        """Somebody else signs in at GitHub; here the cookies stay."""
        self._login = login

    async def open(self, path: str) -> httpx.Response:
        """The page at last, through the sign-in if it is asked for."""
        return await self.follow(await self.get(path))

    async def form(self, path: str, command: str, **fields: str) -> dict[str, str]:
        """What the form of a button holds on the page as it is now."""
        page = (await self.open(path)).text
        (token,) = set(_TOKEN.findall(page))
        return {"token": token, "command": command, **fields}

    async def post_form(self, path: str, form: Mapping[str, str], **headers: str) -> httpx.Response:
        """Send a form from a page of ours, without what follows."""
        return await self.post(path, data=dict(form), headers={"origin": PUBLIC, **headers})

    async def follow(self, answer: httpx.Response) -> httpx.Response:
        """The page at last, through GitHub."""
        for _ in range(8):
            onward = _ONWARD.search(answer.text)
            if not answer.is_redirect and onward is None:
                return answer
            answer = await self._follow(answer.headers["location"] if onward is None else unescape(onward[1]))
        raise AssertionError("redirected without end")

    async def press(self, path: str, command: str, **fields: str) -> httpx.Response:
        return await self.follow(await self.post_form(path, await self.form(path, command, **fields)))

    async def _follow(self, location: str) -> httpx.Response:
        github = self._stage.github
        if not location.startswith(github.world.base_url):
            return await self.get(location)
        headers = {"authorization": f"Bearer {github.user_token(self._login)}"}
        transport = httpx.ASGITransport(app=github.app)
        async with httpx.AsyncClient(transport=transport, headers=headers) as at_github:
            return await at_github.get(location)


def web_of(stage: Scene, client_secrets: Sequence[SecretStr] = ()) -> FastAPI:
    """The pages of a scene's gate; it has the App's client secret, where no others are given."""
    web = FastAPI()
    secrets = client_secrets or (SecretStr(stage.app.client_secret),)
    one = UserAuthorization(stage.app.client_id, secrets, PUBLIC, stage.github.world.base_url)
    web.include_router(
        people_router(
            stage.gate,
            one,
            lambda: httpx.ASGITransport(app=stage.github.app),
        )
    )
    return web
