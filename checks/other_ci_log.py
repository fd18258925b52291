"""What other CI systems put around a program's output, taken off, so that the readers of raw logs can read it.

Buildkite marks every line with an escape sequence for its time, CircleCI keeps the output of each step as a list of
messages, Jenkins writes annotations for its own pages and, with the timestamper plugin, times. Sources:
https://buildkite.com/docs/pipelines/configure/managing-log-output,
https://circleci.com/docs/api/v1/, https://www.jenkins.io/doc/book/using/remote-access-api/ and
https://javadoc.jenkins.io/hudson/console/ConsoleNote.html, https://plugins.jenkins.io/timestamper/.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

System = Literal["buildkite", "circleci", "jenkins"]
LONGEST_HEADING = 500

# Bounded, so linear; none spans a line.
_BUILDKITE_TIME = re.compile(rb"\x1b_bk;t=[0-9]{1,20}\x07")
_JENKINS_NOTE = re.compile(rb"\x1b\[8mha:[^\x1b\r\n]{0,65536}\x1b\[0m")
_JENKINS_TIME = re.compile(rb"^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\] ", re.MULTILINE)
_JENKINS_END = re.compile(rb"(?:^|\n)Finished: [A-Z_]{1,20}\s*\Z")


class NotItsLog(ValueError):
    """The bytes are not a whole log of that system; the message says what is wrong with them."""


def plain_log(system: System, parts: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """Chunks of the log without what the system added. `parts` are headings of steps (may be empty) and raw output.

    Each heading becomes the line with which GitHub's runner begins a step, because what belongs to one step is judged
    together. Raises NotItsLog.
    """
    for heading, raw in parts:
        if heading:
            yield b"##[group]Run " + _one_line(heading)
        yield _PLAIN[system](raw)
        yield b"\n"


def _one_line(heading: str) -> bytes:
    return " ".join(heading[:LONGEST_HEADING].split()).encode("utf-8", "replace") + b"\n"


def _buildkite(raw: bytes) -> bytes:
    return _BUILDKITE_TIME.sub(b"", raw)


def _circleci(raw: bytes) -> bytes:
    """A step's output: `[{"message": "…", "time": "…", "type": "out"}, …]`; the messages are cut anywhere."""
    try:
        messages: Any = json.loads(raw)
    except (ValueError, RecursionError):
        raise NotItsLog("a step's output is no JSON") from None
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise NotItsLog("a step's output is no list of messages")
    texts = [each.get("message") for each in messages]
    if not all(isinstance(text, str) for text in texts):
        raise NotItsLog("a message of a step's output has no text")
    return "".join(texts).encode("utf-8", "replace")


def _jenkins(raw: bytes) -> bytes:
    text = _JENKINS_TIME.sub(b"", _JENKINS_NOTE.sub(b"", raw))
    if _JENKINS_END.search(text[-200:]) is None:
        raise NotItsLog("the console's last line does not say that the build is finished")
    return text


_PLAIN = {"buildkite": _buildkite, "circleci": _circleci, "jenkins": _jenkins}
