"""TOML, JSON, INI and YAML texts as nested plain values; everything that is not a mapping or a list is text.

None of them is evaluated. Each reader raises Unreadable for what its format does not allow.
"""

from __future__ import annotations

import json
import re
import tomllib

import re2

from checks.tampering.settings.yaml_values import UnreadableYaml, Value, read_yaml


class Unreadable(ValueError):
    """The text is not of the form that its name says."""


MOST_PARTS = 500_000
"""Marks of entries, lists and tables in one text. In a lock file of 8 MB as npm or uv write it they would be 180,000 or
250,000 (counted in small ones); of as many as fit into 8 MB, Python's readers make objects of 400 MB."""


def toml_value(text: str) -> Value:
    """https://toml.io/en/v1.0.0"""
    _refuse_crowded(sum(map(text.count, "[{,=")))
    encoded = text.encode("utf-8", "replace")
    if _LONG_KEY.search(encoded):
        raise Unreadable("not readable as TOML: a key of more than 40 parts")
    if _LONG_NUMBER.search(encoded):
        raise Unreadable("not readable as TOML: a number of more than 1,000 digits")
    dots = sum(key[0].count(b".") for key in _DOTTED_KEY.finditer(encoded))
    _refuse_crowded(TABLE * (dots + sum(1 for _ in _HEADER.finditer(encoded))))
    try:
        return _plain(tomllib.loads(text))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not readable as TOML: {error}") from error


def _refuse_crowded(parts: int) -> None:
    """`parts` are what begins or ends one, in strings and comments too: a bound, not a figure."""
    if parts > MOST_PARTS:
        raise Unreadable(f"more than {MOST_PARTS:,} entries, which is too much to be read")


# Python's reader takes time that is quadratic in the number of a key's parts.
_WORD = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*"""
_LONG_KEY = re2.compile(rf"(?:{_WORD}\.[ \t]*){{40}}".encode())
# Short, because what is looked at again behind each find must be: a quote that is not closed would be all of the text.
_SHORT_WORD = _WORD.replace('*"', '{0,100}"').replace("*'", "{0,100}'")
# A dot in a key or a header may make a table, of which the reader keeps an account too: some eight hundred bytes.
_DOTTED_KEY = re2.compile(rf"(?:{_SHORT_WORD}\.[ \t]*)+{_SHORT_WORD}[=\]]".encode())
_HEADER = re2.compile(rb"(?m)^[ \t]*\[")
TABLE = 5  # as many parts
# Of each digit Python's reader keeps where it could turn back to: of 8 MB a gigabyte.
_LONG_NUMBER = re2.compile(rb"[\[=,\s][+-]?[0-9][\w.]{1000}")


def json_value(text: str) -> Value:
    """JSON as the tools read it: with comments and commas before a closing bracket (tsconfig.json, .eslintrc)."""
    _refuse_crowded(sum(map(text.count, "[{,")))
    try:
        return _plain(json.loads(text))
    except (ValueError, RecursionError):
        return _lenient(text)


def _lenient(text: str) -> Value:
    bare = _replaced(_LAST_COMMA, "", _replaced(_COMMENT, " ", text))
    try:
        return _plain(json.loads(bare))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not readable as JSON: {error}") from error


def _replaced(pattern: re.Pattern[str], word: str, text: str) -> str:
    """The text with a word for all that a pattern finds behind its group.

    Written on, not gathered: an object for each piece takes thirty times the size of the text.
    """
    written = bytearray()
    for match in pattern.finditer(text):
        written += (match[1] + word).encode("utf-8", "surrogatepass")
    return written.decode("utf-8", "surrogatepass")


# A text is one token, so that nothing in it is a comment or a comma. The group takes all in front of a comment or comma
# at once and gives nothing back (possessive throughout, and every alternative moves on), so one pass is linear.
_STRING = r'"(?:[^"\\\n]++|\\.|\\\Z)*+(?:"|\n|\Z)|"'
_COMMENT = re.compile(rf'((?:[^"/]++|{_STRING}|/(?![/*]))*+)(?://[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)|\Z)')
_LAST_COMMA = re.compile(rf'((?:[^",]++|{_STRING}|,(?![ \t\r\n]{{0,200}}+[}}\]]))*+)(?:,|\Z)')


def yaml_value(text: str) -> Value:
    """The first level of https://yaml.org/spec/1.2.2/, see `yaml_values`."""
    try:
        return read_yaml(text).value
    except UnreadableYaml as error:
        raise Unreadable(f"not readable as YAML: {error}") from error


def ini_value(text: str) -> Value:
    """Sections as of https://docs.python.org/3/library/configparser.html, continuation lines joined by line ends.

    Lines before the first section, as in `.npmrc` and `.flake8` of some age, are in a section without a name.
    """
    section: dict[str, Value] = {}
    sections: dict[str, Value] = {"": section}
    key = ""
    for line in text.splitlines():
        bare = line.strip()
        if not bare or bare[0] in "#;":
            continue
        if line[0] in " \t" and key:
            section[key] = f"{section[key]}\n{bare}"
        elif bare[0] == "[" and "]" in bare:
            section, key = {}, ""
            sections[bare[1 : bare.index("]")].strip()] = section
        else:
            key, value = _pair(bare)
            section[key] = value
    return sections


def _pair(line: str) -> tuple[str, str]:
    at = min((found for found in (line.find("="), line.find(":")) if found >= 0), default=len(line))
    return line[:at].strip(), line[at + 1 :].strip()


def _plain(value: object) -> Value:
    """Depth is bounded by the parsers, which end at Python's own limit."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
