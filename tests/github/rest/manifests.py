"""The page on which a person registers an App from a manifest: whoever posts one with their token has agreed."""

from __future__ import annotations

import json
import secrets
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tests.github.auth import require_user
from tests.github.errors import unprocessable
from tests.github.rest.lookup import world_of


async def new_app(request: Request) -> Response:
    world = world_of(request)
    require_user(request)
    fields = parse_qs((await request.body()).decode())
    manifest = json.loads(fields["manifest"][0])
    if len(manifest["name"]) > 34 or any(app.name == manifest["name"] for app in world.apps.values()):
        raise unprocessable("Name is already taken")
    code = secrets.token_hex(20)
    world.manifest_codes[code] = manifest
    query = urlencode({"code": code, "state": request.query_params.get("state", "")})
    return RedirectResponse(f"{manifest['redirect_url']}?{query}", 302)


routes = [
    Route("/settings/apps/new", new_app, methods=["POST"]),
    Route("/organizations/{org}/settings/apps/new", new_app, methods=["POST"]),
]
