"""`mergegate setup --no-browser`: registers the Apps from a server on which no browser runs."""

from __future__ import annotations

import asyncio
import html
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qs, urlsplit

import re2
import typer

from app.cli.asking_github import cannot_ask
from app.cli.files import read_text
from app.cli.printing import print_line, progress
from app.config import Settings, read_settings
from app.github import installations
from app.github.clients import GitHubApp
from app.github.errors import BadCredentials, GitHubError
from app.github.git_access import web_url
from app.github.identity import AppIdentity
from app.github.installation_models import App
from app.github.registering import convert
from app.local.clone import CannotLook
from app.local.shipped import app_manifest
from app.registrations import Registration, Role, load, path_of, registration_of, save
from app.secret import SecretStr
from app.web.manifests import BadAccount, manifest, registration_address
from app.web.set_up import BadAddress, public_address
from policies.escape import clean

_CODE = re2.compile(r"[0-9A-Za-z_-]{1,200}")
_PAGE = """<!doctype html><meta charset="utf-8"><title>Register {name}</title>
<form action="{address}" method="post"><input type="hidden" name="manifest" value="{manifest}">
<button>Register {name} on GitHub</button></form>
"""


@dataclass(frozen=True, slots=True)
class Offer:
    """A page whose button registers an App on GitHub, and the state by which GitHub's answer is known."""

    page: str
    state: str


def setup(
    address: Annotated[str, typer.Option(help="Where the service will be reached, https://… (or localhost).")],
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Needed: with a browser, `mergegate serve` shows a page for this.")
    ] = False,
    role: Annotated[str, typer.Option(help="gate or courier.")] = "gate",
    account: Annotated[
        str, typer.Option(help="The organisation that will own the App; your own account without.")
    ] = "",
    polling: Annotated[bool, typer.Option("--polling", help="No webhooks: GitHub cannot reach the address.")] = False,
    app_id: Annotated[int | None, typer.Option(help="Take an App that exists: its id.")] = None,
    key: Annotated[str | None, typer.Option(help="Its private key, a PEM file.")] = None,
    webhook_secret: Annotated[str | None, typer.Option(help="A file with its webhook secret.")] = None,
    client_secret: Annotated[str | None, typer.Option(help="A file with its client secret, for the pages.")] = None,
) -> None:
    """Register the gate's App, or the courier's, from a server without a browser.

    Writes a page to open on any other machine, and asks for the address to which GitHub then sends that browser. With
    --app-id and --key an App that exists is taken instead. Keys go to MERGEGATE_DATA, for its owner alone. Exit code
    2: nothing was set up.
    """
    settings, wanted = read_settings(os.environ), role_of(role)
    if not no_browser and app_id is None:
        raise CannotLook(
            "with a browser, start `mergegate serve` and open the address that it prints; else --no-browser"
        )
    known = load(settings.data, wanted)
    if known is not None:
        place = clean(str(path_of(settings.data, wanted)), 300)
        raise CannotLook(f"the {wanted} App {known.slug} is set up already. Remove {place} to set up another one.")
    url = _address(address)
    if app_id is not None:
        registration = asyncio.run(_existing(settings, wanted, app_id, _Files(key, webhook_secret, client_secret), url))
    else:
        registration = _registered(settings, wanted, account, url, polling=polling)
    save(settings.data, wanted, registration)
    print_line(f"The {wanted} App {registration.slug} is set up.", "green")
    print_line(f"Install it on your repositories: {registration.html_url}/installations/new")
    print_line("Then start the service: mergegate serve")


def role_of(text: str) -> Role:
    if text == "gate":
        return "gate"
    if text == "courier":
        return "courier"
    raise CannotLook(f"{clean(text, 50)} is no role; there are gate and courier.")


def _address(text: str) -> str:
    try:
        return public_address(text)
    except BadAddress as wrong:
        raise CannotLook(str(wrong)) from wrong


