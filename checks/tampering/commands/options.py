"""What a runner's options take away from a test run, as the runners' own command-line references describe them.

pytest https://docs.pytest.org/en/stable/reference/reference.html#command-line-flags, jest https://jestjs.io/docs/cli,
vitest https://vitest.dev/guide/cli, mocha https://mochajs.org/#command-line-usage, go https://pkg.go.dev/cmd/go,
cargo https://doc.rust-lang.org/cargo/commands/cargo-test.html, surefire
https://maven.apache.org/surefire/maven-surefire-plugin/test-mojo.html, gradle
https://docs.gradle.org/current/userguide/command_line_interface.html, rspec https://rspec.info, phpunit
https://docs.phpunit.de, ctest https://cmake.org/cmake/help/latest/manual/ctest.1.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from checks.tampering.alteration import Weight
from checks.tampering.commands.runners import Program
from checks.tampering.commands.shell import split_words

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK


@dataclass(frozen=True, slots=True)
class Weakening:
    """What one option does to a run. `value` picks tests in the way of `style`: `path`, `glob`, `regex`, `id`.

    `text` is the option as written, `says` completes a sentence about the run ("it …").
    """

    kind: str
    text: str
    value: str
    style: str
    weight: Weight
    says: str


@dataclass(frozen=True, slots=True)
class _Option:
    kind: str
    weight: Weight
    says: str
    style: str = ""  # empty: it takes no value


_NOTHING = _Option("nothing-runs", FAILED, "runs no test at all")
_IGNORED = _Option("failures-ignored", FAILED, "passes although tests fail")
_EMPTY = _Option("empty-run-passes", PERSON, "passes although it finds no test")
_REWRITES = _Option("expectations-rewritten-by-run", PERSON, "rewrites the expectations that it compares with")
_UNCOVERED = _Option("coverage-bar-lowered", PERSON, "measures no coverage")
_OTHER_CONFIGURATION = _Option("runner-configuration", PERSON, "reads other settings than the repository's", "free")
_PART = _Option("collection-narrowed", PERSON, "runs only a part of the tests")


def _narrows(style: str, weight: Weight = PERSON) -> _Option:
    return _Option("collection-narrowed", weight, "leaves tests out", style)


_BY_NAME, _BY_GROUP = _narrows("name", FAILED), _narrows("group")
_PATH, _GLOB, _REGEX, _TEST_ID = _narrows("path"), _narrows("glob"), _narrows("regex"), _narrows("id", FAILED)


def _table(**rows: tuple[_Option, str]) -> Mapping[str, _Option]:
    return {name: option for option, names in rows.values() for name in names.split()}


_OPTIONS: Mapping[str, Mapping[str, _Option]] = {
    "pytest": _table(
        name=(_BY_NAME, "-k"),
        group=(_BY_GROUP, "-m"),
        path=(_PATH, "--ignore"),
        glob=(_GLOB, "--ignore-glob"),
        test=(_TEST_ID, "--deselect"),
        part=(_PART, "--lf --last-failed --sw --stepwise --testmon --picked"),
        nothing=(_NOTHING, "--collect-only --co --setup-only --setup-plan --fixtures --markers --version --help -h"),
        ignored=(_IGNORED, "--suppress-tests-failed-exit-code"),
        empty=(_EMPTY, "--suppress-no-test-exit-code"),
        other=(_OTHER_CONFIGURATION, "-c --config-file --rootdir -o --override-ini --confcutdir"),
        unguarded=(_Option("runner-configuration", PERSON, "leaves the repository's conftest.py out"), "--noconftest"),
        uncovered=(_UNCOVERED, "--no-cov"),
        rewrites=(_REWRITES, "--snapshot-update --force-regen --regen-all --update-goldens"),
    ),
    "unittest": _table(name=(_BY_NAME, "-k"), pattern=(_GLOB, "-p --pattern")),
    "jest": _table(
        name=(_BY_NAME, "-t --testNamePattern"),
        path=(_narrows("free"), "--testPathPattern --testPathPatterns --selectProjects"),
        ignored_path=(_REGEX, "--testPathIgnorePatterns"),
        part=(_PART, "-o --onlyChanged -f --onlyFailures --findRelatedTests --lastCommit"),
        since=(_BY_GROUP, "--changedSince --shard"),
        nothing=(_NOTHING, "--listTests --showConfig --version --help"),
        empty=(_EMPTY, "--passWithNoTests"),
        other=(_OTHER_CONFIGURATION, "-c --config --rootDir"),
        rewrites=(_REWRITES, "-u --updateSnapshot"),
    ),
    "vitest": _table(
        name=(_BY_NAME, "-t --testNamePattern"),
        glob=(_GLOB, "--exclude"),
        part=(_PART, "--changed related"),
        group=(_BY_GROUP, "--project --shard"),
        nothing=(_NOTHING, "list --version --help"),
        ignored=(_IGNORED, "--dangerouslyIgnoreUnhandledErrors"),
        empty=(_EMPTY, "--passWithNoTests"),
        other=(_OTHER_CONFIGURATION, "-c --config -r --root --dir"),
        rewrites=(_REWRITES, "-u --update"),
    ),
    "mocha": _table(
        name=(_BY_NAME, "-g --grep -f --fgrep"),
        glob=(_GLOB, "--ignore --exclude"),
        inverted=(_PART, "-i --invert"),
        nothing=(_NOTHING, "--dry-run --version --help"),
        ignored=(_IGNORED, "--pass-on-failing-test-suite"),
        other=(_OTHER_CONFIGURATION, "--config --package"),
    ),
    "playwright": _table(
        name=(_BY_NAME, "-g --grep --grep-invert"),
        group=(_BY_GROUP, "--project --shard"),
        part=(_PART, "--last-failed --only-changed"),
        nothing=(_NOTHING, "--list"),
        empty=(_EMPTY, "--pass-with-no-tests"),
        other=(_OTHER_CONFIGURATION, "-c --config"),
        rewrites=(_REWRITES, "-u --update-snapshots"),
    ),
    "go": _table(
        name=(_BY_NAME, "-run --run -skip --skip"),
        part=(_PART, "-short --short"),
        nothing=(_NOTHING, "-list --list -c -n"),
        group=(_narrows("free"), "-tags --tags"),
        other=(_Option("runner-replaced", PERSON, "hands the tests to another program", "free"), "-exec --exec"),
        rewrites=(_REWRITES, "-update --update"),
    ),
    "cargo": _table(
        name=(_BY_NAME, "--skip"),
        group=(_BY_GROUP, "--exclude --test --example --bench -E --filter-expr --partition"),
        part=(_PART, "--lib --bins --doc --examples"),
        nothing=(_NOTHING, "--no-run --list"),
        empty=(_Option("empty-run-passes", PERSON, "passes although it finds no test", "free"), "--no-tests"),
    ),
    "mvn": _table(
        name=(_BY_NAME, "-Dtest -Dit.test"),
        group=(_BY_GROUP, "-Dgroups -DexcludedGroups -pl --projects"),
        glob=(_GLOB, "-Dsurefire.excludes"),
        nothing=(_NOTHING, "-DskipTests -Dmaven.test.skip -Dmaven.test.skip.exec -DskipITs -DskipUTs"),
        ignored=(_IGNORED, "-Dmaven.test.failure.ignore -fn --fail-never"),
    ),
    "gradle": _table(
        name=(_BY_NAME, "--tests"),
        task=(_Option("nothing-runs", FAILED, "leaves a task out", "task"), "-x --exclude-task"),
        nothing=(_NOTHING, "-m --dry-run -PskipTests"),
    ),
    "rspec": _table(
        name=(_BY_NAME, "-e --example -E --example-matches"),
        group=(_BY_GROUP, "-t --tag"),
        glob=(_GLOB, "--exclude-pattern"),
        only=(_narrows("free"), "-P --pattern"),
        part=(_PART, "--only-failures --next-failure"),
        nothing=(_NOTHING, "--dry-run"),
        ignored=(_Option("failures-ignored", FAILED, "passes although tests fail", "zero"), "--failure-exit-code"),
    ),
    "phpunit": _table(
        name=(_BY_NAME, "--filter --exclude-filter"),
        group=(_BY_GROUP, "--group --exclude-group --testsuite --exclude-testsuite"),
        nothing=(_NOTHING, "--list-tests --list-groups --list-suites"),
        other=(_OTHER_CONFIGURATION, "-c --configuration --no-configuration"),
    ),
    "ctest": _table(
        name=(_BY_NAME, "-R -E --tests-regex --exclude-regex"),
        group=(_BY_GROUP, "-L -LE -I --label-regex --label-exclude"),
        part=(_PART, "--rerun-failed"),
        nothing=(_NOTHING, "-N --show-only"),
    ),
    "dotnet": _table(name=(_BY_NAME, "--filter"), nothing=(_NOTHING, "--list-tests -t")),
}
# Wrappers hand their last options to a runner that is not named.
_HANDS_ON = {
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), ("jest", "vitest", "mocha")),
    **dict.fromkeys(("tox", "nox"), ("pytest",)),
}
_TAKES_THOSE_OF = {"nextest": "cargo", "pest": "phpunit", "paratest": "phpunit"}
_ADDED_BY_ENVIRONMENT = {"pytest": "PYTEST_ADDOPTS", "rspec": "SPEC_OPTS", "go": "GOFLAGS", "mvn": "MAVEN_ARGS"}
# Without these a run is less strict, but still a run.
_NAMES = (
    "--strict --strict-markers --strict-config --forbid-only --forbid-pending --fail-zero --ci -race --locked --check "
    "--fail-on-warning --fail-on-risky --fail-if-no-examples --error-on-warnings --fatal-warnings "
    "--warnings-as-errors -Werror"
)
_STRICT = frozenset(_NAMES.split())


def weakenings(program: Program) -> tuple[Weakening, ...]:
    """What the options of a run take away from it, in order."""
    words = effective_arguments(program)
    if program.tool in _HANDS_ON:
        words = words[words.index("--") + 1 :] if "--" in words else ()
    families = _HANDS_ON.get(program.tool, (_TAKES_THOSE_OF.get(program.tool, program.tool),))
    found = (each for family in families for each in _of_family(_OPTIONS.get(family, {}), words))
    return tuple(dict.fromkeys(found))


def effective_arguments(program: Program) -> tuple[str, ...]:
    """The program's arguments and those that its own environment variable adds."""
    added = _ADDED_BY_ENVIRONMENT.get(program.tool)
    return program.arguments + tuple(
        word for name, value in program.environment if name == added for word in split_words(value)
    )


def strictness(program: Program) -> frozenset[str]:
    """The options that make the run stricter."""
    return _STRICT & set(program.arguments)


def _of_family(table: Mapping[str, _Option], words: Sequence[str]) -> Iterator[Weakening]:
    skip = False
    for at, word in enumerate(words):
        name, has_value, value = word.partition("=")
        option = None if skip else table.get(name)
        skip = False
        if option is None:
            continue
        if option.style and not has_value:
            value, skip = (words[at + 1], True) if at + 1 < len(words) else ("", False)
        if not _is_harmless(option, value):
            text = f"{word} {value}" if skip else word
            yield Weakening(option.kind, text[:300], value, option.style, option.weight, option.says)


def _is_harmless(option: _Option, value: str) -> bool:
    """`--passWithNoTests=false`, `-DskipTests=false`, `-x javadoc`, `--failure-exit-code 1`."""
    if value.lower() == "false":
        return True
    if option.style == "task":
        return value.rpartition(":")[2].lower() not in _TEST_TASKS
    return option.style == "zero" and value != "0"


_TEST_TASKS = frozenset({"test", "tests", "check", "integrationtest", "jacocotestcoverageverification", "alltests"})
