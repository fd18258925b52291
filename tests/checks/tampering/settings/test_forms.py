"""Settings in every form that files have. Values are compared with those that the format's own library reads."""

from __future__ import annotations

import json
import tomllib
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from checks.tampering.change import Version
from checks.tampering.settings import flat, yaml_values
from checks.tampering.settings.documents import MOST_PARTS, Unreadable, ini_value, json_value, toml_value, yaml_value
from checks.tampering.settings.flat import LONGEST_VALUE, TooMuch, collect, flatten
from checks.tampering.settings.javascript import javascript_settings
from checks.tampering.settings.lines import line_settings
from checks.tampering.settings.python_source import python_settings
from checks.tampering.settings.reading import LARGEST_SETTINGS, decoded, line_of, read_settings
from checks.tampering.settings.xml_values import xml_settings
from checks.tampering.settings.yaml_values import DEEPEST, UnreadableYaml, read_yaml
from tests.checks.tampering.honest import version


def _texts(value: Any) -> Any:
    """A library's value with every scalar as the text that it is in a settings file."""
    if isinstance(value, dict):
        return {str(key): _texts(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_texts(each) for each in value]
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


YAML = """
on: {push: {branches: [a, "b"]}}
jobs:
  test: &job
    steps:
      - run: |
          pytest -q
          echo
      - run: >-
          a
          b
      - 'x: y'
  other: *job
empty:
? explicit
: 1.50
"""


def test_yaml() -> None:
    """The base loader makes texts of all scalars."""
    assert read_yaml(YAML).value == yaml.load(YAML, Loader=yaml.BaseLoader)


def test_lines_of_yaml() -> None:
    read = read_yaml(YAML)
    assert {
        path: read.lines[path] for path in (("on",), ("on", "push"), ("jobs", "test"), ("other",)) if path in read.lines
    } == {
        ("on",): 2,
        ("on", "push"): 2,
        ("jobs", "test"): 4,
    }
    assert read.line_of(("jobs", "test", "steps", 0, "run")) == 6
    assert read.line_of(("jobs", "test", "steps", 1)) == 9
    assert read.line_of(("jobs", "test", "steps", 2)) == 12
    assert read.line_of(("jobs", "other", "steps", 0)) == 13
    assert read.line_of(("nothing",)) is None
    assert read.blocks == {("jobs", "test", "steps", 0, "run"), ("jobs", "test", "steps", 1, "run")}


@pytest.mark.parametrize(("text", "value"), [("", ""), ("# a", ""), ("a", "a"), ("*a", ""), ("[*a]", [""])])
def test_small_yaml(text: str, value: object) -> None:
    assert read_yaml(text).value == value


def test_yaml_that_contains_itself() -> None:
    value = read_yaml("&a [*a, b]").value
    assert isinstance(value, list)
    assert value[0] is value
    with pytest.raises(TooMuch):
        flatten(value)


@pytest.mark.parametrize(
    "text",
    [
        "a: b: c",
        "a: 1\n---\nb: 2",
        "? [a]\n: b",
        "? {a: b}\n: c",
        "[" * (DEEPEST + 1),
        "{a: " * 5_000,
        "\0",
        "- a\nb: c",
        "\ud800",
    ],
)
def test_yaml_that_is_not_read(text: str) -> None:
    with pytest.raises(UnreadableYaml):
        read_yaml(text)
    with pytest.raises(Unreadable, match="not readable as YAML"):
        yaml_value(text)


def test_a_bound_on_the_parts_of_yaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_values, "MOST_EVENTS", 7)
    assert read_yaml("[a, b]").value == ["a", "b"]
    with pytest.raises(UnreadableYaml, match="more than 7 parts"):
        read_yaml("[a, b, c]")


def test_depth_of_yaml() -> None:
    assert flatten(read_yaml("[" * DEEPEST + "a" + "]" * DEEPEST).value) == {"": ("a",)}


