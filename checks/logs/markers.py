"""Lines of the surroundings, not of a test runner: where a step begins, and what says that something went wrong.

They are text that any program can print. A forged one can only make a log less green, never more.
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

_STEP_STARTS = (
    "##[group]Run ",
    "Post job cleanup.",
    "Print service container logs: ",
    "Stop and remove container: ",
    "Cleaning up orphan processes",
)

# Printed by the runner of the job or by the CI system itself: a command or the whole job has failed.
_ENDINGS = re2.compile(
    r"^(?:(?:##\[error\]|Error: )Process completed with exit code -?[0-9]*[1-9][0-9]*\."
    r"|##\[error\]The operation was cancell?ed\."
    r"|##\[error\]The action .* has timed out after "
    r"|##\[error\]The (?:job running on runner|job has exceeded|runner has received|hosted runner|self-hosted runner)"
    r"|Done\. Your build exited with [0-9]*[1-9][0-9]*\."
    r"|The build has been terminated"
    r"|No output has been received in the last )"
)
_ENDING_STARTS = ("##[error]", "Error: Process", "Done. ", "The build ", "No output ")

# Printed by shells, package managers and build tools.
_FAILURES = re2.compile(
    r"^(?:##\[error\]"
    r"|npm ERR! |npm error "
    r"|make(?:\[\d+\])?: \*\*\* "
    r"|\s*ELIFECYCLE\s"
    r"|nox > Session .* failed"
    r"|\s+\S+: FAIL code [0-9]"
    r"|ERROR: InvocationError for command "
    r"|(?:Killed|Terminated|Aborted|Segmentation fault)(?: \(core dumped\))?$"
    r"|(?:E|e)xit (?:code|status):? -?[0-9]*[1-9][0-9]*$"
    r"|error Command failed with exit code [0-9]*[1-9][0-9]*\."
    r"|Command exited with non-zero status "
    r"|error: Recipe .* failed "
    r"|\S+ exited with code -?[0-9]*[1-9][0-9]*$"
    r'|The command ".*" (?:failed and )?exited with [0-9]*[1-9][0-9]*)'
)
_FAILURE_STARTS = ("##[error]", "npm ", "make", "nox > ", "ERROR: ", "Killed", "Terminated", "Aborted", "Segmentation ")
_FAILURE_WORDS = ("exit", "Exit", "ELIFECYCLE", ": FAIL code ", "error: Recipe")


@dataclass(frozen=True, slots=True)
class Marker:
    """A line that says that something failed. `ending`: the CI system itself says so of a step or of the job."""

    line: int
    text: str
    ending: bool


def starts_step(line: str) -> bool:
    """Whether a step of a GitHub job begins here. The log names no steps; the group line is all there is."""
    return line.startswith(_STEP_STARTS)


def marker(number: int, line: str) -> Marker | None:
    """The marker on this line, if any. An exit code of 0 is none: there is no line for success that proves it."""
    if line.startswith(_ENDING_STARTS) and _ENDINGS.match(line):
        return Marker(number, line, ending=True)
    likely = line.startswith(_FAILURE_STARTS) or any(word in line for word in _FAILURE_WORDS)
    if likely and _FAILURES.match(line):
        return Marker(number, line, ending=False)
    return None
