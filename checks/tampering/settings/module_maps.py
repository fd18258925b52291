"""Settings by which the tests of JavaScript and TypeScript get another module than the one that they name.

https://jestjs.io/docs/configuration#modulenamemapper-objectstring-string--arraystring,
https://jestjs.io/docs/configuration#transform-objectstring-pathtotransformer--pathtotransformer-object,
https://vitest.dev/config/alias. Aliases of folders and stand-ins for pictures, style sheets and packages are usual;
one file of the project in the place of another is for a person.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.settings.documents import Unreadable
from checks.tampering.settings.reading import decoded, line_of, read_settings

_FILES = re2.compile(
    r"(?:.*/)?(?:package\.json|(?:jest|vitest|vite)\.?[\w\-]*\.(?:config|workspace|shared|json)[\w.\-]*)"
)
_KEY = re2.compile(r"(?:.*\.)?(moduleNameMapper|alias|transform)\.(.+)")
_ASSET = re2.compile(
    r"(?i)css|less|s[ac]ss|styl|svg|png|jpe?g|gif|webp|avif|ico|mp[34]|webm|ttf|otf|eot|woff|md|html|txt|graphql"
)
# Of the project: what is relative, stands in a folder of sources, or may be anywhere.
_OF_PROJECT = re2.compile(r"[\^(]*(?:\.|/|<rootDir>|src\b|lib\b|app\b|@/|~|#|\.\*)")
_STAND_IN = re2.compile(r"(?i).*(?:\.[cm]?[jt]sx?|\.json|(?:stub|mock|fake|dummy)[\w\-]*)\W*")
_IS_LOCAL = re2.compile(r"(?:\.{1,2}/|<rootDir>|/|path\.|fileURLToPath|require\.resolve\().*")
_NAMED = re2.compile(r"[a-zA-Z]{3,}")
_ENDINGS = frozenset({"tsx", "jsx", "mjs", "cjs", "mts", "cts", "rootDir", "json", "node", "modules"})


def module_maps(changes: Sequence[Change]) -> Iterator[Alteration]:
    """Entries that came or lead elsewhere now."""
    for change in changes:
        after = change.after
        if after is None or _FILES.fullmatch(after.path.encode("utf-8", "replace").decode()) is None:
            continue
        before = _maps(change.before)
        for key, value in _maps(after).items():
            if before.get(key) != value:
                line = line_of(decoded(after.data or b""), value)
                reason = f"Tests get `{value[:80]}` where they name `{key.partition('.')[2][:80]}`."
                quotes = before.get(key, "")[:LONGEST_QUOTE], f"{key}: {value}"[:LONGEST_QUOTE]
                yield Alteration("module-replaced", after.path, line, *quotes, reason, Weight.PERSON, after.path)


def _maps(version: Version | None) -> dict[str, str]:
    """Entries that put a file of the project in another one's place. A broken file is said elsewhere."""
    try:
        settings = read_settings(version)
    except Unreadable:
        return {}
    found: dict[str, str] = {}
    for key, values in settings.items():
        named = _KEY.fullmatch(key.encode("utf-8", "replace").decode())
        if named is not None and _replaces(named[1], named[2].replace("\\", ""), values[0]):
            found[f"{named[1]}.{named[2]}"] = values[0]
    return found


def _replaces(setting: str, pattern: str, value: str) -> bool:
    plain = value.encode("utf-8", "replace").decode()
    if "$1" in value or _ASSET.search(pattern) or _IS_LOCAL.match(plain) is None or _STAND_IN.fullmatch(plain) is None:
        return False
    if setting == "transform":  # which file it is about; one for all files of a language is usual
        return bool(set(_NAMED.findall(pattern)) - _ENDINGS)
    return _OF_PROJECT.match(pattern) is not None