def offer(settings: Settings, role: Role, account: str, url: str, *, polling: bool) -> Offer:
    """Raises CannotLook for an account that cannot be one."""
    state = secrets.token_urlsafe(24)
    made = manifest(role, app_manifest(role), url, account, polling=polling)
    try:
        target = registration_address(web_url(settings.github_api_url), account, state)
    except BadAccount as wrong:
        raise CannotLook(f"{clean(account, 100)} is no name of an organisation.") from wrong
    fields = {"name": made["name"], "address": target, "manifest": json.dumps(made)}
    return Offer(_PAGE.format(**{name: html.escape(str(value)) for name, value in fields.items()}), state)


def code_of(pasted: str, state: str) -> str:
    """The code in an address that GitHub sent a browser to, or a code alone. Raises CannotLook."""
    text = pasted.strip()
    if "?" in text:
        query = parse_qs(urlsplit(text).query)
        if not secrets.compare_digest(query.get("state", [""])[0].encode(), state.encode()):
            raise CannotLook("that address is of another registration. Open the page again, and paste what follows it.")
        text = query.get("code", [""])[0]
    if not _CODE.fullmatch(text):
        raise CannotLook("there is no code in that. Paste the whole address that the browser shows, with `code=`.")
    return text


def _registered(settings: Settings, role: Role, account: str, url: str, *, polling: bool) -> Registration:
    made = offer(settings, role, account, url, polling=polling)
    page = Path(f"mergegate-{role}.html").absolute()
    try:
        page.write_text(made.page, encoding="utf-8")
    except OSError as wrong:
        raise CannotLook(f"{page} cannot be written: {wrong.strerror}. Start this in a folder of your own.") from wrong
    owner = f"as an owner of {account}" if account else "with your own account"
    print_line(f"1. Open {page} in a browser on any machine, signed in to GitHub {owner}, and press the button.")
    print_line("2. GitHub sends that browser on to an address with `code=`, where nothing has to answer.")
    try:
        code = _pasted(made.state)
        app = asyncio.run(convert(settings.github_api_url, code))
    except GitHubError as wrong:
        raise CannotLook(f"GitHub did not hand over the App: {wrong}. Run the same command again.") from wrong
    finally:
        page.unlink(missing_ok=True)
    return registration_of(app, url, polling=polling)


def _pasted(state: str) -> str:
    """Asks again after something else was pasted: at GitHub the App is made by then, and its code good for an hour."""
    while True:
        try:
            return code_of(typer.prompt("3. Paste that whole address here within the hour"), state)
        except CannotLook as wrong:
            typer.echo(f"mergegate: {wrong}", err=True)


@dataclass(frozen=True, slots=True)
class _Files:
    key: str | None
    webhook_secret: str | None
    client_secret: str | None

    def secret(self, name: str | None) -> SecretStr | None:
        return None if name is None else SecretStr(read_text(name).strip())


async def app_by_key(settings: Settings, role: Role, app_id: int, key: SecretStr) -> App:
    """Raises CannotLook where GitHub does not take the key for this App."""
    github = GitHubApp(AppIdentity(role, app_id, (key,), settings.github_api_url))
    try:
        with progress("Asking GitHub"):
            return await installations.this_app(github.app)
    except BadCredentials as wrong:
        raise CannotLook(f"GitHub does not take this key for App {app_id}: {wrong.because}") from wrong
    except GitHubError as wrong:
        raise cannot_ask(wrong, settings.github_api_url) from wrong
    finally:
        await github.aclose()


async def _existing(settings: Settings, role: Role, app_id: int, files: _Files, url: str) -> Registration:
    """An App whose key GitHub takes."""
    key = files.secret(files.key)
    if key is None:
        raise CannotLook("an App that exists needs --key with its private key (App settings, Private keys).")
    app = await app_by_key(settings, role, app_id, key)
    secret = files.secret(files.webhook_secret)
    return Registration(
        app_id=app.id,
        slug=app.slug,
        html_url=app.html_url,
        private_key=key,
        webhook_secret=secret,
        client_id=app.client_id,
        client_secret=files.secret(files.client_secret),
        public_url=url,
        polling=secret is None,
    )
