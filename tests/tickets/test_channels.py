"""Messages over further channels, taken by a real receiver on this machine; and what of them is refused or lost."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.secret import SecretStr
from app.store.database import Database
from app.tickets.escalating_channels import SENT, Channels, UnusableChannels, read_channels
from tests.github.operations import issues
from tests.tickets.telling import brought_up, tell, telling_desk, told

# Apprise imports a module of the standard library that Python 3.13 does without.
pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")]

TOKEN = "tk_c0ffeec0ffeec0ffeec0ffee"


@contextlib.contextmanager
def receiver(status: int = 200) -> Iterator[tuple[int, list[dict[str, object]]]]:
    """Its port, and what it was sent."""
    taken: list[dict[str, object]] = []

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            taken.append({"path": self.path, **json.loads(raw)})
            self.send_response(status)
            self.send_header("location", "http://127.0.0.1:9/")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Taking) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server.server_address[1], taken
        finally:
            server.shutdown()
            thread.join()


def _file(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "channels.yml"
    path.write_text(text)
    path.chmod(mode)
    return path


def _count(outcome: str) -> float:
    return float(SENT.labels(outcome)._value.get())


async def test_a_push_goes_over_its_persons_channels_as_one_line_and_an_address(
    tmp_path: Path, database: Database
) -> None:
    with receiver() as (port, taken):
        text = (
            f"Ada: ['ntfy://127.0.0.1:{port}/pager', 'json://127.0.0.1:{port}/j']\nbob: ['json://127.0.0.1:{port}/b']\n"
        )
        channels = read_channels(_file(tmp_path, text))
        async with telling_desk(tmp_path, database) as at_desk:
            object.__setattr__(at_desk.parts, "channels", channels)
            issue = await issues.open_issue(at_desk.stage.github, at_desk.shop, title="T", body="", author="ada")
            await brought_up(at_desk, range(issue.number, issue.number + 1), detail="@channel <b>rm</b>")
            await tell(at_desk)
            assert len(told(at_desk, issue.number)) == 1
            assert await database.query("select channels from ticket_pushes") == [(2,)]
    line = f"acme/shop #{issue.number} needs you: the same failure again, or no attempt is left"
    assert {str(one["message"]).split("\n")[0] for one in taken} == {line}
    assert all(str(one["message"]).split("\n")[1].endswith(f"/acme/shop/issues/{issue.number}") for one in taken)
    assert [one.get("topic", one["path"]) for one in taken].count("/b") == 0
    assert "channel" not in json.dumps(taken)


@pytest.mark.parametrize("status", [500, 307])
async def test_what_a_channel_does_not_take_is_counted_and_no_redirect_is_followed(
    status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    before = _count("failed")
    with receiver(status) as (port, taken):
        channels = Channels({"ada": (SecretStr(f"json://user:{TOKEN}@127.0.0.1:{port}/"),)})
        assert await channels.send("ADA", "#1 needs you", "https://github.com/acme/shop/issues/1") == 0
    assert len(taken) == 1
    assert _count("failed") == before + 1
    out = capsys.readouterr()
    assert TOKEN not in out.out + out.err


async def test_an_address_that_is_none_and_a_person_without_any_block_nothing() -> None:
    channels = Channels({"ada": (SecretStr("nothing://x"), SecretStr("json://127.0.0.1:9/"))})
    assert await channels.send("ada", "line", "https://github.com") == 0
    assert await channels.send("bob", "line", "https://github.com") == 0


async def test_a_file_that_changes_is_read_again_and_a_broken_one_is_not_believed(tmp_path: Path) -> None:
    with receiver() as (port, taken):
        old, new = (f"ada: ['json://127.0.0.1:{port}/{name}']" for name in ("old", "new"))
        channels = read_channels(_file(tmp_path, old))
        found = []
        for text, mode in ((old, 0o600), ("", 0o600), (new, 0o640), (new, 0o600)):
            _file(tmp_path, text, mode)
            with capture_logs() as said:
                await channels.send("ada", "line", "https://github.com")
            found.append((taken[-1]["path"], [line["event"].partition(";")[0] for line in said]))
        (tmp_path / "channels.yml").unlink()
        assert await channels.send("ada", "line", "https://github.com") == 1
    refused = ["the channels cannot be read again"]
    assert found == [("/old", []), ("/old", refused), ("/old", refused), ("/new", [])]


@pytest.mark.parametrize(
    ("text", "mode", "because"),
    [
        ("ada: [json://127.0.0.1/]", 0o640, "chmod 600"),
        ("ada: json://127.0.0.1/", 0o600, "must map logins"),
        ("'@ada': [json://127.0.0.1/]", 0o600, "must map logins"),
        ("ada: []", 0o600, "must map logins"),
        ("ada: [5]", 0o600, "must map logins"),
        (f"ada: ['json://{TOKEN}/{'x' * 2000}']", 0o600, "must map logins"),
        ("[", 0o600, "no YAML"),
        ("#" * 70_000, 0o600, "no YAML"),
    ],
)
def test_a_file_that_others_may_read_or_that_says_nothing_clear_is_refused(
    tmp_path: Path, text: str, mode: int, because: str
) -> None:
    with pytest.raises(UnusableChannels, match=because) as refused:
        read_channels(_file(tmp_path, text, mode))
    assert TOKEN not in str(refused.value)


def test_whose_mode_is_looked_at_is_the_file_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the link to it is swapped between the two."""
    path, closed = _file(tmp_path, "ada: [json://127.0.0.1/]", 0o640), tmp_path / "closed"
    closed.touch(0o600)
    seen = closed.stat()
    monkeypatch.setattr(Path, "stat", lambda _: seen)
    with pytest.raises(UnusableChannels, match="chmod 600"):
        read_channels(path)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnusableChannels, match="cannot be read"):
        read_channels(tmp_path / "none.yml")


def test_without_apprise_it_is_said_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tickets.escalating_channels.importlib.util.find_spec", lambda _: None)
    with pytest.raises(UnusableChannels, match=r"mergegate\[apprise\]"):
        read_channels(_file(tmp_path, "ada: [json://127.0.0.1/]"))
