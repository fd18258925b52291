"""The merge queue: whether it is the one that the policy names, and whether its settings clash with each other."""

from __future__ import annotations

from collections.abc import Iterator

from app.local.examination.facts import CouldNotRead, Facts, Followed, Json, Symptom, unread

_METHODS = {"merge": "allow_merge_commit", "squash": "allow_squash_merge", "rebase": "allow_rebase_merge"}
_NEARLY = 0.8  # of the time that the queue waits for checks


def symptoms(facts: Facts) -> Iterator[Symptom]:
    for queue in facts.parameters("merge_queue"):
        yield from _native(facts, queue)
    yield from _kind(facts)
    if facts.kind == "serial" and facts.repository.get("allow_auto_merge") is False:
        what = "Auto-merge is off, so people get into the gate's queue by `/requeue` alone."
        yield Symptom("odd", what, "Settings, General: allow auto-merge.")
    if facts.kind == "serial" and isinstance(facts.policy, Followed):
        yield from _method(facts, facts.policy.method, "The gate's queue")


def _kind(facts: Facts) -> Iterator[Symptom]:
    if facts.kind != "native" and facts.parameters("merge_queue"):
        whose = "the gate's own queue merges" if facts.kind == "serial" else "somebody else merges"
        what = (
            f"The default branch has GitHub's merge queue, and by the policy {whose}: they stand in each other's way."
        )
        yield Symptom("wrong", what, "Write `queue: {kind: native}` in the policy, or take the rule out.")


def _native(facts: Facts, queue: Json) -> Iterator[Symptom]:
    if queue.get("grouping_strategy") != "ALLGREEN":
        what = "The merge queue lets a red pull request ride along with a green one (HEADGREEN)."
        yield Symptom("wrong", what, "Choose `Require all queue entries to pass required checks`.")
    if any(one.get("strict_required_status_checks_policy") for one in facts.parameters("required_status_checks")):
        what = "Branches must be up to date before merging, and there is a merge queue, which does that by itself."
        yield Symptom("odd", what, "Switch off `Require branches to be up to date`.")
    yield from _sizes(queue)
    yield from _method(facts, str(queue.get("merge_method")).lower(), "The merge queue")
    yield from _times(facts, queue)


def _sizes(queue: Json) -> Iterator[Symptom]:
    least, most = queue.get("min_entries_to_merge", 1), queue.get("max_entries_to_merge", 1)
    wait = queue.get("min_entries_to_merge_wait_minutes", 0)
    if least > most:
        what = f"The merge queue waits for {least} pull requests and merges {most} at most: each waits {wait} minutes."
        yield Symptom("wrong", what, "Set the least number of a group to 1.")
    elif least > 1:
        what = f"The merge queue holds a pull request for up to {wait} minutes until there are {least}."
        yield Symptom("odd", what, "Set the least number of a group to 1, unless runs are dear.")


def _method(facts: Facts, method: str, whose: str) -> Iterator[Symptom]:
    """GitHub shows the repository's merge methods to those who may write."""
    lists = [one["allowed_merge_methods"] for one in facts.parameters("pull_request") if "allowed_merge_methods" in one]
    forbidden = facts.repository.get(_METHODS.get(method, "")) is False
    if forbidden or any(method not in allowed for allowed in lists):
        what = f"{whose} merges by `{method}`, which the repository or a rule does not allow."
        yield Symptom("wrong", what, "Allow that method, or choose another one for the queue.")
    if method == "merge" and facts.parameters("required_linear_history"):
        what = f"{whose} makes merge commits, and a rule demands a linear history."
        yield Symptom("wrong", what, "Let the queue squash or rebase, or take the rule out.")


def _times(facts: Facts, queue: Json) -> Iterator[Symptom]:
    allowed, took = queue.get("check_response_timeout_minutes"), facts.group_minutes
    if isinstance(took, CouldNotRead):
        yield unread("How long runs for merge groups take", took, "Actions: read")
    elif took is not None and isinstance(allowed, int) and took > allowed * _NEARLY:
        what = f"The merge queue waits {allowed} minutes for checks, and runs for merge groups took up to {took:.0f}."
        remedy = "Let it wait twice as long as they take (`Status check timeout`)."
        yield Symptom("wrong" if took >= allowed else "odd", what, remedy)
