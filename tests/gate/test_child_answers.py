"""What a child that was taken over says costs its reader little more than its bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from app.gate.analysis import ANALYSIS
from app.gate.analysis import ANSWERS as ANALYSES
from app.gate.child_answers import MOST_VALUES
from app.gate.log_process import ANSWERS as LOGS
from app.gate.report_process import ANSWERS as REPORTS
from checks.job_log import read_job_log_stream
from checks.tampering.alteration import Analysis
from checks.unread import Unread

LOG = read_job_log_stream([b"Ran 3 tests in 0.001s\n\nOK\n"])
READER = """
import resource, sys
from app.gate import analysis, log_process, report_process
read = {"log": log_process._read, "reports": report_process._read, "analysis": analysis._read}[sys.argv[1]]
answer = sys.stdin.buffer.read()
limit = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + 300_000)
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
print(type(read(answer)).__name__)
"""


def test_what_is_said_is_read() -> None:
    assert LOGS.read(json.dumps(asdict(LOG)).encode()) == LOG
    assert LOGS.read(b'{"because": "it is none"}') == Unread("it is none")
    assert REPORTS.read_with_any_text(b"[]") == ()
    assert ANALYSES.read_with_any_text(ANALYSIS.dump_json(Analysis(()))) == Analysis(())


@pytest.mark.parametrize("answer", [b"", b"{", b"[" * 10_000, b"[{}]", b"\xff", b'{"because": "\\ud800"}', b"9" * 5000])
def test_what_is_none_is_an_error(answer: bytes) -> None:
    for read in (LOGS.read, ANALYSES.read_with_any_text):
        with pytest.raises((ValueError, RecursionError)):
            read(answer)


def test_more_values_than_any_child_has_to_say_are_not_read() -> None:
    with pytest.raises(ValueError, match="more than"):
        LOGS.read(b"[" + b"[]," * MOST_VALUES + b"[]]")


@pytest.mark.parametrize("item", ["{}", "1", "[]", '{"a":1}', "[[[]]]"])
@pytest.mark.parametrize(
    ("of", "field"), [("log", "summaries"), ("log", "commands"), ("reports", ""), ("analysis", "")]
)
def test_many_wrong_items_take_no_more_memory_than_right_ones(of: str, field: str, item: str) -> None:
    items = "[" + ",".join([item] * 400_000) + "]"
    whole = asdict(LOG)
    answer = items
    if of == "log":
        holder = whole["report"] if field in whole["report"] else whole
        holder[field] = "ITEMS"
        answer = json.dumps(whole).replace('"ITEMS"', items)
    elif of == "analysis":
        answer = f'{{"alterations": {items}}}'
    command = (sys.executable, "-c", READER, of)
    run = subprocess.run(command, input=answer.encode(), capture_output=True, check=False, timeout=60)
    assert run.stdout == b"Unread\n", run.stderr[-500:]
