"""Where commands stand in files of every kind."""

from __future__ import annotations

import pytest

from checks.tampering.change import Version
from checks.tampering.commands import make_files
from checks.tampering.commands.files import MOST_SCOPES, holds_commands, read_scopes
from checks.tampering.commands.places import scopes_of
from checks.tampering.commands.scope import Scope, does_nothing
from checks.tampering.settings.documents import Unreadable
from checks.tampering.settings.reading import LARGEST_SETTINGS
from tests.checks.tampering.honest import version


def _shown(path: str, text: str) -> list[tuple[str, int, list[tuple[str, int, str | None]]]]:
    """Every scope: name, line, and its runs with what hides them."""
    return [_show(scope) for scope in read_scopes(version(path, text))]


def _show(scope: Scope) -> tuple[str, int, list[tuple[str, int, str | None]]]:
    runs = [(run.text, run.line, run.hidden.by if run.hidden else None) for run in scope.runs]
    return scope.name, scope.line, runs


def test_make() -> None:
    text = (
        "PYTEST ?= uv run pytest\n"
        "export A := 1\n"
        ".PHONY: test lint\n"
        "include other.mk\n"
        "test: deps # comment\n"
        "\t@$(PYTEST) -q || true\n"
        "\t-npm test\n"
        "\t+@${PYTEST} -x; test $$? -eq 0\n"
        "lint fmt:\n"
        "\truff check . && \\\n"
        "\t  mypy\n"
        "# a comment\n"
        "build:\n"
    )
    assert _shown("Makefile", text) == [
        (".PHONY", 1, []),
        (
            "test",
            6,
            [
                ("uv run pytest -q", 6, "|| true"),
                ("npm test", 7, "-npm test"),
                ("uv run pytest -x", 8, None),
            ],
        ),
        ("lint fmt", 10, [("ruff check .", 10, None), ("mypy", 10, None)]),
        ("build", 1, []),
    ]


def test_make_ignores_for_some_targets_or_all() -> None:
    text = ".IGNORE: test\ntest:\n\tpytest\ncheck:\n\tpytest\n"
    assert [runs for _, _, runs in _shown("rules.mk", text)] == [
        [],
        [("pytest", 3, ".IGNORE")],
        [("pytest", 5, None)],
    ]
    assert _shown("makefile", ".IGNORE:\ntest:\n\tpytest\n")[1][2] == [("pytest", 3, ".IGNORE")]


def test_a_recipe_without_a_target_and_names_without_values() -> None:
    assert _shown("GNUmakefile", "\tpytest\nX = $(Y)\nt:\n\t$(X) $(Z) pytest\n") == [("t", 4, [])]


def test_bounds_on_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "Y = pytest " + "y" * 600 + "\nt:\n\t$(Y)\n"
    assert read_scopes(version("Makefile", long))[0].body == "pytest " + "y" * 493
    monkeypatch.setattr(make_files, "_MOST_EXPANDED", 7)
    bodies = [scope.body for scope in read_scopes(version("Makefile", "Y = a b c d\nt:\n\t$(Y)\n\t$(Y)\nu:\n\t$(Y)\n"))]
    assert bodies == ["a b c d\nY", "Y"]


def test_a_bound_on_scopes() -> None:
    scripts = ", ".join(f'"t{number}": "jest"' for number in range(MOST_SCOPES + 1))
    assert len(read_scopes(version("package.json", f'{{"scripts": {{{scripts}}}}}'))) == MOST_SCOPES
    targets = "".join(f"t{number}:\n" for number in range(MOST_SCOPES + 1))
    assert len(read_scopes(version("Makefile", targets))) == MOST_SCOPES


def test_just() -> None:
    text = (
        "set shell := ['bash']\n\n# comment\ntest arg='x':\n    @pytest {{arg}}\n    -npm test\n\n"
        "lint: test\n\truff check\n"
    )
    assert _shown("justfile", text) == [
        ("test", 5, [("pytest {{arg}}", 5, None), ("npm test", 6, "-npm test")]),
        ("lint", 9, [("ruff check", 9, None)]),
    ]
    assert _shown(".justfile", "  pytest\n") == []


