"""`mergegate setup --no-browser`: a page for another machine and GitHub's answer pasted back, or an App by files."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from app.cli.setup import code_of
from app.config import read_settings
from app.local.clone import CannotLook
from tests.cli import clones
from tests.demo.service import ROOT
from tests.github.server import SimulatedGitHub
from tests.web.test_set_up import form_of

pytestmark = pytest.mark.anyio
ADDRESS = "https://gate.example"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Place:
    hub: SimulatedGitHub
    environment: dict[str, str]
    folder: Path

    async def started(self, *options: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "app.cli.main", "setup", "--address", ADDRESS, *options),
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), **self.environment},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def done(self, *options: str, pasted: str = "") -> tuple[int, str, str]:
        given, address = pasted.encode() + b"\n", ("--address", ADDRESS)
        command = functools.partial(clones.command, "setup", *address, *options, cwd=self.folder, stdin=given)
        done = await asyncio.to_thread(command, **self.environment)
        return done.returncode, done.stdout.decode(), done.stderr.decode()


async def _ended(process: asyncio.subprocess.Process, pasted: str) -> tuple[int, str, str]:
    out, err = await process.communicate(pasted.encode() + b"\n")
    return process.returncode or 0, out.decode(), err.decode()


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    hub = SimulatedGitHub.create(tmp_path / "github")
    hub.organization("acme")
    hub.user("ada")
    address = await hub.start()
    try:
        environment = {"MERGEGATE_DATA": str(tmp_path / "data"), "MERGEGATE_GITHUB_API_URL": address}
        yield Place(hub, environment, tmp_path)
    finally:
        await hub.stop()


async def _pressed(place: Place, page: Path) -> str:
    """What the browser's address is after the button was pressed, by ada on another machine."""
    async with asyncio.timeout(30):
        while not page.exists() or "</form>" not in page.read_text():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.05)
    target, manifest = form_of(page.read_text())
    headers = {"authorization": f"Bearer {place.hub.user_token('ada')}"}
    async with httpx.AsyncClient(headers=headers, trust_env=False) as at_github:
        answer = await at_github.post(target, data={"manifest": json.dumps(manifest)})
    return answer.headers["location"]


@pytest.mark.parametrize("role", ["gate", "courier"])
async def test_an_app_is_registered_from_another_machine(place: Place, role: str) -> None:
    process = await place.started("--no-browser", "--account", "acme", "--role", role)
    location = await _pressed(place, place.folder / f"mergegate-{role}.html")
    assert location.startswith(ADDRESS)
    code, out, wrong = await _ended(process, location)
    assert (code, f"The {role} App" in out) == (0, True), wrong
    settings = read_settings(place.environment)
    app = settings.gate if role == "gate" else settings.courier
    assert app is not None and app.app_id in place.hub.world.apps
    assert not (place.folder / f"mergegate-{role}.html").exists()
    code, _, wrong = await place.done("--no-browser", "--role", role)
    assert (code, "set up already" in wrong) == (2, True)


async def test_a_code_that_github_does_not_know_sets_nothing_up(place: Place) -> None:
    code, _, wrong = await place.done("--no-browser", pasted="0123456789abcdef")
    assert (code, "did not hand over" in wrong) == (2, True)
    assert read_settings(place.environment).gate is None


async def test_what_was_pasted_wrongly_is_asked_for_again(place: Place) -> None:
    process = await place.started("--no-browser")
    location = await _pressed(place, place.folder / "mergegate-gate.html")
    code, out, wrong = await _ended(process, f"no address\n{location}")
    assert (code, out.count("Paste that whole address"), "there is no code in that" in wrong) == (0, 2, True)


async def test_nobody_who_answers_leaves_nothing_behind(place: Place) -> None:
    code, _, wrong = await place.done("--no-browser", pasted="no address")
    assert (code, wrong.count("mergegate: ")) == (2, 2)
    assert "nothing was changed" in wrong
    assert not (place.folder / "mergegate-gate.html").exists()


def test_the_code_is_taken_from_an_address_of_this_registration_alone() -> None:
    assert code_of(" https://gate.example/set-up/registered?code=abc1&state=s \n", "s") == "abc1"
    assert code_of("abc1", "s") == "abc1"
    for wrong in (
        "https://gate.example/?code=abc1&state=other",
        "https://gate.example/?code=abc1",
        "",
        "a b",
        "x" * 201,
    ):
        with pytest.raises(CannotLook):
            code_of(wrong, "s")


async def test_an_app_that_exists_is_taken_by_its_key(place: Place) -> None:
    app, key = place.hub.register_app("mergegate", {"checks": "write"}, [])
    (place.folder / "key.pem").write_text(key)
    (place.folder / "secret.txt").write_text("the-webhook-secret-of-that-app\n")
    files = ("--key", "key.pem", "--webhook-secret", "secret.txt")
    code, out, wrong = await place.done("--app-id", str(app.id), *files)
    assert (code, "is set up" in out) == (0, True), wrong
    settings = read_settings(place.environment)
    assert settings.gate is not None and settings.gate.app_id == app.id
    assert [one.get_secret_value() for one in settings.webhook_secrets] == ["the-webhook-secret-of-that-app"]
    assert (settings.polling, settings.pages) == (False, None)
    assert key not in out + wrong


async def test_a_key_that_github_does_not_take_is_refused(place: Place) -> None:
    app, _ = place.hub.register_app("mergegate", {}, [])
    _, other = place.hub.register_app("other", {}, [])
    (place.folder / "key.pem").write_text(other)
    code, _, wrong = await place.done("--app-id", str(app.id), "--key", "key.pem")
    assert (code, "does not take this key" in wrong) == (2, True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--address", "http://gate.example", "--no-browser"), "no address for the service"),
        (("--address", ADDRESS), "mergegate serve"),
        (("--address", ADDRESS, "--no-browser", "--role", "admin"), "there are gate and courier"),
        (("--address", ADDRESS, "--no-browser", "--account", "a/b"), "no name of an organisation"),
        (("--address", ADDRESS, "--app-id", "7"), "--key"),
    ],
)
def test_what_is_missing_is_said(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    done = clones.command("setup", *options, cwd=tmp_path, MERGEGATE_DATA=str(tmp_path))
    assert (done.returncode, words in done.stderr.decode()) == (2, True)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "mergegate-gate.html").mkdir()
    options = ("--address", ADDRESS, "--no-browser")
    done = clones.command("setup", *options, cwd=tmp_path, MERGEGATE_DATA=str(tmp_path))
    assert (done.returncode, "Start this in a folder" in done.stderr.decode()) == (2, True)
