"""The last step of registering an App from a manifest. No credential exists yet; the code is one, and works once.

https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from urllib.parse import quote

import httpx
from pydantic import ValidationError

from app.github.errors import GitHubDown, NotFound, UnexpectedAnswer
from app.json_model import JsonModel
from app.secret import SecretStr

SECONDS = 20.0
LONGEST = 256 * 1024  # bytes of the answer


class RegisteredApp(JsonModel):
    id: int
    slug: str
    html_url: str
    pem: SecretStr
    client_id: str
    client_secret: SecretStr
    webhook_secret: SecretStr | None = None


async def convert(
    api_url: str, code: str, connect: Callable[[], httpx.AsyncBaseTransport] = httpx.AsyncHTTPTransport
) -> RegisteredApp:
    """The new App with its secrets. Raises NotFound for a code that is used up, GitHubDown, UnexpectedAnswer."""
    path = f"/app-manifests/{quote(code, safe='')}/conversions"
    headers = {"accept": "application/vnd.github+json", "user-agent": "mergegate"}
    try:
        async with asyncio.timeout(SECONDS), httpx.AsyncClient(transport=connect(), headers=headers) as client:
            answer = await client.post(api_url + path)
    except (httpx.HTTPError, TimeoutError):
        raise GitHubDown("POST /app-manifests/…/conversions", "GitHub could not be reached") from None
    if answer.status_code != 201 or len(answer.content) > LONGEST:
        raise NotFound("POST /app-manifests/…/conversions", "the code is used up or too old")
    try:
        return RegisteredApp.model_validate_json(answer.content)
    except ValidationError:
        raise UnexpectedAnswer("POST /app-manifests/…/conversions", "the answer is no App") from None
