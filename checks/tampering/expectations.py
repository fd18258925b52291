"""Whether an expected value that changes is the mark of an honest change.

The rule. Expected values change in most honest features, so such a change holds nothing back (RISK) where the rest of
the difference bears it out; otherwise a person looks (PERSON). It is borne out only if product code changes too, and

- the new value is the old one with something added (another key, another argument), or
- it is prose that was reworded, its numbers the same, or
- a line of the product changed in just the way that the value did (a default, a version, a message), or
- a constant is another one in the file that defines what the test calls (a limit, a rate), or
- new tests, rows or exact assertions check the same thing.

Value rewrites are noisy (https://github.com/defilantech/LLMKube/pull/1416), so they never fail a change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from checks.tampering.product import Excuse, Product
from checks.tampering.units import Assertion, Unit
from checks.tampering.words import called_names, names_of, words

_TOKEN = re.compile(r""""(?:[^"\\]++|\\.)*+"?+|'(?:[^'\\]++|\\.)*+'?+|\w++|[^\w\s]""", re.DOTALL)
# Names that half of all tests have.
_GENERIC = frozenset(
    (
        *("response", "resp", "res", "client", "get", "post", "put", "patch", "delete", "json", "data", "status_code"),
        *("status", "text", "content", "result", "results", "value", "output", "actual", "app", "request", "body"),
        *("headers", "code", "exit_code", "stdout", "stderr", "runner", "invoke", "save", "create", "objects", "items"),
        *("keys", "values", "append", "format", "join", "split", "setattr", "raises", "assertRaises", "render", "run"),
    )
)
_SHORTEST_TEXT = 4  # characters
_DIGITS = re.compile(r"\d++")
_PROSE = re.compile(r"[A-Za-z]{2,}+[ ,.]++[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Context:
    """What the rest of the difference has to say.

    `checked` is what new tests, rows and assertions are about; `renamed` are names that tests know by another now.
    """

    product: Product
    checked: frozenset[str]
    renamed: frozenset[str]

    def bears_out(self, old: str, new: str, subject: frozenset[str]) -> bool:
        """`old` and `new` are the texts of an expected value, `subject` is what its test is about."""
        if not self.product.changes:
            return False
        by_itself = extends(old, new) or is_reworded(old, new)
        if by_itself or not subject.isdisjoint(self.checked) or self.product.substitutes(old, new):
            return True
        return bool(old) and self.product.sets_another(subject)

    def excuse(self, names: frozenset[str]) -> Excuse:
        """Whether code of one of these names is gone, so that what tested it may go too."""
        return self.product.excuse(names - self.renamed, self.checked)


def subject_of_test(unit: Unit) -> frozenset[str]:
    """What it calls, and the texts in it: for a test of a web service its paths tell more than `client.get`."""
    texts = (value.strip("\"'`") for value in words(unit.body)[0] if value[0] in "\"'`")
    return (called_names(unit) - _GENERIC) | {text for text in texts if len(text) >= _SHORTEST_TEXT}


def subject_of_assertion(assertion: Assertion) -> frozenset[str]:
    """What one assertion names."""
    return names_of(assertion) - _GENERIC


def extends(old: str, new: str) -> bool:
    """Whether every token of an old container or call stands in the new one, in that order, with something added."""
    tokens = iter(_TOKEN.findall(new))
    return old != new and any(mark in old for mark in "[{(") and all(token in tokens for token in _TOKEN.findall(old))


def is_reworded(old: str, new: str) -> bool:
    """Whether both are sentences that differ only in words."""
    both = _PROSE.search(old) is not None and _PROSE.search(new) is not None
    return both and _DIGITS.findall(old) == _DIGITS.findall(new)
