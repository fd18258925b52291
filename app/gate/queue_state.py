"""What is known about merging a pull request: its place, who wants it merged, and whether merging is frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from app.gate import rights
from app.gate.effects import QUEUE, Effect, LeaveQueue, ReleaseTurn
from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.observation import AskedRequeue, QueueState, Wish
from app.gate.observe import Look
from app.gate.serial_plan import MERGEABLE
from app.gate.stacks import below_is_green
from app.github import graph, reads
from app.github.client import GitHubClient
from app.github.errors import NotFound
from app.github.models import Comment
from app.github.pull_models import PullRequest
from app.keys import GroupKey, PullKey
from app.store import check_runs, pulls, requeues, serial, work
from app.store.database import Connection
from app.store.requeues import DoneRequeue
from app.store.work import Mark
from checks.accounts import Permission
from checks.branches import BRANCHES
from checks.snapshot import Stack
from policies.eviction import Eviction
from policies.freeze import FreezingIssue, Frozen, frozen
from policies.load import PolicyState
from policies.queue_section import Freeze
from policies.schema import Policy
from policies.serial import Place, Requeue, place_of, requeue_of

PASSING = ("SUCCESS", "NEUTRAL", "SKIPPED")
MOST_ASKED = 5  # comments carried out at one look; the next look goes on
NOT_ALLOWED = "`/requeue` needs write permission on the repository."
NO_JUMP = "`/requeue jump` is for those whom the policy's `queue.jump` names."
NOT_NATIVE = "`/requeue jump` is for the gate's serial queue; GitHub's own lets only administrators jump, by its page."
OTHER_HEAD = "It was written before the gate had seen this head; read what was pushed, and ask again."
NO_EXCEPTION = "`/requeue despite-freeze` is for those whom the policy's `queue.freeze.exceptions` names."


async def read_queue_state(gate: Gate, seen: Look, stack: Stack | None) -> QueueState:
    """Raises GitHub's errors: a freeze that could not be read is none that may be passed."""
    client, repository, policy = gate.client(seen.key.installation_id), seen.repository, seen.target.policy.policy
    async with gate.database.transaction() as connection:
        is_serial = await serial_in_force(connection, repository.id, seen.target.policy)
        entries = await serial.of_target(connection, repository.id, seen.target.ref)
        own = await serial.find(connection, repository.id, seen.key.number)
        done = await requeues.of_pull(connection, repository.id, seen.key.number)
    others = [entry for entry in entries if entry.number != seen.key.number]
    wish = newest_wish(seen.pull, done)
    passes = wish is not None and wish.despite_freeze
    return QueueState(
        serial=is_serial,
        external=policy.queue.kind == "external",
        place=place_of([*others, *([own] if own else [])], seen.key.number),
        wish=wish,
        asked=await _asked(client, repository, seen, done),
        frozen=None if passes else await read_frozen(gate, client, repository, seen.target.policy.policies),
        below_green=await below_is_green(gate, repository.id, stack),
        eviction=await _eviction(client, repository, seen),
        grouping=None if is_serial else await _grouping(client, repository, seen),
        method=policy.queue.method,
    )


async def left_behind(gate: Gate, key: PullKey) -> QueueState:
    """The place that a pull request still has in the queue of a branch that it was given before this one, which is not
    gated."""
    async with gate.database.transaction() as connection:
        entry = await serial.find(connection, key.repository_id, key.number)
    return QueueState(place=None if entry is None else Place(entry))


async def _eviction(client: GitHubClient, repository: RepositoryName, seen: Look) -> Eviction | None:
    """What there is to say about an entry of ours that is gone.

    A merge is a removal too, and shows a moment before; without any removal GitHub's answer lags behind.
    """
    row, removal = seen.memory.row, seen.pull.newest_removal
    ours = row.enqueued_entry is not None and row.enqueued_head == seen.head.oid
    if not ours or seen.pull.merge_queue_entry or ("eviction", row.enqueued_entry) in seen.memory.notices:
        return None
    if removal is None or (removal.reason or "").casefold() in ("merged", "merge", "already_merged"):
        return None
    reason = removal.reason
    if removal.before_commit is None:
        return Eviction(reason)
    try:
        group = await graph.commit_state(client, repository.owner, repository.name, removal.before_commit.oid)
    except NotFound:
        return Eviction(reason)
    suites = group.check_suites.nodes if group.check_suites else ()
    runs = [run for suite in suites for run in (suite.check_runs.nodes if suite.check_runs else ())]
    failed = tuple(run.name for run in runs if run.conclusion is not None and run.conclusion not in PASSING)
    return Eviction(reason, failed, any(suite.workflow_run is not None for suite in suites))


async def _grouping(client: GitHubClient, repository: RepositoryName, seen: Look) -> str | None:
    """Asked only when nothing else is in the way of enqueueing."""
    if seen.pull.merge_queue is None or seen.pull.merge_queue_entry or seen.pull.merge_state_status not in MERGEABLE:
        return None
    branch = seen.target.ref.removeprefix(BRANCHES)
    rules = await reads.branch_rules(client, repository.owner, repository.name, branch)
    words = [
        str((rule.parameters or {}).get("grouping_strategy")) for rule in rules.items if rule.type == "merge_queue"
    ]
    return "HEADGREEN" if "HEADGREEN" in words else next(iter(words), None)