@pytest.mark.parametrize("text", ['a = 1\n[b.c]\nd = [true, 1979-05-27, {e = "f"}]\n[[g]]\nh = 1.5\n[[g]]\n', ""])
def test_toml(text: str) -> None:
    assert toml_value(text) == _texts(tomllib.loads(text))


@pytest.mark.parametrize("text", ["a = ", "[a\n", "a=" + "[" * 3_000, ".".join("a" * 41) + " = 1", '"a".' * 41 + "b=1"])
def test_toml_that_is_not_read(text: str) -> None:
    with pytest.raises(Unreadable, match="not readable as TOML"):
        toml_value(text)


def test_a_long_key_of_toml() -> None:
    text = ".".join("a" * 40) + " = 1"
    assert toml_value(text) == _texts(tomllib.loads(text))


@pytest.mark.parametrize("text", ['{"a": [1, true, null, 1.5, {"b": "c"}]}', "[]", '"x"'])
def test_json(text: str) -> None:
    assert json_value(text) == _texts(json.loads(text))


def test_json_with_comments_and_commas() -> None:
    text = '{"a": [1, 2,], // c "x"\n "b": "http://x /* no */, ]", /* y\n */ "c": "\\"//", \n}'
    assert json_value(text) == {"a": ["1", "2"], "b": "http://x /* no */, ]", "c": '"//'}


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '"\\' * 50_000, "/*" * 50_000, ", " * 50_000, "1" * 5_000])
def test_json_that_is_not_read(text: str) -> None:
    with pytest.raises(Unreadable, match="not readable as JSON"):
        json_value(text)


@pytest.mark.parametrize("piece", ['"', "a //\n", '"a",'])
def test_memory_for_json_with_comments_does_not_grow_with_its_pieces(piece: str) -> None:
    """Seven copies of the text at most; an object for each piece takes as much as fourteen and more."""
    text = piece * (200_000 // len(piece))
    tracemalloc.start()
    with pytest.raises(Unreadable, match="not readable as JSON"):
        json_value(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 7 * len(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "//", /* "b": */ "c": 1 // ,}\n}', {"a": "//", "c": "1"}),
        ('["/*", 1, /* ] */ ] // [', ["/*", "1"]),
        ('["a,]", "\\",]", 1 , // 2\n ]', ["a,]", '",]', "1"]),
        ("[1 /**/ , /***/ 2, ]//", ["1", "2"]),
        ('["\ud800", /* lone */ ]', ["\ud800"]),
    ],
)
def test_what_stands_in_a_text_is_no_comment_and_no_comma(text: str, value: Any) -> None:
    assert json_value(text) == value


def test_ini() -> None:
    text = "top = 0\n[a]\nb = 1\n  2\n\n  # no\n  3\nc: d = e\nf\n; no\n[ g:h ]\ni=j\n[odd\n"
    assert ini_value(text) == {
        "": {"top": "0"},
        "a": {"b": "1\n2\n3", "c": "d = e", "f": ""},
        "g:h": {"i": "j", "[odd": ""},
    }


def test_ini_whose_section_begins_indented() -> None:
    assert ini_value("[a]\n  b = 1\n[c]\n d = 2") == {"": {}, "a": {"b": "1"}, "c": {"d": "2"}}


def test_flat_settings() -> None:
    assert flatten({"a": {"b": ["1", "2", {"c": "3"}], "d": "4"}, "e": "5"}) == {
        "a.b": ("1", "2"),
        "a.b.c": ("3",),
        "a.d": ("4",),
        "e": ("5",),
    }
    assert flatten("x") == {"": ("x",)}
    assert list(flatten({"z": "1", "a": {"y": "2", "b": "3"}})) == ["z", "a.y", "a.b"]
    assert flatten({"a": "b" * (LONGEST_VALUE + 1)}) == {"a": ("b" * LONGEST_VALUE,)}


def test_bounds_on_flat_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flat, "MOST_SETTINGS", 2)
    assert collect(iter([("a", "1"), ("a", "2")])) == {"a": ("1", "2")}
    with pytest.raises(TooMuch, match="more than 2 settings"):
        collect(iter([("a", "1"), ("a", "2"), ("b", "3")]))


