"""CTRF, the Common Test Report Format in JSON: https://ctrf.io/docs/specification/overview."""

from __future__ import annotations

from typing import Any

from checks.reports.report import Outcome, Recount, ReportFault, TestReport, short

FORMAT = "ctrf"
# `pending` is what some runners call a test that was left out. `other` is whatever has no word here; the runner's own
# word tells then whether the test was only left out.
_STATUSES = {
    "passed": Outcome.PASSED,
    "failed": Outcome.FAILED,
    "skipped": Outcome.SKIPPED,
    "pending": Outcome.SKIPPED,
    "other": Outcome.ERROR,
}
_LEFT_OUT = frozenset({"todo", "disabled", "ignored"})


def is_ctrf(value: Any) -> bool:
    """Older files have no `reportFormat`; their results are told from other JSON by the list of tests."""
    return isinstance(value, dict) and isinstance(value.get("results"), dict) and "tests" in value["results"]


def read_ctrf(name: str, value: Any) -> TestReport:
    """Recount a document for which `is_ctrf` holds. Raises ReportFault."""
    tests = value["results"]["tests"]
    if not isinstance(tests, list):
        raise ReportFault("its list of tests is no list")
    recount = Recount()
    for test in tests:
        _add(recount, test)
    return recount.report(name, FORMAT, _differences(value["results"].get("summary"), recount))


def _add(recount: Recount, test: Any) -> None:
    if not isinstance(test, dict) or not isinstance(test.get("name"), str):
        raise ReportFault("one of its tests has no name")
    outcome = _outcome(test)
    suite = _suite(test.get("suite"))
    label = f"{suite} {test['name']}" if suite else test["name"]
    flaky = outcome is Outcome.PASSED and test.get("flaky") is True
    recount.add(f"{suite}\n{test.get('filePath')}", test["name"], outcome, label, flaky=flaky)


def _outcome(test: dict[str, Any]) -> Outcome:
    status = str(test.get("status"))
    if status not in _STATUSES:
        raise ReportFault(f"a test has the status `{status[:50]}`, which CTRF does not know")
    left_out = status == "other" and str(test.get("rawStatus")) in _LEFT_OUT
    return Outcome.LEFT_OUT if left_out else _STATUSES[status]


def _suite(value: Any) -> str:
    """A text in older versions, a list from the outermost suite inwards in newer ones."""
    return " ".join(str(part) for part in value) if isinstance(value, list) else str(value or "")


def _differences(summary: Any, recount: Recount) -> list[str]:
    if not isinstance(summary, dict):
        return ["it has no summary"]
    of = recount.outcomes
    held = {"tests": sum(of.values()), "passed": of[Outcome.PASSED], "failed": of[Outcome.FAILED]}
    odd = [(what, summary.get(what), count) for what, count in held.items() if summary.get(what) != count]
    for what, total, _ in odd:
        if isinstance(total, int | float) and total < 0:
            raise ReportFault(f"it states {total} {what}, which is impossible")
    return [short(f"the summary states {str(total)[:30]} {what} (its tests: {count})") for what, total, count in odd]
