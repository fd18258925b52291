"""Test tools that come from elsewhere than their registry."""

from __future__ import annotations

import pytest

from checks.tampering.alteration import Alteration, Weight
from checks.tampering.runner_swaps import runner_swaps
from tests.checks.tampering.honest import changes_between

SWAPPED, HOOK, INDEX = "runner-substituted", "start-up-hook", "package-index-changed"


def _kinds(path: str, before: str, after: str) -> list[str]:
    return [each.kind for each in runner_swaps(changes_between({path: before}, {path: after}))]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("package.json", '{"devDependencies": {"jest": "^30"}}', '{"devDependencies": {"jest": "npm:fake@1"}}'),
        ("package.json", '{"dependencies": {"x": "1"}}', '{"dependencies": {"mocha": "file:./mocha"}}'),
        ("package.json", '{"devDependencies": {"vitest": "3"}}', '{"devDependencies": {"vitest": "github:a/b#c"}}'),
        ("package.json", '{"devDependencies": {"vitest": "3"}}', '{"devDependencies": {"vitest": "a/b#c"}}'),
        ("package.json", '{"devDependencies": {"c8": "3"}}', '{"devDependencies": {"c8": "https://x.org/c8.tgz"}}'),
        ("package.json", "{}", '{"overrides": {"jest": "npm:fake@1"}}'),
        ("package.json", "{}", '{"overrides": {"foo": {"jest-circus": "npm:fake@1"}}}'),
        ("package.json", "{}", '{"resolutions": {"**/jest": "file:jest"}}'),
        ("package.json", "{}", '{"pnpm": {"overrides": {"@vitest/expect": "link:./x"}}}'),
        ("package-lock.json", "{}", '{"packages": {"node_modules/jest": {"resolved": "https://x.org/jest.tgz"}}}'),
        ("package-lock.json", "{}", '{"packages": {"a/node_modules/@jest/core": {"resolved": "./x"}}}'),
        ("package-lock.json", "{}", '{"packages": {"node_modules/jest": {"link": true}}}'),
        ("pyproject.toml", "x = 1", "x = 1\n[tool.uv.sources]\npytest = {git = 'https://x.org/pytest'}"),
        ("pyproject.toml", "x = 1", "x = 1\n[tool.uv.sources.pytest]\npath = 'pytest'"),
        ("pyproject.toml", "x = 1", "x = 1\n[tool.poetry.group.dev.dependencies]\npytest = {path = '../p'}"),
        ("pyproject.toml", "[project]\n", "[project]\ndependencies = [\n  'pytest @ git+https://x.org/p'\n]"),
        ("Pipfile", "x = 1", "x = 1\n[dev-packages]\npytest = {git = 'https://x.org/p'}"),
        ("Cargo.toml", "x = 1", "x = 1\n[patch.crates-io]\nproptest = {path = 'fake'}"),
        ("Cargo.toml", "x = 1", "x = 1\n[dev-dependencies]\ninsta = {git = 'https://x.org/i'}"),
        ("requirements.txt", "", "pytest @ file:///x\n"),
        ("requirements-dev.txt", "", "PyTest[x]@git+https://x.org/p\n"),
        ("test-requirements.in", "", "-e ./tools/pytest-cov\n"),
        ("Gemfile", "", "gem 'rspec', path: 'fake'\n"),
        ("Gemfile", "", 'gem "minitest", github: "x/y"\n'),
        ("go.mod", "module a\n", "module a\nreplace github.com/stretchr/testify => ./fake\n"),
        ("go.mod", "module a\n", "module a\nreplace (\n\tgithub.com/stretchr/testify v1.9.0 => ./fake\n)\n"),
    ],
)
def test_swaps(path: str, before: str, after: str) -> None:
    assert _kinds(path, before, after) == [SWAPPED]
    assert _kinds(path, after, before) == []
    assert _kinds(path, after, f"{after}\n") == []


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("package.json", '{"devDependencies": {"jest": "^29"}}', '{"devDependencies": {"jest": "^30.1.0-rc"}}'),
        ("package.json", "{}", '{"devDependencies": {"jest": "npm:jest@30"}}'),
        ("package.json", "{}", '{"devDependencies": {"jest": "workspace:*"}}'),
        ("package.json", "{}", '{"devDependencies": {"left-pad": "github:a/b"}}'),
        ("package.json", "{}", '{"scripts": {"jest": "./run"}}'),
        ("package.json", "{}", '{"dependencies": {"x": {"path": "y"}}}'),
        (
            "package-lock.json",
            "{}",
            '{"packages": {"node_modules/jest": {"resolved": "https://packages.npmjs.org/a"}}}',
        ),
        (
            "package-lock.json",
            "{}",
            '{"packages": {"node_modules/jest": {"resolved": "https://registry.yarnpkg.com/a"}}}',
        ),
        ("package-lock.json", "{}", '{"packages": {"node_modules/jest": {"version": "30"}}}'),
        ("other.json", "{}", '{"devDependencies": {"jest": "npm:fake@1"}}'),
        ("package.json", "{}", "{"),
        ("pyproject.toml", "x = 1", "x = 1\n[tool.uv.sources]\nshop = {git = 'https://x.org/shop'}"),
        ("pyproject.toml", "x = 1", "x = 1\n[tool.pytest]\npath = 'x'"),
        ("requirements.txt", "pytest==8\n", "pytest==9\n"),
        ("requirements.txt", "", "shop @ git+https://x.org/p\n"),
        ("requirements.txt", "", "# pytest @ git+https://x.org/p\n"),
        ("notes.txt", "", "pytest @ git+https://x.org/p\n"),
        ("Gemfile", "", "gem 'rspec', '~> 3'\n"),
        ("go.mod", "", "require github.com/stretchr/testify v1.9.0\n"),
        ("go.mod", "", "replace github.com/other/x => ./x\n"),
    ],
)
def test_ordinary_dependencies(path: str, before: str, after: str) -> None:
    assert _kinds(path, before, after) == []


