"""What attributes say of a test of Rust: ignored, limited in time, or built only under a condition.

https://doc.rust-lang.org/reference/attributes/testing.html, https://doc.rust-lang.org/reference/conditional-compilation.html
"""

from __future__ import annotations

import re2

from checks.tampering.scopes import Mark, condition_scope
from checks.tampering.units import SkipScope

_WORD = re2.compile(r"\w+")
_LOGIC = frozenset({"cfg", "cfg_attr", "all", "any", "not", "test", "ignore"})


def mark_of(attribute: str) -> Mark | None:
    name = attribute.partition("(")[0].partition("=")[0]
    if name == "ignore":
        return Mark("skipped", f"#[{attribute}]")
    if name == "timeout":
        return Mark("timeout", f"#[{attribute}]")
    return configured(attribute)


def configured(attribute: str) -> Mark | None:
    """A condition of the build under which tests are not there; `cfg(test)` is none."""
    text = attribute.removeprefix("#![").removeprefix("#[").removesuffix("]")
    name = text.partition("(")[0]
    if name != "cfg" and (name != "cfg_attr" or "ignore" not in text):
        return None
    words = frozenset(_WORD.findall(text)) - _LOGIC
    if "not(test)" in text or "any()" in text:
        return Mark("skipped", f"#[{text}]")
    return Mark("skipped", f"#[{text}]", _scope(text, words, runs=name == "cfg")) if words else None


def _scope(text: str, words: frozenset[str], *, runs: bool) -> SkipScope:
    """`cargo test` builds with debug assertions, and without Miri."""
    is_not = "not(" in text
    if words == {"miri"}:
        return SkipScope.PLATFORM if runs is is_not else SkipScope.CONDITION
    if words in ({"debug_assertions"}, {"target_arch", "x86_64"}):
        return SkipScope.PLATFORM if runs is not is_not else SkipScope.CONDITION
    return condition_scope(text, runs=runs)
