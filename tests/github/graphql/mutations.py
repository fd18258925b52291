"""The root of mutations: each checks the caller's right as REST does, then calls the operation behind both doors."""

from __future__ import annotations

from typing import Any, Literal

from tests.github.graphql.connections import cursor
from tests.github.graphql.errors import unprocessable
from tests.github.graphql.merge_mutations import MergeMutations
from tests.github.graphql.targets import Input, Targets
from tests.github.graphql.written import REACTIONS
from tests.github.operations import issues, pulls, reviews

MOST_PINNED = 3
REST_REACTIONS = {graphql: rest for rest, graphql in REACTIONS.items()}


class PullMutations(Targets):
    """Pull requests and reviews."""

    async def create_pull_request(self, input: Input) -> Any:  # noqa: A002 - the argument's name
        home = (await self.find(input["repositoryId"], "Repository")).record
        self.require(home, "pull_requests", user="read")
        head = input["headRefName"]
        if input.get("headRepositoryId"):
            source = (await self.find(input["headRepositoryId"], "Repository")).record
            head = f"{source.owner}:{head.rpartition(':')[2]}"
        pull = await pulls.open_pull(
            self.graph.github,
            home,
            head=head,
            base=input["baseRefName"],
            title=input["title"],
            body=input.get("body"),
            author=self.actor,
            draft=bool(input.get("draft")),
        )
        return self.payload(input, pullRequest=self.graph.view("PullRequest", home, pull))

    async def update_pull_request(self, input: Input) -> Any:  # noqa: A002
        view = await self.pull(input["pullRequestId"], user="triage")
        title, body, base = input.get("title"), input.get("body"), input.get("baseRefName")
        await pulls.edit_pull(self.graph.github, view.home, view.record, self.actor, title=title, body=body, base=base)
        if input.get("labelIds") is not None:
            names = [(await self.find(i, "Label")).record.name for i in input["labelIds"]]
            await issues.set_labels(self.graph.github, view.home, view.record.issue, self.actor, names)
        if input.get("assigneeIds") is not None:
            logins = [(await self.find(i, "User")).record.login for i in input["assigneeIds"]]
            await issues.set_assignees(self.graph.github, view.home, view.record.issue, self.actor, logins)
        if input.get("state") is not None:
            change = pulls.close_pull if input["state"] == "CLOSED" else pulls.reopen_pull
            await change(self.graph.github, view.home, view.record, self.actor)
        return self.payload(input, pullRequest=view)

    async def close_pull_request(self, input: Input) -> Any:  # noqa: A002
        view = await self.pull(input["pullRequestId"], user="triage")
        await pulls.close_pull(self.graph.github, view.home, view.record, self.actor)
        return self.payload(input, pullRequest=view)

    async def reopen_pull_request(self, input: Input) -> Any:  # noqa: A002
        view = await self.pull(input["pullRequestId"], user="triage")
        await pulls.reopen_pull(self.graph.github, view.home, view.record, self.actor)
        return self.payload(input, pullRequest=view)

    async def convert_pull_request_to_draft(self, input: Input) -> Any:  # noqa: A002
        return await self._set_draft(input, draft=True)

    async def mark_pull_request_ready_for_review(self, input: Input) -> Any:  # noqa: A002
        return await self._set_draft(input, draft=False)

    async def _set_draft(self, given: Input, *, draft: bool) -> Any:
        view = await self.pull(given["pullRequestId"], user="triage")
        if view.record.issue.state != "open":
            raise unprocessable("Pull request is closed")
        await pulls.set_draft(self.graph.github, view.home, view.record, self.actor, draft=draft)
        return self.payload(given, pullRequest=view)

    async def request_reviews(self, input: Input) -> Any:  # noqa: A002
        view = await self.pull(input["pullRequestId"], user="triage")
        users = [(await self.find(i, "User")).record.login for i in input.get("userIds") or ()]
        teams = [(await self.find(i, "Team")).record.slug for i in input.get("teamIds") or ()]
        await pulls.request_reviewers(self.graph.github, view.home, view.record, self.actor, users, teams)
        return self.payload(input, pullRequest=view)

    async def add_pull_request_review(self, input: Input) -> Any:  # noqa: A002
        view = await self.pull(input["pullRequestId"], user="read")
        event = input.get("event")
        if event == "DISMISS":
            raise unprocessable("A new review cannot be dismissed")
        comments = [*(input.get("comments") or ()), *(input.get("threads") or ())]
        review = await reviews.submit_review(
            self.graph.github,
            view.home,
            view.record,
            self.actor,
            event,
            input.get("body") or "",
            commit_id=input.get("commitOID"),
            comments=comments,
        )
        node = self.graph.view("PullRequestReview", view.home, review, view.record)
        edge = {"cursor": cursor(len(view.record.reviews) - 1), "node": node}
        return self.payload(input, pullRequestReview=node, reviewEdge=edge)

    async def dismiss_pull_request_review(self, input: Input) -> Any:  # noqa: A002
        view = await self.find(input["pullRequestReviewId"], "PullRequestReview")
        self.require(view.home, "pull_requests")
        pull, message = view.subject, input["message"]
        await reviews.dismiss_review(self.graph.github, view.home, pull, view.record, self.actor, message)
        return self.payload(input, pullRequestReview=view)


