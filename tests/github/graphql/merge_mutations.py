"""Mutations that merge, or ask for a merge: at once, by the queue, or as soon as nothing is in the way."""

from __future__ import annotations

from typing import Any

from tests.github import auto_merge, merge_queue
from tests.github.graphql.targets import Input, Targets
from tests.github.rest.merge import merge_now
from tests.github.rest.pulls import merge_base_into_head


class MergeMutations(Targets):
    """Rights are checked by the operations themselves: merging needs `contents`, not `pull_requests`."""

    async def merge_pull_request(self, input: Input) -> Any:  # noqa: A002 - the argument's name
        view = await self.find(input["pullRequestId"], "PullRequest")
        self.require(view.home, "contents")
        options = {
            "sha": input.get("expectedHeadOid"),
            "commit_title": input.get("commitHeadline"),
            "commit_message": input.get("commitBody"),
        }
        method = input["mergeMethod"].lower()
        await merge_now(self.graph.github, view.home, view.record, self.graph.actor, method, options)
        return self.payload(input, pullRequest=view)

    async def update_pull_request_branch(self, input: Input) -> Any:  # noqa: A002
        view = await self.pull(input["pullRequestId"])
        expected = input.get("expectedHeadOid")
        await merge_base_into_head(self.graph.github, view.home, view.record, self.actor, expected)
        return self.payload(input, pullRequest=view)

    async def enqueue_pull_request(self, input: Input) -> Any:  # noqa: A002
        view = await self.find(input["pullRequestId"], "PullRequest")
        expected, jump = input.get("expectedHeadOid"), bool(input.get("jump"))
        await merge_queue.enqueue(self.graph.github, view.home, view.record, self.graph.actor, expected, jump)
        return self.payload(input, mergeQueueEntry=view.merge_queue_entry())

    async def dequeue_pull_request(self, input: Input) -> Any:  # noqa: A002
        view = await self.find(input["id"], "PullRequest")
        branch = view.queue_branch()
        entry = await merge_queue.dequeue(self.graph.github, view.home, view.record, self.graph.actor)
        gone = self.graph.view("MergeQueueEntry", view.home, entry, branch)
        return self.payload(input, mergeQueueEntry=gone)

    async def enable_pull_request_auto_merge(self, input: Input) -> Any:  # noqa: A002
        view = await self.find(input["pullRequestId"], "PullRequest")
        await auto_merge.enable(
            self.graph.github,
            view.home,
            view.record,
            self.graph.actor,
            input["mergeMethod"].lower(),
            expected_head=input.get("expectedHeadOid"),
            title=input.get("commitHeadline"),
            body=input.get("commitBody"),
        )
        return self.payload(input, pullRequest=view)

    async def disable_pull_request_auto_merge(self, input: Input) -> Any:  # noqa: A002
        view = await self.find(input["pullRequestId"], "PullRequest")
        self.require(view.home, "contents")
        await auto_merge.disable(self.graph.github, view.home, view.record, self.graph.actor)
        return self.payload(input, pullRequest=view)
