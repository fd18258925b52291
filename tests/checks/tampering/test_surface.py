"""How a change looks against what it is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from checks.diff import FileStatus
from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.disguises import LONGEST_LINE
from checks.tampering.surface import alterations
from checks.tampering.twins import twins
from tests.checks.tampering.honest import changes_between

FAILED, PERSON, RISK = Weight.FAILED, Weight.PERSON, Weight.RISK
FILE, PROGRAM, LINK, SUBMODULE = "100644", "100755", "120000", "160000"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12345\n"


def _in_line(path: str, line: str) -> list[tuple[str, Weight, int | None]]:
    """What is found where that line comes to a file."""
    found = alterations(changes_between({path: "1\n"}, {path: f"1\n{line}\n"}))
    return [(each.kind, each.weight, each.line) for each in found]


@pytest.mark.parametrize(
    ("path", "line", "kind", "weight"),
    [
        *(
            (("a.py", f"x = 1 # {chr(code)}", "bidi-control", PERSON))
            for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
        ),
        ("a.md", "\u202e", "bidi-control", RISK),
        ("tests/test_a.py", "x = '\u202e'", "bidi-control", RISK),
        ("tests/test_a.py", "x = '\u200b'", "invisible-character", RISK),
        ("locale/ar.json", "\u2067", "bidi-control", RISK),
        *(
            ("a.js", f"x{chr(code)} = 1", "invisible-character", PERSON)
            for code in (0xAD, 0x34F, 0x115F, 0x3164, 0x200B, 0x2060, 0xFFA0)
        ),
        ("a.js", "x\u200d = 1", "invisible-character", PERSON),
        ("a.js", "\u200cx = 1", "invisible-character", PERSON),
        ("a.js", "x \u200e= 1", "invisible-character", PERSON),
        ("a.js", "x\ufeff = 1", "invisible-character", PERSON),
        ("Makefile", "x\u200b", "invisible-character", RISK),
        ("a.yml", "x\u200b: 1", "invisible-character", RISK),
        ("a.md", "text \U000e0041\U000e0042", "hidden-text", PERSON),
        ("a.py", "# \ufe00\ufe01\ufe02", "hidden-text", PERSON),
        ("a.txt", "\U000e0100\U000e0101\U000e0102", "hidden-text", PERSON),
        ("a.py", "аdmin = 1", "lookalike-identifier", RISK),
        ("a.py", "user_nаme = 1", "lookalike-identifier", RISK),
        ("a.ts", "const Αdmin = 1", "lookalike-identifier", RISK),
    ],
)
def test_characters(path: str, line: str, kind: str, weight: Weight) -> None:
    assert _in_line(path, line) == [(kind, weight, 2)]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "x = '👨‍👩‍👧 👍🏽 ❤️'"),
        ("a.md", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 and 🏳️‍🌈"),
        ("fa.json", '"می\u200cخواهم"'),
        ("a.py", "# می\u200cخواهم"),
        ("a.md", "soft\u00adhyphen and zero\u200bwidth"),
        ("a.py", "ключ = 1"),
        ("a.py", "# API ключ"),
        ("a.py", "тест1 = 1"),
        ("a.py", "Δt = 1; μs = 2; σ_x = 3; café = 4; naïve = 5"),
        ("a.md", "аdmin"),
        ("a.py", "日本語 = 'テスト'"),
        ("a.py", "x = 1"),
    ],
)
def test_characters_that_honest_texts_need(path: str, line: str) -> None:
    assert _in_line(path, line) == []


def test_characters_that_were_there_before_or_begin_a_file() -> None:
    assert list(alterations(changes_between({"a.py": "x # \u202e\n"}, {"a.py": "y # \u202e\n"}))) == []
    assert list(alterations(changes_between({"a.py": "x"}, {"a.py": "\ufeffx"}))) == []


def test_a_character_in_words() -> None:
    (found,) = alterations(changes_between({"a.py": ""}, {"a.py": "if x: # \u202e y"}))
    assert found == Alteration(
        "bidi-control",
        "a.py",
        1,
        "",
        "if x: # \u202e y",
        "A character turns the direction of this line (U+202E): it reads otherwise than it runs.",
        PERSON,
        "a.py",
        "",
    )
    (mixed,) = alterations(changes_between({"a.py": ""}, {"a.py": "аdmin = 1"}))
    assert mixed.reason == "A name mixes Latin letters with others that look the same: `аdmin`."


def _attributes(after: str, before: str = "") -> list[tuple[str, Weight, int | None, str]]:
    path = "sub/.gitattributes"
    found = alterations(changes_between({path: before}, {path: after}))
    return [(each.kind, each.weight, each.line, each.after) for each in found]


@pytest.mark.parametrize(
    ("line", "kind", "weight"),
    [
        ("*.py -diff", "attributes-hide", PERSON),
        ("* binary", "attributes-hide", PERSON),
        ("src/** linguist-generated", "attributes-hide", PERSON),
        ("src/ linguist-generated=true", "attributes-hide", PERSON),
        ("tests/*.ts linguist-vendored", "attributes-hide", PERSON),
        (".github/workflows/ci.yml diff=false", "attributes-hide", PERSON),
        ("*.yaml -diff", "attributes-hide", PERSON),
        ("*.toml -diff", "attributes-hide", PERSON),
        ("docs/*.md -diff", "attributes-hide", RISK),
        ("api.json linguist-generated", "attributes-hide", RISK),
        ("*.py filter=mine", "attributes-change-content", RISK),
        ("*.py merge=ours", "attributes-change-content", RISK),
        ("*.py -merge", "attributes-change-content", RISK),
        ("*.c ident", "attributes-change-content", RISK),
        ("tests export-ignore", "attributes-change-content", RISK),
        ("*.py working-tree-encoding=UTF-16", "attributes-change-content", RISK),
    ],
)
def test_attributes(line: str, kind: str, weight: Weight) -> None:
    assert _attributes(f"# comment\n\n{line}\n") == [(kind, weight, 3, line)]


@pytest.mark.parametrize(
    "line",
    [
        "* text=auto eol=lf",
        "*.png binary",
        "package.lock -diff",
        "*.snap linguist-generated",
        "*.psd filter=lfs diff=lfs merge=lfs -text",
        "*.py diff=python",
        "*.min.js linguist-detectable",
        "vendor/** -linguist-vendored",
        "# *.py -diff",
        "*.py",
    ],
)
def test_attributes_that_hide_nothing(line: str) -> None:
    assert _attributes(f"{line}\n") == []


def test_attributes_that_were_there() -> None:
    before = "*.py -diff\n* binary\n"
    assert _attributes("* binary\n*.py text\n*.py -diff\n", before) == []
    assert _attributes("*.py -diff\n*.py -diff\n", before) == [("attributes-hide", PERSON, 2, "*.py -diff")]
    assert list(alterations(changes_between({".gitattributes": before}, {}))) == []
    assert list(alterations(changes_between({"gitattributes": ""}, {"gitattributes": before}))) == []
    large = Change(FileStatus.ADDED, None, Version(".gitattributes", FILE, None))
    assert list(alterations([large])) == []


def test_attributes_in_words() -> None:
    (hidden,) = alterations(changes_between({}, {".gitattributes": "*.py -diff\n"}))
    assert hidden.reason == "Changes to `*.py` are hidden from readers (`-diff`)."
    (changed,) = alterations(changes_between({}, {".gitattributes": "*.py ident\n"}))
    assert changed.reason == "`ident` makes git change or leave out `*.py`."
    assert (changed.risk_area, changed.subject) == ("gate", ".gitattributes")


def _file(
    before: bytes | None, after: bytes | None, path: str = "src/a.py", modes: tuple[str, str] = (FILE, FILE)
) -> list[tuple[str, Weight]]:
    old = None if before is None else Version(path, modes[0], before)
    change = Change(FileStatus.MODIFIED, old, Version(path, modes[1], after))
    return [(each.kind, each.weight) for each in alterations([change])]


@pytest.mark.parametrize(
    ("before", "after", "path", "found"),
    [
        (b"x = 1\n", b"x\0", "src/a.py", [("binary-instead-of-text", PERSON)]),
        (b"text", b"x\0", "docs/a.bin", [("binary-instead-of-text", PERSON)]),
        (None, b"x\0", "src/a.py", [("binary-instead-of-text", PERSON)]),
        (None, b"\x7fELF\0", "bin/tool", [("program-added", RISK)]),
        (None, b"MZ\0", "a.dat", [("program-added", RISK)]),
        (None, b"x\0", "a.jar", [("program-added", RISK)]),
        (None, b"\x89PNG\0", "a.png", []),
        (b"\x89PNG\0", b"\x89PNG\0\0", "a.png", []),
        (b"x\0", b"x\0y", "a.jar", []),
        (b"", b"\x89PNG\0", "a.png", []),
        (b"x" * 8_000, b"x" * 8_000 + b"\0", "a.txt", []),
        (b"x", b"x" * 7_999 + b"\0", "a.txt", [("binary-instead-of-text", PERSON)]),
        (b"x = 1\n", POINTER, "src/a.py", [("pointer-changed", PERSON)]),
        (b"\x89PNG\0", POINTER, "a.png", [("pointer-changed", RISK)]),
        (POINTER, b"\x89PNG\0", "a.png", [("pointer-changed", RISK)]),
        (POINTER, POINTER + b"\n", "a.png", []),
        (None, POINTER, "a.png", [("pointer-changed", RISK)]),
        (None, POINTER + b" " * 1_024, "a.png", []),
        (None, b"x" * (LONGEST_LINE + 1), "a.py", [("unreadable-line", RISK)]),
        (None, b"x" * LONGEST_LINE, "a.py", []),
        (None, b"x\n" * LONGEST_LINE, "a.py", []),
        (b"x" * 9_000, b"y" * 9_000, "a.py", []),
        (b"x" * 9_000, b"y" * 9_001, "a.py", [("unreadable-line", RISK)]),
        (None, b"x" * 9_000, "a.min.map", []),
        (b"x", None, "a.py", []),
    ],
)
def test_files_that_are_not_what_they_seem(
    before: bytes | None, after: bytes | None, path: str, found: list[tuple[str, Weight]]
) -> None:
    assert _file(before, after, path) == found


@pytest.mark.parametrize(
    ("path", "target", "leaves"),
    [
        ("a", "b", False),
        ("a/b", "../c", False),
        ("a/b", "../../c", True),
        ("a", "/etc/passwd", True),
        ("a", "..", True),
        ("a", "b/../../c", True),
        ("a", "..b", False),
        ("a/b", "./../a", False),
    ],
)
def test_links(path: str, target: str, *, leaves: bool) -> None:
    found = _file(None, target.encode(), path, (FILE, LINK))
    assert found == ([("link-leaves-repository", PERSON)] if leaves else [])


def test_modes() -> None:
    assert _file(b"x", b"x", modes=(FILE, PROGRAM)) == [("mode-changed", RISK)]
    assert _file(b"x", b"a", modes=(FILE, LINK)) == [("mode-changed", RISK)]
    assert _file(b"x", None, "sub", modes=(SUBMODULE, SUBMODULE)) == [("submodule-changed", RISK)]
    assert _file(b"x", None, "sub", modes=(FILE, SUBMODULE)) == [("submodule-changed", RISK), ("mode-changed", RISK)]
    removed = Change(FileStatus.REMOVED, Version("a", LINK, b"/etc"), None)
    assert list(alterations([removed])) == []


def test_a_disguise_in_words() -> None:
    change = Change(FileStatus.ADDED, None, Version("a", LINK, b"/etc/passwd"))
    assert list(alterations([change])) == [
        Alteration(
            "link-leaves-repository",
            "a",
            None,
            "",
            "/etc/passwd",
            "A symbolic link points out of the repository: `/etc/passwd`.",
            PERSON,
            "a",
            "",
        )
    ]
    mode = Change(FileStatus.MODIFIED, Version("a", FILE, b""), Version("a", PROGRAM, b""))
    (found,) = alterations([mode])
    assert found.reason == "The file's mode changes from 100644 to 100755."


@pytest.mark.parametrize(
    ("before", "after", "path", "reason"),
    [
        (b"x", b"x\0", "a.py", "A file of text is binary now, so that its changes are not shown."),
        (None, b"\x7fELF\0", "a", "A program is added that nobody can read."),
        (b"x", POINTER, "a.py", "A pointer to a large file stands where its content stood, or the other way round."),
        (
            None,
            b"x" * 6_000,
            "a.py",
            "A line of source code has more than 5000 characters; nobody can read it in a change.",
        ),
    ],
)
def test_contents_in_words(before: bytes | None, after: bytes, path: str, reason: str) -> None:
    old = None if before is None else Version(path, FILE, before)
    (found,) = alterations([Change(FileStatus.MODIFIED, old, Version(path, FILE, after))])
    assert (found.reason, found.subject, found.line, found.before, found.after, found.risk_area) == (
        reason,
        path,
        None,
        "",
        "",
        "",
    )


def test_a_submodule_in_words() -> None:
    change = Change(FileStatus.MODIFIED, Version("a", SUBMODULE, None), Version("a", SUBMODULE, None))
    (found,) = alterations([change])
    assert found.reason == "The content of a submodule is not part of the change."


def test_a_link_s_target_need_be_no_text() -> None:
    (found,) = alterations([Change(FileStatus.ADDED, None, Version("a", LINK, b"/\xff" + b"x" * 500))])
    assert (found.after[:3], len(found.after)) == ("/\ufffdx", 300)
    assert found.reason == f"A symbolic link points out of the repository: `/\ufffd{'x' * 118}`."


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x\u200b", "This line holds what nobody sees (U+200B)."),
        (
            "x\U000e0041\U000e0042",
            "This line holds a text in characters that nothing shows; a program or an agent still reads it.",
        ),
    ],
)
def test_invisible_characters_in_words(line: str, reason: str) -> None:
    for path in ("a.py", "a.yml"):
        (found,) = alterations(changes_between({path: ""}, {path: line}))
        assert (found.reason, found.subject, found.risk_area) == (reason, path, "")


@pytest.mark.parametrize(
    ("paths", "pairs"),
    [
        (["a/b.py", "a/c.py"], []),
        (["README", "readme"], [("README", "readme")]),
        (["a/B.py", "a/b.py", "a/b.PY"], [("a/B.py", "a/b.py"), ("a/B.py", "a/b.PY")]),
        (["src/a", "Src/b"], [("src", "Src")]),
        (["a/X/1", "a/x"], [("a/X", "a/x")]),
        (["é", "e\u0301"], [("é", "e\u0301")]),
        (["straße", "STRASSE"], [("straße", "STRASSE")]),
        (["ﬁle", "file"], [("ﬁle", "file")]),
        (["a", "a"], []),
        ([], []),
    ],
)
def test_twins(paths: list[str], pairs: list[tuple[str, str]]) -> None:
    touched = {path for pair in pairs for path in pair} | {*paths}
    assert list(twins(paths, touched)) == pairs
    for path in touched:
        assert list(twins(paths, [path])) == [pair for pair in pairs if path in pair]
    assert list(twins(paths, [])) == []


def test_where_nothing_was_touched_no_path_is_looked_at() -> None:
    """Of a target with 100,000 files that took an eighth of a second."""
    paths = iter(["a", "A"])
    assert list(twins(paths, ())) == []
    assert list(paths) == ["a", "A"]


def test_git_itself_tells_binary_by_the_same_bytes(tmp_path: Path) -> None:
    """`git diff --numstat` shows `-` for what it takes for binary."""
    run = ["git", "-C", str(tmp_path)]
    subprocess.run([*run, "init", "-q"], check=True)
    contents = {"early": b"x" * 7_999 + b"\0", "late": b"x" * 8_000 + b"\0", "text": b"x\n"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    subprocess.run([*run, "add", "."], check=True)
    listed = subprocess.run([*run, "diff", "--cached", "--numstat"], check=True, capture_output=True, text=True).stdout
    binary = {line.split("\t")[2] for line in listed.splitlines() if line.startswith("-")}
    ours = {
        name
        for name, content in contents.items()
        if _file(b"", content, f"{name}.py") not in ([], [("unreadable-line", RISK)])
    }
    assert ours == binary == {"early"}
