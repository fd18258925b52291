"""Whether a failing run fails its script: what is said of a script is what bash does with it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from checks.tampering.commands.runs import MOST_COMMANDS, MOST_RUNS, PIPED, SWALLOWED, Hidden, Run, Shell, read_runs
from tests.checks.tampering.commands.words import program

SHELLS = {"bash": Shell(), "bash -e": Shell(errexit=True), "bash -eo pipefail": Shell(errexit=True, pipefail=True)}
# Every script runs `pytest`, which fails. Under each shell, bash says whether the script fails too.
SCRIPTS = [
    "pytest",
    "pytest -q\n",
    "pytest || true",
    "pytest || :",
    "pytest || exit 0",
    "pytest || exit 1",
    "pytest || exit",
    "pytest || echo failed",
    "pytest || (echo failed; exit 1)",
    "pytest || { echo failed; false; }",
    "pytest || { echo failed; }",
    "pytest || (echo failed)\necho after",
    "pytest || { echo failed; }\nfalse",
    "pytest || echo a && exit 1",
    "pytest || echo a && echo b",
    "pytest; exit 0",
    "pytest; true",
    "pytest; echo done",
    "pytest\necho done",
    "pytest\nexit $?",
    "set +e\npytest\necho done",
    "set +e\npytest\nstatus=$?\necho done\nexit $status",
    "set -e\npytest\necho done",
    "set -o errexit\npytest\necho done",
    "set +o errexit\npytest\necho done",
    "pytest | cat",
    "pytest |& cat",
    "pytest | cat | cat",
    "set -o pipefail\npytest | cat",
    "set -euo pipefail\npytest | cat\necho done",
    "set -eo pipefail\nset +o pipefail\npytest | cat",
    "pytest && echo passed",
    "pytest && echo passed || true",
    "pytest && echo passed\necho done",
    "pytest && echo passed; exit 1",
    "pytest | cat && echo passed || false",
    "true && pytest",
    "true && pytest\necho done",
    "false || pytest",
    "! pytest",
    "! pytest | cat",
    "if pytest; then echo passed; fi",
    "if ! pytest; then exit 1; fi",
    "if pytest; then echo passed; else exit 1; fi",
    "if pytest; then echo passed; else echo failed; fi",
    "while ! pytest; do exit 3; done",
    "{ pytest; } || true",
    "{ pytest; }\necho done",
    "{ pytest; }",
    "(pytest) || true",
    "(cd / && pytest)",
    "(cd / && pytest) || true",
    "(pytest; true)",
    "pytest &",
    "pytest &\nwait $!",
    "pytest & echo done",
    "pytest & wait $!",
    "sh -c 'pytest'",
    "sh -c 'pytest; true'",
    "sh -ec 'pytest; true'",
    "sh -e -c 'pytest; true'",
    "sh -c 'pytest' || true",
    "bash -eo pipefail -c 'pytest | cat'",
    "bash -c 'pytest | cat'",
    "bash -c 'pytest | cat' | cat",
    "pytest || pytest -x",
    "pytest || pytest -x || true",
    "pytest || status=1\nexit $status",
    "pytest || status=1\necho $status",
    "case a in a) pytest ;; b) true ;; esac",
    "for i in 1; do pytest; done",
    "run() { pytest; }\nrun",
    "run() { pytest; true; }\nrun",
    "run() {\n  pytest || true\n}\nrun",
    "pytest\n[ $? -eq 0 ]",
    "pytest\ntest $? -eq 0",
    "return_code=0; pytest || return_code=$?\nexit $return_code",
    "set -x\npytest",
    "set -ex\npytest; echo done",
    "time pytest; true",
    "FOO=1 pytest || true",
]
# Scripts that fail whatever the tests do, where it does not matter that their exit code is thrown away.
FAIL_ANYWAY = {"pytest || { echo failed; }\nfalse", "! pytest | cat"}


@pytest.fixture(scope="module")
def failing_pytest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bin")
    (folder / "pytest").write_text("#!/bin/sh\nexit 1\n")
    (folder / "pytest").chmod(0o755)
    return folder


@pytest.mark.parametrize("script", SCRIPTS)
def test_bash_says_the_same(script: str, failing_pytest: Path) -> None:
    for shell, meant in SHELLS.items():
        environment = {"PATH": f"{failing_pytest}:/usr/bin:/bin"}
        name, *options = shell.split()
        command = [name, "--norc", "--noprofile", *options, "-c", script]
        code = subprocess.run(command, env=environment, capture_output=True).returncode
        hidden = read_runs(script, meant)[-1].hidden is not None
        assert hidden == (code == 0) or script in FAIL_ANYWAY, (shell, script, code)


@pytest.mark.parametrize(
    ("script", "hidden"),
    [
        ("pytest || true", Hidden(SWALLOWED, "|| true")),
        ("pytest; exit 0", Hidden(SWALLOWED, "; exit 0")),
        ("pytest\necho a", Hidden(SWALLOWED, "; echo a")),
        ("pytest | tee a.log", Hidden(PIPED, "| tee a.log")),
        ("! pytest", Hidden(SWALLOWED, "!")),
        ("pytest & echo", Hidden(SWALLOWED, "&")),
        ("pytest &", Hidden(SWALLOWED, "&")),
        ("if pytest; then echo; fi", Hidden(SWALLOWED, "if")),
        ("sh -c 'pytest || :'", Hidden(SWALLOWED, "|| :")),
        ("pytest |", None),
        ("pytest || echo a &&", Hidden(SWALLOWED, "|| echo a")),
    ],
)
def test_what_hides_it(script: str, hidden: Hidden | None) -> None:
    (run,) = read_runs(script, Shell())
    assert run.hidden == hidden


def test_lines_and_source() -> None:
    assert read_runs("a\n\npytest -q \\\n -x\nbash -c '\nruff check\n'", Shell(errexit=True)) == (
        Run(program("pytest -q -x"), 3, "pytest -q \\\n -x"),
        Run(program("ruff check"), 6, "ruff check"),
    )


@pytest.mark.parametrize(
    "script",
    ["echo pytest", "", "bash ci.sh", "bash -c", "bash -x 'pytest'", "sh -c 'sh -c pytest'", "set -", "set -o"],
)
def test_what_runs_nothing_that_is_known(script: str) -> None:
    assert read_runs(script, Shell()) == ()


def test_a_bound_on_the_number_of_runs() -> None:
    assert len(read_runs("pytest\n" * 1_000, Shell())) == MOST_RUNS


@pytest.mark.parametrize(
    ("script", "hidden"),
    [
        ("set -e; pytest; true", False),
        ("set -eu; pytest; true", False),
        ("set -ue; pytest; true", False),
        ("set -u; pytest; true", True),
        ("set +e; pytest; true", True),
        ("set -e +e; pytest; true", True),
        ("set -e; set +x; pytest; true", False),
        ("set -o pipefail; pytest; true", True),
        ("set -eo pipefail; pytest | cat; true", False),
        ("{ set -e; pytest; true; }", False),
        ("setup -e; pytest; true", True),
        ("set e; pytest; true", True),
    ],
)
def test_set(script: str, *, hidden: bool) -> None:
    assert (read_runs(script, Shell())[-1].hidden is not None) is hidden


def test_a_script_of_very_many_commands() -> None:
    """Each run is seen against all that follow, which would take minutes."""
    before = "true\n" * (MOST_COMMANDS - 1)
    assert len(read_runs(before + "pytest\npytest\n", Shell())) == 1
    assert len(read_runs(f"sh -c '{before}pytest\npytest\n'", Shell())) == 1
