"""Which commands run tests or checks, as people write them in scripts."""

from __future__ import annotations

import pytest

from checks.tampering.commands.runners import CHECKS, TESTS, Program, plain_name, recognise
from checks.tampering.commands.shell import split_words

RUN_TESTS = {
    "pytest -q": "pytest",
    "py.test": "pytest",
    "python -m pytest": "pytest",
    "python3 -m pytest": "pytest",
    ".venv/bin/pytest": "pytest",
    ".venv\\\\Scripts\\\\pytest.exe": "pytest",
    "uv run --with x pytest": "pytest",
    "poetry run pytest": "pytest",
    "coverage run -m pytest": "pytest",
    "sudo -E env PATH=x pytest": "pytest",
    "timeout 10 pytest": "pytest",
    "docker compose run --rm web pytest": "pytest",
    "then pytest": "pytest",
    "python -m unittest discover": "unittest",
    "python manage.py test": "manage.py",
    "tox -e py": "tox",
    "CI=1 yarn jest --ci": "jest",
    "npx --yes vitest run": "vitest",
    "npm exec mocha": "mocha",
    "node node_modules/jest/bin/jest.js": "jest",
    "npm test": "npm",
    "npm t": "npm",
    "npm run test:unit": "npm",
    "npm run-script test": "npm",
    "pnpm --filter web test": "pnpm",
    "yarn workspace web test": "yarn",
    "npx playwright test": "playwright",
    "node --test": "node",
    "nx affected --target=test": "nx",
    "turbo run test": "turbo",
    "go test ./...": "go",
    "cargo +nightly test": "cargo",
    "cargo nextest run": "cargo",
    "mvn -B verify": "mvn",
    "./mvnw clean install": "mvn",
    "./gradlew :app:test": "gradle",
    "gradlew.bat check": "gradle",
    "make -j2 check": "make",
    "make ci": "make",
    "bundle exec rspec": "rspec",
    "vendor/bin/phpunit": "phpunit",
    "dotnet test": "dotnet",
    "ctest --output-on-failure": "ctest",
}
RUN_CHECKS = {
    "ruff check .": "ruff",
    "uv run mypy": "mypy",
    "npx eslint .": "eslint",
    "npm run lint": "npm",
    "cargo clippy": "cargo",
    "go vet ./...": "go",
    "pre-commit run --all-files": "pre-commit",
    "make typecheck": "make",
}
RUN_NEITHER = [
    "echo pytest",
    "git commit -m pytest",
    "pip install pytest",
    "python3 -m pip install pytest",
    "npm ci",
    "npm install jest",
    "npm run build",
    "npm run build -- --mode test",
    "npx playwright install",
    "uv add pytest",
    "sudo apt-get install -y bats",
    "ruff format .",
    "cargo build",
    "go build ./...",
    "cd tests",
    "timeout 1 2 3 4 5 6 7 8 9 10 11 12 pytest",
    "A=1 B=2",
    "make build",
    "docker build -t pytest .",
    "bash -c pytest",
]


@pytest.mark.parametrize(("command", "tool"), RUN_TESTS.items())
def test_runs_tests(command: str, tool: str) -> None:
    found = recognise(split_words(command))
    assert found is not None
    assert (found.tool, found.purpose) == (tool, TESTS)


@pytest.mark.parametrize(("command", "tool"), RUN_CHECKS.items())
def test_runs_checks(command: str, tool: str) -> None:
    found = recognise(split_words(command))
    assert found is not None
    assert (found.tool, found.purpose) == (tool, CHECKS)


@pytest.mark.parametrize("command", RUN_NEITHER)
def test_runs_neither(command: str) -> None:
    assert recognise(split_words(command)) is None


def test_arguments_and_environment() -> None:
    assert recognise(("A=1", "env", "B=x=y", "pytest", "-q", "C=2")) == Program(
        "pytest", TESTS, ("-q", "C=2"), (("A", "1"), ("B", "x=y"))
    )
    assert recognise(()) is None


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("a/b/jest.mjs", "jest"),
        ("C:\\x\\phpunit.bat", "phpunit"),
        ("mvnw.cmd", "mvn"),
        ("python3", "python"),
        ("a", "a"),
    ],
)
def test_plain_names(word: str, name: str) -> None:
    assert plain_name(word) == name
