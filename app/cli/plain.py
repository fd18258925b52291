"""Command lines of `mergegate check` that need nothing explained, read without a library.

Whatever is not written in the plainest way (help, `--base=main`, an unknown or incomplete option) is left to the full
reader of `app.cli.commands`, which also says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from app.cli.judging import Asked

VALUES = {
    "--repo": "repo",
    "--base": "base",
    "--head": "head",
    "--policy": "policy",
    "--bundle": "bundle",
    "--ticket": "ticket",
}
FLAGS = {"--tampering": ("tampering", True), "--no-tampering": ("tampering", False), "--json": ("as_json", True)}
LOG = "--log"


def plain_check(words: Sequence[str]) -> Asked | None:
    """What `mergegate WORDS` asks for; None where that is not plain."""
    if words[:1] != ["check"]:
        return None
    options: dict[str, Any] = {"logs": ()}
    rest = iter(words[1:])
    for word in rest:
        if word in FLAGS:
            name, flag = FLAGS[word]
            options[name] = flag
            continue
        value = _value(rest)
        if value is None or (word not in VALUES and word != LOG):
            return None
        if word == LOG:
            options["logs"] = (*options["logs"], value)
        else:
            options[VALUES[word]] = value
    return Asked(**options)


def _value(rest: Iterator[str]) -> str | None:
    """The next word, unless it could be an option."""
    value = next(rest, None)
    return None if value is None or (value.startswith("-") and value != "-") else value
