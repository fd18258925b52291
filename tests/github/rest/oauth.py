"""The web flow by which an App's users sign in, and the end of the token that comes of it.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
Whoever asks for the consent page with a token of their own has consented.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tests.github.answers import answer, no_content
from tests.github.auth import require_user
from tests.github.errors import ApiError, not_found
from tests.github.rest.lookup import world_of
from tests.github.state import App, Token, World

BAD_CODE = {
    "error": "bad_verification_code",
    "error_description": "The code passed is incorrect or expired.",
    "error_uri": "https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors"
    "/#bad-verification-code",
}
BAD_CLIENT = {
    "error": "incorrect_client_credentials",
    "error_description": "The client_id and/or client_secret passed are incorrect.",
}


def _app(world: World, client_id: str) -> App | None:
    return next((app for app in world.apps.values() if app.client_id == client_id), None)


async def authorize(request: Request) -> Response:
    world, query = world_of(request), request.query_params
    app = _app(world, query.get("client_id", ""))
    if app is None:
        raise not_found()
    code = secrets.token_hex(10)
    world.oauth_codes[code] = (app.id, require_user(request), query["redirect_uri"])
    return RedirectResponse(
        f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query.get('state', '')})}", 302
    )


async def access_token(request: Request) -> Response:
    """A code works once. Errors are answered with 200, as GitHub does."""
    world, fields = world_of(request), await _fields(request)
    app = _app(world, fields.get("client_id", ""))
    if app is None or not secrets.compare_digest(fields.get("client_secret", ""), app.client_secret):
        return answer(BAD_CLIENT)
    app_id, login, redirect = world.oauth_codes.pop(fields.get("code", ""), (0, "", ""))
    if app_id != app.id or fields.get("redirect_uri", redirect) != redirect:
        return answer(BAD_CODE)
    value = f"ghu_{secrets.token_hex(18)}"
    world.tokens[value] = Token(value, "user", login, app_id=app.id)
    return answer({"access_token": value, "token_type": "bearer", "scope": ""})


async def _fields(request: Request) -> dict[str, str]:
    if request.headers.get("content-type", "").startswith("application/json"):
        return {name: str(value) for name, value in (await request.json()).items()}
    return {name: values[-1] for name, values in parse_qs((await request.body()).decode()).items()}


async def delete_token(request: Request) -> Response:
    """Asked for with the App's client id and secret."""
    world = world_of(request)
    app = _app(world, request.path_params["client_id"])
    if app is None or _basic(request) != f"{app.client_id}:{app.client_secret}":
        raise not_found()
    token = world.tokens.get((await request.json())["access_token"])
    if token is None:
        raise not_found()
    token.revoked = True
    return no_content()


def _basic(request: Request) -> str:
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    try:
        return base64.b64decode(value, validate=True).decode() if scheme.lower() == "basic" else ""
    except (binascii.Error, UnicodeDecodeError):
        raise ApiError(401, "Bad credentials") from None


routes = [
    Route("/login/oauth/authorize", authorize),
    Route("/login/oauth/access_token", access_token, methods=["POST"]),
    Route("/applications/{client_id}/token", delete_token, methods=["DELETE"]),
]
