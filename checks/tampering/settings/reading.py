"""Which form of settings a file has, by its name, and its settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from checks.tampering.change import Version
from checks.tampering.settings.documents import Unreadable, ini_value, json_value, toml_value, yaml_value
from checks.tampering.settings.flat import Settings, TooMuch, flatten
from checks.tampering.settings.javascript import javascript_settings
from checks.tampering.settings.lines import line_settings
from checks.tampering.settings.python_source import python_settings
from checks.tampering.settings.xml_values import xml_settings

LARGEST_SETTINGS = 256 * 1024  # bytes of one file


def read_settings(version: Version | None) -> Settings:
    """The settings of one side of a file; none where there is no such side. Raises Unreadable."""
    if version is None:
        return {}
    if version.data is None or len(version.data) > LARGEST_SETTINGS:
        raise Unreadable(f"it is larger than {LARGEST_SETTINGS} bytes")
    try:
        return _reader(version.path)(version.data)
    except TooMuch as error:
        raise Unreadable(str(error)) from error


def _reader(path: str) -> Callable[[bytes], Settings]:
    """Line by line where no form is known."""
    name = path.rpartition("/")[2].removesuffix(".dist")
    return _BY_NAME.get(name) or _BY_ENDING.get(name.rpartition(".")[2].lower(), _lines)


def decoded(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace")


def line_of(text: str, part: str) -> int:
    """The line where a key or text of that name stands, else the first that holds it, 1 where none does."""
    key = re.compile(rf"""^[ \t]*["']?{re.escape(part)}["']?[ \t]*[:=]""", re.MULTILINE).search(text)
    at = text.find(part) if key is None else key.end()
    return text.count("\n", 0, max(at, 0)) + 1


def _toml(data: bytes) -> Settings:
    return flatten(toml_value(decoded(data)))


def _json(data: bytes) -> Settings:
    return flatten(json_value(decoded(data)))


def _yaml(data: bytes) -> Settings:
    return flatten(yaml_value(decoded(data)))


def _json_or_yaml(data: bytes) -> Settings:
    try:
        return _json(data)
    except Unreadable:
        return _yaml(data)


def _ini(data: bytes) -> Settings:
    return flatten(ini_value(decoded(data)))


def _xml(data: bytes) -> Settings:
    return xml_settings(decoded(data))


def _javascript(data: bytes) -> Settings:
    return javascript_settings(data, typescript=False)


def _typescript(data: bytes) -> Settings:
    return javascript_settings(data, typescript=True)


def _lines(data: bytes) -> Settings:
    return line_settings(decoded(data))


# Names without an ending that tells.
_BY_NAME: Mapping[str, Callable[[bytes], Settings]] = {
    **dict.fromkeys((".eslintrc", ".nycrc", ".c8rc", ".mocharc", ".stylelintrc", "biome.json"), _json_or_yaml),
    **dict.fromkeys((".flake8", ".coveragerc", ".pylintrc", "pylintrc", ".npmrc"), _ini),
    "Pipfile": _toml,
}
_BY_ENDING: Mapping[str, Callable[[bytes], Settings]] = {
    "toml": _toml,
    **dict.fromkeys(("json", "jsonc", "json5"), _json),
    **dict.fromkeys(("yml", "yaml", "neon"), _yaml),
    **dict.fromkeys(("ini", "cfg"), _ini),
    **dict.fromkeys(("xml", "props", "targets", "csproj", "fsproj", "vbproj", "runsettings"), _xml),
    **dict.fromkeys(("js", "cjs", "mjs"), _javascript),
    **dict.fromkeys(("ts", "cts", "mts"), _typescript),
    "py": python_settings,
}
