"""GitHub's document about a pull request as a snapshot. Pure; what costs further reads is filled in by `observe`."""

from __future__ import annotations

from datetime import datetime

from app.gate.changes import Changes
from app.gate.target import Target
from app.github.models import Actor, GitActor, HeadCommit
from app.github.models import Commit as GitHubCommit
from app.github.pull_models import PullRequest, PullState
from app.keys import PullKey
from checks.accounts import Account, Comment, Commit, CommitIdentity
from checks.branches import BRANCHES
from checks.bundle import find_blocks
from checks.snapshot import Head, Repository, Snapshot
from checks.unread import Unread

LONGEST_MESSAGE = 8192  # characters of a commit message that are judged


def build_snapshot(
    now: datetime,
    key: PullKey,
    state: PullState,
    head: HeadCommit,
    target: Target,
    changes: Changes,
) -> Snapshot:
    pull, repository = state.pull, state.repository
    owner, _, name = repository.name_with_owner.partition("/")
    default = repository.default_branch_ref.name if repository.default_branch_ref else ""
    return Snapshot(
        repository=Repository(key.repository_id, owner, name, BRANCHES + default, repository.is_private),
        number=key.number,
        title=pull.title,
        body=pull.body,
        author=account(pull.author) or Unread("the author's account was deleted"),
        draft=pull.is_draft,
        open=pull.state == "OPEN",
        head=Head(
            head.oid,
            head.tree.oid,
            BRANCHES + pull.head_ref_name,
            pull.head_repository.database_id if pull.head_repository else None,
            committed_at=head.committed_date,
        ),
        base_ref=BRANCHES + pull.base_ref_name,
        target_ref=target.ref,
        target_sha=target.tip.oid,
        merge_base=changes.merge_base,
        diff=changes.diff,
        merge_diff=changes.merge_diff,
        mergeable=changes.mergeable,
        aliases=changes.aliases,
        twins=changes.twins,
        changed_files_total=pull.changed_files,
        commits=_commits(pull),
        comments=_bundle_comments(pull),
        reviews=Unread("not read"),
        runs=Unread("not read"),
        workflows=Unread("not read"),
        check_runs=Unread("not read"),
        observed_at=now,
        labels=tuple(label.name for label in pull.labels.nodes) if pull.labels else (),
        stack=target.stack,
        url=pull.url,
        merge_tree=changes.merge.tree if changes.merge else None,
        body_edited_at=pull.last_edited_at,
        methods_with_body=repository.methods_with_body,
    )


def account(actor: Actor | None) -> Account | None:
    return None if actor is None else Account(actor.login, actor.database_id, actor.type)


def _commits(pull: PullRequest) -> tuple[Commit, ...] | Unread:
    if not pull.commits.complete:
        return Unread(f"GitHub lists {len(pull.commits.nodes)} of {pull.commits.total_count} commits")
    return tuple(_commit(node.commit) for node in pull.commits.nodes)


def _commit(commit: GitHubCommit) -> Commit:
    signature = commit.signature
    return Commit(
        commit.oid,
        commit.message[:LONGEST_MESSAGE],
        _identity(commit.author),
        _identity(commit.committer),
        signature is not None and signature.is_valid,
        signature is not None and signature.was_signed_by_git_hub,
    )


def _identity(actor: GitActor | None) -> CommitIdentity:
    if actor is None:
        return CommitIdentity("", "")
    user = Account(actor.user.login, actor.user.database_id) if actor.user else None
    return CommitIdentity(actor.name or "", actor.email or "", user)


def _bundle_comments(pull: PullRequest) -> tuple[Comment, ...]:
    """Comments of the author that hold a bundle. One that somebody hid (minimised) says nothing."""
    author = pull.author
    return tuple(
        Comment(each.full_database_id, poster, each.body, each.created_at, each.last_edited_at)
        for each in pull.comments.nodes
        if author is not None
        and each.author is not None
        and (each.author.login, each.author.type) == (author.login, author.type)
        and not each.is_minimized
        and find_blocks(each.body)
        and (poster := account(each.author)) is not None
    )
