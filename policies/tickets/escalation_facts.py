"""What the causes are told by: lines that an agent quotes, what it may not do, how a verdict failed. Pure.

A verdict's `evidence` is read as it was recorded: a tree of `{"reason", "finding", "children"}`, each leaf with the
finding of one check (`checks.finding`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import re2

from checks.branches import BRANCHES
from checks.tickets.form import TicketForm
from policies.tickets.escalation import Power, failure_fingerprint

SHORTEST_QUOTE = 4  # characters; whoever quotes less quotes nothing
_NAMES = re2.compile(r"[A-Za-z0-9_./*-]+")


@dataclass(frozen=True, slots=True)
class Failure:
    """The same `fingerprint` is the same failure. `log` is the address of what the first failed check looked at."""

    fingerprint: str
    reason: str
    log: str | None


def lines_of(form: TicketForm, redirects: Iterable[str]) -> frozenset[str]:
    """Every line of what was accepted and said since."""
    listed = (*form.allowed_paths, *form.forbidden_paths, *form.done_when, *form.verify, *redirects)
    return frozenset(line.strip() for text in (form.goal, *listed) for line in text.split("\n") if line.strip())


def quoted_lines(words: str, lines: Iterable[str]) -> tuple[str, str] | None:
    """The two of these lines that stand in what an agent wrote, word by word; None where it does not quote two.

    A line within a longer one that is quoted too is no quotation of its own.
    """
    spelled = " ".join(words.split())
    found = [line for line in lines if len(line) >= SHORTEST_QUOTE and " ".join(line.split()) in spelled]
    whole = [line for line in found if not any(line != other and line in other for other in found)]
    ordered = sorted(whole, key=lambda line: spelled.index(" ".join(line.split())))
    return (ordered[0], ordered[1]) if len(ordered) > 1 else None


def wanted(words: str, refused: Iterable[Power]) -> frozenset[Power]:
    """Those of the refused that an agent names in its question; a branch by its short name too."""
    found = _NAMES.findall(words)
    # A dot in front is a name's own as often as one behind it ends the sentence.
    named = {name.strip("./") for name in found} | {name.rstrip("./").lstrip("/") for name in found}
    return frozenset(power for power in refused if {power.what, power.what.removeprefix(BRANCHES)} & named)


def failure_of(evidence: Mapping[str, Any]) -> Failure:
    """How a verdict's evidence failed: by the first check that did, and which others."""
    found = [one for one in _findings(evidence) if one["status"] == "failed"]
    if not found:
        reason = str(evidence["reason"])
        return Failure(failure_fingerprint("evidence", reason, ()), reason, None)
    first, checks = found[0], [str(one["check"]) for one in found]
    log = next((str(one["url"]) for one in first["evidence"] if one["url"]), None)
    return Failure(failure_fingerprint(checks[0], str(first["reason"]), checks[1:]), str(first["reason"]), log)


def outside_scope(evidence: Mapping[str, Any]) -> frozenset[Power]:
    """Paths that a ticket does not allow and a change of its agent touched."""
    found = (one for one in _findings(evidence) if one["check"] == "scope" and one["status"] == "failed")
    return frozenset(Power("path", str(seen["path"])) for one in found for seen in one["evidence"] if seen["path"])


def _findings(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """In the order in which people read them."""
    if node.get("finding") is not None:
        yield node["finding"]
    for child in node.get("children", ()):
        yield from _findings(child)
