"""Which files a repository lacks, by the names at its root and the workflows that it has."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
import yaml
from hatchling.builders.wheel import WheelBuilder

from app.local.clone import CannotLook
from app.local.first_ci import CI, VERIFIER, files_to_add, test_command
from app.local.shipped import verifier_workflow
from checks.tampering.workflows.model import read_workflow, shell_of
from checks.tampering.workflows.smells import hidden_runs, smells

test_command.__test__ = False  # type: ignore[attr-defined]  # pytest collects by name; this is what is tested

ROOT = Path(__file__).parents[2]
SHIPPED = (ROOT / "deploy/workflows/mergegate-verify.yml").read_text("utf-8")
VENV = ('python3 -m venv "$RUNNER_TEMP/venv"', '. "$RUNNER_TEMP/venv/bin/activate"')
BUNDLE = ("sudo gem install bundler", 'bundle config set --local path "$RUNNER_TEMP/gems"', "bundle install")
COMMANDS = {
    "tox.ini pyproject.toml": ("tox.ini", "pipx run tox"),
    "pyproject.toml package.json": ("pyproject.toml", *VENV, "pip install pytest -e .", "python -m pytest"),
    "setup.py requirements.txt": ("setup.py", *VENV, "pip install pytest -r requirements.txt -e .", "python -m pytest"),
    "setup.cfg": ("setup.cfg", *VENV, "pip install pytest", "python -m pytest"),
    "pytest.ini": ("pytest.ini", *VENV, "pip install pytest", "python -m pytest"),
    "conftest.py": ("conftest.py", *VENV, "pip install pytest", "python -m pytest"),
    "requirements.txt": ("requirements.txt", *VENV, "pip install pytest -r requirements.txt", "python -m pytest"),
    "package.json Makefile": ("package.json", "npm install", "npm test"),
    "package.json package-lock.json": ("package.json", "npm ci", "npm test"),
    "package.json npm-shrinkwrap.json": ("package.json", "npm ci", "npm test"),
    "package.json yarn.lock": ("package.json", "yarn install --frozen-lockfile", "yarn test"),
    "package.json pnpm-lock.yaml": (
        "package.json",
        "npx --yes pnpm install --frozen-lockfile",
        "npx --yes pnpm test",
    ),
    "go.mod go.sum": ("go.mod", "go test -v ./..."),
    "Cargo.toml src": ("Cargo.toml", "cargo test"),
    "pom.xml": ("pom.xml", "mvn --batch-mode test"),
    "pom.xml mvnw": ("pom.xml", "sh ./mvnw --batch-mode test"),
    "gradlew build.gradle": (
        "gradlew",
        (
            """echo 'allprojects { tasks.withType(Test) { testLogging { events "passed", "skipped", "failed" } } }' """
            '> "$RUNNER_TEMP/show-tests.gradle"'
        ),
        'sh ./gradlew --console=plain --init-script "$RUNNER_TEMP/show-tests.gradle" test',
    ),
    "Gemfile spec": ("Gemfile", *BUNDLE, "bundle exec rspec"),
    "Gemfile .rspec": ("Gemfile", *BUNDLE, "bundle exec rspec"),
    "Gemfile test": ("Gemfile", *BUNDLE, "bundle exec rake test"),
    "composer.json phpunit.xml": ("composer.json", "composer install --no-interaction", "vendor/bin/phpunit"),
    "composer.json phpunit.xml.dist": ("composer.json", "composer install --no-interaction", "vendor/bin/phpunit"),
    "composer.json": ("composer.json", "composer install --no-interaction", "composer test"),
    "Makefile": ("Makefile", "make test"),
    "makefile": ("makefile", "make test"),
    "GNUmakefile README": ("GNUmakefile", "make test"),
}


@pytest.mark.parametrize("names", COMMANDS)
def test_the_command_follows_from_the_names_at_the_root(names: str) -> None:
    chosen = test_command(names.split())
    assert chosen is not None
    assert (chosen.file, *chosen.command.split("\n")) == COMMANDS[names]


@pytest.mark.parametrize("names", COMMANDS)
def test_the_workflow_is_one_that_the_gate_finds_no_fault_with(names: str) -> None:
    verifier, made = files_to_add(names.split(), {}, SHIPPED, None)
    assert (verifier.path, verifier.text, made.path) == (VERIFIER, SHIPPED, CI)
    workflow = read_workflow(CI, made.text.encode())
    assert workflow is not None
    assert (list(workflow.events), dict(workflow.permissions)) == (
        ["pull_request", "merge_group"],
        {"contents": "read"},
    )
    (job,) = workflow.jobs
    checkout, tests = job.steps
    assert (job.id, checkout.uses) == ("test", "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8")
    assert tests.run.rstrip("\n").split("\n") == list(COMMANDS[names][1:])
    assert shell_of(tests, job).pipefail
    assert [*smells(workflow), *hidden_runs(workflow)] == []
    assert f"because of `{COMMANDS[names][0]}`" in made.because


def script_of(command: str, *names: str) -> str:
    made = files_to_add(names, {VERIFIER: SHIPPED.encode()}, SHIPPED, command)[0]
    script: str = yaml.safe_load(made.text)["jobs"]["test"]["steps"][1]["run"]
    return script


@pytest.mark.parametrize(
    ("given", "script"),
    [
        ("make check", "make check\n"),
        ("  if a; then  \n      b\n  fi\n", "if a; then\n    b\nfi\n"),
        ("echo '{}: # ' {0}", "echo '{}: # ' {0}\n"),
        ("a\n\n\tb", "a\n\n    b\n"),
    ],
)
def test_a_given_command_goes_before_what_the_names_tell(given: str, script: str) -> None:
    assert script_of(given, "go.mod") == script


@pytest.mark.parametrize("given", ["", " \n ", "make\x1b[0m", "make\x00", "a\x07b"])
def test_a_command_that_no_workflow_can_hold_is_refused(given: str) -> None:
    with pytest.raises(CannotLook, match="--command is empty or holds control characters"):
        script_of(given)


def test_where_nothing_tells_the_command_it_is_asked_for() -> None:
    with pytest.raises(CannotLook, match="Give the command: --command"):
        files_to_add(["README.md", "src"], {}, SHIPPED, None)


@pytest.mark.parametrize(
    "events", ["pull_request", "[push, pull_request]", "{push: {}, pull_request: {branches: [main]}}"]
)
def test_a_workflow_that_runs_for_pull_requests_is_enough(events: str) -> None:
    there = {".github/workflows/x.yaml": f"on: {events}\njobs: {{}}\n".encode()}
    assert [file.path for file in files_to_add([], there, SHIPPED, None)] == [VERIFIER]
    assert files_to_add([], {**there, VERIFIER: SHIPPED.encode()}, SHIPPED, None) == ()
    (old,) = files_to_add([], {**there, VERIFIER: b"name: old"}, SHIPPED, None)
    assert (old.path, old.text) == (VERIFIER, SHIPPED)


@pytest.mark.parametrize("text", ["on: push", "on: pull_request_target", "on: workflow_dispatch", "on: [", ""])
def test_other_workflows_are_no_proof_of_a_pull_request(text: str) -> None:
    paths = [file.path for file in files_to_add(["go.mod"], {".github/workflows/x.yml": text.encode()}, SHIPPED, None)]
    assert paths == [VERIFIER, CI]


def test_a_file_that_is_in_the_way_is_not_overwritten() -> None:
    with pytest.raises(CannotLook, match="Add `pull_request:` and `merge_group:` below its `on:`"):
        files_to_add(["go.mod"], {CI: b"on: push"}, SHIPPED, None)


def test_the_verifier_is_found_in_a_checkout_and_is_in_the_wheel(tmp_path: Path) -> None:
    assert verifier_workflow() == SHIPPED
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        assert packed.read("app/deploy/workflows/mergegate-verify.yml").decode() == SHIPPED
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"app", "checks", "policies"}
