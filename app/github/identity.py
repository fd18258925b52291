"""Who we are to GitHub: an App with its keys, and what a token of it may be used for.

Source: https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.github.errors import BadCredentials
from app.secret import SecretStr

TOKEN_MARGIN = 300.0
"""Seconds of life that a token must have left to be used, so that a long download does not outlive it."""

Role = Literal["gate", "courier"]
Permissions = Mapping[str, str]

_READ = {
    "actions": "read",
    "administration": "read",
    "checks": "read",
    "contents": "read",
    "issues": "read",
    "members": "read",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "read",
    "statuses": "read",
}

PURPOSES: Mapping[Role, Mapping[str, Permissions]] = {
    "gate": {
        "read": _READ,
        "members": {"members": "read"},
        "list": {"metadata": "read"},
        "git": {"contents": "read", "metadata": "read"},
        "checks": {"checks": "write", "metadata": "read"},
        "comments": {"issues": "write", "pull_requests": "write", "metadata": "read"},
        "reviews": {"pull_requests": "write", "metadata": "read"},
        "queue": {"contents": "write", "pull_requests": "write", "merge_queues": "read", "metadata": "read"},
        "branches": {"contents": "write", "metadata": "read"},
        "runs": {"actions": "write", "metadata": "read"},
        "statuses": {"statuses": "write", "metadata": "read"},
    },
    "courier": {
        "read": {
            "actions": "read",
            "checks": "read",
            "contents": "read",
            "issues": "read",
            "metadata": "read",
            "pull_requests": "read",
            "statuses": "read",
        },
        "list": {"metadata": "read"},
        "git": {"contents": "read", "metadata": "read"},
        "push": {"contents": "write", "metadata": "read"},
        "pulls": {"pull_requests": "write", "metadata": "read"},
        "issues": {"issues": "write", "metadata": "read"},
    },
}
"""What a token of each purpose may do. A label such as `read:runs` is counted apart and has the rights of `read`."""


@dataclass(frozen=True)
class AppIdentity:
    """One GitHub App. `private_keys` are PEM texts; during a rotation there are two and both are tried. They may
    change meanwhile, so a key's index is counted around.

    `api_url` is `https://api.github.com`, an Enterprise Server's `https://host/api/v3`, or a compatible server.
    """

    role: Role
    app_id: int | str
    private_keys: Sequence[SecretStr]
    api_url: str = "https://api.github.com"
    accounts: tuple[str, ...] = ()  # logins; with any, installations of others are not served

    def serves(self, login: str | None) -> bool:
        """Whether an installation on this account is served; `login` is None for an enterprise."""
        return not self.accounts or (login or "").casefold() in {each.casefold() for each in self.accounts}

    def permissions(self, purpose: str) -> Permissions:
        """The rights that a token for `purpose` gets. Raises ValueError for a purpose that this role does not have."""
        known = PURPOSES[self.role]
        name = purpose.partition(":")[0]
        if name not in known:
            raise ValueError(f"the {self.role} App has no purpose {name!r}; it has {', '.join(known)}")
        return known[name]

    def private_key(self, index: int) -> SecretStr:
        """Raises BadCredentials where there is none."""
        if not self.private_keys:
            raise BadCredentials("App key", f"the {self.role} App has no private key; add one")
        return self.private_keys[index % len(self.private_keys)]

    def jwt(self, now: float, key: int = 0) -> str:
        """A token that proves to be the App, by the private key with that index; see `app_jwt`.

        Raises BadCredentials when the key is no RSA key in PEM form.
        """
        # Imported here, because a proxy leaves this to a process of its own.
        from app.github.app_jwt import app_jwt

        token = app_jwt(self.app_id, self.private_key(key), now)
        if token is None:
            raise self.unreadable(key)
        return token

    def unreadable(self, key: int) -> BadCredentials:
        return BadCredentials("App key", f"private key {key + 1} of the {self.role} App is no RSA key in PEM form")
