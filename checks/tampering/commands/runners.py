"""Which commands run tests, and which run other checks (linters, type checkers): by the program's name.

The tables hold what the runners' own documentation calls their command line. A program that is not in them is no
runner here: that only means that nothing is said about it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

TESTS, CHECKS = "tests", "checks"


@dataclass(frozen=True, slots=True)
class Program:
    """A recognised command. `tool` is the runner's plain name, `purpose` is TESTS or CHECKS."""

    tool: str
    purpose: str
    arguments: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()  # assigned in front of the program


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


# Words before the program that change nothing about what runs.
_FRONT = _set(
    "! { if then else elif do while until time exec command nohup env sudo npx bunx npm yarn pnpm bun bundle poetry "
    "uv uvx pipx pipenv hatch pdm rye xvfb-run timeout nice stdbuf cross-env cross-env-shell dotenv nyc c8 coverage "
    "docker docker-compose podman mise direnv python node deno retry unbuffer dbus-run-session conda mamba "
    "micromamba"
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_MOST_FRONT = 12  # words before the program that are looked at
# After one of these words what follows is installed, printed or looked up, not run.
_NO_RUN = _set(
    "add install i ci remove uninstall update upgrade lock sync export pip pip3 pull push build echo printf which "
    "create init view cat grep ls cp mv rm mkdir apt apt-get apk config"
)

_ANY = frozenset({""})
_SCRIPTS = _set("test tests check verify spec unit unittest integration e2e")
_TARGETS = _SCRIPTS | {"ci"}
_TEST_PROGRAMS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        _set(
            "pytest py.test tox nox nosetests nose2 stestr trial unittest behave robot lit avocado jest vitest "
            "mocha ava jasmine tap uvu wtr testcafe react-scripts gotestsum ginkgo ctest rspec cucumber minitest "
            "phpunit pest paratest codecept prove bats busted vstest.console nextest"
        ),
        _ANY,
    ),
    "manage.py": frozenset({"test"}),
    "django-admin": frozenset({"test"}),
    "karma": frozenset({"start"}),
    "playwright": frozenset({"test"}),
    "cypress": frozenset({"run"}),
    "node": frozenset({"--test"}),
    "ng": frozenset({"test"}),
    "vue-cli-service": frozenset({"test:unit", "test:e2e"}),
    "deno": frozenset({"test"}),
    "go": frozenset({"test"}),
    "cargo": frozenset({"test", "t", "nextest", "llvm-cov", "tarpaulin"}),
    "mvn": frozenset({"test", "verify", "install", "package", "deploy"}),
    "gradle": frozenset({"test", "check", "build"}),
    "sbt": frozenset({"test"}),
    "bazel": frozenset({"test"}),
    "bazelisk": frozenset({"test"}),
    "rails": frozenset({"test", "spec"}),
    "dotnet": frozenset({"test"}),
    "swift": frozenset({"test"}),
    "xcodebuild": frozenset({"test"}),
    "mix": frozenset({"test"}),
    "stack": frozenset({"test"}),
    "cabal": frozenset({"test"}),
    "flutter": frozenset({"test"}),
    "dart": frozenset({"test"}),
    "zig": frozenset({"test"}),
    "meson": frozenset({"test"}),
    "npm": _SCRIPTS | {"t", "tst"},  # `npm ci` installs
    **dict.fromkeys(_set("yarn pnpm bun"), _SCRIPTS),
    **dict.fromkeys(_set("make gmake ninja just task rake composer invoke inv ant lein"), _TARGETS),
    **dict.fromkeys(_set("nx turbo lerna rush moon npm-run-all run-s run-p concurrently"), _TARGETS),
}
_CHECK_TARGETS = _set("lint typecheck type-check types format-check fmt-check eslint mypy ruff clippy")
_CHECK_PROGRAMS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        _set(
            "flake8 pylint mypy pyright basedpyright bandit eslint tsc vue-tsc stylelint golangci-lint staticcheck "
            "rubocop standardrb phpstan psalm phpcs shellcheck hadolint ktlint detekt yamllint actionlint zizmor "
            "tflint cppcheck clang-tidy xo tslint"
        ),
        _ANY,
    ),
    "ruff": frozenset({"check"}),
    "biome": frozenset({"check", "ci", "lint"}),
    "pre-commit": frozenset({"run"}),
    "go": frozenset({"vet"}),
    "cargo": frozenset({"clippy"}),
    **dict.fromkeys(_set("npm yarn pnpm bun make just task nx turbo composer"), _CHECK_TARGETS),
}


def recognise(words: Sequence[str]) -> Program | None:
    """The test runner or checker that these words run, or None."""
    environment: list[tuple[str, str]] = []
    wrapped = False
    for at, word in enumerate(words[:_MOST_FRONT]):
        if _ASSIGNMENT.match(word):
            name, _, value = word.partition("=")
            environment.append((name, value))
            continue
        name = plain_name(word)
        found = _program(name, words[at + 1 :], environment)
        if found is not None:
            return found
        wrapped = wrapped or name in _FRONT
        if not wrapped or name in _NO_RUN:
            return None
    return None


def plain_name(word: str) -> str:
    """The program's name without folder and ending: `gradle` of `./gradlew.bat`."""
    name = word.replace("\\", "/").rpartition("/")[2]
    for ending in (".exe", ".cmd", ".bat", ".js", ".mjs", ".cjs"):
        name = name.removesuffix(ending)
    return _OTHER_NAMES.get(name, name)


_OTHER_NAMES = {"mvnw": "mvn", "gradlew": "gradle", "python3": "python", "py.test": "pytest"}


def _program(name: str, rest: Sequence[str], environment: Sequence[tuple[str, str]]) -> Program | None:
    for purpose, table in ((TESTS, _TEST_PROGRAMS), (CHECKS, _CHECK_PROGRAMS)):
        asked = table.get(name)
        if asked is not None and (asked is _ANY or _asks(rest, asked)):
            return Program(name, purpose, tuple(rest), tuple(environment))
    return None


def _asks(rest: Sequence[str], subcommands: frozenset[str]) -> bool:
    """Whether one of the words in front asks for it: `npm run test:unit`, `mvn -B verify`, `make -j2 check`."""
    front = rest[: rest.index("--")] if "--" in rest else rest
    return any(word in subcommands or _stem(word) in subcommands for word in front[:8])


def _stem(word: str) -> str:
    """`test` of `test:unit`, `:app:test`, `test-unit`, `--target=test`."""
    return next((part for part in _PARTS.split(word) if part in _TARGETS or part in _CHECK_TARGETS), "")


_PARTS = re.compile(r"[:.\-_=]")
