"""The counts that the machine-readable reports of JavaScript's runners have: passed, failed, errors, skipped."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from xml.etree import ElementTree

Counts = tuple[int | None, int | None, int | None, int | None]
"""Passed, failed, errors, skipped, as in the index of the shared logs; None where the log does not tell."""


def vitest_json(text: str) -> Counts:
    """A file that failed without a failed test is an error; a pending test is one that did not run."""
    tests: Counter[str] = Counter()
    errors = 0
    for file in json.loads(text)["testResults"]:
        outcomes = Counter(test["status"] for test in file["assertionResults"])
        tests += outcomes
        errors += file["status"] == "failed" and not outcomes["failed"]
    return tests["passed"], tests["failed"], errors, tests["skipped"]


def jest_json(text: str) -> Counts:
    """As vitest's, but a pending test is a skipped one."""
    passed, failed, errors, _ = vitest_json(text)
    return passed, failed, errors, text.count('"status":"pending"')


def mocha_json(text: str) -> Counts:
    stats = json.loads(text)["stats"]
    return stats["passes"], stats["failures"], 0, stats["pending"]


def junit(text: str) -> Counts:
    """Cases recounted. deno writes steps as cases too, with the test's name before ` > `; bun marks its todo."""
    cases = [case for case in ElementTree.fromstring(text).iter("testcase") if " > " not in case.get("name", "")]
    skips = [case.find("skipped") for case in cases]
    todo = sum(skip is not None and skip.get("message", "").lower() == "todo" for skip in skips)
    skipped = sum(skip is not None for skip in skips) - todo
    failed = sum(case.find("failure") is not None for case in cases)
    return len(cases) - failed - skipped - todo, failed, 0, skipped


def junit_with_errors(text: str) -> Counts:
    """karma has errors at its one suite, lab their sum at the root (and its failures again as errors below)."""
    passed, failed, _, skipped = junit(text)
    return passed, failed, int(ElementTree.fromstring(text).get("errors", "0")), skipped


def node_junit(text: str) -> Counts:
    """The totals at its end: a test with subtests is a suite there, so cases would be too few."""
    totals = {word: int(count) for word, count in re.findall(r"<!-- (\w+) (\d+)", text)}
    return totals["pass"], totals["fail"] + totals["cancelled"], 0, totals["skipped"]


def tap(text: str) -> Counts:
    lines = re.findall(r"^(ok|not ok) \d+ - (?:.*?)( # SKIP| # TODO)?$", text, re.MULTILINE)
    outcomes = Counter(directive or word for word, directive in lines)
    return outcomes["ok"], outcomes["not ok"], 0, outcomes[" # SKIP"]


def jasmine_report(text: str) -> Counts:
    report = json.loads(text)
    specs = Counter(report["specs"])
    return specs["passed"], specs["failed"], report["brokenSuites"], specs["pending"]


def playwright_json(text: str) -> Counts:
    """A test without a result, or one whose result is not what skipping gives, did not run and is in no count."""
    report = json.loads(text)
    outcomes: Counter[str] = Counter()
    suites = list(report["suites"])
    while suites:
        suite = suites.pop()
        suites += suite.get("suites", [])
        for test in (test for spec in suite["specs"] for test in spec["tests"]):
            ran = test["results"] and test["results"][-1]["status"] != "interrupted"
            missing = test["status"] == "skipped" and not (ran and test["expectedStatus"] == "skipped")
            outcomes["did not run" if missing else test["status"]] += 1
    return outcomes["expected"], outcomes["unexpected"], len(report["errors"]), outcomes["skipped"]


REPORTS: dict[str, Callable[[str], Counts]] = {
    "vitest json": vitest_json,
    "jest json": jest_json,
    "mocha json": mocha_json,
    "node junit": node_junit,
    "ava tap": tap,
    "jasmine reporter": jasmine_report,
    "lab junit": junit_with_errors,
    "playwright json": playwright_json,
    "bun junit": junit,
    "deno junit": junit,
    "karma junit": junit_with_errors,
}
