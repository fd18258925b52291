"""`mergegate rotate`: a new private key, webhook secret or client secret for an App that the data folder keeps."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated

import typer

from app.cli.files import read_text
from app.cli.printing import counted, print_line
from app.cli.setup import app_by_key, role_of
from app.config import Settings, read_settings
from app.local.clone import CannotLook
from app.registrations import Registration, Role, changing, load, path_of, save
from app.secret import SecretStr, keys_in, secrets_in
from policies.escape import clean


def rotate(
    role: Annotated[str, typer.Argument(help="gate or courier.")],
    key: Annotated[str | None, typer.Option(help="A file with the App's new private key.")] = None,
    webhook_secret: Annotated[str | None, typer.Option(help="A file with the new webhook secret.")] = None,
    client_secret: Annotated[str | None, typer.Option(help="A file with the new client secret, for the pages.")] = None,
    only: Annotated[bool, typer.Option("--only", help="Take out the older ones.")] = False,
) -> None:
    """Take a new private key, webhook secret or client secret beside the old one, or it alone.

    For an App that the set-up page or `mergegate setup` registered; one that is named by variables has its secrets in
    files of its own. A service that runs takes it up within 15 seconds. Exit code 2: nothing was changed.
    """
    settings, wanted = read_settings(os.environ), role_of(role)
    if key is None and webhook_secret is None and client_secret is None and not only:
        options = "--key, --webhook-secret or --client-secret"
        raise CannotLook(f"give {options} with a file, or --only to take out the older ones.")
    _kept(settings, wanted)  # before anything is made in the folder
    with changing(settings.data):
        registration = _kept(settings, wanted)
        if key is not None:
            registration = _with_key(settings, wanted, registration, key)
        if webhook_secret is not None:
            registration = _with_webhook_secret(registration, webhook_secret)
        if client_secret is not None:
            registration = _with_client_secret(registration, client_secret)
        if only:
            registration = registration.newest()
        save(settings.data, wanted, registration)
    print_line(f"The {wanted} App {registration.slug} now has {_counted(registration)}.", "green")
    print_line("A service that runs takes it up within 15 seconds and says so in its log: secrets were rotated.")


def _counted(registration: Registration) -> str:
    keys, webhook, client = registration.private_keys, registration.webhook_secrets, registration.client_secrets
    parts = (counted(len(keys), "private key"), counted(len(webhook), "webhook secret"))
    return f"{', '.join(parts)} and {counted(len(client), 'client secret')}"


def _kept(settings: Settings, role: Role) -> Registration:
    registration = load(settings.data, role)
    if registration is None:
        place = clean(str(path_of(settings.data, role)), 300)
        raise CannotLook(f"there is no {place}: write the new secret into the file that your variables name instead.")
    return registration


def _with_key(settings: Settings, role: Role, registration: Registration, name: str) -> Registration:
    """GitHub is asked first whether it takes the key."""
    keys = keys_in(read_text(name))
    if len(keys) != 1:
        raise CannotLook(f"there are {len(keys)} private keys in that file. Give the one that GitHub let you download.")
    asyncio.run(app_by_key(settings, role, registration.app_id, keys[0]))
    return registration.with_key(keys[0])


def _with_webhook_secret(registration: Registration, name: str) -> Registration:
    secret = _one_secret(name, "Make one with: openssl rand -hex 32")
    if not registration.webhook_secrets:
        raise CannotLook("this App has no webhook secret, so it gets no webhooks that could be signed with one.")
    return registration.with_webhook_secret(secret)


def _with_client_secret(registration: Registration, name: str) -> Registration:
    secret = _one_secret(name, "Give the one that GitHub showed when you made it.")
    if not registration.client_secrets:
        raise CannotLook("this App has no client secret, so there are no pages that people could sign in to.")
    return registration.with_client_secret(secret)


def _one_secret(name: str, advice: str) -> SecretStr:
    secrets = secrets_in(read_text(name))
    if len(secrets) != 1:
        raise CannotLook(f"there are {len(secrets)} secrets in that file. {advice}")
    return secrets[0]
