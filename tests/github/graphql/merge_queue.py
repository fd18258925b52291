"""The merge queue of a branch."""

from __future__ import annotations

from typing import Any

from tests.github import node_ids, queue_entries
from tests.github.graphql.connections import connect
from tests.github.graphql.view import InRepository
from tests.github.state import QueueEntry


class MergeQueueView(InRepository):
    """`record` is the branch's name."""

    typename = "MergeQueue"
    record: str
    next_entry_estimated_time_to_merge = None

    def id(self) -> str:
        return node_ids.encode("MergeQueue", self.home.id, self.record)

    def address(self) -> str:
        return f"/{self.home.full_name}/queue/{self.record}"

    def parameters(self) -> dict[str, Any] | None:
        """Of the rule that makes the queue; None for a branch without one."""
        return queue_entries.parameters(self.graph.github, self.home, self.record)

    def configuration(self) -> dict[str, Any]:
        given = self.parameters() or {}
        return {
            "checkResponseTimeout": given.get("check_response_timeout_minutes"),
            "maximumEntriesToBuild": given.get("max_entries_to_build"),
            "maximumEntriesToMerge": given.get("max_entries_to_merge"),
            "mergeMethod": given.get("merge_method"),
            "mergingStrategy": given.get("grouping_strategy"),
            "minimumEntriesToMerge": given.get("min_entries_to_merge"),
            "minimumEntriesToMergeWaitTime": given.get("min_entries_to_merge_wait_minutes"),
        }

    def entries(self, **page: Any) -> dict[str, Any]:
        views = [
            self.graph.view("MergeQueueEntry", self.home, e, self.record) for e in self.home.queues.get(self.record, [])
        ]
        return connect("entries", views, page)


class MergeQueueEntryView(InRepository):
    typename = "MergeQueueEntry"
    record: QueueEntry
    record_type = QueueEntry
    estimated_time_to_merge = None
    solo = False

    def __init__(self, graph: Any, home: Any, record: QueueEntry, branch: str) -> None:
        super().__init__(graph, home, record)
        self.branch = branch

    def id(self) -> str:
        return node_ids.encode("MergeQueueEntry", self.record.id)

    def position(self) -> int:
        """0 for an entry that has just left."""
        queue = self.home.queues.get(self.branch, [])
        return queue.index(self.record) + 1 if self.record in queue else 0

    def enqueuer(self) -> Any:
        return self.graph.account(self.record.enqueuer)

    def pull_request(self) -> Any:
        return self.view("PullRequest", self.home.pulls[self.record.pull_number])

    def merge_queue(self) -> Any:
        return self.view("MergeQueue", self.branch)

    def base_commit(self) -> Any:
        return self.view("Commit", self.record.base_sha)

    def head_commit(self) -> Any:
        return self.view("Commit", self.record.group_sha)
