"""Single lines of pytest's terminal output: the closing line, progress lines, the number of collected tests."""

from __future__ import annotations

from collections import Counter

import re2

_CLOSING = re2.compile(r"^(?:=+ )?([a-z0-9 ,/()-]+) in \d+\.\d+(?:s| seconds)(?: \([^()]*\))?(?: =+)?$")
_PART = re2.compile(r"^(\d{1,9})(?:/\d{1,9})? ([a-z][a-z -]*[a-z])(?: \((\d{1,9}) deselected\))?$")
_SUGAR = re2.compile(r"^ {3} *(\d{1,9}) (passed|failed|error|skipped|xfailed|xpassed|rerun|deselected)$")
_COLLECTED = re2.compile(r"^(?:collecting \.\.\. )?collected (\d{1,9}) items?((?: / \d{1,9} [a-z]+)*)$")
_WORKERS = re2.compile(r"^(?:gw0 \[(\d{1,9})\]|\d{1,9} workers? \[(\d{1,9}) items?\])")
_NOTED = re2.compile(r"^(\S+::.* (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS))(?: \(.*\))?(?: \[\d+\.\d+s\])? *$")

LETTERS = {
    ".": "passed",
    "F": "failed",
    "E": "error",
    "s": "skipped",
    "x": "xfailed",
    "X": "xpassed",
    "R": "rerun",
    "PASSED": "passed",
    "FAILED": "failed",
    "ERROR": "error",
    "SKIPPED": "skipped",
    "XFAIL": "xfailed",
    "XPASS": "xpassed",
}
_DOTS = ".FEsxXR"
_WORDS = frozenset({"PASSED", "FAILED", "ERROR", "SKIPPED", "XFAIL", "XPASS"})
_NOTHING = frozenset({"no tests ran", "no tests collected"})
_OUTCOMES = frozenset(
    {"passed", "failed", "error", "errors", "skipped", "xfailed", "xpassed", "deselected", "rerun", "reruns"}
    | {"tests collected", "test collected", "subtests passed", "subtest passed"}
)


def outcomes(head: str) -> Counter[str] | None:
    """Outcomes in a progress line (without its percentage), or None if it is none; string methods, as it is hot."""
    words = head.split()
    if not words:
        return None
    if len(words) <= 2 and not words[-1].strip(_DOTS):
        return Counter(LETTERS[letter] for letter in words[-1])
    if "::" not in head:
        return None
    if words[-1] in _WORDS:
        return Counter({LETTERS[words[-1]]: 1})
    noted = _NOTED.match(head)
    return Counter({LETTERS[noted.group(1).split()[-1]]: 1}) if noted else None


def closing_parts(line: str) -> Counter[str] | None:
    """The counts of a closing line by word (`errors` and `error` are one), or None if the line is no closing line."""
    closing = _CLOSING.match(line)
    if not closing:
        return None
    counts: Counter[str] = Counter()
    known = False
    for chunk in closing.group(1).split(", "):
        if chunk in _NOTHING:
            counts[chunk] += 1
            known = True
            continue
        part = _PART.match(chunk)
        if not part:
            return None
        word = part.group(2)
        known = known or word in _OUTCOMES
        counts["error" if word == "errors" else word] += int(part.group(1))
        counts["deselected"] += int(part.group(3) or 0)
    return counts if known else None


def sugar_part(line: str) -> Counter[str] | None:
    """One line of pytest-sugar's results, `       3 passed`, as a count, or None if the line is none of them."""
    part = _SUGAR.match(line)
    return Counter({part.group(2): int(part.group(1))}) if part else None


def collected(line: str) -> int | None:
    """Number of test items that the session is going to run; skips at collection are counted, as the summary does."""
    if workers := _WORKERS.match(line):
        return int(workers.group(1) or workers.group(2))
    found = _COLLECTED.match(line)
    if not found:
        return None
    more = Counter({word: int(count) for count, word in (part.split(" ") for part in found.group(2).split(" / ")[1:])})
    selected = more["selected"] if "selected" in more else int(found.group(1)) - more["deselected"]
    return selected + more["skipped"]
