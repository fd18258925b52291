"""Steps of versions, and what an update is as a whole; `lock_files/` and `test_manifests` have the forms."""

from __future__ import annotations

import json

import pytest

from checks.dependency_steps import DependencyUpdate, Step
from checks.dependency_updates import MAX_BYTES, MAX_MANIFEST_BYTES, UpdateReading, read_updates, why_more
from tests.checks.lock_files import forms


def read(path: str, before: str | None, after: str | None) -> UpdateReading:
    old, new = (None if text is None else text.encode() for text in (before, after))
    return read_updates([(path, old, new)])


def cargo(*versions: str) -> str:
    """A lock file with these versions of one package, each with a checksum of its own."""
    entry = '[[package]]\nname = "a"\nversion = "{}"\nsource = "registry+https://index.example"\nchecksum = "{}"\n'
    return "".join(entry.format(version, forms.sha256(version)) for version in versions)


def words(path: str, before: str, after: str) -> list[str]:
    found = read(path, before, after)
    assert found.doubts == ()
    return [one.words for one in found.updates]


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
        # Previews, and what is no version with two numbers.
        ("1.2.3", "1.2.4-rc.1", Step.MAJOR),
        ("1.2.3", "1.2.4+build", Step.PATCH),
        ("1", "2", Step.MAJOR),
        # No step up
        ("1.2.4", "1.2.3", Step.OTHER),
        ("2.0.0", "1.9.9", Step.OTHER),
        ("main", "1.2.3", Step.OTHER),
        ("1.2.3", "main", Step.OTHER),
        # https://packaging.python.org/en/latest/specifications/version-specifiers/#version-epochs
        ("5.5.0", "1!0.5.6", Step.OTHER),
    ],
)
def test_steps(before: str, after: str, step: Step) -> None:
    assert DependencyUpdate("x", "a", before, after).step is step


def test_new_and_gone_packages() -> None:
    new, gone = DependencyUpdate("x", "a", None, "1.0.0"), DependencyUpdate("x", "a", "1.0.0", None)
    assert (new.step, gone.step) == (Step.OTHER, Step.PATCH)
    assert new.words == "a 1.0.0 is new in x"
    assert why_more(UpdateReading((new,)), Step.MAJOR) == "a 1.0.0 is new in x"
    before = json.loads(forms.npm(1))
    after = json.loads(forms.npm(1))
    del after["packages"]["node_modules/semver"], after["packages"]["node_modules/@babel/core/node_modules/semver"]
    found = read("package-lock.json", json.dumps(before), json.dumps(after))
    assert {(one.name, one.after) for one in found.updates} == {("semver", None)}
    assert why_more(found, Step.PATCH) is None


def test_a_package_of_several_versions() -> None:
    assert words("Cargo.lock", cargo("1.0.0", "2.0.0"), cargo("1.0.0", "2.1.0")) == [
        "a goes from 2.0.0 to 2.1.0 in Cargo.lock"
    ]
    assert words("Cargo.lock", cargo("1.0.0", "2.0.0"), cargo("1.0.0", "2.0.0", "3.0.0")) == [
        "a goes from 2.0.0 to 3.0.0 in Cargo.lock"
    ]


def test_whoever_asked_for_a_version_that_is_gone_may_get_an_older_one() -> None:
    found = read("Cargo.lock", cargo("1.0.0", "5.0.0"), cargo("1.0.1"))
    assert why_more(found, Step.MAJOR) == "a goes from 5.0.0 to 1.0.1 in Cargo.lock"
    found = read("Cargo.lock", cargo("5.0.0"), cargo("1.0.1", "5.0.0"))
    assert why_more(found, Step.MAJOR) == "a goes from 5.0.0 to 1.0.1 in Cargo.lock"


def test_versions_that_change_places() -> None:
    lock = json.loads(forms.npm(1))
    inner, outer = "node_modules/@babel/core/node_modules/semver", "node_modules/semver"
    packages = lock["packages"]
    before = json.dumps(lock)
    packages[inner], packages[outer] = packages[outer], packages[inner]
    found = read("package-lock.json", before, json.dumps(lock))
    assert why_more(found, Step.MAJOR) == "semver goes from 7.6.0 to 5.7.2 in package-lock.json"


def test_what_is_asked_for_in_pnpm_gets_another_version() -> None:
    before = forms.pnpm(1).replace("  react@18.2.0: {}", "  react@18.2.0: {}\n\n  lodash@3.0.0: {}")
    before = before.replace(
        "packages:\n", f"packages:\n\n  lodash@3.0.0:\n    resolution: {{integrity: {forms.sri('x')}}}\n"
    )
    after = before.replace("      lodash: 4.17.1", "      lodash: 3.0.0")
    assert (
        why_more(read("pnpm-lock.yaml", before, after), Step.MAJOR)
        == "lodash goes from 4.17.1 to 3.0.0 in pnpm-lock.yaml"
    )


@pytest.mark.parametrize(
    ("path", "before", "after", "doubt"),
    [
        ("package.json", None, "{}", "is added, removed or moved as a whole"),
        ("package.json", "{}", None, "is added, removed or moved as a whole"),
        ("package-lock.json", '{"lockfileVersion": 3}', "{}", "could not be read"),
        ("yarn.lock", "x" * (MAX_BYTES + 1), "x", f"is larger than {MAX_BYTES} bytes"),
        ("package.json", "x" * (MAX_MANIFEST_BYTES + 1), "x", f"is larger than {MAX_MANIFEST_BYTES} bytes"),
        ("go.sum", "\n" * 60_001, "x", "could not be read"),
    ],
)
def test_doubts(path: str, before: str | None, after: str | None, doubt: str) -> None:
    found = read(path, before, after)
    assert found.updates == ()
    assert len(found.doubts) == 1
    assert f"`{path}` {doubt}" in found.doubts[0]


def test_what_goes_further_than_allowed() -> None:
    found = read("Cargo.lock", cargo("1.0.0"), cargo("2.0.0"))
    assert why_more(found, Step.MINOR) == "a goes from 1.0.0 to 2.0.0 in Cargo.lock"
    assert why_more(found, Step.MAJOR) is None
    assert why_more(UpdateReading((), ("`x` could not be read",)), Step.MAJOR) == "`x` could not be read"
    assert why_more(None, Step.MAJOR) == "how far its updates go is not known"


def test_bytes_that_are_no_text_and_very_many_updates() -> None:
    assert read_updates([("go.mod", b"\xff", b"\xfe")]).doubts == ("`go.mod` could not be read",)
    many = "".join(f"a{number}==1.0.0\n" for number in range(600))
    found = read("requirements.txt", many, many.replace("1.0.0", "1.0.1"))
    assert (len(found.updates), found.doubts) == (500, ("more than 500 packages change",))
