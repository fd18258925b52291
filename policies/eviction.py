"""Why GitHub's merge queue let go of a pull request, in words, with the next step. Pure.

GitHub's words differ between the webhook (`CI_FAILURE`) and the timeline (`failed_checks`); words that are not known
are shown as they are. Source: the `reason` of https://docs.github.com/webhooks/webhook-events-and-payloads#pull_request
"""

from __future__ import annotations

from dataclasses import dataclass

from policies.escape import code, inert

MOST_NAMED = 5

_PUSH = "push a commit that mends it: the gate enqueues the new head once its checks are green"
_AGAIN = "a person with write permission may comment `/requeue`"
_WHY = {
    "ci_failure": "The checks of its merge group failed.",
    "failed_checks": "The checks of its merge group failed.",
    "ci_timeout": "The checks of its merge group did not end in time.",
    "checks_timed_out": "The checks of its merge group did not end in time.",
    "timed_out_checks": "The checks of its merge group did not end in time.",
    "merge_conflict": "It conflicts with what is before it in the queue, or with the target branch.",
    "branch_protections": "A rule of the branch is not satisfied any more.",
    "queue_cleared": "Somebody cleared the queue.",
    "manual": "Somebody took it out.",
    "roll_back": "The queue was rolled back because of another pull request.",
    "git_tree_invalid": "GitHub could not make its merge.",
    "invalid_merge_commit": "GitHub could not make its merge.",
}


@dataclass(frozen=True, slots=True)
class Eviction:
    """`failed` are names of checks that failed on the group; `started` is None where the group was not looked at."""

    reason: str | None = None
    failed: tuple[str, ...] = ()
    started: bool | None = None  # whether any workflow ran on the group


def eviction_notice(eviction: Eviction) -> str:
    """One comment: the cause, and the next command."""
    return f"**Taken out of the merge queue.** {_cause(eviction)}\n\nNext: {_next(eviction)}."


def _cause(eviction: Eviction) -> str:
    word = (eviction.reason or "").casefold()
    if eviction.failed:
        names = ", ".join(code(name, 100) for name in eviction.failed[:MOST_NAMED])
        more = f" and {len(eviction.failed) - MOST_NAMED} more" if len(eviction.failed) > MOST_NAMED else ""
        return f"Failed on its merge group: {names}{more}."
    if word in ("ci_timeout", "checks_timed_out", "timed_out_checks") and eviction.started is False:
        return "No workflow ever started on its merge group, so its checks did not end in time."
    if not word or word == "unknown_removal_reason":
        return "GitHub does not say why."
    return _WHY.get(word) or f"GitHub's reason: {inert(word, 100)}."


def _next(eviction: Eviction) -> str:
    if eviction.started is False and not eviction.failed:
        return f"see that the workflows run on `merge_group`; then {_AGAIN}"
    return f"{_PUSH}; if this change was not at fault, {_AGAIN}"
