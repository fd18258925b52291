"""Names that a source of JavaScript or TypeScript has from other modules."""

from __future__ import annotations

from collections import defaultdict

import re2

_IMPORT = re2.compile(
    rb"\bimport\s+(?:type\s+)?(?:([\w$]+)\s*,?\s*)?(?:\{([^{}]*)\}\s*)?from\s*['\"]([^'\"\n]+)['\"]"
    rb"|\b(?:const|let|var)\s+(?:([\w$]+)|\{([^{}]*)\})\s*=\s*require\(\s*['\"]([^'\"\n]+)['\"]"
)
_NAMED = re2.compile(rb"([\w$]+)(?:\s*(?:\bas\b|:)\s*([\w$]+))?")


def imported(source: bytes) -> dict[str, dict[str, str]]:
    """By module as written: what it exports, with this file's name for it; `default` for the module itself."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for one, names, module, other, more, required in (match.groups(b"") for match in _IMPORT.finditer(source)):
        of_module = found[(module or required).decode("utf-8", "replace")]
        if one or other:
            of_module["default"] = (one or other).decode()
        for name, own in _NAMED.findall(names or more):
            of_module[name.decode()] = (own or name).decode()
    return found
