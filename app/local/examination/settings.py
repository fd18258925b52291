"""Settings of the repository: what workflows may do, how long checks are kept, classic protection, its policy file."""

from __future__ import annotations

from collections.abc import Iterator

from app.local.examination.facts import CouldNotRead, Facts, Followed, Symptom, unread

# Since 2026-10-01 one setting covers check runs and statuses too, those of Apps included:
# https://github.blog/changelog/2026-10-01-actions-retention-now-covers-checks-runs-and-statuses
TOO_SHORT, SHORT = 2, 14  # days


def symptoms(facts: Facts) -> Iterator[Symptom]:
    yield from _workflows(facts)
    yield from _retention(facts)
    yield from _classic(facts)
    yield from _policy(facts)


# https://docs.github.com/en/rest/actions/permissions#get-default-workflow-permissions-for-a-repository
def _workflows(facts: Facts) -> Iterator[Symptom]:
    permissions = facts.workflow_permissions
    if isinstance(permissions, CouldNotRead):
        yield unread("What workflows may do", permissions, "Administration: read")
        return
    if permissions.get("default_workflow_permissions") != "read":
        what = "Workflows get a token that can write, also those on agents' branches."
        yield Symptom("wrong", what, "Settings, Actions, General: read repository contents.")
    if permissions.get("can_approve_pull_request_reviews") is not False:
        what = "Workflows may approve pull requests."
        yield Symptom("wrong", what, "Settings, Actions, General: do not allow it.")


# https://docs.github.com/en/rest/actions/permissions#get-artifact-and-log-retention-settings-for-a-repository
def _retention(facts: Facts) -> Iterator[Symptom]:
    kept = facts.retention
    if isinstance(kept, CouldNotRead):
        yield unread("How long checks and logs are kept", kept, "Administration: read")
        return
    days = kept.get("days")
    if not isinstance(days, int):
        yield unread("How long checks and logs are kept", CouldNotRead("no days are given"), "Administration: read")
    elif days < SHORT:
        kept_for = "one day" if days == 1 else f"{days} days"
        what = f"Checks, statuses and logs are deleted after {kept_for}: a pull request that waits longer loses them."
        remedy = f"Settings, Actions, General: keep artifacts and logs for {SHORT} days or more."
        yield Symptom("wrong" if days < TOO_SHORT else "odd", what, remedy)


def _classic(facts: Facts) -> Iterator[Symptom]:
    protection = facts.classic_protection
    if isinstance(protection, CouldNotRead):
        yield unread("Classic branch protection", protection, "Administration: read")
    elif protection:
        what = "The default branch has classic protection too; its checks are not pinned unless it says so."
        yield Symptom("odd", what, "Move what it says into the ruleset.")


def _policy(facts: Facts) -> Iterator[Symptom]:
    if isinstance(facts.policy, CouldNotRead):
        yield unread("The policy file", facts.policy, "Contents: read")
    elif isinstance(facts.policy, Followed) and facts.policy.faults:
        what = f"The policy file cannot be used, so nothing of an agent's passes: {facts.policy.faults[0]}"
        yield Symptom("wrong", what, "Repair it; `mergegate policy check` says what it expects.")
