"""New files of settings that put others out of force, which the change does not touch."""

from __future__ import annotations

import pytest

from checks.diff import FileStatus
from checks.tampering.alteration import Weight
from checks.tampering.analyse import analyse
from checks.tampering.change import Change
from checks.tampering.settings.precedence import behind
from tests.checks.tampering.honest import changes_between, version

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
PYPROJECT = """[tool.pytest.ini_options]
testpaths = ["tests", "unit"]
xfail_strict = true
addopts = "--strict-markers"

[tool.coverage.report]
fail_under = 90

[tool.mypy]
strict = true

[tool.poe.tasks]
test = "pytest"
"""
BESIDE = {
    "pyproject.toml": PYPROJECT,
    "tests/test_a.py": "def test_a():\n    assert a() == 1\n",
    "Makefile": "test:\n\tpytest\n",
    "vite.config.ts": "export default { a: [v()], test: { retry: 0, coverage: { thresholds: { lines: 9 } } } };\n",
    "package.json": '{"scripts": {"test": "mocha"}, "mocha": {"forbid-only": true}}\n',
}


def _found(added: dict[str, str], beside: dict[str, str]) -> list[tuple[str, str, Weight]]:
    same = [Change(FileStatus.MODIFIED, version(path, text), version(path, text)) for path, text in beside.items()]
    found = analyse([*changes_between({}, added), *same], [*added, *beside]).alterations
    return [(one.kind, one.path, one.weight) for one in found if one.weight is not RISK]


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("pytest.ini", "[pytest]\n", [("runner-configuration", PERSON)]),
        ("pytest.ini", "[pytest]\nxfail_strict = true\ntestpaths = unit\n", [("collection-narrowed", FAILED)]),
        ("tests/pytest.ini", "[pytest]\n", [("runner-configuration", PERSON)]),
        (".coveragerc", "[run]\nbranch = true\n", [("coverage-bar-lowered", PERSON)]),
        (".coveragerc", "[report]\nfail_under = 50\n", [("coverage-bar-lowered", PERSON)]),
        ("setup.cfg", "[coverage:run]\nbranch = true\n", [("coverage-bar-lowered", PERSON)]),
        ("mypy.ini", "[mypy]\n", [("lint-bar-lowered", PERSON)]),
        ("GNUmakefile", "test:\n\techo ok\n", [("runner-replaced", FAILED)]),
        (
            "vitest.config.ts",
            "export default { test: { retry: 3 } };\n",
            [("coverage-bar-lowered", PERSON), ("retries-raised", PERSON)],
        ),
        (".mocharc.yml", "retries: 0\n", [("runner-configuration", PERSON)]),
    ],
)
def test_what_was_in_force_is_not(path: str, text: str, found: list[tuple[str, Weight]]) -> None:
    assert _found({path: text}, BESIDE) == [(kind, path, weight) for kind, weight in found]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pytest.ini", "[pytest]\nxfail_strict = true\ntestpaths = tests unit\naddopts = --strict-markers\n"),
        (".coveragerc", "[report]\nfail_under = 95\n"),
        ("web/.coveragerc", "[run]\nbranch = true\n"),  # of another folder
        ("setup.cfg", "[mypy]\n"),  # read after pyproject.toml, and it says nothing of coverage
        ("GNUmakefile", "test:\n\tpytest\n\nlint:\n\truff check\n"),
        ("vitest.config.ts", "export default { test: { retry: 0, coverage: { thresholds: { lines: 90 } } } };\n"),
        ("ruff.toml", "line-length = 100\n"),  # nothing was said before
    ],
)
def test_nothing_is_lost(path: str, text: str) -> None:
    assert _found({path: text}, BESIDE) == []


def test_nothing_was_said_before() -> None:
    assert (
        _found({"pytest.ini": "[pytest]\ntestpaths = tests\n"}, {"pyproject.toml": "[tool.poe.tasks]\nt = 'pytest'\n"})
        == []
    )


def test_the_first_one_that_says_anything_was_in_force() -> None:
    beside = {"pyproject.toml": "[project]\nname = 'a'\n", "setup.cfg": "[tool:pytest]\nxfail_strict = true\n"}
    assert _found({"pytest.ini": "[pytest]\n"}, beside) == [("runner-configuration", "pytest.ini", PERSON)]


def test_one_that_cannot_be_read_says_nothing() -> None:
    assert _found({"pytest.ini": "[pytest]\n"}, {"pyproject.toml": "[tool.pytest"}) == []


def test_a_new_one_that_cannot_be_read_is_said_to_be_so() -> None:
    beside = {"tox.ini": "[pytest]\nxfail_strict = true\n"}
    assert _found({"pyproject.toml": "[tool.pytest"}, beside) == [("settings-unreadable", "pyproject.toml", PERSON)]


def test_the_trees_tests_count() -> None:
    added = {"pytest.ini": "[pytest]\naddopts = --ignore-glob=*_a.py\n"}
    assert _found(added, {}) == []
    assert _found(added, BESIDE)[0] == ("collection-narrowed", "pytest.ini", FAILED)


def test_where_is_looked() -> None:
    assert behind("mypy.ini") == (".mypy.ini", "pyproject.toml", "setup.cfg")
    assert behind("web/.nycrc") == ("web/.nycrc.json", "web/.nycrc.yaml", "web/.nycrc.yml", "web/package.json")
    assert {"web/setup.cfg", "tox.ini", "pytest.ini"} <= set(behind("web/pytest.ini"))
    assert "web/pytest.ini" not in behind("web/pytest.ini")
    assert behind("README.md") == behind("package.json") == ()
