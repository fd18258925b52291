"""TRX, the XML that `dotnet test --logger trx` writes, after vstest's vstst.xsd.

Outcomes: https://github.com/microsoft/vstest/blob/main/src/Microsoft.TestPlatform.Extensions.TrxLogger/ObjectModel/TestOutcome.cs
There `Error` is the first one and is left out when it is written, so a result without an outcome is an error.
"""

from __future__ import annotations

from collections.abc import Mapping

from checks.reports.counts import stated
from checks.reports.report import Outcome, Recount, TestReport

FORMAT = "trx"
ROOT = "TestRun"
_OUTCOMES = {
    "Passed": Outcome.PASSED,
    "Failed": Outcome.FAILED,
    "NotExecuted": Outcome.SKIPPED,
    "NotRunnable": Outcome.SKIPPED,
    "Inconclusive": Outcome.SKIPPED,
    "Pending": Outcome.SKIPPED,
}
_ENDED_WELL = ("Completed", "Passed", "Warning")
_PARENT = "DataDrivenTest"  # stands beside the results of its rows, which are the tests


class Trx:
    """Takes the elements of one document. A data-driven test counts by its rows."""

    def __init__(self) -> None:
        self._recount = Recount()
        self._odd: list[str] = []
        self._broken_parents: list[str] = []
        self._ended = ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "UnitTestResult":
            self._result(attributes)
        elif tag == "Counters":
            self._odd += self._differences(attributes)
        elif tag == "ResultSummary":
            self._ended = attributes.get("outcome", "")

    def end(self, tag: str) -> None:
        """What stands at the end of the document judges all of it."""
        if tag != ROOT or self._red():
            return
        for name in self._broken_parents:
            self._recount.broke(name)
        if self._ended not in _ENDED_WELL and not self._red():
            self._recount.broke(f"the run ended as {self._ended or 'unknown'}")

    def _result(self, attributes: Mapping[str, str]) -> None:
        name = attributes.get("testName", "")
        outcome = _OUTCOMES.get(attributes.get("outcome", ""), Outcome.ERROR)
        if attributes.get("resultType") != _PARENT:
            self._recount.add(attributes.get("testId", ""), name, outcome, name)
        elif outcome in (Outcome.FAILED, Outcome.ERROR):
            self._broken_parents.append(name)

    def _differences(self, attributes: Mapping[str, str]) -> list[str]:
        held = {"passed": self._recount.outcomes[Outcome.PASSED], "failed": self._recount.outcomes[Outcome.FAILED]}
        totals = {what: stated(attributes.get(what), what) for what in held}
        return [
            f"the counters state {total} {what} (the results: {held[what]})"
            for what, total in totals.items()
            if total not in (None, held[what])
        ]

    def _red(self) -> bool:
        return bool(self._recount.outcomes[Outcome.FAILED] + self._recount.outcomes[Outcome.ERROR])

    def report(self, name: str) -> TestReport:
        return self._recount.report(name, FORMAT, self._odd)
