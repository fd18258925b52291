"""Raw logs of other CI systems are read in a process of their own too. The child is `other_log_child`."""

from __future__ import annotations

import json

from app.ci.builds import Parts
from app.gate.child import run_child
from app.gate.child_request import Child
from app.gate.frames import frames
from app.gate.log_process import ANSWERS
from checks.other_ci_log import System
from checks.runs import JobLog
from checks.unread import Unread

MEMORY_LIMIT = 1024**3  # bytes of address space
TIME_LIMIT = 60.0  # seconds for one job's log
CHILD = Child("app.gate.other_log_child:serve", MEMORY_LIMIT, TIME_LIMIT)


async def read_output(system: System, parts: Parts) -> JobLog | Unread:
    """What the log says; Unread when it is no whole log of that system or cannot be read in the limits."""
    asked = json.dumps({"system": system, "headings": [heading for heading, _ in parts]}).encode()
    answer = await run_child(CHILD, frames((asked, *(raw for _, raw in parts))))
    try:
        return ANSWERS.read(answer)
    except ValueError:
        return Unread("the log could not be parsed within its limits of time and memory")