def test_xml() -> None:
    text = (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE a><a xmlns="urn:x" xmlns:y="urn:y" y:z="1"><!-- c -->'
        "<b> t </b><b><c d='e'/></b></a>"
    )
    assert xml_settings(text) == {"a.@z": ("1",), "a.b": ("t",), "a.b.c.@d": ("e",), "a.b.c": ("",)}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<a>",
        "<a></b>",
        '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        '<?xml version="1.0" encoding="nonsense"?><a/>',
    ],
)
def test_xml_that_is_not_read(text: str) -> None:
    with pytest.raises(Unreadable, match="not readable as XML"):
        xml_settings(text)


def test_depth_of_xml() -> None:
    def nested(depth: int) -> str:
        return "<a>" * depth + "</a>" * depth

    assert len(xml_settings(nested(DEEPEST))) == 1
    with pytest.raises(TooMuch):
        xml_settings(nested(DEEPEST + 1))


def test_javascript() -> None:
    source = b"""
import { defineConfig } from 'vitest/config'
const base = { retry: 2, 'quoted-name': `text` };
export default defineConfig({
  test: {
    include: ['a', "b"], // comment
    exclude: [...defaults.exclude, /* c */ 'c', { name: 'd' }],
    timeout: isCI ? 60_000 : 5_000, big: 1_000, on: true, nothing: null,
    nested: { deep: { er: 1 } }, method() { return { inside: 1 } }, list: [[1]],
  },
})
module.exports = { root: 1 }
module.exports.late = 3
exports.other = 4
config.a.b = { c: 5 }
"""
    assert javascript_settings(source, typescript=True) == {
        "retry": ("2",),
        "quoted-name": ("text",),
        "test.include": ("a", "b"),
        "test.exclude": ("...defaults.exclude", "c"),
        "test.exclude.name": ("d",),
        "test.timeout": ("isCI ? 60_000 : 5_000",),
        "test.big": ("1000",),
        "test.on": ("true",),
        "test.nothing": ("null",),
        "test.nested.deep.er": ("1",),
        "test.inside": ("1",),
        "root": ("1",),
        "late": ("3",),
        "other": ("4",),
        "config.a.b.c": ("5",),
    }


def test_javascript_in_its_two_languages() -> None:
    assert javascript_settings(b"const x = <const T,>(a: T): { b: 1 } => ({ c: 2 })", typescript=True) == {"c": ("2",)}
    assert javascript_settings(b"module.exports = { a: <b/> }", typescript=False) == {"a": ("<b/>",)}
    assert javascript_settings(b"x = {a: '" + b"b" * 1_000 + b"' + c}", typescript=False)["x.a"][0] == "'" + "b" * 299


def test_javascript_that_is_too_large() -> None:
    assert javascript_settings(b"x = {a: 1}" + b" " * (64 * 1024 - 10), typescript=False) == {"x.a": ("1",)}
    with pytest.raises(TooMuch, match="larger than 65536 bytes"):
        javascript_settings(b'"' * (64 * 1024 + 1), typescript=False)


@pytest.mark.parametrize("source", [b"{a:" * 20_000, b"[" * 60_000, b"(" * 501, b"`${" * 501])
def test_javascript_that_is_too_deep(source: bytes) -> None:
    """Beyond some tens of thousands of open brackets the parser ends the process."""
    with pytest.raises(TooMuch, match="more than 500 open brackets"):
        javascript_settings(source, typescript=True)


def test_depth_of_javascript() -> None:
    assert javascript_settings(b"(" * 500, typescript=False) == {}
    assert javascript_settings(b"()" * 501, typescript=False) == {}
    with pytest.raises(TooMuch, match="nested deeper"):
        javascript_settings(b"x = " + b"{a: " * 60 + b"1" + b"}" * 60, typescript=False)


