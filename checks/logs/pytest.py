"""pytest's terminal output: plain, quiet, verbose, coloured, xdist, pytest-sugar, old and new wordings.

The closing line is the one thing every mode but `-qq` prints. A session with a header has exactly one; quiet sessions
have no header, so two of them in one step are believed only if each ended its progress line with `[100%]`.
pytest-sugar has its own header and closes with `Results (0.03s):` and a line for each outcome.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import re2

from checks.logs.pytest_lines import LETTERS, closing_parts, collected, outcomes, sugar_part
from checks.logs.report import Reading, Red, Summary

RUNNER = "pytest"

INTEREST = (
    # closing lines, headers, sections, interruptions
    r"^(?:=+ )?(?:\d|no tests )[a-z0-9 ,/()-]* in \d+\.\d+(?:s| seconds)"
    r"|^=+ (?:test session starts|FAILURES|ERRORS|short test summary info) "
    r"|^!{10,} |^!+ (?:Interrupted: |KeyboardInterrupt|stopping after |_pytest\.outcomes\.Exit: )| Timeout \+{10,}$"
    r"|^INTERNALERROR> |Fatal Python error: |^FAIL Required test coverage of |^ERROR: Coverage failure: "
    # progress, numbers of tests, the list of the short test summary
    r"|\[ *\d+%\]$|^\S+\.py [.FEsxX]|^\[gw\d+\] \[ *\d+%\] [A-Z]"
    r"|^(?:collecting \.\.\. )?collected \d|^gw0 \[\d|^\d+ workers? \[\d"
    r"|^(?:PASSED|FAILED|ERROR|SUBFAILED|SKIPPED)[ (\[]"
    # pytest-sugar
    r"|^Test session starts \(platform: |^Results \(\d|^ {3} *\d+ [a-z]+$"
)

_HEADER = re2.compile(r"^=+ test session starts(?: \(.*\))? =+$")
_SUGAR_HEADER = re2.compile(r"^Test session starts \(platform: .*\)$")
_SUGAR_RESULTS = re2.compile(r"^Results \(\d[\d.]*(?:s|m|h)?.*\):$")
_BARE_DOTS = re2.compile(r"^\S+\.py ([.FEsxX]+)(?:Fatal |exit |\s|$|\+{10})")
_WORKER_LINE = re2.compile(r"^\[gw\d+\] \[ *(\d{1,3})%\] (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) ")
_STOPPED = re2.compile(
    r"^(?:!{10,} .+ !{10,}|!+ (?:Interrupted: .*|KeyboardInterrupt|stopping after .*|_pytest\.outcomes\.Exit: .*) !+)$"
)
_RED_SECTION = re2.compile(r"^={5,} (?:FAILURES|ERRORS) ={5,}$")
_LISTING = re2.compile(r"^=+ short test summary info =+$")
_LISTED = re2.compile(r"^(PASSED|FAILED|ERROR|SUBFAILED|SKIPPED)(?: \[(\d{1,9})\]|\(|\[| )")
_THREAD_TIMEOUT = re2.compile(r"\+{10,} Timeout \+{10,}$")

_COLLECT_ONLY = frozenset({"tests collected", "test collected", "no tests collected"})


# pytest draws a rule around the closing line exactly where it prints a header.
_STYLE = "header and closing line do not belong together: the beginning is missing, or something else printed the line"


@dataclass(slots=True)
class _Session:
    line: int
    headed: bool
    collected: int | None = None
    workers: bool = False  # the number is xdist's, which leaves out what was skipped at collection
    at_end: bool = False  # the progress line reached [100%]
    listing: bool = False  # inside the short test summary
    listed: Counter[str] = field(default_factory=Counter)  # its lines, by their first word
    seen: Counter[str] = field(default_factory=Counter)  # outcomes of progress letters and verbose lines
    stopped: bool = False
    crashed: bool = False
    timed_out: bool = False
    red: str | None = None  # what the body of the session says against a green closing line
    sugar: bool = False  # it has pytest-sugar's header
    results: tuple[int, str] | None = None  # pytest-sugar's closing headline, then its lines
    parts: Counter[str] = field(default_factory=Counter)


class PytestReader:
    PLAIN = r"[\w./-]+\.py::[ -~]+ PASSED +\[ {1,2}\d{1,2}%\]"

    def __init__(self) -> None:
        self._session: _Session | None = None
        self._closed: list[Summary] = []
        self._step_start = 0  # index in _closed of this step's first summary
        self._headed = False  # a session of this step had a header
        self._loose = False  # a quiet session of this step closed without [100%]
        self._unfinished: list[Summary] = []
        self._reds: list[Red] = []

    def feed(self, number: int, line: str) -> None:
        if self._sugar(number, line):
            return
        if line[-1] in "s)=" and " in " in line:
            parts = closing_parts(line)
            if parts is not None:
                self._close(number, line, parts)
                return
        if line[0] == "=" and _HEADER.match(line):
            self._header(number)
            return
        self._body(number, line)

    def many(self, number: int, _: bytes, count: int) -> None:
        if self._session is not None and self._session.results is not None:
            self._abandon()
        self._results(number, Counter(passed=count), at_end=False)

    def boundary(self) -> None:
        self._abandon()
        self._step_start, self._headed, self._loose = len(self._closed), False, False

    def finish(self) -> Reading:
        return Reading(tuple(self._closed), tuple(self._unfinished), tuple(self._reds))

    def _header(self, number: int) -> None:
        self._abandon()
        self._session = _Session(number, headed=True)
        self._headed = True

    def _abandon(self) -> None:
        """The open session gets no closing line any more: the process died, or its output was cut."""
        session, self._session = self._session, None
        if session is not None and session.results is not None:
            self._closed.append(_summary(*session.results, session.parts, session))
        elif session is not None:
            self._unfinished.append(_unfinished(session))

    def _sugar(self, number: int, line: str) -> bool:
        """pytest-sugar's own lines; the first that is not a part of its results ends them."""
        session = self._session
        if session is not None and session.results is not None:
            if part := sugar_part(line):
                session.parts += part
                return True
            self._abandon()
        if _SUGAR_HEADER.match(line):
            self._header(number)
            self._open(number).sugar = True
            return True
        if session is not None and session.sugar and _SUGAR_RESULTS.match(line):
            session.results = number, line
            return True
        return False

    def _open(self, number: int) -> _Session:
        """The open session; a quiet one (or one whose head is missing) begins with the first line we recognise."""
        if self._session is None:
            self._session = _Session(number, headed=False)
        return self._session

    def _close(self, number: int, line: str, parts: Counter[str]) -> None:
        known = self._session is not None
        session = self._open(number)
        self._session = None
        summary = _summary(number, line, parts, session)
        if (line[0] == "=") != session.headed:
            summary = _not_green(summary, _STYLE)
        if self._repeats(session, known):
            self._replace_earlier()
            summary = _not_green(summary, "more than one closing line in one pytest session")
        self._loose = self._loose or not (session.headed or session.at_end)
        self._closed.append(summary)

    def _repeats(self, session: _Session, known: bool) -> bool:
        if session.headed or len(self._closed) == self._step_start:
            return False
        return self._headed or self._loose or not (known and session.at_end)

    def _replace_earlier(self) -> None:
        """Only the last closing line of a session is its own; the earlier one was printed by something else."""
        self._closed[-1] = replace(_not_green(self._closed[-1], "another closing line follows it"), counted=False)

    def _body(self, number: int, line: str) -> None:
        last = line[-1]
        if last == "]":
            self._progress(number, line)
        elif line[0] in "=!":
            self._rule(number, line)
        elif last == "+" and _THREAD_TIMEOUT.search(line):
            self._open(number).timed_out = True
            self._session_line(line)
        elif line.startswith("INTERNALERROR> "):
            self._open(number).crashed = True
        elif line.startswith(("FAIL Required test coverage of ", "ERROR: Coverage failure: ")):
            self._reds.append(Red(number, "the required test coverage was not reached"))
        elif "Fatal Python error: " in line:
            self._open(number).crashed = True
            self._session_line(line)
        else:
            self._session_line(line)

    def _progress(self, number: int, line: str) -> None:
        head, _, percent = line[:-2].rpartition("[")
        if not line.endswith("%]") or not percent.strip().isdigit():
            self._session_line(line)
        elif found := outcomes(head):
            self._results(number, found, at_end=percent == "100")

    def _results(self, number: int, found: Counter[str], at_end: bool) -> None:
        session = self._open(number)
        session.at_end = at_end
        session.seen += found
        for outcome in ("failed", "error"):
            if found[outcome]:
                session.red = session.red or f"the progress in line {number} shows a {outcome} test"

    def _rule(self, number: int, line: str) -> None:
        if line[0] == "!":
            if _STOPPED.match(line):
                self._open(number).stopped = True
        elif _RED_SECTION.match(line):
            session = self._open(number)
            session.red = session.red or f"line {number} opens a section of failures"
        elif _LISTING.match(line):
            self._open(number).listing = True

    def _session_line(self, line: str) -> None:
        session = self._session
        if session is None:
            return
        if session.listing and (listed := _LISTED.match(line)):
            session.listed[listed.group(1)] += int(listed.group(2) or 1)
        elif session.collected is None and ("collected " in line or line.startswith("gw0 [") or " workers" in line):
            session.collected, session.workers = collected(line), not line.startswith("coll")
        elif ".py " in line and (dots := _BARE_DOTS.match(line)):
            session.seen.update(LETTERS[letter] for letter in dots.group(1))
        elif line.startswith("[gw") and (done := _WORKER_LINE.match(line)):
            session.seen[LETTERS[done.group(2)]] += 1


