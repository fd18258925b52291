"""`mergegate doctor [OWNER/REPO]`: what is wrong with how a repository is guarded, or with the service, and what to do
about it."""

from __future__ import annotations

import asyncio
import os
from dataclasses import asdict
from typing import Annotated, Any, NoReturn

import typer

from app.cli.doctor_repository import repository_facts
from app.cli.doctor_service import look
from app.cli.printing import Style, counted, print_json, print_line, progress
from app.cli.repository_name import parse_repository
from app.config import Settings, read_settings
from app.local.clone import CannotLook
from app.local.examination import Level, Symptom, examine
from app.local.protection import QueueKind
from app.local.service_examination import examine_service
from app.logging import configure_logging
from policies.escape import clean

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
    queue: Annotated[
        QueueKind, typer.Option(help="Where no policy says it: native, serial (the gate's own) or none.")
    ] = "native",
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
        symptoms = examine(asyncio.run(repository_facts(settings, owner, name, app_id, queue)))
    _tell(repository, {"repository": repository}, symptoms, as_json=as_json)
    raise typer.Exit(_exit_code(symptoms))


def _of_service(settings: Settings, *, as_json: bool) -> NoReturn:
    configure_logging()
    with progress("Looking at the service"):
        seen = asyncio.run(look(settings, os.environ))
    symptoms = examine_service(seen.facts)
    _tell("the service", {"versions": dict(seen.parts)}, symptoms, as_json=as_json)
    if not as_json:
        print_line(", ".join(f"{name} {number}" for name, number in seen.parts.items()) + ".")
    raise typer.Exit(_exit_code(symptoms))


def _exit_code(symptoms: list[Symptom]) -> int:
    levels = {one.level for one in symptoms}
    return 1 if "wrong" in levels else 2 if "unknown" in levels else 0


def _tell(name: str, about: dict[str, Any], symptoms: list[Symptom], *, as_json: bool) -> None:
    """The worst first. `about` goes before the symptoms where a program reads."""
    ordered = sorted(symptoms, key=lambda one: _ORDER.index(one.level))
    if as_json:
        print_json({**about, "symptoms": [asdict(one) for one in ordered]})
        return
    print_line(*_verdict(clean(name, 200), ordered))
    for one in ordered:
        sign, style = _SIGNS[one.level]
        print_line(f"{sign} {clean(one.what, 600).rstrip('.')}. {clean(one.remedy, 300)}", style)


def _verdict(name: str, symptoms: list[Symptom]) -> tuple[str, Style]:
    """Nothing is well that could not be looked at."""
    wrong, unknown = (sum(one.level == level for one in symptoms) for level in ("wrong", "unknown"))
    unread = f"{counted(unknown, 'thing')} could not be read"
    if wrong:
        also = f", {unread}" if unknown else ""
        return f"{name}: {counted(wrong, 'thing is', 'things are')} wrong{also}.", "bold red"
    if unknown:
        return f"{name}: {unread}; of the rest nothing is wrong.", "yellow"
    return f"{name}: nothing is wrong.", "green"
