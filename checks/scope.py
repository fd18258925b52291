"""Whether the change stays within its ticket, and whether the whole of it was seen."""

from __future__ import annotations

from collections.abc import Iterator

from checks.diff import ChangedFile, Diff, FileStatus
from checks.finding import Evidence, Finding, Fix, errored, failed, passed, pending, skipped
from checks.paths import PathPatterns
from checks.snapshot import Snapshot, Stack, Ticket
from checks.unread import Unread

SCOPE, COMPLETE, STACK = "scope", "scope.complete", "scope.stack"
_SHOWN = 10


def check(snapshot: Snapshot) -> tuple[Finding, ...]:
    """Findings `scope` (skipped without a ticket), `scope.complete`, and of a stack's upper layer `scope.stack`."""
    if isinstance(snapshot.diff, Unread):
        return (_unread(SCOPE, "changed files", snapshot.diff),)
    in_stack = snapshot.base_ref != snapshot.target_ref
    total = None if in_stack else snapshot.changed_files_total
    return (_within(snapshot.diff, snapshot.ticket), _whole(snapshot.diff, total), *_on_top(snapshot.stack))


def _unread(check: str, what: str, unread: Unread) -> Finding:
    reason = f"The {what} could not be read: {unread.because}."
    if unread.offline:
        return pending(check, reason, fix=Fix("open-pull-request", "Open a pull request; only GitHub knows that."))
    return errored(check, reason, fix=Fix("wait", "Nothing to do; the gate looks again by itself."))


def _within(diff: Diff, ticket: Ticket | None) -> Finding:
    if ticket is None:
        return skipped(SCOPE, "There is no ticket that limits the paths.")
    try:
        allowed, forbidden = PathPatterns(ticket.allowed_paths), PathPatterns(ticket.forbidden_paths)
    except ValueError as error:
        fix = Fix("ask-person", "Ask the ticket's owner to correct its paths and accept it again.")
        return errored(SCOPE, f"The paths of ticket {ticket.id} cannot be read: {error}.", fix=fix)
    outside = list(_outside(diff, allowed, forbidden))
    if not outside:
        return passed(SCOPE, f"All {len(diff.files)} changed files are within ticket {ticket.id}.")
    listed = "; ".join(f"`{path}` {why}" for path, why in outside[:_SHOWN])
    more = f"; and {len(outside) - _SHOWN} more" if len(outside) > _SHOWN else ""
    evidence = tuple(Evidence(why, path=path) for path, why in outside[:_SHOWN])
    fix = Fix("push", "Take these changes out, or ask the ticket's owner for a wider scope.")
    return failed(SCOPE, f"Outside ticket {ticket.id}: {listed}{more}.", *evidence, fix=fix)


def _outside(diff: Diff, allowed: PathPatterns, forbidden: PathPatterns) -> Iterator[tuple[str, str]]:
    """Both sides of a rename or copy are looked at: what leaves a place changes it too."""
    for path in dict.fromkeys(path for file in diff.files for path in file.paths):
        pattern = forbidden.first_match(path)
        if pattern is not None:
            yield path, f"is forbidden by `{pattern}`"
        elif allowed.patterns and not allowed.matches_exactly(path):
            yield path, "is not among the allowed paths"


def _on_top(stack: Stack | None) -> tuple[Finding, ...]:
    """A layer stands on those below it as they are now: merging it merges them too."""
    if stack is None or stack.below == ():
        return ()
    if isinstance(stack.below, Unread):
        return (_unread(STACK, "layers of the stack", stack.below),)
    moved = [layer for layer in stack.below if not layer.held]
    if not moved:
        numbers = ", ".join(f"#{layer.number}" for layer in stack.below)
        return (passed(STACK, f"It stands on the layers below it as they are now: {numbers}."),)
    at = Evidence(f"pull request {moved[0].number}", digest=moved[0].head_sha)
    reason = f"Layer #{moved[0].number} below it moved on; this one does not hold its commits."
    fix = Fix("update-branch", "Rebase the stack from the lowest layer that moved, and push.")
    return (pending(STACK, reason, at, fix=fix),)


def _whole(diff: Diff, total: int | Unread | None) -> Finding:
    """`total` is None for a layer of a stack: GitHub counts its own changes, git those up to the stack's base."""
    if not diff.complete:
        fix = Fix("split-pull-request", "Split the change into smaller pull requests.")
        return errored(COMPLETE, "The changed files could not be listed as a whole.", fix=fix)
    if total is None:
        return passed(COMPLETE, f"Git lists {len(diff.files)} changed files up to the base of the stack.")
    if isinstance(total, Unread):
        return _unread(COMPLETE, "number of changed files", total)
    least, most = _possible_totals(diff.files)
    if least <= total <= most:
        return passed(COMPLETE, f"GitHub and git agree on {len(diff.files)} changed files.")
    reason = f"GitHub counts {total} changed files, git lists {len(diff.files)}, so the change was not seen as a whole."
    return errored(COMPLETE, reason, fix=Fix("wait", "Nothing to do; the gate looks again by itself."))


def _possible_totals(files: tuple[ChangedFile, ...]) -> tuple[int, int]:
    """The least and the largest count that another detection of renames could give for the same change."""
    status = [file.status for file in files]
    pairs = min(status.count(FileStatus.ADDED), status.count(FileStatus.REMOVED))
    return len(files) - pairs, len(files) + status.count(FileStatus.RENAMED)