def _summary(number: int, line: str, parts: Counter[str], session: _Session) -> Summary:
    reasons = tuple(_reasons(parts, session))
    parts = _believed(parts, session.listed)
    return Summary(
        runner=RUNNER,
        line=number,
        text=line[:300],
        passed=parts["passed"],
        failed=parts["failed"],
        errors=parts["error"] + session.crashed,
        skipped=parts["skipped"],
        green=not reasons,
        reasons=reasons,
        interrupted=session.stopped,
        deselected=parts["deselected"],
        flaky=parts["rerun"] + parts["reruns"],
        xfailed=parts["xfailed"],
        xpassed=parts["xpassed"],
    )


def _reasons(parts: Counter[str], session: _Session) -> list[str]:
    reasons = []
    if red := parts["failed"] + parts["error"] + session.crashed:
        reasons.append(f"{red} failed or broke")
    elif _listed_reds(session.listed):
        reasons.append("the closing line names no failure, but the short test summary lists some")
    elif session.red:
        reasons.append(f"the closing line names no failure, but {session.red}")
    elif lost := _disagreement(parts, session):
        reasons.append(lost)
    if session.stopped:
        reasons.append("the session was stopped before its end")
    if not parts["passed"]:
        reasons.append("only collected, nothing ran" if _COLLECT_ONLY & parts.keys() else "no test passed")
    return reasons


