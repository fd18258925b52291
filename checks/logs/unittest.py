"""The text runner of Python's unittest, and what shares its grammar: Django's test runner and nose.

There is no line where a run starts (Django has one), so two runs in one step are believed only if the results that
were seen before each closing account for its number of tests.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import re2

from checks.logs.report import Reading, Summary

_RAN = re2.compile(r"^Ran (\d{1,9}) tests? in \d+(?:\.\d+)?s$")
_VERDICT = re2.compile(
    r"^(OK|FAILED|NO TESTS RAN)(?: \(([A-Za-z]+(?: [a-z]+)?=\d{1,9}(?:, [A-Za-z]+(?: [a-z]+)?=\d{1,9})*)\))?$"
)
_FOUND = re2.compile(r"^Found (\d{1,9}) test\(s\)\.$")
_LETTERS = re2.compile(r"^[.FEsxu]+$")
_DJANGO_STARTS = ("Creating test database for alias ", "Testing against Django installed in ")
_GOOD_ENDS = ("... ok", "... expected failure")
_RED_ENDS = ("... FAIL", "... ERROR", "... unexpected success")
_RULE = "=" * 70
_VERDICT_WITHIN = 40
"""Lines from `Ran N tests` to the verdict: other output may slip in, since two streams are mixed."""

INTEREST = (
    r"^Ran \d+ tests? in |^(?:OK|FAILED|NO TESTS RAN)(?: \(|$)"
    r"|^={70}$|^(?:FAIL|ERROR): "
    r"|^Found \d+ test\(s\)\.$|^Creating test database for alias |^Testing against Django installed in "
    r"|^[.FEsxu]+$|^ok$|\.\.\. (?:ok|expected failure|FAIL|ERROR|unexpected success)$|\.\.\. skipped "
)


@dataclass(slots=True)
class _Run:
    seen: int = 0  # results shown by letters or verbose lines
    red: int | None = None  # first line that shows a failure
    django: int | None = None  # line of Django's first words
    found: int | None = None  # number of tests that Django found
    ran_line: int = 0
    ran: int | None = None
    ran_text: str = ""


class UnittestReader:
    PLAIN = r"test [\w:]+ \.\.\. ok|\w+ \([\w.]+\) \.\.\. ok"  # also lines of cargo's

    def __init__(self) -> None:
        self._run = _Run()
        self._rule = -1  # line of the last rule of equals signs
        self._closed: list[Summary] = []
        self._sound: list[bool] = []  # for each summary: what was seen before it accounts for it
        self._step_start = 0
        # Number of tests of Django's last run, if it was not told before: that goes to standard output, which comes
        # last where it is no terminal, when all else has been printed to standard error.
        self._late: int | None = None
        self._unfinished: list[Summary] = []

    def feed(self, number: int, line: str) -> None:
        if self._run.ran is not None and number - self._run.ran_line > _VERDICT_WITHIN:
            self._abandon()
        if line == _RULE:
            self._rule = number
        elif line[0] == "R" and (ran := _RAN.match(line)):
            self._ran(number, line, int(ran.group(1)))
        elif self._run.ran is not None:
            self._await_verdict(line)
        elif number == self._rule + 1 and line.startswith(("FAIL: ", "ERROR: ")):
            self._note_red(number)
        elif line[0] in "FCT" and self._django(number, line):
            return
        else:
            self._result(number, line)

    def many(self, number: int, _: bytes, count: int) -> None:
        late = 0
        while late < count and self._run.ran is not None:
            self.feed(number + late, "... ok")  # which of the lines it is makes no difference
            late += 1
        self._run.seen += count - late

    def boundary(self) -> None:
        self._abandon()
        self._step_start, self._late = len(self._closed), None

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished))

    def _abandon(self) -> None:
        run, self._run = self._run, _Run()
        if run.ran is not None or run.django is not None:
            self._unfinished.append(_unfinished(run))

    def _ran(self, number: int, line: str, count: int) -> None:
        if self._run.ran is not None:
            self._abandon()
        self._run.ran, self._run.ran_line, self._run.ran_text = count, number, line

    def _await_verdict(self, line: str) -> None:
        if verdict := _VERDICT.match(line):
            self._close(line, verdict.group(1), _details(verdict.group(2)))

    def _close(self, line: str, word: str, details: dict[str, int]) -> None:
        run, self._run = self._run, _Run()
        self._closed.append(_summary(run, line, word, details))
        self._late = run.ran if run.django is not None and run.found is None else None
        self._sound.append(run.ran in (run.seen, run.found))
        if len(self._closed) - self._step_start > 1 and not all(self._sound[self._step_start :]):
            self._doubt()

    def _doubt(self) -> None:
        reason = "several closings in one step, and the results shown do not account for each"
        last = self._closed[-1]
        self._closed[-1] = replace(last, green=False, reasons=(*last.reasons, reason))

    def _note_red(self, number: int) -> None:
        if self._run.red is None:
            self._run.red = number

    def _django(self, number: int, line: str) -> bool:
        found = _FOUND.match(line)
        if not found and not line.startswith(_DJANGO_STARTS):
            return False
        if found and self._run.django is None and int(found.group(1)) == self._late:
            self._late = None
            return True
        if self._run.django is None:
            self._run.django = number
        if found:
            self._run.found = int(found.group(1))
        return True

    def _result(self, number: int, line: str) -> None:
        if line[0] in ".FEsxu" and _LETTERS.match(line):
            self._run.seen += len(line)
            if "F" in line or "E" in line:
                self._note_red(number)
        elif line.endswith(_RED_ENDS):
            self._run.seen += 1
            self._note_red(number)
        elif line == "ok" or line.endswith(_GOOD_ENDS) or "... skipped " in line:
            self._run.seen += 1


def _details(text: str | None) -> dict[str, int]:
    """`failures=1, expected failures=2` as counts; nose writes SKIP where unittest writes skipped."""
    pairs = (pair.split("=") for pair in (text or "").split(", ") if pair)
    return {name: int(count) for name, count in pairs}


def _summary(run: _Run, line: str, word: str, details: dict[str, int]) -> Summary:
    ran = run.ran or 0
    failed, errors = details.get("failures", 0), details.get("errors", 0)
    skipped = details.get("skipped", 0) + details.get("SKIP", 0)
    xfailed, xpassed = details.get("expected failures", 0), details.get("unexpected successes", 0)
    # A class or module that skips or breaks as a whole, and failing subtests, count without a test of their own.
    passed = max(0, ran - failed - errors - skipped - xfailed - xpassed)
    reasons = tuple(_reasons(run, word, failed + errors + xpassed, skipped, passed))
    return Summary(
        runner=_runner(run, details),
        line=run.ran_line,
        text=f"{run.ran_text} {line}",
        passed=passed,
        failed=failed,
        errors=errors,
        skipped=skipped,
        green=not reasons,
        reasons=reasons,
        xfailed=xfailed,
        xpassed=xpassed,
    )


def _reasons(run: _Run, word: str, red: int, skipped: int, passed: int) -> list[str]:
    reasons = []
    if red or word == "FAILED":
        reasons.append(f"{red} failed or broke")
    elif run.red is not None:
        reasons.append(f"the verdict is {word}, but line {run.red} shows a failure")
    if run.found is not None and run.ran != run.found and not skipped:
        reasons.append(f"{run.found} tests were found, but {run.ran} ran")
    if not passed:
        reasons.append("no test passed")
    return reasons


def _runner(run: _Run, details: dict[str, int]) -> str:
    if run.django is not None:
        return "django"
    return "nose" if "SKIP" in details else "unittest"


def _unfinished(run: _Run) -> Summary:
    return Summary(
        runner=_runner(run, {}),
        line=run.ran_line or run.django or 0,
        text=run.ran_text,
        passed=0,
        failed=0,
        errors=0,
        skipped=0,
        green=False,
        reasons=("the test run has no verdict",),
    )
