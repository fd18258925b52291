"""The agent's set-up: git says what the settings mean, and a machine with nothing but them does an agent's work."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli.agent import NoToken, commands
from app.proxy.agent_setup import BadPlace, Place, env_file, environment, files, gitconfig, shell, spellings
from app.secret import SecretStr
from app.store.database import Database
from tests.proxy.api.town import Ended, Town, every_gh, town

TOKEN = "mgs_secret"
PLACE = Place("https://gate.example:8443", "acme/shop", SecretStr(TOKEN))
BARE = {"PATH": os.environ.get("PATH", os.defpath), "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}


def git(*arguments: str, **variables: str) -> str:
    ended = subprocess.run(["git", *arguments], env=BARE | variables, capture_output=True, text=True, check=True)
    return ended.stdout.strip()


def leading(made: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in made.items() if name.startswith("GIT_")}


@pytest.mark.parametrize("spelling", spellings("github.com"))
def test_git_rewrites_every_spelling(spelling: str) -> None:
    known = leading(environment(PLACE))
    assert (
        git("ls-remote", "--get-url", f"{spelling}acme/shop.git", **known) == "https://gate.example:8443/acme/shop.git"
    )


def test_git_reads_the_token_as_a_header_for_the_proxy_alone() -> None:
    known = leading(environment(PLACE))
    sent = git("config", "--get-urlmatch", "http.extraHeader", "https://gate.example:8443/acme/shop.git", **known)
    assert sent == f"Authorization: Bearer {TOKEN}"
    for other in ("https://github.com/acme/shop", "https://gate.example/acme/shop", "https://gate.example.evil:8443/"):
        asked = ["git", "config", "--get-urlmatch", "http.extraHeader", other]
        assert subprocess.run(asked, env=BARE | known, capture_output=True, check=False).returncode == 1


def test_files_hold_the_token_once_for_git_and_once_for_gh(tmp_path: Path) -> None:
    odd = tmp_path / 'it\'s a "folder"'
    made = files(PLACE, odd)
    assert {name for name, text in made.contents.items() if TOKEN in text} == made.secret == {"token", "gh/hosts.yml"}
    assert TOKEN not in json.dumps(dict(made.environment))
    odd.mkdir()
    (odd / "token").write_text(made.contents["token"])
    (odd / "gitconfig").write_text(made.contents["gitconfig"])
    asked = "protocol=https\nhost=gate.example:8443\n\n"
    known = BARE | leading(made.environment)
    filled = subprocess.run(
        ["git", "credential", "fill"], env=known, input=asked, capture_output=True, text=True, check=True
    )
    assert f"password={TOKEN}" in filled.stdout.splitlines()


@pytest.mark.parametrize(
    "value", ["plain", 'a "b" c', "back\\slash", "# no comment ; at all", " spaces ", "!f() { x; }; f"]
)
def test_git_reads_back_what_is_written(tmp_path: Path, value: str) -> None:
    key = 'url.https://x/"y"\\.insteadOf'
    (tmp_path / "config").write_text(gitconfig([(key, value)]))
    asked = ["git", "config", "--file", str(tmp_path / "config"), "--null", "--get", key]
    said = subprocess.run(asked, env=BARE, capture_output=True, text=True, check=True).stdout
    assert said == f"{value}\0"


def test_variables_survive_the_shell() -> None:
    variables = {"A": "it's $HOME `x` \\", "B": "Authorization: Bearer x"}
    code = f"{shell(variables)}{shlex.quote(sys.executable)} -c 'import os, json; print(json.dumps(dict(os.environ)))'"
    said = subprocess.run(["sh", "-c", code], env=BARE, capture_output=True, text=True, check=True).stdout
    assert {name: json.loads(said)[name] for name in variables} == variables
    assert env_file({"A": "b c"}) == "A=b c\n"


@pytest.mark.parametrize(
    "changed",
    [
        {"proxy": "gate.example"},
        {"proxy": "ftp://gate.example"},
        {"proxy": "https://user@gate.example"},
        {"proxy": "https://gate.example/path"},
        {"proxy": "http://gate.example"},
        {"repository": "shop"},
        {"repository": "acme/shop/x"},
        {"repository": "acme/sh op"},
        {"server": "git hub.com"},
        {"server": "github.com/x"},
        {"ca": Path("relative.pem")},
        {"socket": Path("/run/gh.sock\nx")},
    ],
)
def test_places_that_are_none(changed: dict[str, Any]) -> None:
    with pytest.raises(BadPlace):
        environment(replace(PLACE, **changed))


def test_by_a_socket_gh_needs_no_port() -> None:
    made = files(replace(PLACE, socket=Path("/run/gh.sock")), Path("/etc/mergegate"))
    assert made.environment["GH_REPO"] == "gate.example/acme/shop"
    assert "http_unix_socket: /run/gh.sock\n" in made.contents["gh/config.yml"]


class TestCommand:
    def run(self, *arguments: str, **variables: str) -> Any:
        return CliRunner().invoke(commands, ["setup", "--proxy", "https://gate.example", *arguments], env=variables)

    def test_prints_variables(self) -> None:
        said = self.run("--repo", "acme/shop", "--as", "json", MERGEGATE_SESSION=TOKEN)
        assert said.exit_code == 0
        assert json.loads(said.stdout)["GH_ENTERPRISE_TOKEN"] == TOKEN

    def test_without_a_repository_the_proxy_is_asked(self) -> None:
        said = self.run("--proxy", "http://127.0.0.1:1", MERGEGATE_SESSION=TOKEN)
        assert isinstance(said.exception, NoToken) and "--repo" in str(said.exception)

    def test_writes_files_that_others_cannot_read(self, tmp_path: Path) -> None:
        (tmp_path / "given").write_text(f"{TOKEN}\n")
        (tmp_path / "made").mkdir()
        (tmp_path / "made" / "token").symlink_to(tmp_path / "elsewhere")
        written = ("--repo", "acme/shop", "--write", str(tmp_path / "made"), "--token-file", str(tmp_path / "given"))
        said = self.run(*written)
        assert said.exit_code == 0 and TOKEN not in said.stdout
        assert str(tmp_path / "given") in (tmp_path / "made" / "gitconfig").read_text()
        again = self.run(*written[:4], MERGEGATE_SESSION=TOKEN)
        token = tmp_path / "made" / "token"
        assert again.exit_code == 0 and token.read_text() == f"{TOKEN}\n"
        assert not (tmp_path / "elsewhere").exists() and not token.is_symlink()
        assert stat.S_IMODE(token.stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "made" / "gh" / "hosts.yml").stat().st_mode) == 0o600

    def test_without_a_token(self, tmp_path: Path) -> None:
        for variables in (
            {},
            {"MERGEGATE_SESSION": "two words"},
            {"MERGEGATE_SESSION_FILE": str(tmp_path)},
        ):
            said = self.run("--repo", "acme/shop", **variables)
            assert isinstance(said.exception, NoToken)


@pytest.fixture
async def shop(tmp_path: Path, database: Database) -> AsyncIterator[Town]:
    async with town(tmp_path, database) as made:
        yield made


@pytest.mark.anyio
@every_gh
async def test_a_machine_with_nothing_but_the_set_up(shop: Town, gh: Path) -> None:
    """By files, and a socket for gh."""
    folder = shop.folder / "setup"
    async with shop.socket() as socket:
        place = Place(f"https://{shop.host}", "acme/shop", SecretStr(shop.scene.token), shop.authority, socket)
        made = files(place, folder)
        for name, text in made.contents.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        variables = BARE | {"HOME": str(shop.folder)} | dict(made.environment)
        run = shop.runner(variables)
        await work(shop, run, gh)


@pytest.mark.anyio
@every_gh
async def test_a_machine_set_up_by_the_environment_alone(shop: Town, gh: Path) -> None:
    """The proxy has a name and the usual port, so that gh finds it in the remotes."""
    async with shop.named("gate.test") as (authority, way):
        place = Place("https://gate.test", "acme/shop", SecretStr(shop.scene.token), authority)
        run = shop.runner(BARE | {"HOME": str(shop.folder), "HTTPS_PROXY": way} | environment(place))
        await work(shop, run, gh)


async def work(shop: Town, run: Callable[..., Awaitable[Ended]], gh: Path) -> None:
    """Clone by GitHub's address, push, and open the pull request of the branch that is checked out."""
    (await run("git", "clone", "-q", "git@github.com:acme/shop.git", "work", cwd=shop.folder)).ok()
    clone = shop.folder / "work"
    (clone / "new.txt").write_text("new\n")
    (await run("git", "checkout", "-q", "-b", "agent/work", "origin/agent/work", cwd=clone)).ok()
    (await run("git", "add", "new.txt", cwd=clone)).ok()
    who = ("-c", "user.name=Agent", "-c", "user.email=agent@example.com")
    (await run("git", *who, "commit", "-q", "-m", "New", cwd=clone)).ok()
    (await run("git", "push", "-q", "origin", "agent/work", cwd=clone)).ok()
    refused = await run("git", "push", "origin", "HEAD:main", cwd=clone)
    assert refused.code != 0 and "agent/work" in refused.err
    (await run(str(gh), "pr", "create", "--title", "New", "--body", "Why", cwd=clone)).ok()
    assert "New" in (await run(str(gh), "pr", "view", cwd=clone)).ok()
    (pull,) = shop.scene.shop.pulls.values()
    assert (pull.head_ref, pull.issue.title, pull.issue.user) == ("agent/work", "New", "courier[bot]")
    assert shop.scene.refs()["refs/heads/agent/work"] == pull.head_sha
