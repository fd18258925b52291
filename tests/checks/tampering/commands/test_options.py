"""What options take away from a run; each line is an option of the runner's own documentation."""

from __future__ import annotations

import pytest

from checks.tampering.alteration import Weight
from checks.tampering.commands.arguments import is_narrower, loses_tests, named_places
from checks.tampering.commands.options import Weakening, effective_arguments, strictness, weakenings
from checks.tampering.commands.runners import TESTS, Program
from checks.tampering.commands.thresholds import crossed_bars
from checks.tampering.kept_tests import KeptTests
from tests.checks.tampering.commands.words import program

NARROWED, NOTHING, IGNORED, EMPTY = "collection-narrowed", "nothing-runs", "failures-ignored", "empty-run-passes"
REWRITES, CONFIGURED, COVERAGE = "expectations-rewritten-by-run", "runner-configuration", "coverage-bar-lowered"
FAILED, PERSON = Weight.FAILED, Weight.PERSON


@pytest.mark.parametrize(
    ("line", "kind", "style", "value", "weight"),
    [
        ("pytest -k 'not slow'", NARROWED, "name", "not slow", FAILED),
        ("pytest -m unit", NARROWED, "group", "unit", PERSON),
        ("pytest --ignore=tests/a", NARROWED, "path", "tests/a", PERSON),
        ("pytest --ignore tests/a", NARROWED, "path", "tests/a", PERSON),
        ("pytest --ignore-glob=*_slow.py", NARROWED, "glob", "*_slow.py", PERSON),
        ("pytest --deselect a.py::b", NARROWED, "id", "a.py::b", FAILED),
        ("pytest --lf", NARROWED, "", "", PERSON),
        ("pytest --co", NOTHING, "", "", FAILED),
        ("pytest --suppress-tests-failed-exit-code", IGNORED, "", "", FAILED),
        ("pytest --suppress-no-test-exit-code", EMPTY, "", "", PERSON),
        ("pytest -c other.ini", CONFIGURED, "free", "other.ini", PERSON),
        ("pytest -o addopts=", CONFIGURED, "free", "addopts=", PERSON),
        ("pytest --noconftest", CONFIGURED, "", "", PERSON),
        ("pytest --no-cov", COVERAGE, "", "", PERSON),
        ("pytest --snapshot-update", REWRITES, "", "", PERSON),
        ("PYTEST_ADDOPTS='-k a' pytest", NARROWED, "name", "a", FAILED),
        ("tox -- -k a", NARROWED, "name", "a", FAILED),
        ("python -m unittest -k a", NARROWED, "name", "a", FAILED),
        ("jest -t a", NARROWED, "name", "a", FAILED),
        ("jest --testPathPatterns a", NARROWED, "free", "a", PERSON),
        ("jest --testPathIgnorePatterns /a/", NARROWED, "regex", "/a/", PERSON),
        ("jest --onlyChanged", NARROWED, "", "", PERSON),
        ("jest --shard 1/2", NARROWED, "group", "1/2", PERSON),
        ("jest --listTests", NOTHING, "", "", FAILED),
        ("jest --passWithNoTests", EMPTY, "", "", PERSON),
        ("jest -u", REWRITES, "", "", PERSON),
        ("jest -c other.js", CONFIGURED, "free", "other.js", PERSON),
        ("npm test -- --passWithNoTests", EMPTY, "", "", PERSON),
        ("vitest --exclude 'a/**'", NARROWED, "glob", "a/**", PERSON),
        ("vitest --changed", NARROWED, "", "", PERSON),
        ("vitest list", NOTHING, "", "", FAILED),
        ("vitest --dangerouslyIgnoreUnhandledErrors", IGNORED, "", "", FAILED),
        ("vitest -u", REWRITES, "", "", PERSON),
        ("mocha -g a", NARROWED, "name", "a", FAILED),
        ("mocha --ignore a.js", NARROWED, "glob", "a.js", PERSON),
        ("mocha --dry-run", NOTHING, "", "", FAILED),
        ("mocha --pass-on-failing-test-suite", IGNORED, "", "", FAILED),
        ("playwright test --grep-invert a", NARROWED, "name", "a", FAILED),
        ("playwright test --project=chromium", NARROWED, "group", "chromium", PERSON),
        ("playwright test --list", NOTHING, "", "", FAILED),
        ("go test -run TestA ./...", NARROWED, "name", "TestA", FAILED),
        ("go test -run=TestA ./...", NARROWED, "name", "TestA", FAILED),
        ("go test -skip TestA ./...", NARROWED, "name", "TestA", FAILED),
        ("go test -short ./...", NARROWED, "", "", PERSON),
        ("go test -list . ./...", NOTHING, "", "", FAILED),
        ("go test -exec true ./...", "runner-replaced", "free", "true", PERSON),
        ("GOFLAGS=-short go test ./...", NARROWED, "", "", PERSON),
        ("cargo test --no-run", NOTHING, "", "", FAILED),
        ("cargo test --lib", NARROWED, "", "", PERSON),
        ("cargo test -- --skip a", NARROWED, "name", "a", FAILED),
        ("cargo test --exclude a", NARROWED, "group", "a", PERSON),
        ("cargo nextest run --no-tests=pass", EMPTY, "free", "pass", PERSON),
        ("mvn verify -DskipTests", NOTHING, "", "", FAILED),
        ("mvn verify -Dmaven.test.skip=true", NOTHING, "", "true", FAILED),
        ("mvn verify -Dmaven.test.failure.ignore=true", IGNORED, "", "true", FAILED),
        ("mvn verify -fn", IGNORED, "", "", FAILED),
        ("mvn verify -Dtest=A", NARROWED, "name", "A", FAILED),
        ("gradle build -x test", NOTHING, "task", "test", FAILED),
        ("gradle build -x :app:check", NOTHING, "task", ":app:check", FAILED),
        ("gradle test --tests A", NARROWED, "name", "A", FAILED),
        ("gradle test --dry-run", NOTHING, "", "", FAILED),
        ("rspec --tag ~slow", NARROWED, "group", "~slow", PERSON),
        ("rspec --failure-exit-code 0", IGNORED, "zero", "0", FAILED),
        ("rspec --dry-run", NOTHING, "", "", FAILED),
        ("phpunit --filter a", NARROWED, "name", "a", FAILED),
        ("phpunit --exclude-group a", NARROWED, "group", "a", PERSON),
        ("vendor/bin/pest --filter a", NARROWED, "name", "a", FAILED),
        ("ctest -E a", NARROWED, "name", "a", FAILED),
        ("ctest -N", NOTHING, "", "", FAILED),
        ("dotnet test --filter a", NARROWED, "name", "a", FAILED),
        ("dotnet test --list-tests", NOTHING, "", "", FAILED),
    ],
)
def test_options_that_weaken(line: str, kind: str, style: str, value: str, weight: Weight) -> None:
    (found,) = weakenings(program(line))
    assert (found.kind, found.style, found.value, found.weight) == (kind, style, value, weight)