def test_broken_javascript() -> None:
    assert javascript_settings(b"x = { a: , b: 1, : 2 } }{", typescript=False) is not None
    assert javascript_settings(b"a = ", typescript=False) is not None


def test_lines() -> None:
    text = (
        "// comment { a = 1 }\n# comment\ntest {\n    useJUnitPlatform()\n    ignoreFailures = true // why\n"
        "    filter { exclude 'a' ; include('b') }\n}\nminimum.set(0.8)\nname: value,\nSimpleCov.start do\n"
        "  minimum_coverage 90\n}\n}\nend_it\n'not a name'\n"
    )
    assert line_settings(text) == {
        "test.ignoreFailures": ("true",),
        "test.filter.exclude": ("'a'",),
        "test.filter.include": ("'b'",),
        "minimum": ("0.8",),
        "name": ("value",),
        "SimpleCov.start": ("do",),
        "minimum_coverage": ("90",),
    }


def test_lines_of_deep_blocks() -> None:
    assert line_settings("a {\n" * 100 + "b = 1\n") == {".".join(["a"] * 12) + ".b": ("1",)}
    assert line_settings("x = " + "y" * 3_000) == {"x": ("y" * (2_000 - 4),)}


def test_python() -> None:
    source = (
        b"collect_ignore = ['a', *b, 'c']\ncollect_ignore += ['d']\ncollect_ignore.append('e')\nx.y = ['no']\n"
        b"collect_ignore.extend(('f', 'g'))\nsession.run('x', codes=[0, 1], on=True, more=z)\n"
        b"f(k=1, **kw)\nn: int = 3\n"
    )
    assert python_settings(source) == {
        "collect_ignore": ("a", "c", "d", "e", "f", "g"),
        "run.codes": ("0", "1"),
        "run.on": ("true",),
        "f.k": ("1",),
    }


@pytest.mark.parametrize("source", [b"def (", b"\0", b"-" * 100_000 + b"1", b"(" * 1_000])
def test_python_that_is_not_read(source: bytes) -> None:
    with pytest.raises(Unreadable, match="not readable as Python"):
        python_settings(source)


@pytest.mark.parametrize(
    ("path", "text", "key"),
    [
        ("pyproject.toml", "[a]\nb = 1", "a.b"),
        ("Pipfile", "[a]\nb = 1", "a.b"),
        ("package.json", '{"a": {"b": 1}}', "a.b"),
        ("tsconfig.json", '{"a": {"b": 1,},}', "a.b"),
        ("biome.jsonc", '{"a": {"b": 1}} // c', "a.b"),
        (".eslintrc", '{"a": {"b": 1}}', "a.b"),
        (".eslintrc", "a: {b: 1}", "a.b"),
        ("sub/.nycrc", "a:\n  b: 1", "a.b"),
        (".mocharc.yml", "a:\n  b: 1", "a.b"),
        ("codecov.yaml", "a:\n  b: 1", "a.b"),
        ("phpstan.neon", "a:\n\n  b: 1", "a.b"),
        ("setup.cfg", "[a]\nb = 1", "a.b"),
        (".coveragerc", "[a]\nb = 1", "a.b"),
        ("tox.ini", "[a]\nb = 1", "a.b"),
        ("pom.xml", "<a><b>1</b></a>", "a.b"),
        ("phpunit.xml.dist", "<a><b>1</b></a>", "a.b"),
        ("x.CSPROJ", "<a><b>1</b></a>", "a.b"),
        ("jest.config.js", "module.exports = {a: {b: 1}}", "a.b"),
        ("vitest.config.mts", "export default {a: {b: 1 as number}} ", "a.b"),
        ("conftest.py", "b = 1", "b"),
        ("build.gradle", "a {\n b = 1\n}", "a.b"),
        ("unknown", "b = 1", "b"),
    ],
)
def test_the_form_is_known_by_the_name(path: str, text: str, key: str) -> None:
    assert list(read_settings(version(path, text))) == [key]


