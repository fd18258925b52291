"""Numbers in the ranges of manifests may change; scripts, sources, overrides and everything else may not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from checks.dependency_steps import Step
from checks.dependency_updates import read_updates, why_more

HASHES = [f"--hash=sha256:{character * 64}" for character in "abc"]


def why(path: str, before: str, after: str) -> str | None:
    return why_more(read_updates([(path, before.encode(), after.encode())]), Step.MINOR)


def steps(path: str, before: str, after: str) -> list[str]:
    found = read_updates([(path, before.encode(), after.encode())])
    assert found.doubts == ()
    return [f"{one.name} {one.before} {one.after}" for one in found.updates]


def package(**more: Any) -> str:
    base = {"name": "shop", "version": "1.0.0", "scripts": {"build": "node build1.js"}, "dependencies": {"a": "^1.0.0"}}
    return json.dumps({**base, **more}, indent=2)


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("package.json", package(), package(dependencies={"a": "^1.2.0"}), ["a 1.0.0 1.2.0"]),
        (
            "web/package.json",
            package(devDependencies={"@types/node": "npm:@types/node@^20.1.0", "b": ">=1.0.0 <2.0.0"}),
            package(devDependencies={"@types/node": "npm:@types/node@^20.2.0", "b": ">=1.1.0 <2.0.0"}),
            ["@types/node 20.1.0 20.2.0", "b 1.0.0 1.1.0"],
        ),
        (
            "composer.json",
            '{"require": {"php": ">=8.2", "symfony/console": "^7.1"}}',
            '{"require": {"php": ">=8.2", "symfony/console": "^7.2"}}',
            ["symfony/console 7.1 7.2"],
        ),
        (
            "Pipfile",
            '[packages]\nidna = "==3.10"\nclick = {version = ">=8.1", extras = ["x"]}\n',
            '[packages]\nidna = "==3.11"\nclick = {version = ">=8.2", extras = ["x"]}\n',
            ["idna 3.10 3.11", "click 8.1 8.2"],
        ),
        (
            "Cargo.toml",
            (
                '[dependencies]\nserde = "1.0.1"\n[target.\'cfg(unix)\'.dependencies]\nlibc = "0.2.1"\n'
                '[workspace.dependencies]\nlog = {version = "0.4.1", features = ["std"]}\n'
            ),
            (
                '[dependencies]\nserde = "1.0.2"\n[target.\'cfg(unix)\'.dependencies]\nlibc = "0.2.2"\n'
                '[workspace.dependencies]\nlog = {version = "0.4.2", features = ["std"]}\n'
            ),
            ["serde 1.0.1 1.0.2", "log 0.4.1 0.4.2", "libc 0.2.1 0.2.2"],
        ),
        (
            "pyproject.toml",
            (
                '[project]\nname = "x"\ndependencies = ["rich[all]>=13.1,<14 ; python_version > \'3.8\'"]\n'
                '[dependency-groups]\ndev = ["pytest>=8.0", {include-group = "x"}]\n'
                '[tool.poetry.dependencies]\npython = "^3.9"\nidna = {version = "^3.1", optional = true}\n'
                '[tool.poetry.group.test.dependencies]\nruff = "^1.0.0"\nblack = ["x"]\n'
            ),
            (
                '[project]\nname = "x"\ndependencies = ["rich[all]>=13.2,<14 ; python_version > \'3.8\'"]\n'
                '[dependency-groups]\ndev = ["pytest>=8.1", {include-group = "x"}]\n'
                '[tool.poetry.dependencies]\npython = "^3.9"\nidna = {version = "^3.2", optional = true}\n'
                '[tool.poetry.group.test.dependencies]\nruff = "^1.0.1"\nblack = ["x"]\n'
            ),
            ["rich[all] 13.1 13.2", "pytest 8.0 8.1", "idna 3.1 3.2", "ruff 1.0.0 1.0.1"],
        ),
        (
            "requirements.txt",
            f"-r base.txt\n# rich\nrich==13.1.0 \\\n    {HASHES[0]}\n    # via shop\nclick>=8.1  # comment\n",
            f"-r base.txt\nrich==13.2.0 \\\n    {HASHES[1]} \\\n    {HASHES[2]}\nclick>=8.2\r\n",
            ["rich 13.1.0 13.2.0", "click 8.1 8.2"],
        ),
        (
            "Gemfile",
            'source "https://rubygems.org"\ngem "rack", "~> 3.1.0", ">= 3.1.2", require: false\ngem("a", "1.0.0")\n',
            'source "https://rubygems.org"\ngem "rack", "~> 3.1.1", ">= 3.1.2", require: false\ngem("a", "1.0.1")\n',
            ["rack 3.1.0 3.1.1", "a 1.0.0 1.0.1"],
        ),
        (
            "go.mod",
            "module x\n\ngo 1.22\n\nrequire golang.org/x/text v0.14.1 // indirect\nrequire (\n\tx.org/y v1.0.0\n)\n",
            "module x\n\ngo 1.22\n\nrequire golang.org/x/text v0.14.2\nrequire (\n\tx.org/y v1.1.0 // indirect\n)\n",
            ["golang.org/x/text v0.14.1 v0.14.2", "x.org/y v1.0.0 v1.1.0"],
        ),
    ],
)
def test_new_numbers_are_steps(path: str, before: str, after: str, expected: list[str]) -> None:
    assert [one.replace(" v", " ") for one in steps(path, before, after)] == [
        one.replace(" v", " ") for one in expected
    ]
    assert steps(path, before, before) == []


GO = "module x\n\nrequire x.org/y v1.0.0\n\nreplace (\n\tx.org/y v1.0.0 => x.org/z v1.0.0\n)\n"
TWICE = """[project]\ndependencies = ["a==1.0; python_version < '3.9'", "a==2.0; python_version > '3.9'"]\n"""
GEMS = 'source "https://rubygems.org"\ngem "rack", "~> 3.1.0"\nVERSION = "1.0.0"\n'
PYTHON = (
    '[project]\nname = "x"\nversion = "1.0.0"\ndependencies = ["rich>=13.1"]\n[tool.uv.sources]\nrich = {path = "a1"}\n'
)


@pytest.mark.parametrize(
    ("path", "before", "after", "because"),
    [
        # What runs, and what is redirected
        ("package.json", package(), package(scripts={"build": "node build2.js"}), "changes more than versions"),
        ("package.json", package(), package(version="1.0.1"), "changes more than versions"),
        ("package.json", package(), package(workspaces=["a"]), "changes more than versions"),
        ("package.json", package(overrides={"a": "1.0.0"}), package(overrides={"a": "1.0.1"}), "changes more than"),
        ("package.json", package(resolutions={"a": "1.0.0"}), package(resolutions={"a": "1.0.1"}), "changes more than"),
        ("package.json", package(packageManager="pnpm@9.1.0"), package(packageManager="pnpm@9.1.1"), "more than ver"),
        # Another package, another source
        ("package.json", package(), package(dependencies={"a": "^1.0.0", "b": "1.0.0"}), "changes more than versions"),
        ("package.json", package(), package(dependencies={"b": "^1.0.0"}), "changes more than versions"),
        ("package.json", package(), package(dependencies={"a": "npm:evil@^1.0.0"}), "more than the version of depend"),
        ("package.json", package(), package(dependencies={"a": "github:evil/a#1.0.0"}), "more than the version of"),
        (
            "package.json",
            package(dependencies={"a": "https://x.example/1.0.0"}),
            package(dependencies={"a": "https://x.example/1.0.1"}),
            "changes more than the version of dependencies a",
        ),
        ("package.json", package(), package(dependencies={"a": "*"}), "changes more than the version"),
        ("package.json", package(), package(dependencies={"a": ">=1.0.0"}), "changes more than the version"),
        ("package.json", package(), package(dependencies=["a"]), "could not be read"),
        ("Cargo.toml", '[dependencies]\na = "1.0.0"\n', '[dependencies]\na = {git = "https://x"}\n', "more than"),
        ("Cargo.toml", "[patch.crates-io]\na = {path = 'a1'}\n", "[patch.crates-io]\na = {path = 'a2'}\n", "more than"),
        ("Cargo.toml", "[package]\nbuild = 'a1.rs'\n", "[package]\nbuild = 'a2.rs'\n", "changes more than versions"),
        ("Cargo.toml", "[workspace]\nmembers = ['a1']\n", "[workspace]\nmembers = ['a2']\n", "changes more than"),
        ("pyproject.toml", PYTHON, PYTHON.replace("a1", "a2"), "changes more than versions"),
        ("pyproject.toml", PYTHON, PYTHON.replace("rich>=13.1", "rich @ https://x.example/13.2"), "more than"),
        ("pyproject.toml", PYTHON, PYTHON.replace("1.0.0", "1.0.1"), "changes more than versions"),
        ("pyproject.toml", PYTHON, PYTHON.replace('"rich>=13.1"', "13"), "changes more than versions"),
        ("pyproject.toml", TWICE, TWICE.replace("2.0", "2.1"), "changes more than versions"),
        ("requirements.txt", "rich==1.0.0\n", "evil==1.0.0\n", "changes more than versions"),
        ("requirements.txt", "-i https://a/1.0\nx==1\n", "-i https://a/1.1\nx==1\n", "changes more than versions"),
        ("requirements.txt", "x @ https://a/1.0\n", "x @ https://a/1.1\n", "changes more than versions"),
        ("requirements.txt", "x==1.0 --config-settings=o=1\n", "x==1.0 --config-settings=o=2\n", "changes more than"),
        ("requirements.txt", "a==1.0\na==2.0; x\n", "a==1.0\na==2.1; x\n", "changes more than versions"),
        ("requirements.txt", f"a==1.0 {HASHES[0]}\n", "a==1.1\n", "drops the checksums of a"),
        ("requirements.txt", f"a==1.0 {HASHES[0]}\n", f"a==1.0 {HASHES[1]}\n", "changes the checksums of a, which"),
        ("requirements.txt", f"a==1.0 {HASHES[0]}\n", "a==1.1 --hash=md5:0\n", "drops the checksums of a"),
        ("Gemfile", GEMS, GEMS.replace("rubygems.org", "evil.example"), "changes more than versions"),
        ("Gemfile", GEMS, GEMS.replace('VERSION = "1.0.0"', 'VERSION = "1.0.1"'), "changes more than versions"),
        ("Gemfile", GEMS, GEMS.replace("~> 3.1.0", ">= 3.1.0"), "changes more than the version of rack"),
        ("Gemfile", GEMS, GEMS.replace('3.1.0"', '3.1.0", git: "https://x"'), "changes more than versions"),
        ("go.mod", GO, GO.replace("z v1.0.0", "z v1.0.1"), "changes more than versions"),
        ("go.mod", GO, GO.replace("replace (", "require ("), "changes more than versions"),
        ("go.mod", "module x\ngo 1.22.0\n", "module x\ngo 1.22.1\n", "changes more than versions"),
        ("go.mod", "module x\ntool x.org/a\n", "module x\ntool x.org/b\n", "changes more than versions"),
        # Steps that are too large
        ("package.json", package(), package(dependencies={"a": "^2.0.0"}), "a goes from 1.0.0 to 2.0.0"),
        ("package.json", package(dependencies={"a": "2.0.0"}), package(dependencies={"a": "1.0.0"}), "a goes from 2.0"),
        # A form that is not read
        ("Makefile", "A = 1.0\n", "A = 1.1\n", "has a form whose sources and versions are not read"),
        (".github/workflows/ci.yml", "uses: a/b@v1.0\n", "uses: a/b@v1.1\n", "has a form whose sources"),
        ("mix.lock", "1.0.0", "1.0.1", "has a form whose sources and versions are not read"),
    ],
)
def test_everything_else_is_none(path: str, before: str, after: str, because: str) -> None:
    assert f"`{path}` {because}" in (why(path, before, after) or "") or because in (why(path, before, after) or "")