@pytest.mark.parametrize(
    ("first", "hidden"),
    [("#!/bin/bash -e", None), ("#!/bin/sh -eu", None), ("#!/usr/bin/env bash", "; echo"), ("echo -e", "; echo")],
)
def test_shell(first: str, hidden: str | None) -> None:
    assert _shown("ci/test.sh", f"{first}\npytest\necho") == [("", 1, [("pytest", 2, hidden)])]


def test_container() -> None:
    text = "FROM python\n# RUN pytest\nRUN pip install . && \\\n  pytest\nCMD pytest -q || true\nRUNNING x\n"
    assert _shown("Dockerfile", text) == [("", 3, [("pytest", 3, None), ("pytest -q", 5, "|| true")])]


def test_package_scripts() -> None:
    text = (
        '{\n "name": "test",\n "scripts": {\n  "test": "jest; exit 0",\n  "lint": "eslint ."\n },'
        ' "x": {"scripts": "jest"}\n}'
    )
    assert _shown("package.json", text) == [
        ("test", 4, [("jest", 4, "; exit 0")]),
        ("lint", 5, [("eslint .", 5, None)]),
    ]
    assert _shown("composer.json", '{"scripts": {"test": ["a", "phpunit"]}}')[0][2] == [("phpunit", 2, None)]
    assert _shown("deno.json", '{"tasks": {"test": "deno test"}}')[0][0] == "test"


def test_python_tasks_and_options() -> None:
    text = (
        '[tool.pytest.ini_options]\naddopts = ["-q", "--cov"]\n'
        '[tool.poe.tasks]\na = "pytest"\nb = {cmd = "pytest -x"}\n'
        'c = {shell = "ruff check || true"}\n[tool.hatch.envs.default.scripts]\ntest = "pytest {args}"\n'
    )
    assert _shown("pyproject.toml", text) == [
        ("a", 4, [("pytest", 4, None)]),
        ("b", 5, [("pytest -x", 5, None)]),
        ("c", 6, [("ruff check", 6, "|| true")]),
        ("test", 8, [("pytest {args}", 8, None)]),
        ("addopts", 2, [("-q --cov", 2, None)]),
    ]
    assert [scope.implied for scope in read_scopes(version("pyproject.toml", text))] == [False] * 4 + [True]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pytest.ini", "[pytest]\naddopts = -q\n"),
        ("setup.cfg", "[tool:pytest]\naddopts = -q\n"),
        ("pytest.toml", '[pytest]\naddopts = ["-q"]\n'),
        ("pyproject.toml", '[tool.pytest]\naddopts = ["-q"]\n'),
    ],
)
def test_pytest_s_own_options(path: str, text: str) -> None:
    assert _shown(path, text) == [("addopts", 2, [("-q", 2, None)])]


def test_tox() -> None:
    text = (
        "[tox]\nenvlist = py\n[testenv]\ncommands_pre = pip install .\ncommands =\n    pytest -q\n    - ruff check\n"
        "setenv =\n    A = 1\n    PYTEST_ADDOPTS = -k x\n[testenv:docs]\ncommands = mkdocs build\n"
    )
    assert _shown("tox.ini", text) == [
        ("testenv.commands_pre", 4, []),
        ("testenv.commands", 6, [("pytest -q", 6, None), ("ruff check", 7, "- ruff check")]),
        ("testenv:docs.commands", 12, []),
        ("PYTEST_ADDOPTS", 10, [("-k x", 10, None)]),
    ]
    toml = '[env_run_base]\ncommands = [["pytest", "-q"]]\n[env_run_base.set_env]\nPYTEST_ADDOPTS = "-x"\n'
    assert _shown("tox.toml", toml) == [
        ("env_run_base.commands", 1, [("pytest -q", 1, None)]),
        ("PYTEST_ADDOPTS", 4, [("-x", 4, None)]),
    ]


