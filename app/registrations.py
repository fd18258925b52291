"""The GitHub Apps that were registered from the set-up page: one file for each role in the data folder, for its owner
alone. Variables of the environment come before them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError, field_serializer

from app.errors import ActionableError

Role = Literal["gate", "courier"]


class UnreadableRegistration(ActionableError, ValueError):
    """A file in the data folder is damaged; the message names it and what to do."""


class Registration(BaseModel):
    """What GitHub answered when the App was registered, and where this service is reached.

    https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest
    """

    model_config = ConfigDict(frozen=True)

    app_id: int
    slug: str
    html_url: str
    private_key: SecretStr
    webhook_secret: SecretStr | None = None
    client_id: str
    client_secret: SecretStr
    public_url: str
    polling: bool = False

    @field_serializer("private_key", "webhook_secret", "client_secret", when_used="json")
    def _shown(self, secret: SecretStr | None) -> str | None:
        return None if secret is None else secret.get_secret_value()


def path_of(data: Path, role: Role) -> Path:
    return data / "apps" / f"{role}.json"


def save(data: Path, role: Role, registration: Registration) -> None:
    """Write it whole or not at all, readable by its owner alone. Raises OSError."""
    path = path_of(data, role)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(registration.model_dump_json())
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def load(data: Path, role: Role) -> Registration | None:
    """None where none was registered. Raises UnreadableRegistration."""
    path = path_of(data, role)
    try:
        return Registration.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as wrong:
        raise UnreadableRegistration(
            f"{path} cannot be read ({type(wrong).__name__}). Restore it, or remove it and register the App again."
        ) from None
