"""How git and gh of an agent's machine are told of the proxy: as environment variables alone, or as files.

Nothing in the agent's tools changes. None of this limits the agent (it may change its own settings at any time): the
limits are the proxy's, and the machine's missing way to GitHub. Sources: https://git-scm.com/docs/git-config (`url`,
`http`, `credential`, `GIT_CONFIG_COUNT`), https://cli.github.com/manual/gh_help_environment
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import re2

from app.errors import ActionableError
from app.secret import SecretStr

SESSION = "MERGEGATE_SESSION"
PROXY = "MERGEGATE_PROXY"
_REPOSITORY = re2.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}")
_HOST = re2.compile(r"(?:[A-Za-z0-9-]{1,63}\.){0,9}[A-Za-z0-9-]{1,63}")
Pairs = Sequence[tuple[str, str]]


class BadPlace(ActionableError, ValueError):
    """What was given does not describe a proxy that git and gh could use; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Place:
    """`proxy` is its address, `https://host[:port]`; `repository` is `owner/name`.

    `ca` is a PEM file with the authority of the proxy's certificate, `socket` a unix socket on which gh reaches the
    proxy, `server` GitHub's host.
    """

    proxy: str
    repository: str
    token: SecretStr
    ca: Path | None = None
    socket: Path | None = None
    server: str = "github.com"

    @property
    def host(self) -> str:
        """With the port, if one is named."""
        return urlsplit(self.proxy).netloc

    @property
    def gh_host(self) -> str:
        """As gh names the server. It reads remotes without their ports, so one that is not 443 hides them from it; by
        a socket it needs none."""
        return self.host if self.socket is None else urlsplit(self.proxy).hostname or ""

    def check(self) -> None:
        """Raises BadPlace."""
        parts = urlsplit(self.proxy)
        if (
            parts.scheme not in ("https", "http")
            or not parts.hostname
            or parts.path not in ("", "/")
            or "@" in self.host
        ):
            raise BadPlace(f"--proxy: {self.proxy!r} is no address; write https://HOST or https://HOST:PORT")
        if _REPOSITORY.fullmatch(self.repository) is None:
            raise BadPlace(f"--repo: {self.repository!r} is no repository; write OWNER/NAME")
        if _HOST.fullmatch(self.server) is None:
            raise BadPlace(f"--server: {self.server!r} is no host name")
        if parts.scheme == "http" and self.socket is None and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
            raise BadPlace("--proxy: session tokens do not cross a network in clear; give the proxy a certificate")
        for name, path in (("--ca", self.ca), ("--socket", self.socket)):
            if path is not None and ("\n" in str(path) or not path.is_absolute()):
                raise BadPlace(f"{name}: write the whole path")


def spellings(server: str) -> tuple[str, ...]:
    """The beginnings of addresses by which a repository of that server is known, and which git then rewrites."""
    return (
        f"https://{server}/",
        f"https://{server}:443/",
        f"https://www.{server}/",
        f"https://git@{server}/",
        f"https://x-access-token@{server}/",
        f"http://{server}/",
        f"git://{server}/",
        f"git@{server}:",
        f"ssh://git@{server}/",
        f"ssh://git@{server}:22/",
        f"ssh://git@ssh.{server}:443/",
    )


def git_settings(place: Place) -> Pairs:
    """git's configuration without any secret."""
    base = place.proxy.rstrip("/") + "/"
    pairs = [(f"url.{base}.insteadOf", spelling) for spelling in spellings(place.server)]
    if place.ca is not None:
        pairs.append((f"http.{base}.sslCAInfo", str(place.ca)))
    return pairs


def header_setting(place: Place) -> Pairs:
    """The token as a header: no helper, no prompt, one round trip less."""
    base = place.proxy.rstrip("/") + "/"
    return [(f"http.{base}.extraHeader", f"Authorization: Bearer {place.token.get_secret_value()}")]


