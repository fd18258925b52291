"""Whether a ticket can be finished without a reply: what in its words would make an agent ask back."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import re2

from checks.paths import PathPatterns
from checks.tickets.form import Miss, TicketForm, parse_form
from checks.tickets.words import FieldName

# Words that leave a choice to somebody who is not there.
_OPEN = re2.compile(
    r"(?i)\b(?:decide|or maybe|perhaps|possibly|somehow|tbd|to be (?:decided|determined)|ask (?:me|us|the)|let me know|"
    r"as appropriate|if (?:needed|necessary|possible)|etc\.?|and so on)\b|\?|？|"
    r"未定|要相談|検討|どちらか|など。|待定|酌情|视情况|讨论|或者都可以"
)
_EVERYTHING = ("", "a", "a/b", "a/b/c.d")
# Marks that show nothing and may turn what is read: https://www.unicode.org/reports/tr9/
_INVISIBLE = frozenset({"Cf", "Cc", "Co", "Cn"})
_HARMLESS = frozenset("\n\t\u200d")  # the last joins signs to one picture


@lru_cache(maxsize=64)  # one look at a ticket asks several times
def read_ticket(body: str) -> tuple[TicketForm | None, tuple[Miss, ...]]:
    """The form in an issue's body, None where it cannot be read, and every reason why it is not ready."""
    form = parse_form(body)
    return (form, lint(form, body)) if isinstance(form, TicketForm) else (None, form)


def lint(form: TicketForm, body: str) -> tuple[Miss, ...]:
    """Every reason why it is not ready; none for a ticket that an agent can finish alone."""
    return (*_scope(form), *_questions(form), *_proof(form), *_hidden(body))


def _scope(form: TicketForm) -> Iterator[Miss]:
    if form.risk != "low" and _matches_everything(form.allowed_paths):
        yield Miss("allowed_paths", "everything is allowed; above low risk name the paths that the work needs")
    if form.migration == "yes" and form.risk in ("low", "medium"):
        yield Miss("risk", "stored data is touched, so it is high at the least")


def _matches_everything(patterns: tuple[str, ...]) -> bool:
    allowed = PathPatterns(patterns)
    return all(allowed.matches_exactly(path) for path in _EVERYTHING if path)


def _questions(form: TicketForm) -> Iterator[Miss]:
    texts: list[tuple[FieldName, str]] = [("goal", form.goal), *(("done_when", line) for line in form.done_when)]
    for name, text in texts:
        found = _OPEN.search(text)
        if found is not None:
            yield Miss(name, f"`{found.group(0)}` leaves something open; say what is wanted, or take it out")


def _proof(form: TicketForm) -> Iterator[Miss]:
    if not form.verify:
        yield Miss("verify", "name the commands that show that it is done")


def _hidden(body: str) -> Iterator[Miss]:
    if "<!--" in body:
        yield Miss(None, "there is an HTML comment; what readers do not see is no part of a ticket")
    hidden = {
        one for one in body.replace("\r\n", "\n") if unicodedata.category(one) in _INVISIBLE and one not in _HARMLESS
    }
    if hidden:
        shown = ", ".join(f"U+{ord(one):04X}" for one in sorted(hidden)[:5])
        yield Miss(None, f"there are characters that nobody sees: {shown}")
