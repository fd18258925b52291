"""CODEOWNERS: the examples of GitHub's page, the errors that its API reports, and git as the judge of patterns.

https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
import re2

from checks import owner_patterns
from checks.codeowners import (
    MAX_BYTES,
    MAX_RULES,
    Codeowners,
    ReportedError,
    faults_about,
    only_for,
    owner_rule,
    owners,
    parse,
    with_reported,
)
from checks.owner_patterns import OwnerPatterns, unfit

# The example of the page, its comments left out.
DOCUMENTED = """\
# Each line is a file pattern followed by one or more owners.
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/scripts/ @doctocat @octocat
**/logs @octocat
"""


def _words(text: str, path: str) -> list[str]:
    return [owner.word for owner in owners(parse("CODEOWNERS", text.encode()), path)]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("README", ["@global-owner1", "@global-owner2"]),
        ("deep/in/here", ["@global-owner1", "@global-owner2"]),
        ("web/app.js", ["@js-owner"]),
        ("main.go", ["docs@example.com"]),
        ("a/b.txt", ["@octo-org/octocats"]),
        ("build/out", ["@global-owner1", "@global-owner2"]),
        ("build/logs/x", ["@octocat"]),  # the later `**/logs` says so
        ("docs/getting-started.md", ["docs@example.com"]),
        ("docs/build-app/troubleshooting.md", ["@global-owner1", "@global-owner2"]),
        ("some/apps/x", ["@octocat"]),
        ("scripts/deep/run", ["@doctocat", "@octocat"]),
        ("src/scripts/run", ["@global-owner1", "@global-owner2"]),
        ("deeply/nested/logs/today", ["@octocat"]),
    ],
)
def test_the_documented_example(path: str, expected: list[str]) -> None:
    assert _words(DOCUMENTED, path) == expected


def test_a_line_without_owners_takes_ownership_away() -> None:
    text = "/apps/ @octocat\n/apps/github\n"
    assert _words(text, "apps/other/x") == ["@octocat"]
    assert _words(text, "apps/github/x") == []
    assert _words("/apps/ @octocat\n/apps/github # nobody\n", "apps/github") == []


def test_the_last_line_wins_and_lines_do_not_add_up() -> None:
    assert _words("apps/ @octocat\napps/ @doctocat\n", "apps/x") == ["@doctocat"]
    rule = owner_rule(parse("CODEOWNERS", b"*.py @a\n*.py @b\n"), "x.py")
    assert rule is not None
    assert rule.line == 2


def test_paths_are_case_sensitive() -> None:
    assert _words("/Docs/ @a\n", "docs/x") == []


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("pages/\\[org\\]/ @a", "pages/[org]/index.tsx"),
        ("/Testing/Path\\ With\\ Space.cs\t@a", "Testing/Path With Space.cs"),
        ("/a\\*b @a", "a*b"),
        ("/c#/ @a", "c#/x"),
        ("   /x @a  ", "x"),
        ("/x @a\r", "x"),
        ("/packages/@scope/ @a", "packages/@scope/x"),
        ("/é/ @a", "é/x"),
        ("/x @a-b_corp", "x"),
    ],
)
def test_special_characters(line: str, path: str) -> None:
    parsed = parse("CODEOWNERS", f"{line}\n".encode())
    assert parsed.faults == ()
    assert len(owners(parsed, path)) == 1


def test_a_byte_order_mark_leaves_the_first_line_unread() -> None:
    parsed = parse("CODEOWNERS", "\ufeff* @ada\ndocs/ @bob\n".encode())
    assert [(fault.line, fault.pattern) for fault in parsed.faults] == [(1, None)]
    assert [rule.line for rule in parsed.rules] == [2]


@pytest.mark.parametrize(
    ("line", "because"),
    [
        # The two examples of GET /repos/{owner}/{repo}/codeowners/errors.
        ("***/*.rb @monalisa", "`***`"),
        ("*.txt docs@", "no owner"),
        # What does not work by the page.
        ("\\#x @a", "`#`"),
        ("!directory/* @some-owner", "negated"),
        ("[ab].js @a", "escaped with a backslash"),
        ("x] @a", "escaped with a backslash"),
        ("@octo-org/octocats", "no pattern"),
        ("@octocat", "no pattern"),
        ("x @a/b/c", "no owner"),
        ("x octocat", "no owner"),
        ("x @", "no owner"),
        ("x @a,@b", "no owner"),
        ("x\\", "escapes nothing"),
        # What the page says nothing about; nobody knows whose these are.
        ("/ @a", "does not say what a lone `/`"),
        ("//src/ @a", "does not say"),
        ("docs//x @a", "does not say"),
        ("docs// @a", "does not say"),
        ("./src/ @a", "does not say"),
        ("src/../x @a", "does not say"),
        ("x" * 8_001, "longer than"),
    ],
)
def test_a_line_that_cannot_be_read_is_skipped_and_told(line: str, because: str) -> None:
    parsed = parse("CODEOWNERS", f"* @before\n{line}\n".encode())
    assert [(fault.line, because in fault.because) for fault in parsed.faults] == [(2, True)]
    assert [rule.line for rule in parsed.rules] == [1]


def test_a_pattern_beyond_the_engines_memory_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner_patterns, "_OPTIONS", _small_engine())
    assert unfit("a*b" * 500) == "its pattern is too complicated"
    # Two that fit by themselves and not together are asked one by one.
    patterns = OwnerPatterns(("x" * 60 + "*", "y" * 60 + "*"))
    assert [patterns.last_match(path) for path in ("x" * 60, "y" * 61, "z")] == [0, 1, None]


def _small_engine() -> object:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 8_000
    return options


def test_size_decides_whether_it_is_used() -> None:
    line = b"* @a\n"
    comment = b"#" * (MAX_BYTES - len(line) - 1)
    assert len(parse("CODEOWNERS", line + comment).rules) == 1
    with pytest.raises(ValueError, match="under 3000000"):
        parse("CODEOWNERS", line + comment + b"#")
    for line in (b"/x @a\n", b"@\n"):  # a pattern, and a fault
        with pytest.raises(ValueError, match="more lines with a pattern than the 20000"):
            parse("CODEOWNERS", line * (MAX_RULES + 1))


def test_owners_of_one_line_are_counted() -> None:
    assert len(parse("CODEOWNERS", b"/x" + b" @a" * 100).rules[0].owners) == 100
    parsed = parse("CODEOWNERS", b"/x" + b" @a" * 101)
    assert [(fault.pattern, fault.because) for fault in parsed.faults] == [
        ("/x", "it names more than 100 owners; name a team")
    ]
    assert owners(parsed, "x") == ()


@pytest.mark.parametrize(
    ("line", "pattern"),
    [("/a\\ b @a", "/a\\ b"), ("/a\\\\ @a", "/a\\\\"), ("/a\t@a", "/a"), ("/a\u3000@a", "/a")],
)
def test_a_pattern_ends_at_the_first_space_without_a_backslash(line: str, pattern: str) -> None:
    parsed = parse("CODEOWNERS", line.encode())
    assert [(rule.pattern, rule.owners[0].name) for rule in parsed.rules] == [(pattern, "a")]


def test_bytes_that_are_no_text_match_nothing_by_chance() -> None:
    parsed = parse("CODEOWNERS", b"/a\xff/ @a\n")
    assert parsed.faults == ()
    assert owners(parsed, "ab/x") == ()


def test_only_what_decides_is_kept_and_decides_the_same() -> None:
    parsed = parse("CODEOWNERS", DOCUMENTED.encode())
    paths = ["README", "web/app.js", "main.go"]
    small = only_for(parsed, paths)
    assert [rule.line for rule in small.rules] == [2, 3, 4]
    assert [owners(small, path) for path in paths] == [owners(parsed, path) for path in paths]
    assert small != parsed
    assert only_for(parsed, []).rules == ()
    assert only_for(Codeowners(None, "", ()), ["x"]).rules == ()


REPORTED = parse(
    "CODEOWNERS", b"* @ada\n/src/ @acme/secret @bob\n/docs/ @Acme/Secret\n/odd/ @eve\n/mail/ ada@example.com\n"
)


def _missing(parsed: Codeowners, path: str) -> list[tuple[str, bool]]:
    return [(owner.word, owner.missing is not None) for owner in owners(parsed, path)]


def test_owners_whom_github_does_not_know_are_missing_wherever_they_stand() -> None:
    known = with_reported(REPORTED, [ReportedError(2, 7, "Unknown owner", "/src/ @acme/secret @bob")])
    assert _missing(known, "src/a") == [("@acme/secret", True), ("@bob", False)]
    assert _missing(known, "docs/a") == [("@Acme/Secret", True)]
    assert _missing(known, "a") == [("@ada", False)]
    assert _missing(known, "mail/a") == [("ada@example.com", True)]
    assert known != REPORTED
    assert known.faults == ()


def test_an_unclear_place_makes_all_owners_of_the_line_missing() -> None:
    known = with_reported(REPORTED, [ReportedError(2, 1, "Unknown owner", "/src/ @acme/secret @bob")])
    assert _missing(known, "src/a") == [("@acme/secret", True), ("@bob", True)]
    assert with_reported(REPORTED, [ReportedError(2, 90, "Unknown owner", "/src/")]) == with_reported(REPORTED, [])


def test_a_line_that_github_skips_is_skipped() -> None:
    known = with_reported(REPORTED, [ReportedError(4, 1, "Invalid pattern", "/odd/ @eve")])
    assert _missing(known, "odd/a") == [("@ada", False)]
    assert [(fault.line, fault.pattern) for fault in known.faults] == [(4, "/odd/")]
    assert [fault.line for fault in only_for(known, ["odd/a"]).faults] == [4]
    assert only_for(known, ["src/a"]).faults == ()
    told = parse("CODEOWNERS", b"!x @ada\n")
    assert with_reported(told, [ReportedError(1, 1, "Invalid pattern", "!x @ada")]).faults == told.faults


def test_which_skipped_lines_matter() -> None:
    parsed = parse("CODEOWNERS", b"/a/ @\n/b/ @\n!c @x\n")
    assert [fault.line for fault in faults_about(parsed, ["a/x"])] == [1, 3]
    assert [fault.line for fault in faults_about(parsed, ["z"])] == [3]


def test_no_number_of_other_skipped_lines_hides_one_that_matters() -> None:
    junk = b"".join(b"/junk%d @@\n" % number for number in range(200))
    parsed = parse("CODEOWNERS", b"* @ada\n" + junk + b"/pay/ @@\n/odd/ @eve\n")
    assert [fault.pattern for fault in only_for(parsed, ["src/a", "pay/a"]).faults] == ["/pay/"]
    told = with_reported(parsed, [ReportedError(203, 1, "Invalid owner", "/odd/ @eve")])
    assert [fault.pattern for fault in only_for(told, ["odd/a"]).faults] == ["/odd/"]
    unreadable = parse("CODEOWNERS", junk + b"!x @ada\n" * 200)
    assert len(only_for(unreadable, ["src/a"]).faults) == 100, "one is enough; no more are kept than are read"


def test_many_patterns_decide_as_each_does_alone() -> None:
    lines = [f"/plain{number}/" if number % 2 else f"wild{number}*" for number in range(600)]
    patterns = OwnerPatterns(lines)
    singles = [OwnerPatterns((line,)) for line in lines]
    for number in range(0, 600, 7):
        path = f"plain{number}/x" if number % 2 else f"deep/wild{number}x"
        # `wild1*` also matches what `wild10*` does; the last one decides.
        alone = [at for at, one in enumerate(singles) if one.last_match(path) is not None]
        assert patterns.last_match(path) == alone[-1]


SAME_AS_GIT = (
    "frotz",
    "/frotz",
    "doc/frotz",
    "/doc/frotz",
    "doc/",
    "/doc/",
    "doc/frotz/",
    "*",
    "f*",
    "/f*",
    "f*/",
    "/*/",
    "*.sql",
    "a/*/b",
    "a/*.sql",
    "f?o",
    "**/logs",
    "**/a/b",
    "**/*o*",
    "abc/**",
    "a/**/b",
    "a/**/b*",
    "a**b",
    "**",
    "**/",
    "abc/**/",
    "/**",
    "x\\ y",
    "f\\*o",
    "/",
)
PATHS = (
    "frotz",
    "frotz/x",
    "a/frotz",
    "a/frotz/x",
    "doc",
    "doc/frotz",
    "doc/frotz/x",
    "a/doc/frotz",
    "a/doc/x",
    "foo",
    "fo/x",
    "b/foo/x",
    "1.sql",
    "a/1.sql",
    "a/c/1.sql",
    "a/1.sql/x",
    "a/b",
    "a/x/b",
    "a/x/y/b",
    "a/x/b/z",
    "logs",
    "x/logs/y",
    "c/a/b",
    "abc",
    "abc/x",
    "abc/x/y",
    "axxb",
    "a/xb",
    "x y",
    "f*o",
    "fo*",
)


def test_git_says_what_a_pattern_matches(tmp_path: Path) -> None:
    for number, pattern in enumerate(SAME_AS_GIT):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / ".gitignore").write_text(f"{pattern}\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    asked = [(number, path) for number in range(len(SAME_AS_GIT)) for path in PATHS]
    ignored = _ignored(tmp_path, [f"{number}/{path}" for number, path in asked])
    ours = {f"{number}/{path}" for number, path in asked if OwnerPatterns((SAME_AS_GIT[number],)).last_match(path) == 0}
    assert ours == ignored
    assert len(ignored) > 200  # the judge did answer


def _ignored(repository: Path, paths: Sequence[str]) -> set[str]:
    told = subprocess.run(
        ["git", "-C", str(repository), "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(paths).encode(),
        capture_output=True,
        check=False,
    )
    return {path for path in told.stdout.decode().split("\0") if path}
