"""Files and folders that a test run names: what is named less is run less."""

from __future__ import annotations

from collections.abc import Sequence

from checks.tampering.commands.options import effective_arguments, weakenings
from checks.tampering.commands.runners import Program
from checks.tampering.kept_tests import KeptTests, mentions_tests, names_one_test
from checks.tampering.places import extension

_SCRIPTS = frozenset({"js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"})
# Runners that take files and folders, with the endings of what they run.
_LANGUAGES = {
    **dict.fromkeys(("jest", "vitest", "mocha", "ava", "playwright"), _SCRIPTS),
    "pytest": frozenset({"py"}),
    "go": frozenset({"go"}),
    "rspec": frozenset({"rb"}),
    "phpunit": frozenset({"php"}),
    "bats": frozenset({"bats"}),
}
_WITHOUT_VALUE = frozenset({"-q", "-v", "-vv", "-x", "-s", "-ra", "-l", "-race", "--ci", "--coverage", "-w"})


def named_places(program: Program) -> tuple[str, ...]:
    """The run's words that are paths of tests, without the values of its options."""
    if program.tool not in _LANGUAGES:
        return ()
    words = effective_arguments(program)
    values = {each.value for each in weakenings(program)}
    free = [word for before, word in zip(("", *words), words, strict=False) if _is_free(before, word)]
    return tuple(word for word in free if word not in values and _is_place(program.tool, word))


def is_narrower(was: Sequence[str], now: Sequence[str]) -> bool:
    """Whether `now` leaves out what `was` named, or names a part where nothing was named."""
    if not was:
        return any("/" in place.strip("./") or names_one_test(place) for place in now)
    return bool(now) and not all(_is_below(place, now) for place in was)


def loses_tests(tool: str, was: Sequence[str], now: Sequence[str], kept: KeptTests) -> bool:
    """Whether single test files are all that is left, or a known test that ran before is in none of the places."""
    return all(map(names_one_test, now)) or _leaves_out(tool, was, now, kept)


def loses_nothing(tool: str, was: Sequence[str], now: Sequence[str], kept: KeptTests) -> bool:
    """Whether every test of the tree that ran before is in one of the places."""
    return kept.whole and not _leaves_out(tool, was, now, kept)


def _leaves_out(tool: str, was: Sequence[str], now: Sequence[str], kept: KeptTests) -> bool:
    ran = (path for path in kept.paths if extension(path) in _LANGUAGES[tool] and _is_below(path, was or (".",)))
    return not all(_is_below(path, now) for path in ran)


def _is_below(path: str, places: Sequence[str]) -> bool:
    return any(_covers(place, path) for place in places)


def _is_free(before: str, word: str) -> bool:
    takes_value = before.startswith("-") and "=" not in before and before not in _WITHOUT_VALUE
    return not word.startswith("-") and not takes_value


def _is_place(tool: str, word: str) -> bool:
    if tool == "go":  # packages: https://pkg.go.dev/cmd/go#hdr-Package_lists_and_patterns
        return word.startswith(".") or "/" in word
    return mentions_tests(word) and ("/" in word or "." in word or word.endswith(("tests", "test", "spec")))


def _covers(place: str, other: str) -> bool:
    place, other = place.removeprefix("./").rstrip("/."), other.removeprefix("./").rstrip("/.")
    return not place or other == place or other.startswith((f"{place}/", f"{place}::"))
