"""Version steps from manifests and lock files, in the forms that the package managers document and write."""

from __future__ import annotations

import json

import pytest

from checks.dependency_updates import MAX_BYTES, DependencyUpdate, Step, UpdateReading, read_updates, why_more

NPM = {"name": "shop", "lockfileVersion": 3, "packages": {"": {"name": "shop", "version": "9.9.9"}}}
NPM_1 = {
    "lockfileVersion": 1,
    "dependencies": {"left-pad": {"version": "1.0.0", "dependencies": {"x": {"version": "2.0.0"}}}},
}


def _npm(**versions: str) -> str:
    packages = {f"node_modules/{name.replace('_', '-')}": {"version": version} for name, version in versions.items()}
    return json.dumps({**NPM, "packages": {**NPM["packages"], **packages, "node_modules/link": {"link": True}}})  # type: ignore[dict-item]  # JSON


CARGO = '[[package]]\nname = "serde"\nversion = "1.0.{}"\n\n[[package]]\nname = "local"\nversion = "0.1.0"\n'
YARN_1 = (
    '# yarn lockfile v1\n\n"@babel/core@^7.0.0", "@babel/core@^7.1.0":\n  version "7.{}.0"\n  resolved "https://x"\n'
)
YARN_BERRY = '"lodash@npm:^4.17.20":\n  version: 4.17.{}\n  resolution: "lodash@npm:4.17.21"\n'
PNPM = "packages:\n\n  '@types/node@20.1.{}':\n    resolution: {{a: b}}\n\n  lodash@4.17.21:\n    resolution: x\n"
BUN = '{{\n  "packages": {{\n    "lodash": ["lodash@4.17.{}", "", {{}}, "sha512-x"],\n  }}\n}}\n'
GEMS = "GEM\n  remote: https://rubygems.org/\n  specs:\n    rack (3.0.{})\n      other (>= 1)\n\nDEPENDENCIES\n  rack\n"
GO_SUM = "golang.org/x/text v0.14.{0} h1:x=\ngolang.org/x/text v0.14.{0}/go.mod h1:y=\n"
UV = (
    'version = 1\n[[package]]\nname = "rich"\nversion = "13.{}.0"\n[[package]]\nname = "shop"\nsource = {{ a = "." }}\n'
)


def read(path: str, before: str | None, after: str | None) -> UpdateReading:
    old, new = (None if text is None else text.encode() for text in (before, after))
    return read_updates([(path, old, new)])


@pytest.mark.parametrize(
    ("path", "form", "name", "step"),
    [
        ("Cargo.lock", CARGO, "serde", Step.PATCH),
        ("web/yarn.lock", YARN_1, "@babel/core", Step.MINOR),
        ("yarn.lock", YARN_BERRY, "lodash", Step.PATCH),
        ("pnpm-lock.yaml", PNPM, "@types/node", Step.PATCH),
        ("bun.lock", BUN, "lodash", Step.PATCH),
        ("Gemfile.lock", GEMS, "rack", Step.PATCH),
        ("go.sum", GO_SUM, "golang.org/x/text", Step.PATCH),
        ("uv.lock", UV, "rich", Step.MINOR),
        ("poetry.lock", UV, "rich", Step.MINOR),
        (
            "composer.lock",
            '{{"packages": [{{"name": "a/b", "version": "v1.{}.0"}}], "packages-dev": []}}',
            "a/b",
            Step.MINOR,
        ),
        (
            "Pipfile.lock",
            '{{"_meta": {{"hash": 1}}, "default": {{"a": {{"version": "==1.{}.0"}}, "b": {{"path": "."}}}}}}',
            "a",
            Step.MINOR,
        ),
        ("package.json", '{{\n  "dependencies": {{\n    "left-pad": "^1.{}.0"\n  }}\n}}\n', "dependencies", Step.MINOR),
        ("go.mod", "module x\n\ngo 1.22\n\nrequire golang.org/x/text v0.14.{} // indirect\n", "require", Step.PATCH),
        ("Gemfile", 'gem "rack", "~> 3.{}.1"\n', "gem", Step.MINOR),
        ("pyproject.toml", '[project]\nname = "x"\ndependencies = ["rich>=13.{}.0"]\n', "dependencies", Step.MINOR),
    ],
)
def test_forms(path: str, form: str, name: str, step: Step) -> None:
    found = read(path, form.format(1), form.format(3))
    assert found.doubts == ()
    assert {one.step for one in found.updates} == {step}
    assert all(one.path == path for one in found.updates)
    assert name in {one.name for one in found.updates} or path in (
        "package.json",
        "Gemfile",
        "go.mod",
        "pyproject.toml",
    )
    assert read(path, form.format(1), form.format(1)) == UpdateReading()


