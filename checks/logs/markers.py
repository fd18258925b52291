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

STEPS = "|".join(f"^{re2.escape(start)}" for start in _STEP_STARTS)
"""RE2: the lines on which a step may begin."""

# Printed by the runner of the job or by the CI system itself: a command or the whole job has failed.
_ENDING = (
    r"^(?:(?:##\[error\]|Error: )Process completed with exit code -?[0-9]*[1-9][0-9]*\."
    r"|##\[error\]The operation was cancell?ed\."
    r"|##\[error\]The action .* has timed out after "
    r"|##\[error\]The (?:job running on runner|job has exceeded|runner has received|hosted runner|self-hosted runner)"
    r"|Done\. Your build exited with [0-9]*[1-9][0-9]*\."
    r"|The build has been terminated"
    r"|No output has been received in the last )"
)

# Printed by shells, package managers and build tools.
_FAILURE = (
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
    r"|.*\S exited with code -?[0-9]*[1-9][0-9]*$"
    r"|\s*(?:Error: )?ERR_PNPM_|\s*ERROR\s+run failed: command |lerna ERR! |task_runner::run_failed$"
    r"|\s*(?:NX|Lerna \(powered by Nx\))\s+Running target .* failed$"
    r'|The command ".*" (?:failed and )?exited with [0-9]*[1-9][0-9]*)'
)
INTEREST = f"{_ENDING}|{_FAILURE}"
"""RE2: the lines that are markers."""

_ENDINGS = re2.compile(_ENDING)
_KEPT = 200  # characters of a marker's text


@dataclass(frozen=True, slots=True)
class Marker:
    """A line that says that something failed. `ending`: the CI system itself says so of a step or of the job."""

    line: int
    text: str
    ending: bool


def starts_step(line: str) -> bool:
    """Whether a step of a GitHub job begins here. The log names no steps; the group line is all there is."""
    return line.startswith(_STEP_STARTS)


class Markers:
    """Collects them; a `Listener`. An exit code of 0 is none: there is no line for success that proves it."""

    def __init__(self) -> None:
        self.found: list[Marker] = []

    def feed(self, number: int, line: str) -> None:
        self.found.append(Marker(number, line[:_KEPT], ending=_ENDINGS.match(line) is not None))

    def boundary(self) -> None:
        """Steps change nothing here: the judge knows where they begin."""
