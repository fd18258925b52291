"""Other CI systems as witnesses: check runs of their GitHub Apps, which nobody else can post.

Their raw logs are not read, so they vouch for changes of low risk only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checks.finding import Evidence, Finding, Fix, errored, failed, passed, pending
from checks.snapshot import CheckRun, Unread

CHECK = "ci.other"
# Whoever can write a workflow chooses its jobs' names, and their logs are read: they are no witness of this kind.
_ACTIONS = "github-actions"


@dataclass(frozen=True, slots=True)
class Witness:
    """`app` is the slug of a GitHub App, or its id in digits; `checks` are names of check runs that it must post."""

    app: str
    checks: tuple[str, ...]


def check(check_runs: tuple[CheckRun, ...] | Unread, witnesses: tuple[Witness, ...], *, open_: bool) -> list[Finding]:
    """Finding `ci.other` for every check that a witness must post. `open_`: what is missing is still awaited."""
    if isinstance(check_runs, Unread):
        return [_unread(check_runs)] if witnesses else []
    return [_said(check_runs, one.app, name, open_=open_) for one in witnesses for name in one.checks]


def _unread(unread: Unread) -> Finding:
    reason = f"The checks of other CI systems could not be read: {unread.because}."
    if unread.offline:
        return pending(CHECK, reason, fix=Fix("open-pull-request", "Open a pull request; only GitHub has them."))
    return errored(CHECK, reason, fix=_WAIT)


def _said(check_runs: tuple[CheckRun, ...], app: str, name: str, *, open_: bool) -> Finding:
    """By the newest check run of that name."""
    run = max(_of(check_runs, app, name), key=lambda one: one.id, default=None)
    if run is None:
        reason = f"`{app}` has posted no check `{name}` on this head"
        return pending(CHECK, f"{reason} yet.", fix=_WAIT) if open_ else failed(CHECK, f"{reason}.", fix=_START)
    at = Evidence(f"check run {run.id} `{run.name}`")
    if run.status != "completed":
        return pending(CHECK, f"`{name}` of `{app}` is not finished: {run.status}.", at, fix=_WAIT)
    if run.conclusion != "success":
        return failed(CHECK, f"`{name}` of `{app}` ended as {run.conclusion}.", at, fix=_REPAIR)
    return passed(CHECK, f"`{name}` of `{app}` ended as success.", at)


def _of(check_runs: tuple[CheckRun, ...], app: str, name: str) -> Iterator[CheckRun]:
    for run in check_runs:
        if run.name == name and app in (run.app_slug, str(run.app_id)) and run.app_slug != _ACTIONS:
            yield run


_WAIT = Fix("wait", "Nothing to do; the gate looks again by itself.")
_START = Fix("push", "See that the CI system builds this head, or push again.")
_REPAIR = Fix("push", "Read that system's log, repair the cause and push.")
