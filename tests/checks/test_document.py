"""The strict reader: what it reads is checked against the json module, what it refuses against a table."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import policies
from checks import document
from checks.document import DocumentError, Fault, digest_of, read_document

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc", "Cn"]), max_size=20)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc é:#-'", max_size=5), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text("abcé", max_size=5), values, max_size=4), st.sampled_from([None, 2, "\t"]))
def test_json_is_read_as_the_json_module_reads_it(value: dict[str, Any], indent: int | str | None) -> None:
    assert read_document(json.dumps(value, indent=indent)).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: no", {"a": "no"}),
        ("a: on", {"a": "on"}),
        ("a: True", {"a": "True"}),
        ("a: 2026-05-04", {"a": "2026-05-04"}),
        ("a: 1:30", {"a": "1:30"}),
        ("a: 0x10", {"a": "0x10"}),
        ("a: 010", {"a": "010"}),
        ("a: 1_000", {"a": "1_000"}),
        ("a: .inf", {"a": ".inf"}),
        ("a: true", {"a": True}),
        ("a: false", {"a": False}),
        ("a: null", {"a": None}),
        ("a: ~", {"a": None}),
        ("a:", {"a": None}),
        ('a: "true"', {"a": "true"}),
        ("a: 'null'", {"a": "null"}),
        ("a: '1'", {"a": "1"}),
        ("a: -12", {"a": -12}),
        ("a: 999999999999999999", {"a": 999999999999999999}),
        ("a: 9999999999999999999", {"a": "9999999999999999999"}),
        ("a: 1.5", {"a": 1.5}),
        ("a: -1.5e3", {"a": -1500.0}),
        ("a: 1e99", {"a": 1e99}),
        ("a: 1e999", {"a": "1e999"}),
        ("a: |\n  x\n  1\n", {"a": "x\n1\n"}),
        ("a: |\n  1\n", {"a": "1\n"}),
        ("- a\n- b: c", ["a", {"b": "c"}]),
        ('{"a":1,\t"b":[2]}', {"a": 1, "b": [2]}),
        ("\n [1,\t2]", [1, 2]),
        (r'"\ud83d\ude00"', "\U0001f600"),
        (r'{"\ud83d\ude00": "\ud800x"}', {"\U0001f600": "\ufffdx"}),
        ('"": 1', {"": 1}),
        ("<<: {a: 1}", {"<<": {"a": 1}}),
    ],
)
def test_reads_the_core_of_yaml(text: str, value: object) -> None:
    assert read_document(text).value == value


FRAGMENTS = (
    *(
        ":",
        "- ",
        "\n",
        "\n  ",
        "\n    ",
        "{",
        "}",
        "[",
        "]",
        ",",
        '"',
        "'",
        "a",
        "b: c",
        "#",
        " # c\n",
        "&a",
        "*a",
        "!t",
    ),
    *("%", "@", "`", "0x1", "~", " ", "1e3", "<<", "=", "key: value\n", "- item\n", ": ", "::", "-", "- - ", "{a: b}"),
    *(
        "[a, b]",
        '"a b"',
        "'it''s'",
        "null",
        "true",
        "a b",
        "http://x",
        "$",
        "(",
        ")",
        "--",
        "..",
        "/",
        "^",
        "_",
        "+",
        "5",
    ),
    *('""', "''", "[]", "{}", "x:", "\n\n", "a: 1\n", "b: [1, 2]\n", "c:\n  d: e\n", "  - f\n", "g: {h: i, j: [k]}\n"),
)


def _told(text: str, loader: Any) -> tuple[Any, ...] | None:
    """Value, lines and columns; None where it is refused."""
    try:
        read = document._Reader(text, 10, 12, loader).read()
    except DocumentError:
        return None
    return read.value, read.lines, read.columns


@settings(max_examples=400 if not os.environ.get("MERGEGATE_SOAK") else 50_000, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=16).map("".join))
def test_the_quick_reader_agrees_with_the_other_wherever_it_is_asked(text: str) -> None:
    assert document._READ_ALIKE.fullmatch(text)
    quick = _told(text, document._QUICK)
    if quick is not None and "---" not in text and "..." not in text:
        assert quick == _told(text, yaml.SafeLoader)


@pytest.mark.parametrize("preset", sorted(Path(policies.__path__[0]).glob("*.yml")), ids=lambda path: path.stem)
def test_the_quick_reader_agrees_on_the_shipped_policies(preset: Path) -> None:
    text = preset.read_text("utf-8")
    assert _told(text, document._QUICK) == _told(text, yaml.SafeLoader) is not None


@pytest.mark.parametrize(
    "text", ["a\t", "\ufeffa", '"\\ud83d\\ude00"', "|#", ">#", "{a? : 1}", "---", "a\n...\nb", "é"]
)
def test_what_readers_differ_on_is_not_asked_of_the_quick_one(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    expected = _told(text, yaml.SafeLoader)
    monkeypatch.setattr(document, "_QUICK", None)  # would fail
    try:
        read = read_document(text, 10)
    except DocumentError:
        assert expected is None
    else:
        assert expected == (read.value, read.lines, read.columns)


DEEPEST = "[" * 12 + "]" * 12


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 10, "the document is empty"),
        ("# nothing", 10, "the document is empty"),
        ("a: 1\nb: &x 1", 11, "an anchor (`&name`) is not read; write the value out"),
        ("a: &x [1]", 10, "an anchor (`&name`) is not read; write the value out"),
        ("a: *x", 10, "an alias (`*name`) is not read; write the value out"),
        ("a: !!str 1", 10, "a tag (`tag:yaml.org,2002:str`) is not read; leave it out"),
        (f"a: !{'x' * 99} 1", 10, f"a tag (`!{'x' * 79}`) is not read; leave it out"),
        ("a: !x {}", 10, "a tag (`!x`) is not read; leave it out"),
        ("a: 1\nb: 2\na: 3", 12, "the key `a` is given twice"),
        ('{"a": 1, "\\u0061": 2}', 10, "the key `a` is given twice"),
        ("a: 1\n---\nb: 1", 11, "a second document begins here; only one is read"),
        ("? {a: 1}\n: 2", 10, "a key must be text"),
        ("? [a]\n: 2", 10, "a key must be text"),
        ("[" + DEEPEST + "]", 10, "nested deeper than 12 levels"),
        ("a: [", 10, "not readable as YAML or JSON: expected the node content, but found '<stream end>'"),
        ("a: 1\n b: c: d", 11, "not readable as YAML or JSON: mapping values are not allowed here"),
        ("a: 1\nb:\n\t- 2", 12, "not readable as YAML or JSON: found character '\\t' that cannot start any token"),
        ("a: \x01", 10, "not readable as YAML or JSON: it holds a character that is not allowed"),
        ("a: \ud800", 10, "not readable as YAML or JSON: it holds a character that is not allowed"),
        ("x" * 65_537, 10, "65537 bytes are too many; at most 65536 are read"),
        ("é" * 32_769, 10, "65538 bytes are too many; at most 65536 are read"),
        ("[" + "1," * 10_000 + "]", 10, "more than 10000 values are not read"),
    ],
)
def test_refuses_and_says_where(text: str, line: int, message: str) -> None:
    with pytest.raises(DocumentError) as refused:
        read_document(text, 10)
    assert (refused.value.fault.line, refused.value.fault.message) == (line, message)
    assert str(refused.value) == str(refused.value.fault)


def test_the_limits_themselves_are_allowed() -> None:
    assert read_document("x" * 65_536).value == "x" * 65_536
    assert read_document(DEEPEST).value is not None
    assert read_document("[" + "1," * 9_999 + "]").value == [1] * 9_999
    assert read_document("abc", max_bytes=3).value == "abc"
    with pytest.raises(DocumentError):
        read_document("abcd", max_bytes=3)


def test_knows_the_line_of_every_part() -> None:
    read = read_document("a: 1\nb:\n  - x\n  - c: 2\n    d: 3\n", first_line=5)
    assert read.lines == {
        (): 5,
        ("a",): 5,
        ("b",): 6,
        ("b", 0): 7,
        ("b", 1): 8,
        ("b", 1, "c"): 8,
        ("b", 1, "d"): 9,
    }
    assert read.columns == {
        (): 1,
        ("a",): 1,
        ("b",): 1,
        ("b", 0): 5,
        ("b", 1): 5,
        ("b", 1, "c"): 5,
        ("b", 1, "d"): 5,
    }
    assert read.line_of(("b", 1, "d")) == 9
    assert read.line_of(("b", 1, "missing", "x")) == 8
    assert read.line_of(("missing",)) == 5


def test_lines_count_from_one() -> None:
    assert read_document("a: 1").line_of(("a",)) == 1


def test_the_digest_is_of_the_content() -> None:
    digest = read_document('{"b": [1, "é"],  "a": null}').digest
    assert digest == read_document("# said\na:\nb:\n- 1\n- é\n").digest
    assert digest == "sha256:" + hashlib.sha256(b'{"a":null,"b":[1,"\\u00e9"]}').hexdigest()
    assert digest != read_document('{"b": [1, "e"], "a": null}').digest


def test_a_digest_of_text_bears_anything() -> None:
    assert digest_of("abc") == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert digest_of("\ud800").startswith("sha256:")


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (Fault("is missing", 3, "risk.level"), "line 3, risk.level: is missing"),
        (Fault("is missing", None, "risk.level"), "risk.level: is missing"),
        (Fault("is empty", 3), "line 3: is empty"),
        (Fault("is empty"), "is empty"),
    ],
)
def test_a_fault_says_its_place(fault: Fault, text: str) -> None:
    assert str(fault) == text


@pytest.mark.untraced
@pytest.mark.parametrize(
    "text",
    [
        "[" * 65_000,
        "{" * 65_000,
        "- " * 32_000,
        "? " * 32_000,
        "a: " + "'" * 65_000,
        "a:\n" + "\n" * 65_000,
        "&" * 65_000,
    ],
    ids=lambda text: text[:3].strip(),
)
def test_a_hostile_document_takes_no_time(text: str) -> None:
    begun = time.monotonic()
    with pytest.raises(DocumentError):
        read_document(text + "\n]")
    assert time.monotonic() - begun < 5


def test_limits() -> None:
    assert (document.MAX_BYTES, document.MAX_DEPTH, document.MAX_NODES) == (65_536, 12, 10_000)
