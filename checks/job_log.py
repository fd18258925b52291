"""What the gate reads of one job's raw log: test summaries, commands, which commits were checked out, and what the
runner says of itself, its token and its secrets before the first step.

After that any program can print the same words, so only the first part counts for what the runner says.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import re2

from checks.logs.parse import read_log
from checks.logs.report import LogReport
from checks.runs import JobLog

MOST_COMMANDS = 500
LONGEST_COMMAND = 500
MOST_SUMMARIES = 200  # the last ones
MOST_REASONS = 50
MOST_CACHE_KEYS = 50
MOST_PERMISSIONS = 100

_RUN = "##[group]Run "
# Printed by actions/checkout for a pull_request run: the test merge's subject names both parents.
_CHECKED_OUT = re2.compile(r"^HEAD is now at [0-9a-f]{7,64} Merge ([0-9a-f]{40,64}) into ([0-9a-f]{40,64})$")
# https://github.com/actions/runner, src/Runner.Worker/JobExtension.cs: "Set up job". The name only of runners that
# were registered by hand.
_PERMISSIONS = "##[group]GITHUB_TOKEN Permissions"
_PERMISSION = re2.compile(r"^([A-Za-z]\w{0,60}): ([a-z]{1,20})$")
_RUNNER = re2.compile(r"^Runner name: '(.{1,200})'$")
_SECRETS = re2.compile(r"^Secret source: (\S{1,50})$")
# https://github.com/actions/toolkit, packages/cache, and actions/cache: what a step restored.
_CACHE = re2.compile(
    r"^ *(?:Cache restored from key: (.{1,512})|Cache hit for(?: restore-key)?: (.{1,512})"
    r"|Cache hit occurred on the primary key (.{1,512}), not saving cache\.)$"
)
_INTEREST = (
    r"^HEAD is now at |^##\[group\]GITHUB_TOKEN Permissions$|^Runner name: |^Secret source: "
    r"|^ *Cache (?:restored from key|hit for|hit for restore-key|hit occurred on the primary key)"
)


def read_job_log(data: bytes, digest: str) -> JobLog:
    """Read a raw job log; `digest` is `sha256:…` of `data`."""
    return _read([data], lambda: (digest, len(data)))


def read_job_log_stream(chunks: Iterable[bytes]) -> JobLog:
    """The same for a log in chunks of any size, in memory that does not grow with it. Takes all chunks."""
    passed = _Passed(chunks)
    return _read(passed, passed.known)


class _Passed:
    """Chunks on their way: their digest and size are known when all have passed."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._digest = hashlib.sha256()
        self._size = 0

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self._digest.update(chunk)
            self._size += len(chunk)
            yield chunk

    def known(self) -> tuple[str, int]:
        for _ in self:
            """Beyond the limit nobody asks for the rest."""
        return f"sha256:{self._digest.hexdigest()}", self._size


def _read(chunks: Iterable[bytes], known: Callable[[], tuple[str, int]]) -> JobLog:
    facts = _Facts()
    report, steps = read_log(chunks, (_INTEREST, facts))
    digest, size = known()
    return JobLog(
        _shortened(report),
        digest,
        size,
        _commands(steps),
        facts.checked_out,
        token_permissions=None if facts.permissions is None else tuple(facts.permissions),
        secret_source=facts.secret_source,
        runner_name=facts.runner_name,
        cache_keys=tuple(facts.cache_keys),
    )


def _commands(steps: Iterable[str]) -> tuple[str, ...]:
    """Headings are text that a program can print as well."""
    runs = [step.removeprefix(_RUN).strip()[:LONGEST_COMMAND] for step in steps if step.startswith(_RUN)]
    return tuple(runs[:MOST_COMMANDS])


def _shortened(report: LogReport) -> LogReport:
    """What was found was judged as a whole; a log of nothing but summaries must not be carried along as a whole."""
    return replace(report, summaries=report.summaries[-MOST_SUMMARIES:], reasons=report.reasons[:MOST_REASONS])


class _Facts:
    """What stands in the log beside tests; a `Listener`. What is said twice counts as it was said first."""

    def __init__(self) -> None:
        self.checked_out: tuple[str, str] | None = None
        self.permissions: list[tuple[str, str]] | None = None
        self.secret_source: str | None = None
        self.runner_name: str | None = None
        self.cache_keys: dict[str, None] = {}
        self._set_up = True  # no step has begun
        self._listing = False  # inside the list of permissions

    def boundary(self) -> None:
        self._set_up = self._listing = False

    def feed(self, _number: int, line: str) -> bool:
        if self._listing:
            self._permission(line)
        elif checked_out := _CHECKED_OUT.match(line):
            # A job checks out before it runs anything of the pull request.
            self.checked_out = self.checked_out or (checked_out.group(1), checked_out.group(2))
        elif cache := _CACHE.match(line):
            self._cache(cache.group(1) or cache.group(2) or cache.group(3))
        elif self._set_up:
            self._of_runner(line)
        return self._listing

    def _of_runner(self, line: str) -> None:
        if line == _PERMISSIONS and self.permissions is None:
            self.permissions, self._listing = [], True
        elif secrets := _SECRETS.match(line):
            self.secret_source = self.secret_source or secrets.group(1)
        elif runner := _RUNNER.match(line):
            self.runner_name = self.runner_name or runner.group(1)

    def _permission(self, line: str) -> None:
        assert self.permissions is not None
        permission = _PERMISSION.match(line)
        if permission:
            self.permissions.append((permission.group(1), permission.group(2)))
        self._listing = permission is not None and len(self.permissions) < MOST_PERMISSIONS

    def _cache(self, key: str) -> None:
        if len(self.cache_keys) < MOST_CACHE_KEYS:
            self.cache_keys[key] = None