@pytest.mark.parametrize(
    "line",
    [
        "pytest -q -x -n 4 --maxfail=1 --junitxml=a.xml",
        "pytest -p xdist -W error",
        "jest --ci --coverage --runInBand --passWithNoTests=false",
        "vitest run --coverage --reporter=junit",
        "mocha --recursive --timeout 2000",
        "go test -race -count=1 -v ./...",
        "cargo test --all --workspace --all-features -- --nocapture",
        "mvn -B verify -DskipTests=false",
        "gradle check --continue -x javadoc",
        "rspec --failure-exit-code 1",
        "npm test --passWithNoTests",
        "tox -k",
        "make test -k",
        "ruff check -k a",
        "dotnet test --no-build",
    ],
)
def test_options_that_do_not(line: str) -> None:
    assert weakenings(program(line)) == ()


def test_an_option_as_it_is_written() -> None:
    assert weakenings(program("pytest -k 'a b' --lf -k 'a b'")) == (
        Weakening(NARROWED, "-k a b", "a b", "name", FAILED, "leaves tests out"),
        Weakening(NARROWED, "--lf", "", "", PERSON, "runs only a part of the tests"),
    )
    (cut,) = weakenings(program("pytest -k"))
    assert (cut.text, cut.value) == ("-k", "")
    (value,) = weakenings(program("pytest -k --lf"))
    assert (value.text, value.value) == ("-k --lf", "--lf")
    (long,) = weakenings(program("pytest -k=" + "a" * 1_000))
    assert len(long.text) == 300


def test_arguments_of_the_environment() -> None:
    run = Program("pytest", TESTS, ("-q",), (("PYTEST_ADDOPTS", "-x '-k a'"), ("OTHER", "-v")))
    assert effective_arguments(run) == ("-q", "-x", "-k a")
    assert effective_arguments(Program("nox", TESTS, ("-q",), (("PYTEST_ADDOPTS", "-x"),))) == ("-q",)


def test_what_makes_a_run_stricter() -> None:
    assert strictness(program("pytest --strict-markers -q --strict-config")) == {"--strict-markers", "--strict-config"}


