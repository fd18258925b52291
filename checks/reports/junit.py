"""JUnit XML, for which there is no agreed schema: only its test cases count.

What the families agree on: https://github.com/testmoapp/junitxml. A retried case holds `flakyFailure` or
`rerunFailure` elements (https://maven.apache.org/surefire/maven-surefire-plugin/examples/rerun-failing-tests.html);
pytest-rerunfailures writes the case again instead. GoogleTest marks a disabled test only by its status
(https://google.github.io/googletest/advanced.html, "Generating an XML Report"), as CTest does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from checks.reports.counts import stated
from checks.reports.report import Outcome, Recount, ReportFault, TestReport, short

FORMAT = "junit"
SUITES = ("testsuites", "testsuite")
CASE = "testcase"
_RED = {"failure": Outcome.FAILED, "error": Outcome.ERROR}
_RETRIED = frozenset({"flakyFailure", "flakyError", "rerunFailure", "rerunError"})
# Words of the attributes `status` and `result` of a case; all others say nothing against it.
_SKIPPED = frozenset({"skipped", "ignored", "pending"})
_LEFT_OUT = frozenset({"notrun", "disabled", "suppressed", "todo"})
_TODO = "skipped todo"  # a `skipped` element of that type, as node:test writes it
_BROKEN = frozenset({"fail", "failed", "failure", "error", "errored", "broken", "timeout", "aborted", "crashed"})
# Attributes in which a suite states its totals. `skip` is an older word; what is disabled was not run either.
_TOTALS: dict[str, tuple[str, ...]] = {
    "tests": ("tests",),
    "failures": ("failures",),
    "errors": ("errors",),
    "skipped": ("skipped", "skip", "disabled"),
}


@dataclass(slots=True)
class _Suite:
    name: str
    stated: dict[str, int]
    before: dict[str, int]  # counts when it began


@dataclass(slots=True)
class _Case:
    suite: str
    attributes: Mapping[str, str]
    marks: set[str] = field(default_factory=set)  # tags of its children

    def outcome(self) -> Outcome:
        words = {self.attributes.get(name, "").casefold() for name in ("status", "result")}
        red = next((outcome for tag, outcome in _RED.items() if tag in self.marks), None)
        if red is not None:
            return red
        if words & _BROKEN:
            return Outcome.ERROR
        if "skipped" in self.marks or words & _SKIPPED:
            return Outcome.LEFT_OUT if _TODO in self.marks else Outcome.SKIPPED
        return Outcome.LEFT_OUT if words & _LEFT_OUT else Outcome.PASSED


class JUnit:
    """Takes the elements of one document, suites in suites, each case once."""

    def __init__(self) -> None:
        self._recount = Recount()
        self._suites: list[_Suite] = []
        self._path: list[str] = []
        self._case: _Case | None = None
        self._odd: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        parent = self._path[-1] if self._path else ""
        self._path.append(tag)
        if self._case is not None:
            self._within_case(tag, parent, attributes)
        elif tag in SUITES:
            self._suites.append(_Suite(attributes.get("name", ""), _totals(attributes), self._counts()))
        elif tag == CASE:
            self._case = _Case("/".join(suite.name for suite in self._suites), attributes)
        elif tag in _RED and parent in SUITES:
            self._recount.broke(f"suite {self._suites[-1].name}")

    def _within_case(self, tag: str, parent: str, attributes: Mapping[str, str]) -> None:
        if tag in SUITES or tag == CASE:
            raise ReportFault(f"a {tag} stands inside a test case")
        if self._case is not None and parent == CASE:
            self._case.marks |= {tag, f"{tag} {attributes.get('type', '')}"}

    def end(self, tag: str) -> None:
        self._path.pop()
        if tag == CASE:
            self._end_case()
        elif tag in SUITES:
            self._end_suite(self._suites.pop())

    def _end_case(self) -> None:
        case = self._case
        assert case is not None
        self._case = None
        outcome = case.outcome()
        kind, name = case.attributes.get("classname", ""), case.attributes.get("name", "")
        label = f"{kind}.{name}" if kind else name
        file = case.attributes.get("file", "")
        retried = outcome is Outcome.PASSED and bool(case.marks & _RETRIED)
        self._recount.add(f"{case.suite}\n{kind}\n{file}", name, outcome, label, flaky=retried)

    def _end_suite(self, suite: _Suite) -> None:
        """A suite that states more failures than its cases show broke where no case stands for it."""
        now = self._counts()
        held = {what: now[what] - suite.before[what] for what in now}
        odd = [
            f"{total} {what} (its cases: {held[what]})" for what, total in suite.stated.items() if total != held[what]
        ]
        if odd:
            self._odd.append(f"suite `{short(suite.name)}` states {', '.join(odd)}")
        more = sum(suite.stated.get(what, 0) - held[what] for what in ("failures", "errors"))
        if more > 0:
            self._recount.broke(f"suite {suite.name}", more)

    def _counts(self) -> dict[str, int]:
        of = self._recount.outcomes
        return {
            "tests": sum(of.values()),
            "failures": of[Outcome.FAILED],
            "errors": of[Outcome.ERROR],
            "skipped": self._recount.skipped,
        }

    def report(self, name: str) -> TestReport:
        return self._recount.report(name, FORMAT, self._odd)


def _totals(attributes: Mapping[str, str]) -> dict[str, int]:
    found = {what: [stated(attributes.get(word), what) for word in words] for what, words in _TOTALS.items()}
    given = {what: [total for total in totals if total is not None] for what, totals in found.items()}
    return {what: sum(totals) for what, totals in given.items() if totals}
