"""What the commands print: one JSON object for programs, or words and a tree for people.

Text that came from a repository or a log is cleaned first, so that no terminal control, link or markup of it works.
Drawn here and not by a library, because a command that answers in half a second would spend a tenth on loading one.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from checks.finding import Finding, Status
from policies.escape import clean

if TYPE_CHECKING:
    from policies.verdict import Node, Verdict

Style = Literal["", "dim", "green", "yellow", "bold red", "bold magenta"]

# Select Graphic Rendition, ECMA-48 section 8.3.117.
_CODES: dict[Style, str] = {
    "": "",
    "dim": "\x1b[2m",
    "green": "\x1b[32m",
    "yellow": "\x1b[33m",
    "bold red": "\x1b[1;31m",
    "bold magenta": "\x1b[1;35m",
}
_PLAIN = "\x1b[0m"
_STYLES: dict[Status, tuple[str, Style]] = {
    Status.PASSED: ("✓", "green"),
    Status.FAILED: ("✗", "bold red"),
    Status.PENDING: ("…", "yellow"),
    Status.ERRORED: ("!", "bold magenta"),
    Status.SKIPPED: ("-", "dim"),
}
_OPEN = (Status.FAILED, Status.ERRORED, Status.PENDING)
_RUNS: tuple[Literal["evidence", "review"], ...] = ("evidence", "review")
_NARROWEST = 20  # columns for words, however deep in the tree


def print_json(value: Any) -> None:
    """ASCII only: file names may hold bytes that are no UTF-8, which no encoding of a terminal could write."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=True) + "\n")


def print_line(text: str, style: Style = "") -> None:
    sys.stdout.write(_styled(text, style) + "\n")


def _styled(text: str, style: Style) -> str:
    """Colours only where a person sees them (https://no-color.org)."""
    wanted = style and sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return f"{_CODES[style]}{text}{_PLAIN}" if wanted else text


@contextmanager
def progress(words: str) -> Iterator[None]:
    """Says what is being done on standard error while the block lasts, where a person looks at it."""
    if not sys.stderr.isatty():
        yield
        return
    sys.stderr.write(f"{words} …")
    sys.stderr.flush()
    try:
        yield
    finally:
        sys.stderr.write("\r\x1b[K")


def counted(count: int, one: str, more: str | None = None) -> str:
    """`1 row`, `2 rows`; `more` where an s does not do."""
    return f"{count} {one if count == 1 else more or one + 's'}"


def record(finding: Finding) -> dict[str, Any]:
    """A finding for programs: `check`, `status`, `reason`, `needs_person`, `fix`, `evidence`."""
    from policies.explain import finding_record

    return {**finding_record(finding), "evidence": [asdict(each) for each in finding.evidence]}


def verdict_record(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": verdict.status.value,
        "needs_person": verdict.needs_person,
        "risk": verdict.risk.word,
        "areas": list(verdict.areas),
        "findings": [record(finding) for finding in verdict.findings],
    }


def headline(verdict: Verdict) -> str:
    """The verdict in a line that begins with its word."""
    counts = {status: sum(each.status is status for each in verdict.findings) for status in _OPEN}
    parts = [f"{count} {status.value}" for status, count in counts.items() if count]
    areas = f" ({', '.join(clean(area, 40) for area in verdict.areas)})" if verdict.areas else ""
    needs = ", needs a person" if verdict.needs_person else ""
    return f"{verdict.status.value}: {verdict.risk.word} risk{areas}{needs}; {', '.join(parts) or 'nothing is open'}"


def print_verdict(verdict: Verdict) -> None:
    """The result tree, readable from 40 columns on. A check's line says the next step, as its title on GitHub does."""
    from policies.titles import title

    width = shutil.get_terminal_size().columns
    for line in wrapped(headline(verdict), width):
        print_line(line, _STYLES[verdict.status][1])
    for run in _RUNS:
        root = verdict.root(run)
        for line in (
            *_item(root.status, f"mergegate/{run}: {title(verdict, run)}", "", "", width),
            *_parts(root, width),
        ):
            print_line(line)


def _parts(root: Node, width: int) -> Iterator[str]:
    for part, (first, below) in _guided(root.children, ""):
        yield from _item(part.status, clean(part.name, 80), first, below, width)
        for leaf, guides in _guided(part.children, below):
            yield from _item(leaf.status, clean(leaf.reason, 1_000), *guides, width)
            if leaf.finding is not None and leaf.finding.fix is not None and leaf.status in _OPEN:
                yield from _block(
                    f"Fix: {clean(leaf.finding.fix.text, 1_000)}", f"{guides[1]}└── ", f"{guides[1]}    ", width
                )


def _guided(nodes: Sequence[Node], before: str) -> Iterator[tuple[Node, tuple[str, str]]]:
    """Each with what stands before its first line, and before its other lines and all below it."""
    for number, node in enumerate(nodes, start=1):
        last = number == len(nodes)
        yield node, (f"{before}{'└── ' if last else '├── '}", f"{before}{'    ' if last else '│   '}")


def _item(status: Status, words: str, first: str, below: str, width: int) -> Iterator[str]:
    sign, style = _STYLES[status]
    lines = _block(f"{sign} {words}", first, below, width)
    yield next(lines).replace(sign, _styled(sign, style), 1)
    yield from lines


def _block(words: str, first: str, below: str, width: int) -> Iterator[str]:
    for number, line in enumerate(wrapped(words, max(width - len(first), _NARROWEST))):
        yield _styled(below if number else first, "dim") + line


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` characters, broken between words, and in a word only where it is longer than a line."""
    lines = [""]
    for word in text.split(" "):
        room = width - len(lines[-1]) - 1
        if lines[-1] and len(word) > room:
            lines.append("")
        while len(word) > width:
            lines[-1], word = word[:width], word[width:]
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines
