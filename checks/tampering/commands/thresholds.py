"""Numbers in a run's options that are a bar: a floor that coverage must reach, a ceiling for retries and warnings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from checks.tampering.alteration import Weight
from checks.tampering.commands.options import Weakening, effective_arguments
from checks.tampering.commands.runners import Program


@dataclass(frozen=True, slots=True)
class _Bar:
    kind: str
    weight: Weight
    floor: bool
    says: str


_COVERAGE = _Bar("coverage-bar-lowered", Weight.PERSON, floor=True, says="asks for less coverage")
_RETRIES = _Bar("retries-raised", Weight.PERSON, floor=False, says="tries failing tests more often")
_TIMEOUT = _Bar("timeout-raised", Weight.RISK, floor=False, says="gives tests more time")
_WARNINGS = _Bar("lint-bar-lowered", Weight.PERSON, floor=False, says="accepts more warnings")

_BARS: Mapping[str, _Bar] = {
    **dict.fromkeys(("--cov-fail-under", "--fail-under", "--fail-under-lines", "--minimum-coverage"), _COVERAGE),
    **dict.fromkeys(
        ("--reruns", "--retries", "--retry", "--flaky-test-retries", "--retry-times", "--rerun-fails"), _RETRIES
    ),
    **dict.fromkeys(("--timeout", "--test-timeout", "--testTimeout", "-timeout", "--hookTimeout"), _TIMEOUT),
    "--max-warnings": _WARNINGS,
}


def crossed_bars(before: Program, after: Program) -> Iterator[Weakening]:
    """Bars that are lower in `after`; a floor that is gone is lower, a ceiling only where it was not there before."""
    old, new = _numbers(before), _numbers(after)
    for name, bar in _BARS.items():
        was, now = old.get(name), new.get(name)
        if _is_lower(bar, was, now):
            said = f"{name} {now:g}" if now is not None else f"without {name}"
            yield Weakening(bar.kind, said, "", "", bar.weight, bar.says)


def _is_lower(bar: _Bar, was: float | None, now: float | None) -> bool:
    if bar is _WARNINGS:  # without this ceiling every number is accepted
        return was is not None and (now is None or now > was)
    if bar.floor:
        return was is not None and (now is None or now < was)
    return now is not None and now > (was or 0)


def _numbers(program: Program) -> dict[str, float]:
    words = effective_arguments(program)
    found: dict[str, float] = {}
    for at, word in enumerate(words):
        name, given, value = word.partition("=")
        if name in _BARS:
            match = _NUMBER.match(value if given else next(iter(words[at + 1 : at + 2]), ""))
            if match is None and name == "--rerun-fails":  # two of its own: https://github.com/gotestyourself/gotestsum
                found[name] = 2
            elif match is not None:
                found[name] = float(match[1]) * _UNITS.get(match[2], 1)
    return found


# Go writes times as `10m`, all others as a plain number.
_NUMBER = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(h|m|s|ms)?$")
_UNITS = {"h": 3600, "m": 60, "ms": 0.001}
