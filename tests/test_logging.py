"""Logs go to standard error as it is now, and never hold what looks like a credential."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import sys
import time
from collections.abc import Iterator

import pytest
import structlog

from app.logging import LateLogger, configure_logging, keep_quiet
from app.redaction import without_credentials
from app.secret import SecretStr


@pytest.fixture(autouse=True)
def configuration_afterwards() -> Iterator[None]:
    before = structlog.get_config()
    yield
    structlog.configure(**before)


def test_a_standard_error_that_was_closed_since_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    closed = io.StringIO()
    monkeypatch.setattr(sys, "stderr", closed)
    configure_logging()
    log = structlog.get_logger("test")
    monkeypatch.undo()
    closed.close()
    log.error("still here")
    assert "still here" in capsys.readouterr().err


def test_what_looks_like_a_credential_is_taken_out(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging()
    structlog.get_logger("test").info("pasted", text="ghs_0123456789abcdefghij0123456789abcdefgh")
    said = capsys.readouterr().err
    assert "pasted" in said
    assert "0123456789abcdefghij" not in said


def test_the_level_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(logging.ERROR)
    structlog.get_logger("test").warning("unheard")
    assert capsys.readouterr().err == ""


def test_a_late_logger_says_only_what_is_broken_where_nothing_was_set_up(capsys: pytest.CaptureFixture[str]) -> None:
    structlog.reset_defaults()
    log = LateLogger("test")
    log.warning("unheard")
    log.error("broken", text="ghs_0123456789abcdefghij0123456789abcdefgh")
    said = capsys.readouterr()
    assert said.out == ""
    assert "broken" in said.err
    assert "unheard" not in said.err
    assert "0123456789abcdefghij" not in said.err


def test_a_late_logger_keeps_the_level_that_was_set_up(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging()
    LateLogger("test").info("heard")
    assert "heard" in capsys.readouterr().err


def test_what_was_set_up_stays(capsys: pytest.CaptureFixture[str]) -> None:
    structlog.reset_defaults()
    keep_quiet()
    structlog.get_logger("test").info("unheard")
    configure_logging()
    keep_quiet()
    structlog.get_logger("test").info("heard")
    said = capsys.readouterr().err
    assert "unheard" not in said
    assert said.count("heard") == 1


def test_nothing_is_loaded_to_keep_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "structlog")
    keep_quiet()
    assert "structlog" not in sys.modules


LONG = "ghs_12345_eyJhbGciOiJSUzI1NiJ9." + "B-_x" * 1000 + ".sig"
SECRETS = {
    "an installation token": "ghs_0123456789abcdefghij0123456789abcdefgh",
    "a long installation token": LONG,
    "a person's token": "ghp_0123456789abcdefghij0123456789abcdefgh",
    "a fine-grained token": "github_pat_11ABCDEFG0_" + "x" * 59,
    "a session's token": "mgs_" + "a1B2" * 12 + "Z",
    "a signed statement": "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2lnbmF0dXJl",
    "a private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA75\n-----END RSA PRIVATE KEY-----",
}
AROUND = {
    "postgresql://mergegate:hunter2hunter2@db.example/x": "hunter2",
    "https://x.blob.core.windows.net/log?se=2026&sig=abcdEFGH1234": "abcdEFGH1234",
    "Authorization: Bearer 0123456789abcdef0123": "0123456789abcdef0123",
    "authorization=token 0123456789abcdef0123": "0123456789abcdef0123",
}


@pytest.mark.parametrize("secret", [*SECRETS.values(), *AROUND.values()], ids=[*SECRETS, *AROUND])
@pytest.mark.parametrize(
    "where", ["event", "field", "list", "mapping", "bytes", "exception", "object", "library", "context"]
)
def test_no_credential_is_logged_from_anywhere(where: str, secret: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = next((around for around, inner in AROUND.items() if inner == secret), f"said {secret}.")
    configure_logging()
    log = structlog.get_logger("test")
    match where:
        case "event":
            log.info(text)
        case "field":
            log.info("x", said=text)
        case "list":
            log.info("x", said=["a", (text,)])
        case "mapping":
            log.info("x", said={"a": {"b": text}})
        case "bytes":
            log.info("x", said=text.encode())
        case "object":
            log.info("x", said=ValueError(text))
        case "library":
            _through_the_library(text)
        case "context":
            with structlog.contextvars.bound_contextvars(said=text):
                log.info("x")
        case _:
            _raised(log, text)
    said = capsys.readouterr().err
    assert "[redacted]" in said
    inner = secret.splitlines()[-2] if "PRIVATE KEY" in secret else secret
    assert inner not in said
    assert len(inner) < 40 or inner[8:40] not in said


def _raised(log: structlog.BoundLogger, text: str) -> None:
    try:
        raise ValueError(text)
    except ValueError:
        log.exception("broken")


def _through_the_library(text: str) -> None:
    """pytest has handlers of its own at the root, so the one that was set up is asked."""
    root = logging.getLogger()
    before, root.handlers = root.handlers, []
    try:
        configure_logging()
        logging.getLogger("asyncio").error("Task exception was never retrieved: %s", text)
    finally:
        root.handlers = before


def test_a_secret_is_known_by_its_type_and_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging()
    structlog.get_logger("test").info("x", app=SecretStr("hunter2"), password="hunter2", nested={"Token": "hunter2"})
    said = json.loads(capsys.readouterr().err)
    assert (said["app"], said["password"], said["nested"]) == ("[redacted]", "[redacted]", {"Token": "[redacted]"})


def test_a_line_is_one_json_object_with_what_is_bound(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging()
    with structlog.contextvars.bound_contextvars(delivery="guid", key="pull:1:2:3"):
        structlog.get_logger("test").info("looked", head="a" * 40, waits=1.5, open=True, by=None)
    line = json.loads(capsys.readouterr().err)
    assert list(line)[:3] == ["timestamp", "level", "event"]
    assert (line["delivery"], line["key"], line["level"], line["event"]) == ("guid", "pull:1:2:3", "info", "looked")
    assert (line["head"], line["waits"], line["open"], line["by"]) == ("a" * 40, 1.5, True, None)


def test_what_is_bound_in_one_task_is_not_in_another(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging()

    async def attempt(key: str) -> None:
        with structlog.contextvars.bound_contextvars(key=key):
            await asyncio.sleep(0)
            structlog.get_logger("test").info(key)

    async def both() -> None:
        await asyncio.gather(attempt("one"), attempt("two"))

    asyncio.run(both())
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(line["event"], line["key"]) for line in lines] == [("one", "one"), ("two", "two")]


def test_redaction_takes_linear_time() -> None:
    """Half a megabyte of what begins like each shape and never ends like one."""
    for begin in ("://a:", "-----BEGIN PRIVATE KEY-----", "bearer ", "sig=", "eyJ", "://" * 3):
        text = begin * (500_000 // len(begin))
        before = time.process_time()
        without_credentials(text)
        assert time.process_time() - before < 2.0