class IssueMutations(Targets):
    """Issues, comments, labels, reactions."""

    async def create_issue(self, input: Input) -> Any:  # noqa: A002
        home = (await self.find(input["repositoryId"], "Repository")).record
        self.require(home, "issues", user="read")
        title, body = input["title"], input.get("body")
        issue = await issues.open_issue(self.graph.github, home, title=title, body=body, author=self.actor)
        return self.payload(input, issue=self.graph.view("Issue", home, issue))

    async def close_issue(self, input: Input) -> Any:  # noqa: A002
        return await self._set_state(input, "closed")

    async def reopen_issue(self, input: Input) -> Any:  # noqa: A002
        return await self._set_state(input, "open")

    async def _set_state(self, given: Input, state: Literal["open", "closed"]) -> Any:
        view = await self.find(given["issueId"], "Issue")
        own = view.record.user == self.actor and self.graph.actor.kind == "user"
        self.require(view.home, "issues", user="read" if own else "triage")
        await issues.set_issue_state(self.graph.github, view.home, view.record, self.actor, state)
        return self.payload(given, issue=view)

    async def pin_issue(self, input: Input) -> Any:  # noqa: A002
        """At most three a repository: https://docs.github.com/issues/tracking-your-work-with-issues/administering-issues/pinning-an-issue-to-your-repository"""
        view = await self.find(input["issueId"], "Issue")
        self.require(view.home, "issues")
        others = [one for one in view.home.issues.values() if one.pinned and one is not view.record]
        if len(others) >= MOST_PINNED:
            raise unprocessable("Maximum 3 pinned issues per repository")
        view.record.pinned = True
        return self.payload(input, issue=view)

    async def add_comment(self, input: Input) -> Any:  # noqa: A002
        view = await self.conversation(input["subjectId"], "read")
        if not input["body"].strip():
            raise unprocessable("Body cannot be blank")
        comment = await issues.create_comment(self.graph.github, view.home, view.text, self.actor, input["body"])
        node = self.graph.view("IssueComment", view.home, comment, view.text)
        edge = {"cursor": cursor(len(view.text.comments) - 1), "node": node}
        return self.payload(input, commentEdge=edge, timelineEdge=edge, subject=view)

    async def update_issue_comment(self, input: Input) -> Any:  # noqa: A002
        view = await self.find(input["id"], "IssueComment")
        own = view.record.user == self.actor and self.graph.actor.kind == "user"
        self.require(view.home, "issues", "pull_requests", user="read" if own else "write")
        comment, body = view.record, input["body"]
        await issues.edit_comment(self.graph.github, view.home, view.subject, comment, self.actor, body)
        return self.payload(input, issueComment=view)

    async def add_labels_to_labelable(self, input: Input) -> Any:  # noqa: A002
        view = await self.conversation(input["labelableId"], "triage")
        names = [(await self.find(i, "Label")).record.name for i in input["labelIds"]]
        await issues.add_labels(self.graph.github, view.home, view.text, self.actor, names)
        return self.payload(input, labelable=view)

    async def remove_labels_from_labelable(self, input: Input) -> Any:  # noqa: A002
        view = await self.conversation(input["labelableId"], "triage")
        for label_id in input["labelIds"]:
            name = (await self.find(label_id, "Label")).record.name
            await issues.remove_label(self.graph.github, view.home, view.text, self.actor, name)
        return self.payload(input, labelable=view)

    async def add_reaction(self, input: Input) -> Any:  # noqa: A002
        view = await self._reactable(input)
        content = REST_REACTIONS[input["content"]]
        reaction, _ = issues.react(self.graph.github, view.text.reactions, self.actor, content)
        return self._reacted(input, view, reaction)

    async def remove_reaction(self, input: Input) -> Any:  # noqa: A002
        view = await self._reactable(input)
        content = REST_REACTIONS[input["content"]]
        mine = [r for r in view.text.reactions if (r.user, r.content) == (self.actor, content)]
        if not mine:
            raise unprocessable("Reaction does not exist")
        view.text.reactions.remove(mine[0])
        return self._reacted(input, view, mine[0])

    async def _reactable(self, given: Input) -> Any:
        view = await self.find(given["subjectId"], "PullRequest", "Issue", "IssueComment", "PullRequestReviewComment")
        self.require(view.home, "issues", "pull_requests", user="read")
        return view

    def _reacted(self, given: Input, view: Any, reaction: Any) -> Any:
        node = self.graph.view("Reaction", view.home, (reaction, view))
        return self.payload(given, reaction=node, reactionGroups=view.reaction_groups(), subject=view)


class MutationView(PullMutations, IssueMutations, MergeMutations):
    typename = "Mutation"
