"""`mergegate doctor [OWNER/REPO]`: what is wrong with how a repository is guarded, or with the service, and what to do
about it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable
from dataclasses import asdict
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from app.cli.doctor_service import look
from app.cli.printing import Style, print_json, print_line, progress
from app.cli.repository_name import parse_repository
from app.cli.wait import token_of
from app.config import AppSettings, Settings, read_settings
from app.github import contents, installations, rulesets
from app.github.addresses import route
from app.github.client import GitHubClient
from app.github.clients import GitHubApp
from app.github.errors import BadCredentials, GitHubError, NotFound
from app.github.identity import AppIdentity
from app.github.personal import PersonalClient
from app.github.reads import REPO
from app.local.clone import CannotLook
from app.local.examination import CouldNotRead, Facts, Installed, Level, Symptom, examine
from app.local.protection import QueueKind
from app.local.service_examination import examine_service
from app.local.shipped import app_manifest
from app.logging import configure_logging
from policies.escape import clean

T = TypeVar("T")
_SIGNS: dict[Level, tuple[str, Style]] = {
    "wrong": ("✗", "bold red"),
    "unknown": ("?", "yellow"),
    "odd": ("!", "yellow"),
}
_ORDER: tuple[Level, ...] = ("wrong", "unknown", "odd")


def doctor(
    repository: Annotated[
        str | None, typer.Argument(metavar="[OWNER/REPO]", help="For example acme/shop; without it the service itself.")
    ] = None,
    gate: Annotated[int | None, typer.Option(help="The gate App's id; the one that is configured.")] = None,
    queue: Annotated[QueueKind, typer.Option(help="native, serial (the gate's own) or none.")] = "native",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what lets somebody past the gate, or with no repository what is wrong with the service.

    A repository is read with the token in GH_TOKEN or GITHUB_TOKEN, the service with its own settings.
    Exit code 0: nothing is wrong; 1: something is; 2: something could not be looked at.
    """
    settings = read_settings(os.environ)
    if repository is None:
        _of_service(settings, as_json=as_json)
    app_id = gate or (settings.gate.app_id if settings.gate else None)
    owner, name = parse_repository(repository)
    if app_id is None:
        raise CannotLook("it is not known which App is the gate. Give --gate with its id (it is on the App's page).")
    with progress(f"Looking at {clean(repository, 200)}"):
        symptoms = examine(asyncio.run(_facts(settings, owner, name, app_id, queue)))
    symptoms.sort(key=lambda one: _ORDER.index(one.level))
    _print(repository, symptoms, as_json=as_json)
    raise typer.Exit(_exit_code(symptoms))


def _of_service(settings: Settings, *, as_json: bool) -> NoReturn:
    configure_logging()
    with progress("Looking at the service"):
        seen = asyncio.run(look(settings, os.environ))
    symptoms = examine_service(seen.facts)
    symptoms.sort(key=lambda one: _ORDER.index(one.level))
    if as_json:
        print_json({"versions": dict(seen.parts), "symptoms": [asdict(one) for one in symptoms]})
    else:
        _print("the service", symptoms, as_json=False)
        print_line(", ".join(f"{name} {number}" for name, number in seen.parts.items()) + ".")
    raise typer.Exit(_exit_code(symptoms))


def _exit_code(symptoms: list[Symptom]) -> int:
    levels = {one.level for one in symptoms}
    return 1 if "wrong" in levels else 2 if "unknown" in levels else 0


def _print(repository: str, symptoms: list[Symptom], *, as_json: bool) -> None:
    if as_json:
        shown = [{"level": one.level, "what": one.what, "remedy": one.remedy} for one in symptoms]
        print_json({"repository": repository, "symptoms": shown})
        return
    wrong = sum(one.level == "wrong" for one in symptoms)
    name = clean(repository, 200)
    print_line(
        f"{name}: {f'{wrong} things are wrong' if wrong else 'nothing is wrong'}.", "bold red" if wrong else "green"
    )
    for one in symptoms:
        sign, style = _SIGNS[one.level]
        print_line(f"{sign} {clean(one.what, 600)} {clean(one.remedy, 300)}", style)


async def _facts(settings: Settings, owner: str, name: str, app_id: int, queue: QueueKind) -> Facts:
    client = PersonalClient(token_of(os.environ), settings.github_api_url)
    try:
        about = await contents.about(client, owner, name)
        owner, _, name = about.full_name.partition("/")
        branch, template = about.default_branch, app_manifest("gate")
        return Facts(
            app_id=app_id,
            queue=queue,
            effective=await _read(rulesets.in_force(client, owner, name, branch)),
            rulesets=await _read(rulesets.every(client, owner, name)),
            workflow_permissions=await _read(_workflow_permissions(client, owner, name)),
            classic_protection=await _read(_classic(client, owner, name, branch)),
            installed=await _read(_installed(settings, owner, name)),
            asked=template["default_permissions"],
            asked_events=tuple(template["default_events"]),
        )
    except BadCredentials as wrong:
        raise CannotLook("GitHub does not know this token, or it has expired. Make a new one.") from wrong
    except NotFound as wrong:
        raise CannotLook(f"there is no repository {clean(f'{owner}/{name}', 200)} that this token may see.") from wrong
    except GitHubError as wrong:
        raise CannotLook(f"GitHub cannot be asked: {clean(str(wrong), 600)}. Run the same command again.") from wrong
    finally:
        await client.aclose()


async def _read(question: Awaitable[T]) -> T | CouldNotRead:
    """The answer, or why there is none. A wrong token is everybody's and not one question's."""
    try:
        return await question
    except BadCredentials:
        raise
    except GitHubError as wrong:
        return CouldNotRead(wrong.because)


async def _workflow_permissions(client: GitHubClient, owner: str, name: str) -> dict[str, Any]:
    path = route(REPO + "/actions/permissions/workflow", owner=owner, name=name)
    return await client.get(path, purpose="read:repository", model=dict[str, Any])


async def _classic(client: GitHubClient, owner: str, name: str, branch: str) -> bool:
    """Whoever may not see it is answered the same as where there is none, so only an administrator's 404 says no."""
    path = route(REPO + "/branches/{ref}/protection", owner=owner, name=name, ref=branch)
    try:
        await client.get(path, purpose="read:rules", model=dict[str, Any])
    except NotFound as wrong:
        if "not protected" in wrong.because.lower():
            return False
        raise
    return True


async def _installed(settings: Settings, owner: str, name: str) -> Installed | CouldNotRead | None:
    if settings.gate is None:
        return CouldNotRead("the App's key is not configured here")
    app = _app(settings, settings.gate)
    try:
        found = await installations.repository_installation(app.app, owner, name)
        served = app.identity.serves(found.account.login if found.account else None)
        return Installed(found.permissions, found.events, found.suspended_at is not None, served)
    except NotFound:
        return None
    except BadCredentials as wrong:
        return CouldNotRead(wrong.because)
    finally:
        await app.aclose()


def _app(settings: Settings, gate: AppSettings) -> GitHubApp:
    return GitHubApp(AppIdentity("gate", gate.app_id, gate.private_keys, settings.github_api_url, settings.accounts))
