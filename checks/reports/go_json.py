"""The event stream of `go test -json`: https://pkg.go.dev/cmd/test2json.

Sub-tests are parts of their top-level test, which fails when one of them does, so top-level tests are counted, as in
raw logs. A package whose tests ran must say how it ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from checks.reports.report import Outcome, Recount, ReportFault, TestReport
from checks.reports.strict_json import read_json

FORMAT = "go test -json"
_ENDS = {"pass": Outcome.PASSED, "fail": Outcome.FAILED, "skip": Outcome.SKIPPED}


@dataclass(slots=True)
class _Package:
    running: set[str] = field(default_factory=set)
    failed: int = 0
    ended: bool = False


def is_go_json(value: Any) -> bool:
    """Whether this is one event of the stream."""
    return isinstance(value, dict) and isinstance(value.get("Action"), str)


def read_go_json(name: str, data: bytes) -> TestReport:
    """Recount a stream of one event a line. Raises ReportFault."""
    recount, packages = Recount(), dict[str, _Package]()
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            _event(_parsed(number, line), packages, recount)
    for package, state in packages.items():
        if state.running or not state.ended:
            recount.broke(f"{package} ran and did not end")
    return recount.report(name, FORMAT)


def _parsed(number: int, line: bytes) -> Any:
    try:
        value = read_json(line)
    except ReportFault as fault:
        raise ReportFault(f"line {number}: {fault}") from fault
    if not is_go_json(value):
        raise ReportFault(f"line {number} is no event of go test")
    return value


def _event(event: dict[str, Any], packages: dict[str, _Package], recount: Recount) -> None:
    package, test, action = str(event.get("Package", "")), event.get("Test"), event["Action"]
    if "ImportPath" in event:  # of a build; a package that it breaks fails by itself
        return
    state = packages.setdefault(package, _Package())
    if not isinstance(test, str):
        _end_package(package, action, state, recount)
    elif "/" not in test:
        _test(package, test, action, state, recount)


def _test(package: str, test: str, action: str, state: _Package, recount: Recount) -> None:
    if action == "run":
        state.running.add(test)
        state.ended = False
    elif (outcome := _ENDS.get(action)) is not None:
        state.running.discard(test)
        state.failed += outcome is Outcome.FAILED
        recount.add(package, test, outcome, f"{package}.{test}")


def _end_package(package: str, action: str, state: _Package, recount: Recount) -> None:
    if action not in _ENDS:
        return
    state.ended = True
    if action == "fail" and not state.failed:
        recount.broke(f"{package} failed")