def test_the_alteration() -> None:
    before = '{\n"devDependencies": {\n"jest": "file:a"}}'
    (found,) = runner_swaps(
        changes_between({"package.json": before}, {"package.json": before.replace("file:a", "file:b")})
    )
    assert found == Alteration(
        SWAPPED,
        "package.json",
        3,
        "file:a",
        "devDependencies.jest = file:b",
        "A test tool comes from elsewhere than its registry: `devDependencies.jest = file:b`.",
        Weight.PERSON,
        "package.json",
        "dependencies",
    )


def test_a_manifest_that_is_removed_or_was_broken() -> None:
    swapped = '{"devDependencies": {"jest": "file:a"}}'
    assert list(runner_swaps(changes_between({"package.json": swapped}, {}))) == []
    assert _kinds("package.json", "{", swapped) == [SWAPPED]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("requirements.txt", "--index-url https://x.org/simple"),
        ("requirements-dev.in", "--extra-index-url=https://x.org/simple"),
        ("requirements.txt", "-i https://x.org/simple"),
        (".npmrc", "registry=https://x.org/"),
        ("pip.conf", "index-url = https://x.org/simple"),
    ],
)
def test_other_indexes(path: str, line: str) -> None:
    (found,) = runner_swaps(changes_between({path: "a\n"}, {path: f"a\n{line}\n"}))
    assert (found.kind, found.line, found.after, found.weight, found.risk_area) == (
        INDEX,
        2,
        line,
        Weight.RISK,
        "dependencies",
    )
    assert found.reason == f"Packages come from another index: `{line}`."
    assert _kinds("notes.txt", "", line) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [("import os; os.x()\n", 1), ("src\nimport\tx\n", 2), ("src\n", None), (" import x\n", None), ("", None)],
)
def test_start_up_hooks(text: str, line: int | None) -> None:
    found = list(runner_swaps(changes_between({"a.pth": "x\n"}, {"a.pth": f"{text}# end\n"})))
    assert [(each.kind, each.line, each.weight) for each in found] == (
        [] if line is None else [(HOOK, line, Weight.PERSON)]
    )


def test_a_start_up_hook_that_stays() -> None:
    text = "import os\n"
    assert list(runner_swaps(changes_between({"a.pth": text, "b": "1"}, {"c.pth": text, "b": "2"}))) == []
    (found,) = runner_swaps(changes_between({}, {"a.pth": text}))
    assert (found.after, found.subject) == ("import os", "a.pth")