def helper_settings(place: Place, token_file: Path) -> Pairs:
    """The token from a file, which can be replaced; other helpers are not asked, so none keeps it."""
    base = place.proxy.rstrip("/")
    said = f"printf 'username=x-access-token\\npassword=%s\\n' \"$(cat {shlex.quote(str(token_file))})\""
    return [
        (f"credential.{base}.helper", ""),
        (f"credential.{base}.helper", f'!f() {{ test "$1" = get && {said}; }}; f'),
    ]


def gh_environment(place: Place) -> dict[str, str]:
    """gh's settings, which takes the proxy for an Enterprise Server; the path of a socket is in `gh_files` alone."""
    host = {
        "GH_HOST": place.gh_host,
        "GH_ENTERPRISE_TOKEN": place.token.get_secret_value(),
        "GH_REPO": f"{place.gh_host}/{place.repository}",
    }
    trusted = {"SSL_CERT_FILE": str(place.ca)} if place.ca else {}
    return {**host, **trusted, "GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1"}


def environment(place: Place) -> dict[str, str]:
    """Everything as environment variables; nothing is written anywhere. Raises BadPlace."""
    place.check()
    if place.socket is not None:
        raise BadPlace("--socket: gh reads the socket's path from a file; give --write DIR too")
    known = {PROXY: place.proxy.rstrip("/"), SESSION: place.token.get_secret_value()}
    return {**known, **_counted([*git_settings(place), *header_setting(place)]), **gh_environment(place)}


def _counted(pairs: Pairs) -> dict[str, str]:
    numbered = {
        f"GIT_CONFIG_{part}_{n}": pair[i] for n, pair in enumerate(pairs) for i, part in enumerate(("KEY", "VALUE"))
    }
    return {"GIT_CONFIG_COUNT": str(len(pairs)), **numbered}


@dataclass(frozen=True, slots=True)
class Files:
    """Files to write, by name, and the variables that lead to them; `secret` are those that only the owner may read."""

    contents: Mapping[str, str]
    environment: Mapping[str, str]
    secret: frozenset[str]


def files(place: Place, folder: Path, token_file: Path | None = None) -> Files:
    """The same as files in `folder`; git takes the token from `token_file` if there is one (whole paths).

    Raises BadPlace.
    """
    place.check()
    kept = token_file or folder / "token"
    pairs = [*git_settings(place), *helper_settings(place, kept)]
    contents = {"gitconfig": gitconfig(pairs), **gh_files(place)}
    if token_file is None:
        contents["token"] = place.token.get_secret_value() + "\n"
    included = _counted([("include.path", str(folder / "gitconfig"))])
    gh = {name: value for name, value in gh_environment(place).items() if not name.endswith("_TOKEN")}
    leading = {
        PROXY: place.proxy.rstrip("/"),
        f"{SESSION}_FILE": str(kept),
        "GH_CONFIG_DIR": str(folder / "gh"),
    }
    return Files(contents, {**leading, **included, **gh}, frozenset({"token", "gh/hosts.yml"}))


def gh_files(place: Place) -> dict[str, str]:
    """gh's settings and its one host. https://cli.github.com/manual/gh_config"""
    token = place.token.get_secret_value()
    hosts = f'"{place.gh_host}":\n    oauth_token: {token}\n    user: x-access-token\n    git_protocol: https\n'
    socket = f"http_unix_socket: {place.socket}\n" if place.socket is not None else ""
    return {"gh/hosts.yml": hosts, "gh/config.yml": f'version: "1"\ngit_protocol: https\nprompt: disabled\n{socket}'}


def gitconfig(pairs: Pairs) -> str:
    """Settings as the text of a git configuration file."""
    lines = []
    for key, value in pairs:
        section, _, rest = key.partition(".")
        name, _, variable = rest.rpartition(".")
        lines += [f"[{section} {_quoted(name)}]", f"\t{variable} = {_quoted(value)}"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def shell(variables: Mapping[str, str]) -> str:
    """As lines for `eval` or for a profile."""
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())


def env_file(variables: Mapping[str, str]) -> str:
    """As a file for `docker run --env-file`, which takes values as they are and knows no quotes."""
    return "".join(f"{name}={value}\n" for name, value in variables.items())
