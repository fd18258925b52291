"""An honest update of each form is one step, and whatever else happens to a lock file is none."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from checks.dependency_steps import Step
from checks.dependency_updates import UpdateReading, read_updates, why_more
from tests.checks.lock_files import forms
from tests.checks.lock_files.forms import FORMS, sha256, sha512, sri

Form = Callable[[int], str]
FORM_NAMES = [form.__name__ for _, form, _ in FORMS]
PATH = {form: path for path, form, _ in FORMS}


def read(path: str, before: str, after: str) -> UpdateReading:
    return read_updates([(path, before.encode(), after.encode())])


def why(path: str, before: str, after: str) -> str:
    return why_more(read(path, before, after), Step.MINOR) or ""


@pytest.mark.parametrize(("path", "form", "name"), FORMS, ids=FORM_NAMES)
def test_an_honest_update_is_a_step(path: str, form: Form, name: str) -> None:
    found = read(path, form(1), form(3))
    assert found.doubts == ()
    assert {(one.name, one.step) for one in found.updates} == {(name, Step.PATCH)}
    assert read(path, form(1), form(1)) == UpdateReading()


@pytest.mark.parametrize(("path", "form", "name"), FORMS, ids=FORM_NAMES)
def test_the_way_back_is_none(path: str, form: Form, name: str) -> None:
    assert why_more(read(path, form(3), form(1)), Step.MAJOR) is not None


@pytest.mark.parametrize(("path", "form", "name"), FORMS, ids=FORM_NAMES)
def test_line_ends_of_windows_are_none_of_a_difference(path: str, form: Form, name: str) -> None:
    assert why(path, form(1), form(3).replace("\n", "\r\n")) == ""


@pytest.mark.parametrize(("path", "form", "name"), FORMS, ids=FORM_NAMES)
@pytest.mark.parametrize("broken", ["", "[]", "{", "x", "{}", "package = []", "[" * 100_000, "- a\n- b\n", "a = 1\n"])
def test_what_is_of_another_form_is_a_doubt(path: str, form: Form, name: str, broken: str) -> None:
    assert read(path, form(1), broken).doubts


# The form, what is replaced in the updated file (a pattern) by what, and what is said of it.
ATTACKS: list[tuple[Form, str, str, str]] = [
    # Another source
    (
        forms.npm,
        r"https://registry.npm.example/lodash/-/lodash-4",
        "https://evil.example/lodash/-/lodash-4",
        "another source",
    ),
    (forms.npm, r"/lodash/-/lodash-4", "/evil/-/evil-4", "not recognised"),
    (
        forms.npm,
        r"https://registry.npm.example/lodash/-/lodash-4.17.3.tgz",
        "git+ssh://git@github.com/evil/lodash.git#abc",
        "not recognised",
    ),
    (forms.npm, r"https://registry.npm.example/lodash/-/lodash-4.17.3.tgz", "file:lodash.tgz", "not recognised"),
    (forms.npm, r"https://registry.npm.example/lodash", "http://registry.npm.example/lodash", "not recognised"),
    (forms.npm, r"lodash-4.17.3.tgz", "lodash-4.17.2.tgz", "not recognised"),
    (forms.npm_1, r'"version": "4.17.3"', '"version": "npm:evil@4.17.3"', "not recognised"),
    (forms.npm_1, r"https://registry.npm.example/lodash", "https://evil.example/lodash", "another source"),
    (forms.npm_2, r"(?s)(.*)https://registry.npm.example/lodash", r"\1https://evil.example/lodash", "another source"),
    (forms.yarn_1, r"https://registry.yarn.example/lodash", "https://evil.example/lodash", "another source"),
    (
        forms.yarn_1,
        r'resolved "https://registry.yarn.example/lodash.*',
        'resolved "https://codeload.github.com/evil/lodash/tar.gz/abc"',
        "not recognised",
    ),
    (forms.yarn, r"lodash@npm:4.17.3", "lodash@https://github.com/evil/lodash.git#commit=abc", "not recognised"),
    (
        forms.yarn,
        r"lodash@npm:4.17.3",
        "lodash@npm:4.17.3::__archiveUrl=https%3A%2F%2Fevil.example%2Fx.tgz",
        "not recognised",
    ),
    (
        forms.pnpm,
        r"resolution: \{(integrity: \S+)\}\n    engines",
        r"resolution: {\1, tarball: 'https://evil.example/lodash.tgz'}" + "\n    engines",
        "not recognised",
    ),
    (
        forms.pnpm,
        r"resolution: \{integrity: \S+\}\n    engines",
        "resolution: {type: git, repo: 'https://evil.example', commit: abc}\n    engines",
        "not recognised",
    ),
    (
        forms.pnpm_6,
        r"resolution: \{integrity: \S+\}\n    dev",
        "resolution: {directory: evil, type: directory}\n    dev",
        "not recognised",
    ),
    (forms.bun, r'4.17.3", ""', '4.17.3", "https://evil.example/lodash/-/lodash-4.17.3.tgz"', "another source"),
    (forms.bun, r'"lodash@4.17.3", ""', '"lodash@github:evil/lodash#4.17.3"', "not recognised"),
    (
        forms.poetry,
        r"\[package.extras\]\nall.*",
        '[package.source]\ntype = "git"\nurl = "https://evil.example"',
        "not recognised",
    ),
    (
        forms.poetry,
        r'\{file = "idna-3.1.3.tar.gz"',
        '{url = "https://evil.example/idna-3.1.3.tar.gz"',
        "not recognised",
    ),
    (forms.pdm, r'\{file = "coverage', '{url = "https://evil.example/", file = "coverage', "not recognised"),
    (
        forms.uv,
        r'registry = "https://index.python.example/simple"',
        'registry = "https://evil.example/simple"',
        "another source",
    ),
    (forms.uv, r"https://files.python.example(/\S+whl)", r"https://evil.example\1", "another source"),
    (forms.uv, r"zope_interface-7.1.3-", "zope_interfaces-7.1.3-", "not recognised"),
    (forms.uv, r"zope.interface-7.1.3.tar.gz", "zope.interface-7.1.30.tar.gz", "not recognised"),
    (forms.uv, r"https://files.python.example(/\S+whl)", r"http://files.python.example\1", "not recognised"),
    (
        forms.uv,
        r'registry = "https://index.python.example/simple"',
        'git = "https://evil.example"',
        "changes `zope-interface`",
    ),
    (forms.pipenv, r'"index": "pypi"', '"index": "evil"', "another source"),
    (forms.pipenv, r'"version": "==3.1.3"', '"version": "==3.1.3", "git": "https://evil.example"', "not recognised"),
    (forms.pipenv, r'"version": "==3.1.3"', '"version": "*"', "not recognised"),
    (forms.pipenv, r"https://index.python.example/simple", "https://evil.example/simple", "changes `_meta`"),
    (
        forms.cargo,
        r'(1.0.3"\nsource = )"registry\+[^"]+"',
        r'\1"registry+https://evil.example/index"',
        "another source",
    ),
    (
        forms.cargo,
        r'(1.0.3"\nsource = )"registry\+[^"]+"',
        r'\1"git+https://github.com/evil/serde#abc"',
        "not recognised",
    ),
    (forms.composer, r"https://api.github.com/repos/symfony", "https://api.github.com/repos/evil", "another source"),
    (forms.composer, r"https://api.github.com/repos/symfony", "http://api.github.com/repos/symfony", "not recognised"),
    (
        forms.composer,
        r"https://github.com/symfony/console.git",
        "https://github.com/evil/console.git",
        "another source",
    ),
    (forms.composer, r"zipball/[0-9a-f]+", "zipball/main", "not recognised"),
    (
        forms.composer,
        r'("source": \{[^}]*"reference": )"[0-9a-f]+"',
        r'\1"0000000000000000000000000000000000000000"',
        "not recognised",
    ),
    (forms.composer, r'"reference": "[0-9a-f]+"', '"reference": "main"', "not recognised"),
    (forms.bundler, r"remote: https://gems.example/", "remote: https://evil.example/", "another source"),
    (
        forms.bundler,
        r"\AGEM",
        "GIT\n  remote: https://evil.example/x\n  revision: abc\n  specs:\n    x (1.0.0)\n\nGEM",
        "changes `GIT`",
    ),
    (forms.npm, r"node_modules/semver\"", 'node_modules/../../semver"', "could not be read"),
    (forms.npm, r'"node_modules/semver"', '"/node_modules/semver"', "could not be read"),
    # No checksum, or one that proves nothing
    (forms.npm, re.escape(sri("lodash4.17.3")), "", "no checksum"),
    (forms.npm, re.escape(sri("lodash4.17.3")), "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "no checksum"),
    (forms.yarn_1, r"\n  integrity " + re.escape(sri("lodash3")), "", "no checksum"),
    (forms.yarn, r"  checksum: 10c0/" + sha512("lodash3") + "\n", "", "no checksum"),
    (forms.pnpm, re.escape(sri("lodash3")), "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "no checksum"),
    (forms.bun, re.escape(sri("lodash3")), "", "no checksum"),
    (forms.poetry, r"sha256:" + sha256("wheel3"), "md5:d41d8cd98f00b204e9800998ecf8427e", "no checksum"),
    (forms.pdm, r"files = \[\n.*\n\]", "files = []", "no checksum"),
    (forms.uv, r', hash = "sha256:[0-9a-f]+"', "", "no checksum"),
    (forms.uv, r"(?s)sdist.*?\n\]\n", "", "another source"),
    (forms.pipenv, r'"sha256:[0-9a-f]+"', "", "no checksum"),
    (forms.cargo, sha256("serde3"), "", "no checksum"),
    (forms.bundler, r" sha256=" + sha256("nokogiri3"), "", "no checksum"),
    (forms.bundler, r"(?s)CHECKSUMS.*?\n\n", "", "no checksum"),
    (forms.yarn, sha512("lodash3"), sha256("lodash3"), "no checksum"),
    (forms.npm, re.escape(sri("lodash4.17.3"))[:-4], sri("lodash4.17.3")[:-2], "no checksum"),
    # Other bytes under the same version
    (forms.npm, re.escape(sri("semver7.6.0")), sri("evil"), "changes semver 7.6.0"),
    (forms.npm_1, re.escape(sri("x1.0.0")), sri("evil"), "changes x 1.0.0"),
    (forms.yarn_1, re.escape(sri("core")), sri("evil"), "changes @babel/core 7.1.0"),
    (forms.yarn, sha512("width"), sha512("evil"), "changes width (which is string-width) 4.2.3"),
    (forms.pnpm, re.escape(sri("react")), sri("evil"), "changes react 18.2.0"),
    (forms.bun, re.escape(sri("m")), sri("evil"), "changes mirrored 1.0.0"),
    (forms.poetry, sha256("inner"), sha256("evil"), "changes inner 1.0.0"),
    (forms.poetry, r'reference = "inner"', 'reference = "other"', "changes inner 1.0.0"),
    (forms.cargo, sha256("windows"), sha256("evil"), "changes windows 0.52.0"),
    (forms.bundler, sha256("racc"), sha256("evil"), "changes racc 1.8.0"),
    (
        forms.go_sum,
        r"(v0.8.0/go.mod) h1:\S+",
        r"\1 " + "h1:" + "A" * 43 + "=",
        "changes the go.mod of golang.org/x/mod v0.8.0",
    ),
    # Another package under a known name
    (forms.npm, r'"version": "4.17.3",', '"version": "4.17.3", "name": "evil",', "lodash (which is evil)"),
    (forms.npm, r'"node_modules/semver": \{', '"node_modules/semver": {"name": "evil",', "semver (which is evil)"),
    (forms.yarn_1, r"lodash@\^4.17.3:", "lodash@npm:evil@^4.17.3:", "lodash (which is evil)"),
    (forms.yarn, r'"lodash@npm:\^4.17.3":', '"lodash@npm:evil@^4.17.3":', "lodash (which is evil)"),
    (forms.bun, r'"lodash": \["lodash@', '"lodash": ["evil@', "lodash (which is evil)"),
    # What runs at install, and what else was not there before
    (
        forms.npm,
        r'"version": "4.17.3",',
        '"version": "4.17.3", "hasInstallScript": true,',
        "gives lodash 4.17.3 what it had not: hasInstallScript",
    ),
    (
        forms.npm,
        r'"version": "4.17.3",',
        '"version": "4.17.3", "bin": {"node": "x.js"},',
        "gives lodash 4.17.3 what it had not: bin",
    ),
    (forms.npm_1, r'"version": "4.17.3",', '"version": "4.17.3", "bundled": true,', "what it had not: bundled"),
    (forms.pnpm, r"    engines:", "    requiresBuild: true\n    engines:", "what it had not: requiresBuild"),
    (
        forms.yarn,
        r"(lodash3?[^#]*?)  languageName: node",
        r"\1  bin:\n    node: x.js\n  languageName: node",
        "what it had not: bin",
    ),
    (forms.bun, r'4.17.3", "", \{\}', '4.17.3", "", {"bin": {"node": "x.js"}}', "what it had not: bin"),
    (forms.composer, r'"type": "library"', '"type": "composer-plugin"', "what it had not: type"),
    # New packages
    (
        forms.npm,
        r'"node_modules/semver": \{',
        '"node_modules/evil": {"version": "1.0.0"}, "node_modules/semver": {',
        "evil 1.0.0 is new",
    ),
    (forms.go_sum, r"\A", "evil.example/x v1.0.0 h1:" + "A" * 43 + "=\n", "evil.example/x v1.0.0 is new"),
    (forms.bundler, r"    racc \(1.8.0\)", "    evil (1.0.0)\n    racc (1.8.0)", "evil 1.0.0 is new"),
    (
        forms.cargo,
        r"\Z",
        '\n[[package]]\nname = "evil"\nversion = "1.0.0"\nsource = "registry+https://x"\n',
        "evil 1.0.0 is new",
    ),
    # What is none of a package's
    (forms.npm, r'"lockfileVersion": 3', '"lockfileVersion": 3, "overrides": {}', "changes `overrides`"),
    (forms.npm, r'"resolved": "packages/web"', '"resolved": "packages/evil"', "changes `packages node_modules/web`"),
    (forms.npm, r'("name": "shop", "version": "1.0.0",|"name": "shop",)', r'\1 "scripts": {},', "changes `"),
    (forms.pnpm, r"semver: 7.6.0", "semver: 7.6.1", "changes `overrides`"),
    (forms.pnpm, r"autoInstallPeers: true", "autoInstallPeers: false", "changes `settings`"),
    (forms.pnpm, r"specifier: \^4.17.3", "specifier: https://evil.example/4.17.3", "changes `importers`"),
    (forms.bun, r'"esbuild",', '"esbuild", "lodash",', "changes `trustedDependencies`"),
    (forms.bun, r"workspace:packages/web", "workspace:packages/evil", "not recognised"),
    (forms.yarn, r"cacheKey: 10c0", "cacheKey: 0", "changes `__metadata`"),
    (forms.poetry, r'python-versions = ">=3.11"', 'python-versions = ">=3.8"', "changes `metadata`"),
    (forms.cargo, r'"serde",', '"serde",\n "windows",', "changes `shop`"),
    (forms.composer, r'"minimum-stability": "stable"', '"minimum-stability": "dev"', "changes `minimum-stability`"),
    (forms.bundler, r"   2.6.2", "   2.6.3", "changes `BUNDLED WITH`"),
    (forms.bundler, r"  nokogiri \(~> 1.16.3\)", "  nokogiri (~> 1.16.3)!", "changes `DEPENDENCIES`"),
    (forms.bundler, r"PLATFORMS\n", "PATH\n  remote: a\n\nPATH\n  remote: b\n\nPLATFORMS\n", "changes `PATH`"),
    # Forms that are read strictly
    (forms.yarn_1, r"lodash@\^4.17.3:", "lodash@^4.17.3, evil@^1.0.0:", "could not be read"),
    (forms.yarn_1, r"\Z", '\nlodash@^4.17.3:\n  version "9.9.9"\n', "could not be read"),
    (forms.pnpm, r"lockfileVersion: '9.0'", "lockfileVersion: '5.4'", "could not be read"),
    (forms.pnpm, r"resolution: \{integrity: \S+\}\n    engines", "resolution: x\n    engines", "could not be read"),
    (forms.bundler, r"    racc \(1.8.0\)", "    racc", "could not be read"),
    (forms.bundler, r"(CHECKSUMS\n)", r"\1  !\n", "could not be read"),
    (forms.go_sum, r"\Z", "x\n", "could not be read"),
    (forms.bun, r'\["web@workspace:packages/web"\]', "[]", "puts web (which is ) where web was"),
    (forms.npm, r'"version": "4.17.3"', '"version": ["4"]', "could not be read"),
]


@pytest.mark.parametrize(
    ("form", "pattern", "replacement", "said"),
    [attack for attack in ATTACKS if attack[3]],
    ids=[f"{form.__name__}-{number}" for number, (form, _, _, said) in enumerate(ATTACKS) if said],
)
def test_anything_else_is_no_update(form: Form, pattern: str, replacement: str, said: str) -> None:
    before, after = form(1), form(3)
    changed, count = re.subn(pattern, replacement, after, count=1)
    assert count == 1, "the form holds what is attacked"
    assert said in why(PATH[form], before, changed)


# Lines of which a word may change without notice: words about a package, whom it asks for (each of whom is looked at
# itself), ranges, digests of the manifest, and in files that are not YAML or JSON comments.
FREE: dict[Form, str] = {
    forms.npm: r'"(?:license|lodash|@babel/core)":|"node_modules/@babel/core/node_modules/semver"',
    forms.npm_1: r'"lodash": "\^',
    forms.npm_2: r'"(?:license|lodash|@babel/core)":|"node_modules/@babel/core/node_modules/semver"',
    forms.yarn_1: r"#|@\^|resolved ",
    forms.yarn: r'#|"\S+@npm:|version: 0.0.0-use.local|lodash: "npm:',
    forms.pnpm: r"specifier|version: |engines|lodash@4.17.3: \{\}|react-dom@18.2.0\(react@18.2.0\):",
    forms.pnpm_6: r"specifier|dev:",
    forms.bun: r'"lodash": "\^',
    forms.poetry: r"#|description|python-versions|groups|\{file = |all = |content-hash",
    forms.pdm: r"#|content_hash|requires_python|summary|groups|\{file = ",
    forms.uv: r"size = |version = \"1.0.0\"|requires-dist",
    forms.pipenv: r'"sha256": |"markers"',
    forms.cargo: r'#|version = "0.1.0"',
    forms.composer: r'"content-hash"|"reference": |"php": |"time"',
    forms.bundler: r"specs:|racc \(~> 1.4\)|nokogiri \(~> 1.16.3\)",
    forms.go_sum: r"/go.mod ",
}


@pytest.mark.parametrize(("path", "form", "name"), FORMS, ids=FORM_NAMES)
def test_no_other_word_changes_without_notice(path: str, form: Form, name: str) -> None:
    before, after = form(1), form(3)
    for word in re.finditer(r"[A-Za-z0-9+/_.:-]{2,}", after):
        changed = f"{after[: word.start()]}evil{after[word.end() :]}"
        line = after[after.rfind("\n", 0, word.start()) + 1 : after.find("\n", word.end())]
        assert why(path, before, changed) or re.search(FREE[form], line), f"{word[0]} in {line}"
