"""The few `${{ }}` expressions and `if:` conditions that are simulated; anything else is refused with words.

https://docs.github.com/actions/reference/workflows-and-actions/expressions
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Contexts = Mapping[str, Mapping[str, str]]  # {"github": {"sha": ...}, "matrix": {...}, "env": ..., "inputs": ...}


class UnsupportedExpressionError(Exception):
    """The workflow uses an expression that this simulation does not know."""


@dataclass(frozen=True)
class Status:
    """What has happened before the job or step that asks."""

    failed: bool = False
    cancelled: bool = False
    contexts: Contexts = field(default_factory=dict)


def holds(condition: str | None, status: Status) -> bool:
    """Whether `if: condition` lets the job or step run; without one, success() is meant.

    Raises UnsupportedExpressionError for anything but always(), success(), failure(), cancelled(), true, false and
    comparisons of one context value with a quoted text.
    """
    text = "success()" if condition is None else _bare(condition)
    simple = {
        "always()": True,
        "success()": not status.failed and not status.cancelled,
        "failure()": status.failed and not status.cancelled,
        "cancelled()": status.cancelled,
        "!cancelled()": not status.cancelled,
        "false": False,
    }
    if text in simple:
        return simple[text]
    # Without a status function, success() is demanded beside what is written.
    return _comparison(text, status.contexts) and simple["success()"]


def interpolate(text: str, contexts: Contexts) -> str:
    """`text` with each `${{ context.key }}` replaced; unknown keys become empty, as on GitHub
    (except in `github`, where the simulation may lack what GitHub has, and says so)."""
    parts = text.split("${{")
    result = [parts[0]]
    for part in parts[1:]:
        expression, end, rest = part.partition("}}")
        if not end:
            raise UnsupportedExpressionError("An expression is not closed: `}}` is missing")
        result.append(_value(expression.strip(), contexts))
        result.append(rest)
    return "".join(result)


def _bare(condition: str) -> str:
    text = condition.strip()
    if text.startswith("${{") and text.endswith("}}"):
        text = text[3:-2].strip()
    return text


def _comparison(text: str, contexts: Contexts) -> bool:
    if text == "true":
        return True
    for operator in ("==", "!="):
        left, found, right = text.partition(operator)
        quoted = right.strip()
        if found and len(quoted) >= 2 and quoted[0] == quoted[-1] == "'" and "'" not in quoted[1:-1]:
            same = _value(left.strip(), contexts).lower() == quoted[1:-1].lower()
            return same if operator == "==" else not same
    raise UnsupportedExpressionError(f"The condition `{text}` is not simulated")


def _value(expression: str, contexts: Contexts) -> str:
    context, _, key = expression.partition(".")
    known = contexts.get(context)
    if known is None or not key.replace("_", "").replace("-", "").replace(".", "").isalnum():
        raise UnsupportedExpressionError(f"The expression `{expression}` is not simulated")
    if context == "github" and key not in known:
        raise UnsupportedExpressionError(f"The expression `{expression}` is not simulated")
    return known.get(key, "")
