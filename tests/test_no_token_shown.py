"""The net under the whole suite catches what it is for: a test that shows a token fails, and only such a one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import token_in

TOKENS = {
    "short": "ghs_" + "a" * 36,
    "long": "ghs_12345_eyJhbGciOiJSUzI1NiJ9." + "B-_x" * 1000 + ".sig",
    "personal": "github_pat_" + "x" * 70,
    "session": "mgs_" + "a" * 49,
}
SHOWING = """\
import logging, sys
import pytest

TOKENS = {tokens!r}


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("how", [print, lambda text: sys.stderr.write(text), logging.error])
def test_showing(name, how):
    how(TOKENS[name])


def test_calm():
    print("ghs_ is how a token begins")
"""


def test_a_test_that_shows_a_token_fails_and_the_report_shows_none(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_bytes(Path(__file__).with_name("conftest.py").read_bytes())
    (tmp_path / "test_it.py").write_text(SHOWING.format(tokens=TOKENS), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    said = ended.stdout + ended.stderr
    assert f"{3 * len(TOKENS)} failed, 1 passed" in said
    assert "a token was shown (Captured stdout call)" in said
    assert token_in(said) is None


@pytest.mark.parametrize("text", ["ghs_…", "the prefix ghs_ and a name", "mgs_short", sys.version])
def test_words_about_tokens_are_none(text: str) -> None:
    assert token_in(text) is None
