"""How git gets at a repository with a short-lived token.

The token reaches git through its environment (`GIT_CONFIG_COUNT` and its pairs, git 2.31 and newer), never through the
argument list, an address, or a file. Source: https://git-scm.com/docs/git-config#ENVIRONMENT
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from urllib.parse import urlsplit

from app.github.addresses import route
from app.secret import SecretStr


def web_url(api_url: str) -> str:
    """The address of the server's pages and repositories, without a slash at its end.

    github.com and data residency have their API on a host of its own (`api.…`), other servers on the same host.
    """
    parts = urlsplit(api_url)
    host = parts.netloc
    if host == "api.github.com" or (host.startswith("api.") and host.endswith(".ghe.com")):
        host = host.removeprefix("api.")
    return f"{parts.scheme}://{host}"


def clone_url(api_url: str, owner: str, name: str) -> str:
    """The https address of a repository on the server of `api_url`."""
    return web_url(api_url) + route("/{owner}/{name}", owner=owner, name=name) + ".git"


def git_environment(url: str, token: SecretStr, settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment variables that let git reach `url` with `token`, and configuration `settings` beside it.

    Helpers and prompts are off, and redirects are not followed, so that the header goes to that server only.
    """
    parts = urlsplit(url)
    credentials = base64.b64encode(f"x-access-token:{token.get_secret_value()}".encode()).decode()
    header = f"http.{parts.scheme}://{parts.netloc}/.extraHeader"
    pairs = [
        *(settings or {}).items(),
        ("credential.helper", ""),
        ("http.followRedirects", "false"),
        (header, ""),
        (header, f"Authorization: Basic {credentials}"),
    ]
    environment = {"GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_COUNT": str(len(pairs))}
    for number, (key, value) in enumerate(pairs):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment
