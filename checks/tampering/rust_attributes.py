"""What attributes say of a test of Rust: ignored, limited in time, or built only under a condition.

https://doc.rust-lang.org/reference/attributes/testing.html, https://doc.rust-lang.org/reference/conditional-compilation.html
"""

from __future__ import annotations

import re2

from checks.tampering.scopes import Mark, condition_scope
from checks.tampering.units import SkipScope

_USUAL = frozenset({"unix", "linux", "target_os", "target_family", "miri", "debug_assertions", "x86_64", "target_arch"})
_WORD = re2.compile(r"\w+")


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
    words = frozenset(_WORD.findall(text)) - {"cfg", "cfg_attr", "all", "any", "not", "test", "ignore"}
    if name != "cfg" and (name != "cfg_attr" or "ignore" not in text):
        return None
    if "not(test)" in text or "any()" in text:
        return Mark("skipped", f"#[{text}]")
    if not words:
        return None
    scope = condition_scope(text, runs=name == "cfg")
    return Mark("skipped", f"#[{text}]", SkipScope.PLATFORM if words <= _USUAL else scope)
