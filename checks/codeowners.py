"""The CODEOWNERS file as GitHub documents it, and who owns a path by it.

https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Literal

import re2

from checks.owner_patterns import OwnerPatterns, unfit

# In GitHub's order; the first that exists is used and the others are not looked at.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
MAX_BYTES = 3_000_000  # "under 3 MB": a larger file is not loaded by GitHub
MAX_RULES = 20_000
_LONGEST_LINE = 8_000  # characters
_MOST_OWNERS = 100  # of one line
_MOST_FAULTS = 100  # that are kept with a decision; each of them alone keeps it open
_BYTE_ORDER_MARK = "\ufeff"

_USER = re2.compile(r"@[A-Za-z0-9_-]{1,100}")
_TEAM = re2.compile(r"@[A-Za-z0-9_-]{1,100}/[A-Za-z0-9_.-]{1,100}")
_EMAIL = re2.compile(r"[^\s@/]{1,100}@[^\s@/]{1,200}\.[^\s@/.]{1,60}")
# Possessive: the end is found in one pass, and nothing is tried again.
_ESCAPED_OR_NO_SPACE = re.compile(r"(?:[^\s\\]++|\\.|\\\Z)*+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Owner:
    """`name` is a login, `organisation/team-slug` or an address, as written, without the `@` in front.

    `missing` says why nobody can approve as this owner, None where somebody can as far as is known.
    """

    kind: Literal["user", "team", "email"]
    name: str
    missing: str | None = None

    @property
    def word(self) -> str:
        return self.name if self.kind == "email" else f"@{self.name}"


@dataclass(frozen=True, slots=True)
class OwnerRule:
    """One line. Without owners, whatever it matches has none."""

    line: int
    pattern: str
    owners: tuple[Owner, ...]


@dataclass(frozen=True, slots=True)
class LineFault:
    """A line that GitHub skips. `pattern` is None where it is the pattern that cannot be read."""

    line: int
    because: str
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Codeowners:
    """A parsed file; equal to another where both say the same. `path` is None where no file exists."""

    path: str | None
    digest: str
    rules: tuple[OwnerRule, ...] = field(compare=False)
    faults: tuple[LineFault, ...] = field(default=(), compare=False)


ABSENT = Codeowners(None, "", ())


@dataclass(frozen=True, slots=True)
class ReportedError:
    """What GitHub says about a line (from 1) of the file; `column` (from 1) is where in `source` it is.

    https://docs.github.com/en/rest/repos/repos#list-codeowners-errors
    """

    line: int
    column: int
    kind: str  # "Unknown owner", "Invalid owner", "Invalid pattern"; others are kept
    source: str


def parse(path: str, content: bytes) -> Codeowners:
    """The file at `path`. Raises ValueError where it is too large to be used; a bad line is a fault, never an error."""
    if len(content) >= MAX_BYTES:
        raise ValueError(f"{path} has {len(content)} bytes; GitHub uses it only while it is under {MAX_BYTES}")
    rules: list[OwnerRule] = []
    faults: list[LineFault] = []
    for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), start=1):
        read = _line(number, line)
        if isinstance(read, LineFault):
            faults.append(read)
        elif read is not None:
            rules.append(read)
        if len(rules) + len(faults) > MAX_RULES:  # at once: all of 3 MB would take half a minute
            raise ValueError(f"{path} has more lines with a pattern than the {MAX_RULES} that are read")
    return Codeowners(path, _digest(path, rules), tuple(rules), tuple(faults))


def owners(parsed: Codeowners, path: str) -> tuple[Owner, ...]:
    """Who owns `path`: the owners of the last line that matches it, none where that line names none."""
    rule = owner_rule(parsed, path)
    return () if rule is None else rule.owners


def owner_rule(parsed: Codeowners, path: str) -> OwnerRule | None:
    """The line that decides who owns `path`."""
    number = _matcher(parsed).last_match(path)
    return None if number is None else parsed.rules[number]


def with_reported(parsed: Codeowners, reported: Sequence[ReportedError]) -> Codeowners:
    """What GitHub knows besides: owners whom it cannot see or who may not write, and lines that it skips."""
    unknown = {word.casefold() for one in reported if _is_unknown_owner(one) for word in _owners_at(one)}
    known = {fault.line for fault in parsed.faults}
    refused = [one for one in reported if not _is_unknown_owner(one) and one.line not in known]
    skipped = {one.line for one in refused}
    patterns = {rule.line: rule.pattern for rule in parsed.rules}
    faults = [LineFault(one.line, f"GitHub says: {one.kind[:100]}", patterns.get(one.line)) for one in refused]
    rules = tuple(_marked(rule, unknown) for rule in parsed.rules if rule.line not in skipped)
    return Codeowners(parsed.path, _digest(parsed.path or "", rules), rules, (*parsed.faults, *faults))


def only_for(parsed: Codeowners, paths: Collection[str]) -> Codeowners:
    """What of it decides about these paths, which is little enough to be kept with every decision."""
    deciding = {rule.line: rule for path in paths if (rule := owner_rule(parsed, path)) is not None}
    rules = tuple(deciding[line] for line in sorted(deciding))
    return Codeowners(parsed.path, _digest(parsed.path or "", rules), rules, faults_about(parsed, paths))


def faults_about(parsed: Codeowners, paths: Collection[str]) -> tuple[LineFault, ...]:
    """Skipped lines that could have named an owner of one of these paths: the last for each, which would have decided.
    What cannot be read could name any."""
    readable = [(fault.line, fault.pattern) for fault in parsed.faults if fault.pattern is not None]
    patterns = OwnerPatterns([pattern for _, pattern in readable])
    deciding = {readable[at][0] for path in paths if (at := patterns.last_match(path)) is not None}
    about = (fault for fault in parsed.faults if fault.pattern is None or fault.line in deciding)
    return tuple(islice(about, _MOST_FAULTS))


def _is_unknown_owner(one: ReportedError) -> bool:
    return one.kind.casefold() == "unknown owner"


def _owners_at(one: ReportedError) -> tuple[str, ...]:
    """The owner that it is about; all of the line's where that does not come out."""
    words = one.source[max(one.column - 1, 0) :].split()
    if words and _owner(words[0]) is not None:
        return (words[0],)
    return tuple(word for word in one.source.split() if _owner(word) is not None)


