"""The one comment on an eviction names the cause and the next command."""

from __future__ import annotations

import pytest

from policies.eviction import Eviction, eviction_notice

# The words are of GitHub's webhook schema (pull_request.dequeued) and of timelines that were seen in public.
CAUSES = [
    (Eviction("CI_FAILURE"), "The checks of its merge group failed."),
    (Eviction("failed_checks", ("test", "lint")), "Failed on its merge group: `test`, `lint`."),
    (Eviction("failed_checks", tuple("abcdefg")), "Failed on its merge group: `a`, `b`, `c`, `d`, `e` and 2 more."),
    (Eviction("CI_TIMEOUT", started=True), "The checks of its merge group did not end in time."),
    (Eviction("CI_TIMEOUT", started=False), "No workflow ever started on its merge group, so its checks did not end"),
    (Eviction("MERGE_CONFLICT"), "It conflicts with what is before it"),
    (Eviction("QUEUE_CLEARED"), "Somebody cleared the queue."),
    (Eviction("NEW_REASON @team"), "GitHub's reason: `new_reason` `@team`."),
    (Eviction("UNKNOWN_REMOVAL_REASON"), "GitHub does not say why."),
    (Eviction(), "GitHub does not say why."),
]


@pytest.mark.parametrize(("eviction", "cause"), CAUSES)
def test_causes(eviction: Eviction, cause: str) -> None:
    notice = eviction_notice(eviction)
    assert notice.startswith(f"**Taken out of the merge queue.** {cause}")
    assert "`/requeue`" in notice
    assert notice.endswith(".")


def test_a_group_on_which_nothing_ran_is_told_apart_from_one_that_failed() -> None:
    assert "run on `merge_group`" in eviction_notice(Eviction("CI_TIMEOUT", started=False))
    assert "push a commit" in eviction_notice(Eviction("CI_TIMEOUT", ("test",), started=False))
    assert "push a commit" in eviction_notice(Eviction("CI_FAILURE"))
