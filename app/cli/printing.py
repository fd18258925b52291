"""What the commands print: one JSON object for programs, or words and a tree for people.

Text that came from a repository or a log is cleaned first, so that no terminal control, link or markup of it works.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from checks.finding import Finding, Status
from policies.escape import clean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text
    from rich.tree import Tree

    from policies.verdict import Node, Verdict

_STYLES = {
    Status.PASSED: ("✓", "green"),
    Status.FAILED: ("✗", "bold red"),
    Status.PENDING: ("…", "yellow"),
    Status.ERRORED: ("!", "bold magenta"),
    Status.SKIPPED: ("-", "dim"),
}
_OPEN = (Status.FAILED, Status.ERRORED, Status.PENDING)


def print_json(value: Any) -> None:
    """ASCII only: file names may hold bytes that are no UTF-8, which no encoding of a terminal could write."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=True) + "\n")


def print_line(text: str, style: str = "") -> None:
    from rich.text import Text

    _console().print(Text(text, style=style), soft_wrap=True)


def _console() -> Console:
    """rich is imported where something is printed with it: JSON and standard error that no person reads need none."""
    from rich.console import Console

    return Console(highlight=False)


@contextmanager
def progress(words: str) -> Iterator[None]:
    """Says what is being done on standard error while the block lasts, where a person looks at it."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(words)):
        yield


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
    """The result tree, readable from 40 columns on."""
    from rich.text import Text

    console = _console()
    console.print(Text(headline(verdict), style=_STYLES[verdict.status][1]))
    for name, root in (("evidence", verdict.evidence), ("review", verdict.review)):
        console.print(_tree(f"mergegate/{name}", root))


def _tree(name: str, root: Node) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(_line(root.status, name), guide_style="dim")
    for part in root.children:
        branch = tree.add(_line(part.status, clean(part.name, 80)))
        for leaf in part.children:
            twig = branch.add(_line(leaf.status, clean(leaf.reason, 1_000)))
            if leaf.finding is not None and leaf.finding.fix is not None and leaf.status in _OPEN:
                twig.add(Text(f"Fix: {clean(leaf.finding.fix.text, 1_000)}"))
    return tree


def _line(status: Status, words: str) -> Text:
    from rich.text import Text

    sign, style = _STYLES[status]
    return Text.assemble((f"{sign} ", style), words)
