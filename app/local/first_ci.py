"""Which workflow files a repository lacks before the gate can judge it, from the names and texts that it has.

Pure: the same repository always gives the same files. The generated workflow uses only what GitHub's own `ubuntu-24.04`
image has (https://github.com/actions/runner-images/blob/main/images/ubuntu/Ubuntu2404-Readme.md), so that the checkout
is the one action that must be trusted.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from app.local.clone import CannotLook
from checks.tampering.workflows.model import read_workflow

WORKFLOWS = ".github/workflows"
VERIFIER = f"{WORKFLOWS}/mergegate-verify.yml"
CI = f"{WORKFLOWS}/ci.yml"
JOB = "test"

_VENV = 'python3 -m venv "$RUNNER_TEMP/venv"\n. "$RUNNER_TEMP/venv/bin/activate"'
# Gradle says nothing about tests that passed unless it is told to; a log without counts proves nothing.
_GRADLE = """\
echo 'allprojects { tasks.withType(Test) { testLogging { events "passed", "skipped", "failed" } } }' \
> "$RUNNER_TEMP/show-tests.gradle"
sh ./gradlew --console=plain --init-script "$RUNNER_TEMP/show-tests.gradle" test"""
_BUNDLE = 'sudo gem install bundler\nbundle config set --local path "$RUNNER_TEMP/gems"\nbundle install'

_PYTHON = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "conftest.py", "requirements.txt")
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")

_CI_TEXT = """\
# Runs the tests of every pull request, and once more in the merge queue. mergegate reads the raw log of the job
# `{job}`, so the command must print how many tests passed.
name: ci

on:
  pull_request:
  merge_group:

permissions:
  contents: read

jobs:
  {job}:
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
        with:
          persist-credentials: false
      - name: Run the tests
        shell: bash
        run: |
{script}
"""


@dataclass(frozen=True, slots=True)
class NewFile:
    """`because` completes "It is there because …" for the person who reads the pull request."""

    path: str
    text: str
    because: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """A test command, one shell command a line, and the file at the root that it was chosen for."""

    file: str
    command: str


def files_to_add(
    names: Collection[str], workflows: Mapping[str, bytes], verifier: str, command: str | None
) -> tuple[NewFile, ...]:
    """What the default branch lacks; nothing when it has all.

    `names` are those at its root, `workflows` the files of `.github/workflows` by path, `verifier` the shipped text,
    `command` what the person gave. Raises CannotLook when no test command can be told, or `ci.yml` is in the way.
    """
    script = None if command is None else _script(command)
    missing: list[NewFile] = []
    if workflows.get(VERIFIER) != verifier.encode():
        missing.append(NewFile(VERIFIER, verifier, "the gate starts it to verify high and critical risk by itself"))
    if not any(_judges_pull_requests(path, data) for path, data in workflows.items()):
        missing.append(_ci(names, workflows, script))
    return tuple(missing)


def test_command(names: Collection[str]) -> Chosen | None:
    """The command that the files at the root of a repository call for; of several languages the first one's."""
    for files, command in _COMMANDS:
        found = next((name for name in files if name in names), None)
        if found is not None:
            return Chosen(found, command if isinstance(command, str) else command(names))
    return None


def _judges_pull_requests(path: str, data: bytes) -> bool:
    """`pull_request_target` does not count: it runs the target branch's code."""
    workflow = read_workflow(path, data)
    return workflow is not None and "pull_request" in workflow.events


def _ci(names: Collection[str], workflows: Mapping[str, bytes], script: str | None) -> NewFile:
    if CI in workflows:
        raise CannotLook(
            f"{CI} is there, but does not run for pull requests, and it is not overwritten. "
            "Add `pull_request:` and `merge_group:` below its `on:`, then run this again."
        )
    chosen = test_command(names)
    if script is None and chosen is None:
        raise CannotLook(
            "no file at the root of the default branch tells how its tests are run. "
            "Give the command: --command 'make check'."
        )
    because = "no workflow runs for pull requests yet; "
    if script is not None:
        return NewFile(CI, _ci_text(script), because + "its test command was given by hand")
    assert chosen is not None
    return NewFile(CI, _ci_text(chosen.command), because + f"its test command was chosen because of `{chosen.file}`")


def _ci_text(script: str) -> str:
    return _CI_TEXT.format(job=JOB, script=textwrap.indent(script, " " * 10))


def _script(command: str) -> str:
    """Fit for a block of YAML, which holds printable characters alone and takes its indentation from the first line."""
    lines = textwrap.dedent(command.expandtabs(4)).strip().splitlines()
    if not lines or not all(line.isprintable() for line in lines):
        raise CannotLook("--command is empty or holds control characters. Give one shell command a line.")
    return "\n".join(line.rstrip() for line in lines)


def _python(names: Collection[str]) -> str:
    wanted = ["pytest"]
    if "requirements.txt" in names:
        wanted.append("-r requirements.txt")
    if "pyproject.toml" in names or "setup.py" in names:
        wanted.append("-e .")
    return f"{_VENV}\npip install {' '.join(wanted)}\npython -m pytest"


def _node(names: Collection[str]) -> str:
    if "pnpm-lock.yaml" in names:
        return "npx --yes pnpm install --frozen-lockfile\nnpx --yes pnpm test"
    if "yarn.lock" in names:
        return "yarn install --frozen-lockfile\nyarn test"
    locked = "package-lock.json" in names or "npm-shrinkwrap.json" in names
    return f"npm {'ci' if locked else 'install'}\nnpm test"


def _maven(names: Collection[str]) -> str:
    return f"{'sh ./mvnw' if 'mvnw' in names else 'mvn'} --batch-mode test"


def _ruby(names: Collection[str]) -> str:
    return f"{_BUNDLE}\nbundle exec {'rspec' if '.rspec' in names or 'spec' in names else 'rake test'}"


def _php(names: Collection[str]) -> str:
    phpunit = "phpunit.xml" in names or "phpunit.xml.dist" in names
    return f"composer install --no-interaction\n{'vendor/bin/phpunit' if phpunit else 'composer test'}"


_COMMANDS = (
    (("tox.ini",), "pipx run tox"),
    (_PYTHON, _python),
    (("package.json",), _node),
    (("go.mod",), "go test -v ./..."),
    (("Cargo.toml",), "cargo test"),
    (("pom.xml",), _maven),
    (("gradlew",), _GRADLE),
    (("Gemfile",), _ruby),
    (("composer.json",), _php),
    (_MAKEFILES, "make test"),
)