def test_npm_with_new_and_gone_packages() -> None:
    found = read("package-lock.json", _npm(a="1.0.0", b="1.0.0"), _npm(a="1.0.1", left_pad="2.0.0"))
    assert found.updates == (
        DependencyUpdate("package-lock.json", "a", "1.0.0", "1.0.1"),
        DependencyUpdate("package-lock.json", "b", "1.0.0", None),
        DependencyUpdate("package-lock.json", "left-pad", None, "2.0.0"),
    )
    assert [one.step for one in found.updates] == [Step.PATCH, Step.PATCH, Step.MAJOR]
    assert found.updates[0].words == "a goes from 1.0.0 to 1.0.1 in package-lock.json"
    assert found.updates[2].words == "left-pad 2.0.0 is new in package-lock.json"
    before, after = json.dumps(NPM_1), json.dumps(NPM_1).replace("2.0.0", "3.0.0")
    assert [one.name for one in read("npm-shrinkwrap.json", before, after).updates] == ["x"]


def test_a_package_of_several_versions() -> None:
    form = '[[package]]\nname = "a"\nversion = "{}"\n'
    before, after = form.format("1.0.0") + form.format("2.0.0"), form.format("1.0.0") + form.format("2.1.0")
    assert [one.step for one in read("Cargo.lock", before, after).updates] == [Step.MINOR]
    second = form.format("1.0.0") + form.format("2.0.0") + form.format("3.0.0")
    assert [one.words for one in read("Cargo.lock", before, second).updates] == [
        "a goes from 2.0.0 to 3.0.0 in Cargo.lock"
    ]


@pytest.mark.parametrize(
    ("before", "after", "step"),
    [
        ("1.2.3", "1.2.4", Step.PATCH),
        ("1.2.3", "1.3.0", Step.MINOR),
        ("1.2.3", "2.0.0", Step.MAJOR),
        ("v1.2.3", "v1.2.4", Step.PATCH),
        ("1.2", "1.3", Step.MINOR),
        ("1.2.3.4", "1.2.3.5", Step.PATCH),
        # Before 1.0 every minor step may break.
        ("0.2.3", "0.3.0", Step.MAJOR),
        ("0.2.3", "0.2.4", Step.PATCH),
        # Back, previews, and what is no version with two numbers.
        ("1.2.4", "1.2.3", Step.MAJOR),
        ("1.2.3", "1.2.4-rc.1", Step.MAJOR),
        ("1.2.3", "1.2.4+build", Step.PATCH),
        ("1", "2", Step.MAJOR),
        ("main", "1.2.3", Step.MAJOR),
    ],
)
def test_steps(before: str, after: str, step: Step) -> None:
    assert DependencyUpdate("x", "a", before, after).step is step


def test_hashes_of_requirements_may_come_and_go() -> None:
    before = "rich==13.1.0 \\\n    --hash=sha256:" + "a" * 64 + "\n"
    after = "rich==13.2.0 \\\n    --hash=sha256:" + "b" * 64 + " \\\n    --hash=sha256:" + "c" * 64 + "\n"
    found = read("requirements.txt", before, after)
    assert (found.doubts, [one.words for one in found.updates]) == (
        (),
        ["rich goes from 13.1.0 to 13.2.0 in requirements.txt"],
    )


@pytest.mark.parametrize(
    ("path", "before", "after", "doubt"),
    [
        ("package.json", '{"a": "1.0.0"}', '{"a": "1.0.0", "b": "1.0.0"}', "changes more than versions"),
        ("package.json", '{"scripts": {"x": "a"}}', '{"scripts": {"x": "b"}}', "changes more than versions"),
        ("requirements.txt", "rich==1.0.0\n", "evil==1.0.0\n", "changes more than versions"),
        ("package.json", None, "{}", "is added or removed as a whole"),
        ("package.json", "{}", None, "is added or removed as a whole"),
        ("package-lock.json", "{", "{}", "could not be read"),
        ("package-lock.json", "[]", "[]", "could not be read"),
        ("package-lock.json", '{"packages": {}}', '{"packages": {}}', "could not be read"),
        ("package-lock.json", "[" * 100_000, "{}", "could not be read"),
        ("Cargo.lock", "x", "y", "could not be read"),
        ("package.json", "x" * (MAX_BYTES + 1), "x", "is larger than"),
    ],
)
def test_doubts(path: str, before: str | None, after: str | None, doubt: str) -> None:
    found = read(path, before, after)
    assert found.updates == ()
    assert len(found.doubts) == 1
    assert f"`{path}` {doubt}" in found.doubts[0]


def test_what_goes_further_than_allowed() -> None:
    found = read("Cargo.lock", CARGO.format(1), CARGO.format(2).replace("0.1.0", "0.2.0"))
    assert why_more(found, Step.MINOR) == "local goes from 0.1.0 to 0.2.0 in Cargo.lock"
    assert why_more(found, Step.MAJOR) is None
    assert why_more(UpdateReading((), ("`x` could not be read",)), Step.MAJOR) == "`x` could not be read"
    assert why_more(None, Step.MAJOR) == "how far its updates go is not known"


def test_bytes_that_are_no_text_and_very_many_updates() -> None:
    assert read_updates([("go.mod", b"\xff", b"\xfe")]).doubts == ("`go.mod` could not be read",)
    many = "".join(f"a{number}==1.0.0\n" for number in range(600))
    found = read("requirements.txt", many, many.replace("1.0.0", "1.0.1"))
    assert (len(found.updates), found.doubts) == (500, ("more than 500 packages change",))
