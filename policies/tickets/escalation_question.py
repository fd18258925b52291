"""A question that goes up to a person, in at most five lines, each choice with the command that makes it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import re2

from checks.paths import PathPatterns
from policies.escape import code, inert, plain_address
from policies.tickets.escalation import Cause
from policies.tickets.texts import TEXTS
from policies.tickets.words import Language

LONGEST = 240  # characters of what an agent or a log says
ON_PULL = frozenset({Cause.DATA_MIGRATION, Cause.JUDGES_DISAGREE})  # what is said there decides
MOST_NAMED = 30  # tickets that one message names
_LITERAL = re2.compile(r"[A-Za-z0-9_./-]+")  # names in which a pattern of paths has no sign of its own
# The verbs that settle a matter as soon as they are carried out. An answer, an approval and whatever changes the
# ticket's state settle it by what is then known of the ticket; nothing that a person says confirms a stop.
ANSWERS: Mapping[Cause, frozenset[str]] = {
    Cause.REQUIREMENT_CONFLICT: frozenset(),
    Cause.PERMISSION_EXPANSION: frozenset({"grant"}),
    Cause.REPEATED_FAILURE: frozenset({"limit"}),
    Cause.DATA_MIGRATION: frozenset({"hold"}),
    Cause.STOP_UNCONFIRMED: frozenset(),
    Cause.JUDGES_DISAGREE: frozenset({"hold"}),
    Cause.CAP_HITS: frozenset({"limit"}),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A command and the key of its words."""

    command: str
    words: str


@dataclass(frozen=True, slots=True)
class Asked:
    """An open escalation. `ordinal` is the question's number in the ticket, None where it is the gate's own matter;
    `head` is the commit that it is about.

    `detail` is whatever the agent or the check said; `path` is a file that the agent may not change and wants to;
    `attempts` are those that the limit allows now.
    """

    ticket: int
    ordinal: int | None
    cause: Cause
    detail: str
    log: str | None = None  # address of the raw log, or of the pull request that the choices are about
    head: str = ""
    path: str = ""
    attempts: int = 0


# What happens if nobody answers: always that nothing more is allowed than before.
SILENCE: Mapping[Cause, str] = {
    Cause.REQUIREMENT_CONFLICT: "stays",
    Cause.PERMISSION_EXPANSION: "refused",
    Cause.REPEATED_FAILURE: "stays",
    Cause.DATA_MIGRATION: "unmerged",
    Cause.STOP_UNCONFIRMED: "dead",
    Cause.JUDGES_DISAGREE: "unmerged",
    Cause.CAP_HITS: "stays",
}


def choices(asked: Asked) -> tuple[Choice, ...]:
    """Two or three, the recommended one first.

    A file's name is the agent's choice, and as a pattern it may permit more: `**` everything, `pay` whatever lies in
    any folder of that name. So the grant is for that place alone, and none is proposed where the name is no plain one.
    """
    stop = Choice("/stop", "stop")
    match asked.cause:
        case Cause.REQUIREMENT_CONFLICT:
            answer = f"/answer {asked.ordinal}"
            return stop, Choice(f"{answer} first", "first"), Choice(f"{answer} second", "second")
        case Cause.PERMISSION_EXPANSION:
            grant = (Choice(f"/grant path=/{asked.path} once", "grant"),) if _LITERAL.fullmatch(asked.path) else ()
            return Choice(f"/answer {asked.ordinal} no", "refuse"), *grant, stop
        case Cause.REPEATED_FAILURE:
            return stop, Choice(f"/limit attempts={asked.attempts + 1}", "raise")
        case Cause.STOP_UNCONFIRMED:
            return Choice("/stop now", "stop_now"), Choice("/stop all now", "stop_all")
        case Cause.CAP_HITS:
            return Choice("/stop all", "stop_all"), stop
    approve = (Choice(f"/approve {asked.head[:12]}", "approve"),) if asked.head else ()
    return Choice("/hold", "hold"), *approve, Choice("/reject not like this", "reject")


def grants(pattern: str | None, path: str) -> bool:
    """Whether a pattern that a person granted lets the agent change the file that it asked for."""
    if not pattern or not path:
        return False
    return PathPatterns((pattern,)).matches_exactly(path)


def verdict_line(asked: Asked, language: Language) -> str:
    """What it is in one line without markup."""
    words = TEXTS[language]
    return f"#{asked.ticket} {words['needs']}: {words[asked.cause]}"


def verdict_line_of(cause: Cause, tickets: Sequence[int], language: Language) -> str:
    """The same of several tickets."""
    words = TEXTS[language]
    return f"{words['many'].format(count=len(tickets))}: {words[cause]}"


def group_text(cause: Cause, tickets: Sequence[int], language: Language) -> str:
    """Markdown for several tickets with the same cause; what each of them asks stands on the ticket itself."""
    words = TEXTS[language]
    more = len(tickets) - MOST_NAMED
    named = " · ".join(f"#{ticket}" for ticket in tickets[:MOST_NAMED])
    return "\n".join(
        [
            f"**{verdict_line_of(cause, tickets, language)}**",
            named if more <= 0 else f"{named} {words['more'].format(count=more)}",
            words["each"],
            _silence(cause, language),
        ]
    )


def _silence(cause: Cause, language: Language) -> str:
    words = TEXTS[language]
    return f"{words['silence']}: {words[SILENCE[cause]]}{'.' if language == 'en' else '。'}"


def question_text(asked: Asked, language: Language) -> str:
    """Markdown of at most five lines. No line begins with a command, and nothing in it mentions anybody."""
    words = TEXTS[language]
    offered = choices(asked)
    shown = [f"{code(each.command)} {words[each.words]}" for each in offered]
    shown[0] += f" ({words['recommended']})"
    number = "" if asked.ordinal is None else f" ({asked.ordinal})"
    lines = [
        f"**{verdict_line(asked, language)}**{number}",
        inert(asked.detail, LONGEST),
        "→ " + " · ".join(shown),
        _silence(asked.cause, language),
    ]
    log = plain_address(asked.log)
    if log is not None:
        lines.append(f"[{words['pull' if asked.cause in ON_PULL else 'log']}]({log})")
    return "\n".join(line for line in lines if line)
