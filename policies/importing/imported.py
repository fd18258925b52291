"""What an import comes to, and foreign files read within bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, count, repeat
from typing import Any

import yaml

MAX_BYTES = 256 * 1024
MAX_NODES = 50_000  # values, each use of an alias counted anew

# Never true: for a rule that must not pass before a person has completed it.
NEVER: dict[str, Any] = {"all": [{"fork": True}, {"fork": False}]}
# Always true: for a rule that asks for nothing more than that its condition holds.
ALWAYS: dict[str, Any] = {"not": NEVER}


class ForeignError(ValueError):
    """A file that cannot be imported; the message says why and what to do."""


@dataclass
class Imported:
    """`policy` are the fields of a policy file of ours; `lost` says what was not carried over, in sentences."""

    policy: dict[str, Any] = field(default_factory=lambda: {"version": 1})
    lost: list[str] = field(default_factory=list)

    def lose(self, sentence: str) -> None:
        if sentence not in self.lost:
            self.lost.append(sentence)


def read_foreign(text: str) -> Any:
    """YAML with anchors and merge keys, as those tools read it. Raises ForeignError."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise ForeignError(f"the file is larger than {MAX_BYTES // 1024} KiB, the most that is read; split it")
    try:
        value = yaml.load(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as wrong:
        raise ForeignError(f"the file is no YAML that can be read: {str(wrong)[:300]}") from None
    if not _is_small(value):
        raise ForeignError(f"the file comes to more than {MAX_NODES} values; write its aliases out")
    return value


def _is_small(value: Any) -> bool:
    """Counted without following an alias more often than the limit, and without recursion."""
    waiting, seen = [value], 0
    while waiting:
        one = waiting.pop()
        seen += 1
        if seen > MAX_NODES:
            return False
        waiting += list(one.values()) if isinstance(one, dict) else one if isinstance(one, list) else []
    return True


def rule_names(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Names of ours for foreign ones: small letters, digits and hyphens, different from each other and those taken."""
    used, given = set(taken), dict[str, str]()
    for name in dict.fromkeys(names):
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:36].strip("-") or "rule"
        plain = plain if plain[0].isalpha() else f"r-{plain}"[:36]
        chosen = next(each for each in _numbered(plain) if each not in used)
        used.add(chosen)
        given[name] = chosen
    return given


def _numbered(plain: str) -> Iterator[str]:
    return chain([plain], map("{}-{}".format, repeat(plain), count(2)))


class _Plain(yaml.SafeDumper):
    """Policies of ours know no anchors."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


def render(imported: Imported, source: str) -> str:
    """The policy file's text, with what was lost as comments on top."""
    head = [f"# Imported from {_one_line(source)}. Read it before it is used; try it with `mergegate policy test`."]
    if imported.lost:
        head += ["#", "# Not carried over:", *(f"# - {_one_line(sentence)}" for sentence in imported.lost)]
    body = yaml.dump(imported.policy, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=110)
    return "\n".join([*head, body])


def _one_line(text: str) -> str:
    return " ".join(text.split())[:400]
