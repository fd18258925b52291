"""What the REST calls about the App, its installations and its webhook answer."""

from __future__ import annotations

from typing import Annotated

from pydantic import AwareDatetime, BeforeValidator, Field

from app.github.rest_models import Model

BigId = Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)]
"""A delivery's id: it exceeds 2^53, so it is text everywhere outside of this program too."""


class InstalledRepository(Model):
    id: int
    name: str
    full_name: str
    private: bool | None = None
    archived: bool = False
    default_branch: str = ""


class RepositoryPage(Model):
    total_count: int
    repositories: tuple[InstalledRepository, ...]


class App(Model):
    id: int
    slug: str
    name: str
    html_url: str = ""
    client_id: str = ""
    permissions: dict[str, str] = Field(default_factory=dict)
    events: tuple[str, ...] = ()


class InstallationAccount(Model):
    """A user, an organisation (`login`) or an enterprise (`slug`)."""

    id: int
    login: str | None = None
    slug: str | None = None


class Installation(Model):
    id: int
    app_id: int
    account: InstallationAccount | None
    target_type: str
    repository_selection: str
    permissions: dict[str, str] = Field(default_factory=dict)
    events: tuple[str, ...] = ()
    suspended_at: AwareDatetime | None = None


class HookConfig(Model):
    """Where the App's deliveries go. GitHub writes whether it looks at certificates as a number or its text."""

    url: str = ""
    content_type: str = "form"
    insecure_ssl: str | int = 0


class Delivery(Model):
    """One delivery attempt of the App's webhook; a redelivery has the same `guid` and another `id`."""

    id: BigId
    guid: str
    delivered_at: AwareDatetime
    redelivery: bool
    status: str
    status_code: int
    event: str
    action: str | None = None
    installation_id: int | None = None
    repository_id: int | None = None
