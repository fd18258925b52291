"""Logs go to standard error as it is now, and never hold what looks like a credential."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator

import pytest
import structlog

from app.logging import LateLogger, configure_logging, keep_quiet


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