def test_what_is_read_of_a_file() -> None:
    assert read_settings(None) == {}
    assert read_settings(version("a.toml", "\ufeffa = 1")) == {"a": ("1",)}
    assert decoded(b"\xef\xbb\xbfa\xff") == "a\ufffd"
    padded = b"a = 1\n".ljust(LARGEST_SETTINGS, b"#")
    assert read_settings(Version("a.toml", "100644", padded)) == {"a": ("1",)}


@pytest.mark.parametrize(
    "data", [None, b"a = 1\n".ljust(LARGEST_SETTINGS + 1, b"#"), b"a = " + b"[" * 50, b"a = " + b"[" * 45 + b"]" * 45]
)
def test_what_is_not_read_of_a_file(data: bytes | None) -> None:
    with pytest.raises(Unreadable):
        read_settings(Version("a.toml", "100644", data))


@pytest.mark.parametrize(
    ("part", "line"),
    [("b", 3), ("c", 4), ("d e", 5), ("nothing", 1), ("a", 1), ("f", 6), ("", 1)],
)
def test_lines_of_settings(part: str, line: int) -> None:
    assert line_of('a: 0 b\n\n  "b" : 1\n c=2\n x d e\n\tf:', part) == line


def test_a_setting_that_is_nowhere_is_on_the_first_line() -> None:
    assert line_of("\na = 1\n", "b") == 1


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (toml_value, "[[a]]\n" * (MOST_PARTS // 2 + 1)),
        (toml_value, "".join(f"a{n}=1\n" for n in range(MOST_PARTS + 1))),
        (toml_value, f"a=[{'{},' * (MOST_PARTS // 2)}]"),
        (json_value, f"[{'[],' * (MOST_PARTS // 2)}[]]"),
        (json_value, f"[{'1,' * MOST_PARTS}1]"),
    ],
    ids=["tables", "keys", "inline tables", "lists", "numbers"],
)
def test_as_many_entries_as_fit_are_not_read(read: Callable[[str], Any], text: str) -> None:
    """Each of these took 200 to 400 MB at the length that a lock file may have; they are refused before any is made."""
    tracemalloc.start()
    with pytest.raises(Unreadable, match="more than 500,000 entries"):
        read(text)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_a_long_lock_file_is_read() -> None:
    """As uv writes them: 127,857 bytes of one had 3,818 marks, so one of 8 MB has 250,000."""
    wheel = '{ url = "https://files.example.org/a.whl", hash = "sha256:0", size = 1 },\n'
    text = f"[[package]]\nname = 'a'\nwheels = [\n{wheel * 30_000}]\n"
    value: Any = toml_value(text)
    assert len(value["package"][0]["wheels"]) == 30_000


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("".join(f"a{n}.b.c.d.e=1\n" for n in range(30_000)), "more than 500,000 entries"),
        ("".join(f"[a{n}.b.c.d.e]\n" for n in range(30_000)), "more than 500,000 entries"),
        ("".join(f"[a{n}]\n" for n in range(110_000)), "more than 500,000 entries"),
        ("".join(f'" {n}"."\\""=1\n' for n in range(110_000)), "more than 500,000 entries"),
        (".".join(['"!"'] * 41) + "=1", "a key of more than 40 parts"),
        ("a=0x" + "f" * 1_000_000, "a number of more than 1,000 digits"),
    ],
    ids=["dots", "dots of headers", "headers", "quoted", "a long quoted key", "a long number"],
)
def test_toml_that_takes_many_times_its_size_is_not_read(text: str, because: str) -> None:
    tracemalloc.start()
    with pytest.raises(Unreadable, match=because):
        toml_value(text)
    assert tracemalloc.get_traced_memory()[1] < 8_000_000
    tracemalloc.stop()


def test_keys_are_counted_in_one_pass() -> None:
    """Each quote could be the beginning of a string that reaches to the end."""
    with pytest.raises(Unreadable, match="not readable as TOML"):
        toml_value('\\"a.b=' * 90_000)