def _marked(rule: OwnerRule, unknown: Collection[str]) -> OwnerRule:
    return replace(rule, owners=tuple(_with_reason(owner, unknown) for owner in rule.owners))


def _with_reason(owner: Owner, unknown: Collection[str]) -> Owner:
    if owner.word.casefold() not in unknown:
        return owner
    what = "a visible team with write access" if owner.kind == "team" else "somebody with write access"
    return replace(owner, missing=f"GitHub does not know it as {what}")


@lru_cache(maxsize=16)
def _matcher(parsed: Codeowners) -> OwnerPatterns:
    return OwnerPatterns(tuple(rule.pattern for rule in parsed.rules))


def _digest(path: str, rules: Collection[OwnerRule]) -> str:
    lines = (f"{rule.line} {rule.pattern} {rule.owners}" for rule in rules)
    return "sha256:" + hashlib.sha256("\n".join((path, *lines)).encode("utf-8", "replace")).hexdigest()


def _line(number: int, text: str) -> OwnerRule | LineFault | None:
    line = text.strip()
    if number == 1 and line.startswith(_BYTE_ORDER_MARK):
        return LineFault(number, "it begins with a byte order mark, which GitHub does not say that it passes over")
    if not line or line.startswith("#"):
        return None
    if len(line) > _LONGEST_LINE:
        return LineFault(number, f"it is longer than {_LONGEST_LINE} characters")
    pattern, rest = _cut(line)
    if because := unfit(pattern):
        return LineFault(number, because)
    return _owned(number, pattern, tuple(_words(rest)))


def _owned(number: int, pattern: str, words: tuple[str, ...]) -> OwnerRule | LineFault:
    if not words and (_USER.fullmatch(pattern) or _TEAM.fullmatch(pattern)):
        return LineFault(number, f"it names the owner {pattern[:100]} and no pattern before it")
    if len(words) > _MOST_OWNERS:
        return LineFault(number, f"it names more than {_MOST_OWNERS} owners; name a team", pattern)
    named = tuple(_owner(word) for word in words)
    wrong = next((word for word, owner in zip(words, named, strict=True) if owner is None), None)
    if wrong is not None:
        return LineFault(number, f"{wrong[:100]!r} is no owner: write @user, @organisation/team or an address", pattern)
    return OwnerRule(number, pattern, tuple(owner for owner in named if owner is not None))


def _cut(line: str) -> tuple[str, str]:
    """The pattern, which ends at the first white space without a backslash before it, and what follows."""
    found = _ESCAPED_OR_NO_SPACE.match(line)
    assert found is not None  # at least the empty text is one
    return found[0], line[found.end() :]


def _words(rest: str) -> Iterator[str]:
    """What names owners, up to an inline comment."""
    for word in rest.split():
        if word.startswith("#"):
            return
        yield word


def _owner(word: str) -> Owner | None:
    if _USER.fullmatch(word):
        return Owner("user", word[1:])
    if _TEAM.fullmatch(word):
        return Owner("team", word[1:])
    return Owner("email", word, "an address is no account to compare with") if _EMAIL.fullmatch(word) else None
