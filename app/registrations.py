"""The GitHub Apps that were registered from the set-up page: one file for each role in the data folder, for its owner
alone. Variables of the environment come before them.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.errors import ActionableError
from app.json_fields import field, optional_field
from app.secret import SecretStr, keys_in, secrets_in

if TYPE_CHECKING:
    from app.github.registering import RegisteredApp

Role = Literal["gate", "courier"]


class UnreadableRegistration(ActionableError, ValueError):
    """A file in the data folder is damaged; the message names it and what to do."""


@dataclass(frozen=True, kw_only=True)
class Registration:
    """What GitHub answered when the App was registered, and where this service is reached.

    https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest
    """

    app_id: int
    slug: str
    html_url: str
    private_key: SecretStr
    webhook_secret: SecretStr | None = None
    client_id: str
    client_secret: SecretStr | None = None  # None: no pages for people
    public_url: str
    polling: bool = False

    @property
    def private_keys(self) -> tuple[SecretStr, ...]:
        """Two while they are rotated, the newer first."""
        return keys_in(self.private_key.get_secret_value()) or (self.private_key,)

    @property
    def webhook_secrets(self) -> tuple[SecretStr, ...]:
        return () if self.webhook_secret is None else secrets_in(self.webhook_secret.get_secret_value())

    @property
    def client_secrets(self) -> tuple[SecretStr, ...]:
        return () if self.client_secret is None else secrets_in(self.client_secret.get_secret_value())

    def with_key(self, new: SecretStr) -> Registration:
        """The new key and the newest of those before it, also when this is done again."""
        return replace(self, private_key=_beside(new, self.private_keys))

    def with_webhook_secret(self, new: SecretStr) -> Registration:
        """The new secret and the newest of those before it, also when this is done again."""
        return replace(self, webhook_secret=_beside(new, self.webhook_secrets))

    def with_client_secret(self, new: SecretStr) -> Registration:
        """The new secret and the newest of those before it, also when this is done again."""
        return replace(self, client_secret=_beside(new, self.client_secrets))

    def newest(self) -> Registration:
        """Without what came before the newest key and secrets."""
        webhook, client = (secrets[0] if secrets else None for secrets in (self.webhook_secrets, self.client_secrets))
        return replace(self, private_key=self.private_keys[0], webhook_secret=webhook, client_secret=client)


def _beside(new: SecretStr, known: Sequence[SecretStr]) -> SecretStr:
    others = [secret for secret in known if secret != new]
    return SecretStr("\n".join(secret.get_secret_value() for secret in (new, *others[:1])))


def registration_of(app: RegisteredApp, public_url: str, *, polling: bool) -> Registration:
    """What is kept of the App that GitHub handed over."""
    return Registration(
        app_id=app.id,
        slug=app.slug,
        html_url=app.html_url,
        private_key=app.pem,
        webhook_secret=app.webhook_secret,
        client_id=app.client_id,
        client_secret=app.client_secret,
        public_url=public_url,
        polling=polling,
    )


def path_of(data: Path, role: Role) -> Path:
    return data / "apps" / f"{role}.json"


@contextlib.contextmanager
def changing(data: Path) -> Iterator[None]:
    """Whoever reads registrations to change them waits for the others who do, so that no change is lost."""
    folder = data / "apps"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def save(data: Path, role: Role, registration: Registration) -> None:
    """Write it whole or not at all, readable by its owner alone. Raises OSError."""
    path = path_of(data, role)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Of a name of its own: two that write one file would put each other's half in place.
    descriptor, new = tempfile.mkstemp(".new", f"{role}.", path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(_written(registration))
            file.flush()
            os.fsync(file.fileno())
        Path(new).replace(path)
    finally:
        Path(new).unlink(missing_ok=True)


def load(data: Path, role: Role) -> Registration | None:
    """None where none was registered. Raises UnreadableRegistration."""
    path = path_of(data, role)
    try:
        return read(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as wrong:  # it may be whole: nobody is told to remove it
        raise UnreadableRegistration(
            f"{path} cannot be read: {wrong.strerror}. Do this as the user that the service runs as, and with "
            "its data folder as MERGEGATE_DATA."
        ) from None
    except (ValueError, RecursionError) as wrong:
        raise UnreadableRegistration(
            f"{path} is damaged ({type(wrong).__name__}). Restore it, or remove it and register the App again."
        ) from None


def _written(registration: Registration) -> str:
    return json.dumps(
        {
            name: value.get_secret_value() if isinstance(value, SecretStr) else value
            for name, value in vars(registration).items()
        }
    )


def read(text: bytes) -> Registration:
    """What `save` wrote. Raises ValueError, RecursionError."""
    value = json.loads(text)
    webhook_secret = optional_field(value, "webhook_secret", str)
    client_secret = optional_field(value, "client_secret", str)
    return Registration(
        app_id=field(value, "app_id", int),
        slug=field(value, "slug", str),
        html_url=field(value, "html_url", str),
        private_key=SecretStr(field(value, "private_key", str)),
        webhook_secret=None if webhook_secret is None else SecretStr(webhook_secret),
        client_id=field(value, "client_id", str),
        client_secret=None if client_secret is None else SecretStr(client_secret),
        public_url=field(value, "public_url", str),
        polling=field(value, "polling", bool),
    )