def test_nox_and_invoke() -> None:
    nox = (
        "import nox\n\n@nox.session\ndef tests(session):\n    session.install('.')\n    print()\n"
        "    session.run('pytest', '-k', 'a b', *session.posargs)\n"
        "    session.run('ruff', 'check', success_codes=[0, 1])\n"
        "    session.run('mypy', success_codes=(0,))\n\nasync def other(): ...\nX = 1\n"
    )
    assert _shown("noxfile.py", nox) == [
        ("tests", 4, [("pytest -k 'a b'", 7, None), ("ruff check", 8, "success_codes=[0, 1]"), ("mypy", 9, None)]),
        ("other", 11, []),
    ]
    invoke = (
        "def test(c):\n    c.run('pytest -q', warn=True)\n    c.sudo('npm test', warn=False)\n"
        "    c.run('jest', check=False)\n    c.run(x)\n    c.run('mypy', success_codes=x)\n"
    )
    assert _shown("tasks.py", invoke) == [
        (
            "test",
            1,
            [("pytest -q", 2, "warn=True"), ("npm test", 3, None), ("jest", 4, "check=False"), ("mypy", 6, None)],
        )
    ]


def test_python_that_is_none() -> None:
    assert _shown("noxfile.py", "def (") == []


def test_other_ci_systems() -> None:
    gitlab = "image: python\ntest:\n  script:\n    - pip install x\n    - pytest || true\nlint:\n  script: ruff check\n"
    assert _shown(".gitlab-ci.yml", gitlab) == [
        ("test.script", 4, [("pytest", 5, "|| true")]),
        ("lint.script", 7, [("ruff check", 7, None)]),
    ]
    assert [scope[0] for scope in _shown("a/.circleci/config.yml", "jobs: {a: {steps: [{run: go test}]}}")] == [
        "jobs.a.steps.run"
    ]
    jenkins = "node {\n  sh 'pytest || true'\n  sh(script: \"npm test\")\n  echo 'pytest'\n}\n"
    assert _shown("Jenkinsfile", jenkins) == [
        ("sh", 2, [("pytest", 2, "|| true")]),
        ("sh", 3, [("npm test", 3, None)]),
    ]


def test_a_file_of_options() -> None:
    assert _shown(".rspec", "--format d\n# --tag a\n--tag ~slow\n") == [
        ("", 1, [("--format d --tag ~slow", 1, None)]),
    ]


@pytest.mark.parametrize(
    ("path", "holds"),
    [
        ("Makefile", True),
        ("sub/Makefile", True),
        ("a.mk", True),
        ("x.bash", True),
        ("package.json", True),
        (".buildkite/pipeline.yml", True),
        ("Taskfile.yml", True),
        (".pre-commit-config.yaml", True),
        ("deploy/config.yml", False),
        ("circleci/config.yml", False),
        (".circleci/config.json", False),
        ("a.py", False),
        ("README.md", False),
    ],
)
def test_files_that_hold_commands(path: str, *, holds: bool) -> None:
    assert holds_commands(path) is holds


def test_what_cannot_be_read_has_no_commands() -> None:
    large = Version("Makefile", "100644", b"t:\n\tpytest\n" + b"#" * LARGEST_SETTINGS)
    for unreadable in (large, Version("Makefile", "100644", None), version("package.json", "{")):
        with pytest.raises(Unreadable):
            read_scopes(unreadable)
        assert scopes_of(unreadable) == ()
    assert scopes_of(version("README.md", "pytest")) == ()
    assert scopes_of(version(".github/workflows/a.yml", "[")) == ()
    assert len(scopes_of(Version("Makefile", "100644", b"t:\n".ljust(LARGEST_SETTINGS, b"#")))) == 1


@pytest.mark.parametrize(
    ("body", "idle"),
    [
        ("", True),
        ("true", True),
        ("exit 0", True),
        ("echo 12 passed; exit 0", True),
        ("pip install . && echo ok", True),
        ("npm ci\nset -e\ncd web\nprintf x", True),
        ("uv sync --locked", True),
        ("exit 1", False),
        ("./run.sh", False),
        ("python run.py", False),
        ("npm run build", False),
        ("uses a/b@v1", False),
    ],
)
def test_scripts_that_do_nothing(body: str, *, idle: bool) -> None:
    assert does_nothing(body) is idle