async def watch_group(gate: Gate, seen: Look) -> None:
    """A merge group of this pull request that nobody told us of is looked at: without our answer the queue stands."""
    entry, key = seen.pull.merge_queue_entry, seen.key
    if entry is None or entry.head_commit is None:
        return
    group = GroupKey(key.installation_id, key.repository_id, entry.head_commit.oid, seen.target.ref)
    async with gate.database.transaction() as connection:
        if await pulls.find_group(connection, key.repository_id, group.head_sha) is None:
            await work.mark(connection, [Mark(str(group), news=False)])


async def out_of_queue(gate: Gate, key: PullKey) -> tuple[Effect, ...]:
    """For a closed pull request, whose check was seen to before."""
    async with gate.database.transaction() as connection:
        entry = await serial.find(connection, key.repository_id, key.number)
    if entry is None:
        return ()
    released = [] if entry.held_sha is None else [ReleaseTurn(key.number, entry.target_ref, entry.held_sha)]
    left = [] if entry.state == "gone" else [LeaveQueue(key.number, entry.target_ref, "It is closed.")]
    return (*left, *released)


async def serial_in_force(connection: Connection, repository_id: int, state: PolicyState) -> bool:
    """A policy that is broken does not say. Where the gate's queue was in force it stays so, or the required check
    would be missing on the very pull request that repairs the policy."""
    if state.origin in ("broken", "unread"):
        return await check_runs.is_known(connection, repository_id, QUEUE)
    return state.policy.queue.kind == "serial"


async def read_frozen(
    gate: Gate, client: GitHubClient, repository: RepositoryName, policies: Sequence[Policy]
) -> Frozen | None:
    """What freezes merging by one of the policies that judge: the first one's word, if it has any."""
    for policy in policies:
        found = await _frozen_by(policy.queue.freeze, gate, client, repository)
        if found is not None:
            return found
    return None


async def _frozen_by(freeze: Freeze, gate: Gate, client: GitHubClient, repository: RepositoryName) -> Frozen | None:
    issues: tuple[FreezingIssue, ...] = ()
    if freeze.label:
        listing = await reads.labelled_issues(client, repository.owner, repository.name, freeze.label)
        issues = tuple(FreezingIssue(issue.number, issue.title) for issue in listing.items)
    return frozen(freeze, gate.now(), issues)


def newest_wish(pull: PullRequest, done: Sequence[DoneRequeue]) -> Wish | None:
    """Auto-merge switched on by a person, or a `/requeue` that was carried out on this head. An App's is no wish.

    The comment must still stand as it was written: whoever edits or deletes it takes the wish back.
    """
    comments = {comment.full_database_id: comment for comment in pull.comments.nodes}
    wishes = [
        Wish(one.login, one.done_at, one.jump, one.despite_freeze)
        for one in done
        if one.refused is None and one.head_sha == pull.head_ref_oid and _still_says(pull, comments, one)
    ]
    auto = pull.auto_merge_request
    if auto is not None and auto.enabled_at is not None and auto.enabled_by and auto.enabled_by.type == "User":
        wishes.append(Wish(auto.enabled_by.login, auto.enabled_at))
    return max(wishes, key=lambda wish: wish.at, default=None)


def _still_says(pull: PullRequest, comments: Mapping[int, Comment], done: DoneRequeue) -> bool:
    """Of a comment beyond a cut list nobody knows, and what was carried out stands."""
    comment = comments.get(done.comment_id)
    return not pull.comments.complete if comment is None else comment.last_edited_at is None


async def _asked(
    client: GitHubClient, repository: RepositoryName, seen: Look, done: Sequence[DoneRequeue]
) -> tuple[AskedRequeue, ...]:
    """Commands of people in new comments. An edited comment asks for nothing: nobody knows who edited it to what."""
    known = {one.comment_id for one in done}
    new = [(comment, command) for comment, command in _commands(seen.pull) if comment.full_database_id not in known]
    head_seen_at = seen.memory.row.head_seen_at
    policies = seen.target.policy.policies
    return tuple([await _judged(client, repository, policies, *one, head_seen_at) for one in new[:MOST_ASKED]])


def _commands(pull: PullRequest) -> list[tuple[Comment, Requeue]]:
    return [
        (comment, command)
        for comment in pull.comments.nodes
        if comment.is_persons_word
        if (command := requeue_of(comment.body)) is not None
    ]


async def _judged(
    client: GitHubClient,
    repository: RepositoryName,
    policies: Sequence[Policy],
    comment: Comment,
    command: Requeue,
    head_seen_at: datetime | None,
) -> AskedRequeue:
    """An exception is for the head that stood there when it was asked for, not for one that was pushed right after."""
    assert comment.author is not None
    login = comment.author.login
    refused = await _refused(client, repository, policies, login, command)
    is_older = head_seen_at is None or comment.created_at < head_seen_at
    if refused is None and is_older and (command.jump or command.despite_freeze):
        refused = OTHER_HEAD
    return AskedRequeue(comment.full_database_id, login, command.jump, command.despite_freeze, refused)


async def _refused(
    client: GitHubClient, repository: RepositoryName, policies: Sequence[Policy], login: str, command: Requeue
) -> str | None:
    """An exception from a freeze must be one to every policy that freezes; the queue itself is the repository's."""
    policy = policies[0]
    if await rights.permission(client, repository, login) < Permission.WRITE:
        return NOT_ALLOWED
    if command.jump and policy.queue.kind != "serial":
        return NOT_NATIVE
    if command.jump and not await rights.is_named(client, repository, login, policy.queue.jump):
        return NO_JUMP
    freezes = [each.queue.freeze for each in policies if each is policy or each.queue.freeze.freezes]
    for freeze in freezes if command.despite_freeze else ():
        if not await rights.is_named(client, repository, login, freeze.exceptions):
            return NO_EXCEPTION
    return None
