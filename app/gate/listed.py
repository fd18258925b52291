"""What a listing of open pull requests says against what the last looks at them saw. Pure.

GitHub stamps a pull request and the check suites of its head with the time of their last change. The gate keeps the
newest stamp that a look saw, so the resync asks for whole pull requests only where something happened since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from app.github.models import CheckSuite
from app.github.pull_models import OpenPull, PullRequest, SuiteStamp
from app.priorities import BRANCH_MOVED, CHANGED, NEVER_SEEN, UNCHANGED
from app.store.pulls import Stamps
from checks.branches import BRANCHES

SAME_MOMENT = timedelta(seconds=10)
"""GitHub's stamps have whole seconds: a look so soon after one may have come before a second change in that second."""


def changed_at(updated_at: datetime, suites: Iterable[CheckSuite | SuiteStamp], own_app_id: int) -> datetime:
    """The newest of GitHub's stamps; suites of our own change with what we write and say nothing."""
    others = [suite for suite in suites if suite.app is None or suite.app.database_id != own_app_id]
    return max([updated_at, *(suite.updated_at for suite in others)])


def priorities(
    listed: Sequence[OpenPull],
    known: Mapping[int, Stamps],
    own_app_id: int,
    *,
    complete: bool,
    every_change_is_told: bool,
    unchanged: int,
) -> dict[int, int]:
    """Pull request number to the priority of the look that it needs; those that need none are left out.

    `complete`: the listing is all that is open, so what is known and not listed was closed. `every_change_is_told` by
    webhooks; else a change in the second of the last look may have been missed by it. Of what is unchanged, the
    `unchanged` ones that were looked at longest ago are looked at too.
    """
    found: dict[int, int] = {}
    calm: list[int] = []
    for pull in listed:
        stamps = known.get(pull.number)
        priority = NEVER_SEEN if stamps is None else _priority(pull, stamps, own_app_id, every_change_is_told)
        if priority is None:
            calm.append(pull.number)
        else:
            found[pull.number] = priority
    missing = known.keys() - {pull.number for pull in listed}
    if complete:
        found |= dict.fromkeys(missing, CHANGED)
    else:
        calm += missing
    calm.sort(key=lambda number: (known[number].seen_at, number))
    return found | dict.fromkeys(calm[:unchanged], UNCHANGED)


def _priority(pull: OpenPull, stamps: Stamps, own_app_id: int, every_change_is_told: bool) -> int | None:
    place = (stamps.head_sha, stamps.base_ref)
    if stamps.changed_at is None or place != (pull.head_ref_oid, BRANCHES + pull.base_ref_name):
        return CHANGED
    newest = changed_at(pull.updated_at, pull.suites, own_app_id)
    if newest > stamps.changed_at or (stamps.queued and pull.merge_queue_entry is None):
        return CHANGED
    if not every_change_is_told and stamps.seen_at - newest < SAME_MOMENT:
        return CHANGED
    return None if pull.target_sha == stamps.target_sha else BRANCH_MOVED


def stamp_of(pull: PullRequest, own_app_id: int) -> datetime:
    """The newest stamp of a pull request that was read whole."""
    suites: Sequence[CheckSuite] = ()
    if pull.head_commit is not None and pull.head_commit.check_suites is not None:
        suites = pull.head_commit.check_suites.nodes
    return changed_at(pull.updated_at, suites, own_app_id)
