"""git with a short-lived token: where it goes, and where it does not show."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from app.github.errors import NotFound
from app.github.git_access import clone_url, git_environment
from app.secret import SecretStr
from tests.client.double import LONG

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.mark.parametrize(
    ("api", "url"),
    [
        ("https://api.github.com", "https://github.com/o/n.git"),
        ("https://api.octocorp.ghe.com", "https://octocorp.ghe.com/o/n.git"),
        ("https://ghe.example/api/v3", "https://ghe.example/o/n.git"),
        ("https://api.example.test", "https://api.example.test/o/n.git"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/o/n.git"),
    ],
)
def test_the_address_follows_from_the_api(api: str, url: str) -> None:
    assert clone_url(api, "o", "n") == url


def test_a_name_that_leads_elsewhere_is_refused() -> None:
    with pytest.raises(NotFound):
        clone_url("https://api.github.com", "..", "n")


class Listening(BaseHTTPRequestHandler):
    heard: list[str | None]
    location: str | None = None

    def do_GET(self) -> None:
        self.heard.append(self.headers["authorization"])
        self.send_response(302 if self.location else 404)
        if self.location:
            self.send_header("location", self.location)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def servers() -> Iterator[list[tuple[str, type[Listening]]]]:
    """Two servers that note the Authorization header, by address."""
    kinds = [type(name, (Listening,), {"heard": []}) for name in ("First", "Second")]
    running = [ThreadingHTTPServer(("127.0.0.1", 0), kind) for kind in kinds]
    threads = [threading.Thread(target=server.serve_forever) for server in running]
    for thread in threads:
        thread.start()
    yield [(f"http://127.0.0.1:{server.server_port}", kind) for server, kind in zip(running, kinds, strict=True)]
    for server, thread in zip(running, threads, strict=True):
        server.shutdown()
        server.server_close()
        thread.join()


def ask(url: str, environment: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    base = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    return subprocess.run(
        ["git", "ls-remote", url], env={**base, **environment}, cwd=folder, capture_output=True, text=True, timeout=30
    )


@needs_git
def test_git_sends_the_token_and_shows_it_nowhere(servers: list[tuple[str, type[Listening]]], tmp_path: Path) -> None:
    (address, server), _ = servers
    (tmp_path / ".gitconfig").write_text('[http]\n\textraHeader = "Authorization: Basic b3RoZXI="\n')
    done = ask(f"{address}/o/n.git", git_environment(f"{address}/o/n.git", SecretStr(LONG)), tmp_path)
    assert done.returncode != 0
    expected = "Basic " + base64.b64encode(f"x-access-token:{LONG}".encode()).decode()
    assert server.heard[0] == expected
    assert LONG[:20] not in done.stdout + done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [".gitconfig"]


@needs_git
def test_git_takes_the_token_to_no_other_server(servers: list[tuple[str, type[Listening]]], tmp_path: Path) -> None:
    (address, first), (elsewhere, second) = servers
    first.location = f"{elsewhere}/o/n.git/info/refs?service=git-upload-pack"
    done = ask(f"{address}/o/n.git", git_environment(f"{address}/o/n.git", SecretStr(LONG)), tmp_path)
    assert done.returncode != 0
    assert len(first.heard) == 1
    assert second.heard == []


def test_other_configuration_goes_beside_it() -> None:
    environment = git_environment("https://github.com/o/n.git", SecretStr("t"), {"core.fsmonitor": "false"})
    count = int(environment["GIT_CONFIG_COUNT"])
    assert {environment[f"GIT_CONFIG_KEY_{number}"] for number in range(count)} >= {"core.fsmonitor"}
    assert f"GIT_CONFIG_KEY_{count}" not in environment