def _believed(parts: Counter[str], listed: Counter[str]) -> Counter[str]:
    """The counts to report. A closing line that denies failures which the listing names is not believed."""
    if parts["failed"] or parts["error"] or not _listed_reds(listed):
        return parts
    believed = parts | Counter(failed=listed["FAILED"] + listed["SUBFAILED"], error=listed["ERROR"])
    if listed["PASSED"]:  # the run was asked for every outcome (-rA)
        believed["passed"], believed["skipped"] = listed["PASSED"], listed["SKIPPED"]
    return believed


def _listed_reds(listed: Counter[str]) -> int:
    return listed["FAILED"] + listed["ERROR"] + listed["SUBFAILED"]


def _disagreement(parts: Counter[str], session: _Session) -> str | None:
    """Collected items must all have an outcome. Skipped subtests are counted as skipped beside their test."""
    if session.collected is None or session.stopped:
        return None
    ended = sum(parts[word] for word in ("passed", "skipped", "xfailed", "xpassed"))
    subtests = any(word.startswith("subtest") for word in parts)
    skips = parts["skipped"] if session.workers else 0
    if ended - skips <= session.collected <= ended or (subtests and ended > session.collected):
        return None
    return f"{session.collected} tests were collected, but the closing line accounts for {ended}"


def _unfinished(session: _Session) -> Summary:
    return Summary(
        runner=RUNNER,
        line=session.line,
        text="",
        passed=session.seen["passed"],
        failed=session.seen["failed"] + session.timed_out,
        errors=session.seen["error"] + session.crashed,
        skipped=session.seen["skipped"],
        green=False,
        reasons=("the pytest session has no closing line",),
        interrupted=session.stopped,
        xfailed=session.seen["xfailed"],
        xpassed=session.seen["xpassed"],
    )


def _not_green(summary: Summary, reason: str) -> Summary:
    return replace(summary, green=False, reasons=(*summary.reasons, reason))
