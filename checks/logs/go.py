"""`go test`: plain, `-v` and `-json`. Each package has its own closing line, so each is one summary.

Counts are top-level tests (a subtest has a slash in its name). Without `-v` or `-json` go prints no counts: such a
package is "unknown", unless it failed. A package without tests says nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import re2

from checks.logs.report import Reading, Red, Summary

RUNNER = "go test"

INTEREST = (
    r'^\{.*"Action":'
    r"|^ok\s+\S+\s+(?:\(cached\)|\d+\.\d+s)|^FAIL$|^FAIL\s+\S+\s+(?:\d+\.\d+s|\[)|^\?\s+\S+\s+\[no test files\]$"
    r"|--- (?:PASS|FAIL|SKIP): |=== RUN   "
    r"|^panic: test timed out after |^testing: warning: no tests to run$"
)

_WORDS = frozenset({"PASS", "FAIL", "SKIP"})
_OK = re2.compile(r"^ok\s+\S+\s+(\(cached\)|\d+\.\d+s)(.*)$")
_FAIL = re2.compile(r"^FAIL\s+\S+\s+(?:\d+\.\d+s|\[(?:build|setup) failed\])$")
_NO_FILES = re2.compile(r"^\?\s+\S+\s+\[no test files\]$")
_TIMED_OUT = "panic: test timed out after "
_EMPTY = "testing: warning: no tests to run"
_MOST_OPEN = 2000  # packages with events and without a result; go runs about as many at once as there are cores
_EVENTS = {"pass": "PASS", "fail": "FAIL", "skip": "SKIP"}


@dataclass(slots=True)
class _Package:
    line: int = 0
    started: int = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    timed_out: bool = False
    empty: bool = False
    cached: bool = False

    @property
    def verbose(self) -> bool:
        return bool(self.started or self.passed or self.skipped)

    @property
    def running(self) -> int:
        return self.started - self.passed - self.failed - self.skipped

    def outcome(self, number: int, word: str) -> None:
        self.line = self.line or number
        self.passed += word == "PASS"
        self.failed += word == "FAIL"
        self.skipped += word == "SKIP"

    def start(self, number: int) -> None:
        self.line = self.line or number
        self.started += 1


class GoReader:
    PLAIN = r"=== RUN   [\w.-]+|--- PASS: [\w.-]+ \(\d+\.\d\ds\)"

    def __init__(self) -> None:
        self._package = _Package()
        self._json: dict[str, _Package] = {}
        self._closed: list[Summary] = []
        self._unfinished: list[Summary] = []
        self._verbose = False  # this step's run prints a line for each test
        self._bare_fail = 0
        self._crowded = 0  # line of the first event that was not followed

    def feed(self, number: int, line: str) -> None:
        if line[0] == "{":
            self._event(number, line)
        elif line[0] in "oF?":
            self._closing(number, line)
        elif "--- " in line or "=== " in line:
            self._test(number, line)
        elif line.startswith(_TIMED_OUT):
            self._package.timed_out = True
        elif line == _EMPTY:
            self._package.empty = True

    def many(self, number: int, lines: bytes, count: int) -> None:
        passed = lines.count(b"--- PASS: ")
        self._package.line = self._package.line or number
        self._package.passed += passed
        self._package.started += count - passed
        self._verbose = self._verbose or count > passed

    def boundary(self) -> None:
        for package in (self._package, *self._json.values()):
            if package.line:
                self._unfinished.append(_unfinished(package))
        self._package, self._json, self._verbose = _Package(), {}, False

    def finish(self) -> Reading:
        reds = []
        if self._bare_fail and self._closed and not any(package.failed + package.errors for package in self._closed):
            reds.append(Red(self._bare_fail, "go test says FAIL, but no package of the log failed"))
        if self._crowded:
            reds.append(Red(self._crowded, f"more than {_MOST_OPEN} packages run at once, not all were followed"))
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(reds))

    def _closing(self, number: int, line: str) -> None:
        if line == "FAIL":
            self._bare_fail = self._bare_fail or number
        elif ok := _OK.match(line):
            self._package.cached = ok.group(1) == "(cached)"
            self._package.empty = self._package.empty or "[no tests to run]" in ok.group(2)
            self._close(_passed(number, line, self._package))
        elif _FAIL.match(line):
            self._close(_failed(number, line, self._package, self._verbose))
        elif _NO_FILES.match(line):
            self._close(_empty(number, line))
        else:
            self._test(number, line)

    def _close(self, summary: Summary) -> None:
        self._closed.append(summary)
        self._package = _Package()

    def _test(self, number: int, line: str) -> None:
        """Output of the tests may stand before the marks on the same line, so they are looked for at its end."""
        word, name, rest = _mark(line, "--- ", ": ")
        if word in _WORDS and name and "/" not in name and rest.endswith("s)"):
            self._package.outcome(number, word)
            return
        word, name, _ = _mark(line, "=== ", "   ")
        if word == "RUN" and name and "/" not in name:
            self._package.start(number)
            self._verbose = True

    def _event(self, number: int, line: str) -> None:
        event = _parse(line)
        if event is None:
            return
        action, name = event.get("Action"), event.get("Package")
        if not isinstance(action, str) or not isinstance(name, str):
            return
        test, output = event.get("Test"), event.get("Output")
        if name not in self._json and len(self._json) >= _MOST_OPEN:
            self._crowded = self._crowded or number
            return
        package = self._json.setdefault(name, _Package(line=number))
        if action == "output" and isinstance(output, str):
            _output(package, output)
        elif isinstance(test, str):
            _test_event(package, number, action, test)
        elif action in _EVENTS:
            self._closed.append(_event_summary(number, line, action, self._json.pop(name)))


def _mark(line: str, sign: str, colon: str) -> tuple[str, str, str]:
    """Word, test name and rest of `--- PASS: TestName (0.01s)` or `=== RUN   TestName`. String methods: hot."""
    word, _, test = line.rpartition(sign)[2].partition(colon)
    name, _, rest = test.partition(" (")
    return word, "" if " " in name else name, rest


def _parse(line: str) -> dict[str, object] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _output(package: _Package, output: str) -> None:
    package.cached = package.cached or (output.startswith("ok ") and "\t(cached)" in output)
    package.timed_out = package.timed_out or output.startswith(_TIMED_OUT)


def _test_event(package: _Package, number: int, action: str, test: str) -> None:
    if "/" in test:
        return
    if action == "run":
        package.start(number)
    elif action in _EVENTS:
        package.outcome(number, _EVENTS[action])


def _event_summary(number: int, line: str, action: str, package: _Package) -> Summary:
    if action == "fail":
        return _failed(number, line, package, verbose=True)
    # With -json every test has its events: a package without them ran none.
    package.empty = package.empty or not package.verbose
    return _passed(number, line, package)


def _passed(number: int, line: str, package: _Package) -> Summary:
    known = package.verbose or package.empty
    reasons = tuple(_reasons(package))
    proves = known and not (package.empty and not package.verbose)
    return Summary(
        runner=RUNNER,
        line=number,
        text=line[:300],
        passed=package.passed if known else None,
        failed=package.failed,
        errors=0,
        skipped=package.skipped if known else None,
        green=False if reasons else (True if proves else None),
        reasons=reasons,
        cached=package.cached,
    )


def _reasons(package: _Package) -> list[str]:
    reasons = []
    if package.failed:
        reasons.append(f"the package says ok, but {package.failed} of its tests failed")
    if package.running > 0:
        reasons.append(f"the package says ok while {package.running} of its tests were still running")
    if package.running < 0:
        reasons.append(f"{-package.running} results have no start: the beginning is missing")
    if package.cached:
        reasons.append("the result was served from the test cache, it is not a fresh run")
    if package.verbose and not package.passed:
        reasons.append("no test passed")
    return reasons


def _failed(number: int, line: str, package: _Package, verbose: bool) -> Summary:
    failed = package.failed or int(package.timed_out)
    # A timeout without -v may hide tests that passed; a package that broke before its first test has none.
    known = verbose or not failed
    return Summary(
        runner=RUNNER,
        line=number,
        text=line[:300],
        passed=package.passed if known else None,
        failed=failed,
        errors=0 if failed else 1,
        skipped=package.skipped if known else None,
        green=False,
        reasons=("the package failed",),
        interrupted=package.timed_out,
    )


def _empty(number: int, line: str) -> Summary:
    return Summary(RUNNER, number, line[:300], 0, 0, 0, 0, green=None)


def _unfinished(package: _Package) -> Summary:
    return Summary(
        runner=RUNNER,
        line=package.line,
        text="",
        passed=package.passed,
        failed=package.failed + package.timed_out,
        errors=0,
        skipped=package.skipped,
        green=False,
        reasons=("tests ran, but their package has no closing line",),
    )
