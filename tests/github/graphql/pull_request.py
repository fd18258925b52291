"""Pull requests: what they are, their ends and their state. Lists that hang on them are in `pull_lists.py`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tests.github import mergeability, queue_entries
from tests.github.access import at_least, permission_of
from tests.github.git import FileChange
from tests.github.graphql.lists import pull_state
from tests.github.graphql.pull_lists import PullListsView
from tests.github.operations import mergeable
from tests.github.state import PullRequest, Repository

MERGEABLE = {True: "MERGEABLE", False: "CONFLICTING", None: "UNKNOWN"}


class PullRequestView(PullListsView):
    typename = "PullRequest"
    record: PullRequest
    record_type = PullRequest

    def address(self) -> str:
        return f"/{self.home.full_name}/pull/{self.record.number}"

    def permalink(self) -> str:
        return self.url()

    def checks_resource_path(self) -> str:
        return f"{self.address()}/checks"

    def checks_url(self) -> str:
        return f"{self.url()}/checks"

    def state(self) -> str:
        return pull_state(self.record)

    def is_draft(self) -> bool:
        return self.record.draft

    def merged(self) -> bool:
        return self.record.merged_at is not None

    def merged_by(self) -> Any:
        return self.graph.account(self.record.merged_by)

    # the two ends

    def head_ref_name(self) -> str:
        return self.record.head_ref

    def head_ref_oid(self) -> str:
        return self.record.head_sha

    def _head_home(self) -> Repository | None:
        return self.graph.world.repositories.get(self.record.head_repository_id or 0)

    def head_repository(self) -> Any:
        return self.graph.visible(self._head_home())

    def head_repository_owner(self) -> Any:
        home = self._head_home()
        return self.graph.account(home.owner) if home else None

    async def head_ref(self) -> Any:
        """Null when the branch or its repository is gone."""
        repository = self.head_repository()
        return await repository.ref(f"refs/heads/{self.record.head_ref}") if repository else None

    def is_cross_repository(self) -> bool:
        return self.record.head_repository_id != self.home.id

    def base_ref_name(self) -> str:
        return self.record.base_ref

    def base_ref_oid(self) -> str:
        return self.record.base_sha

    def base_repository(self) -> Any:
        return self.repository()

    async def base_ref(self) -> Any:
        return await self.repository().ref(f"refs/heads/{self.record.base_ref}")

    # merging

    async def mergeable(self) -> str:
        return MERGEABLE[await mergeable.visible(self.graph.github, self.home, self.record)]

    async def merge_state_status(self) -> str:
        """DRAFT is no more a state of its own for clients; GitHub says BLOCKED for drafts."""
        state = (await self.graph.github.mergeable_state(self.home, self.record)).upper()
        return "BLOCKED" if state == "DRAFT" else state

    def merge_commit(self) -> Any:
        return self.view("Commit", self.record.merge_commit_sha if self.merged() else None)

    async def potential_merge_commit(self) -> Any:
        """The test merge that refs/pull/N/merge points to."""
        if self.record.issue.state == "closed":
            return None
        return self.view("Commit", await self.git.rev_parse(f"refs/pull/{self.record.number}/merge"))

    def queue_branch(self) -> str:
        """The branch whose queue it may enter; of a stack that is the stack's base."""
        return mergeability.target_branch(self.home, self.record)

    def merge_queue(self) -> Any:
        view = self.view("MergeQueue", self.queue_branch())
        return view if view.parameters() is not None else None

    def is_merge_queue_enabled(self) -> bool:
        return self.merge_queue() is not None

    def is_in_merge_queue(self) -> bool:
        return queue_entries.find(self.home, self.record) is not None

    def merge_queue_entry(self) -> Any:
        entry = queue_entries.find(self.home, self.record)
        return entry and self.graph.view("MergeQueueEntry", self.home, entry, self.queue_branch())

    def auto_merge_request(self) -> Any:
        return self.view("AutoMergeRequest", self.record if self.record.auto_merge else None)

    # reviews

    def review_decision(self) -> str | None:
        return mergeability.review_decision(self.graph.github, self.home, self.record)

    def viewer_latest_review(self) -> Any:
        mine = [r for r in self.record.reviews if r.user == self.graph.actor.login]
        return self.graph.view("PullRequestReview", self.home, mine[-1], self.record) if mine else None

    # checks, size

    def status_check_rollup(self) -> Any:
        return self.view("Commit", self.record.head_sha).status_check_rollup()

    async def changed_files(self) -> int:
        return len(await self.changes())

    async def additions(self) -> int:
        return sum(change.additions for change in await self.changes())

    async def deletions(self) -> int:
        return sum(change.deletions for change in await self.changes())

    async def changes(self) -> list[FileChange]:
        """Against the merge base, as GitHub shows a pull request."""
        start = await mergeable.fork_point(self.graph.github, self.home, self.record)
        return await self.git.diff(start, self.record.head_sha)

    def updated_at(self) -> datetime:
        return self.text.updated_at

    # what the viewer may do

    def _viewer_may(self, level: Any) -> bool:
        if self.graph.actor.kind == "user":
            return at_least(permission_of(self.graph.world, self.home, self.graph.actor.login), level)
        return self.graph.may(self.home, "pull_requests", "write")

    def viewer_can_update(self) -> bool:
        return self.viewer_did_author() or self._viewer_may("write")

    def viewer_can_update_branch(self) -> bool:
        return self._viewer_may("write")

    def viewer_can_enable_auto_merge(self) -> bool:
        return self._viewer_may("write") and self.home.allow_auto_merge and self.record.auto_merge is None

    def viewer_can_disable_auto_merge(self) -> bool:
        return self._viewer_may("write") and self.record.auto_merge is not None
