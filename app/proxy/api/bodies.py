"""Bodies of requests: JSON read so that no second reader can find something else in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from app.proxy.grant import Grant
from app.proxy.refusal import Refusal
from checks.branches import BRANCHES

Json = dict[str, Any]
BODY_BYTES = 512 * 1024
TITLE = 256  # characters, GitHub's limits
TEXT = 65_536
DEPTH = 12
VALUES = 1_000
Rule = Callable[[Any, Grant], str | None]
"""A field's rule: what is wrong with the value, as the end of a sentence about the field; None if nothing is."""


def read_object(raw: bytes) -> Json | Refusal:
    """The JSON object in `raw`, in UTF-8, no key twice, of bounded size and depth."""
    if len(raw) > BODY_BYTES:
        return Refusal(f"The body is longer than {BODY_BYTES} bytes", "Send less")
    try:
        body = json.loads(raw.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant)
        json.dumps(body, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as wrong:
        twice = isinstance(wrong, _Twice)
        because = "A key of the body is given twice" if twice else "The body is no JSON in UTF-8"
        return Refusal(because, "Send one JSON object with every key once")
    if not isinstance(body, dict):
        return Refusal("The body is no JSON object", "Send one JSON object; lists of requests are not taken")
    return body if _is_flat(body) else Refusal(f"The body is deeper than {DEPTH} or longer than {VALUES}", "Send less")


def _is_flat(body: Json) -> bool:
    """At most DEPTH levels and VALUES values."""
    level: list[Any] = [body]
    count = 0
    for _ in range(DEPTH):
        level = [inner for one in level for inner in (one.values() if isinstance(one, dict) else one)]
        count += len(level)
        level = [inner for inner in level if isinstance(inner, dict | list)]
        if not level or count > VALUES:
            break
    return not level and count <= VALUES


class _Twice(ValueError):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> Json:
    if len({name for name, _ in pairs}) != len(pairs):
        raise _Twice
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def judged(body: Json, rules: Mapping[str, Rule], required: Iterable[str], grant: Grant) -> Refusal | None:
    """The first thing wrong with a body whose fields have these rules; a field without a rule is wrong."""
    for name in required:
        if name not in body:
            return Refusal(f"`{name}` is missing", f"Give `{name}`")
    for name, value in body.items():
        if name not in rules:
            known = ", ".join(f"`{one}`" for one in rules)
            return Refusal(f"`{name[:40]}` may not be given here", f"Leave it out; a session may give {known}")
        wrong = rules[name](value, grant)
        if wrong is not None:
            return Refusal(f"`{name}` {wrong}", "Change it and send it again")
    return None


def text(most: int) -> Rule:
    """Characters, at most `most`."""

    def rule(value: Any, grant: Grant) -> str | None:  # noqa: ARG001 - every rule gets the grant
        if not isinstance(value, str):
            return "must be a text"
        return f"is longer than {most} characters" if len(value) > most else None

    return rule


def boolean(value: Any, grant: Grant) -> str | None:  # noqa: ARG001 - every rule gets the grant
    return None if isinstance(value, bool) else "must be true or false"


def only_false(value: Any, grant: Grant) -> str | None:  # noqa: ARG001 - every rule gets the grant
    return None if value is False else "must be false: nobody but the session moves its branch"


def own_head(value: Any, grant: Grant) -> str | None:
    """The session's branch, alone or behind the repository's owner."""
    branch = short(grant.branch)
    owner, _, name = value.partition(":") if isinstance(value, str) and ":" in value else (grant.owner, ":", value)
    good = name == branch and owner.lower() == grant.owner.lower()
    return None if good else f"must be the session's branch `{branch}`"


def own_base(value: Any, grant: Grant) -> str | None:
    base = short(grant.base)
    return None if value == base else f"must be the session's base `{base}`"


def short(ref: str) -> str:
    """`refs/heads/agent/x` → `agent/x`."""
    return ref.removeprefix(BRANCHES)