@pytest.mark.parametrize(
    ("before", "after", "kind", "text"),
    [
        ("pytest --cov-fail-under=90", "pytest --cov-fail-under=80", COVERAGE, "--cov-fail-under 80"),
        ("pytest --cov-fail-under 90", "pytest --cov-fail-under 89.5", COVERAGE, "--cov-fail-under 89.5"),
        ("pytest --cov-fail-under 90", "pytest", COVERAGE, "without --cov-fail-under"),
        ("pytest", "pytest --reruns 2", "retries-raised", "--reruns 2"),
        ("pytest --reruns 2", "pytest --reruns 3", "retries-raised", "--reruns 3"),
        ("pytest --timeout=60", "pytest --timeout=90", "timeout-raised", "--timeout 90"),
        ("go test -timeout 10m", "go test -timeout 1h", "timeout-raised", "-timeout 3600"),
        ("eslint --max-warnings 0 .", "eslint --max-warnings 5 .", "lint-bar-lowered", "--max-warnings 5"),
        ("eslint --max-warnings 0 .", "eslint .", "lint-bar-lowered", "without --max-warnings"),
    ],
)
def test_bars_that_are_lowered(before: str, after: str, kind: str, text: str) -> None:
    (found,) = crossed_bars(program(before), program(after))
    assert (found.kind, found.text) == (kind, text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pytest --cov-fail-under=80", "pytest --cov-fail-under=90"),
        ("pytest --cov-fail-under=80", "pytest --cov-fail-under 80"),
        ("pytest", "pytest --cov-fail-under=90"),
        ("pytest --reruns 3", "pytest --reruns 1"),
        ("pytest --reruns 3", "pytest"),
        ("go test -timeout 90s", "go test -timeout 1m"),
        ("go test -timeout 90s", "go test -timeout 500ms"),
        ("eslint .", "eslint --max-warnings 5 ."),
        ("pytest --timeout=x", "pytest --timeout"),
    ],
)
def test_bars_that_are_not(before: str, after: str) -> None:
    assert list(crossed_bars(program(before), program(after))) == []


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("pytest -q tests integration", ("tests",)),
        ("pytest tests/unit tests/test_a.py::test_b", ("tests/unit", "tests/test_a.py::test_b")),
        ("pytest --ignore tests/a --cov src/tests", ()),
        ("pytest -x tests/test_a.py", ("tests/test_a.py",)),
        ("pytest --rootdir=. tests/test_a.py", ("tests/test_a.py",)),
        ("jest src/cart.test.ts --ci", ("src/cart.test.ts",)),
        ("go test -race ./... ", ("./...",)),
        ("go test shop/cart -v", ("shop/cart",)),
        ("rspec spec/models", ("spec/models",)),
        ("make tests/unit/check test", ()),
        ("pytest unit", ()),
    ],
)
def test_places_that_a_run_names(line: str, places: tuple[str, ...]) -> None:
    assert named_places(program(line)) == places


@pytest.mark.parametrize(
    ("was", "now", "narrower"),
    [
        ((), (), False),
        ((), ("tests",), False),
        ((), ("./tests/",), False),
        ((), ("tests/unit",), True),
        ((), ("test_a.py",), True),
        (("tests",), (), False),
        (("tests",), ("./tests/",), False),
        (("tests",), ("tests", "more/tests"), False),
        (("tests",), ("tests/unit",), True),
        (("tests/a", "tests/b"), ("tests",), False),
        (("tests/a", "tests/b"), ("tests/a",), True),
        (("./...",), ("./cart/...",), True),
        (("./cart/...",), ("./...",), False),
        (("tests/test_a.py",), ("tests/test_a.py::test_x",), True),
        (("tests/test_a.py::test_x",), ("tests/test_a.py",), False),
        (("tests",), ("tests2",), True),
    ],
)
def test_fewer_places(was: tuple[str, ...], now: tuple[str, ...], *, narrower: bool) -> None:
    assert is_narrower(was, now) is narrower


@pytest.mark.parametrize(
    ("tool", "was", "now", "lost"),
    [
        ("pytest", (), ("tests/test_a.py",), True),
        ("pytest", (), ("tests/a",), True),
        ("pytest", ("tests/a", "tests/b"), ("tests/a",), True),
        ("pytest", ("tests/a", "tests/c"), ("tests/a",), False),
        ("jest", ("tests/a", "tests/b"), ("tests/a",), False),
        ("go", ("./...",), ("./shop/...",), True),
        ("go", ("./...",), ("./cart/...",), False),
    ],
)
def test_tests_that_are_lost(tool: str, was: tuple[str, ...], now: tuple[str, ...], *, lost: bool) -> None:
    kept = KeptTests(("tests/a/test_x.py", "tests/b/test_y.py", "cart/cart_test.go"), frozenset())
    assert loses_tests(tool, was, now, kept) is lost
