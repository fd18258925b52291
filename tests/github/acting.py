"""What people and Apps do in a built world, for tests and the demonstration: pushing, opening, reviewing, commenting.

Repositories are named by their record or by `owner/name`, people and bots by their login. Everything takes the same
path as a request: records change, events are published, webhooks go out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.github.build import Building
from tests.github.events import ZERO, InstallationChanged, PullRequestChanged, RulesetChanged
from tests.github.git import Files, Person
from tests.github.operations import issues, pulls, pushes, reviews
from tests.github.rule_defaults import completed
from tests.github.state import App, Comment, Installation, Issue, PullRequest, Repository, Review, Ruleset, Stack


class Acting(Building):
    """The part of SimulatedGitHub that changes a world as its users would."""

    async def push(
        self,
        repository: Repository | str,
        branch: str,
        files: Files,
        *,
        author: str | Person = "ada",
        message: str = "Change",
        pusher: str | None = None,
        committer: str | Person | None = None,
        parents: Sequence[str] | None = None,
        base: str | None = None,
    ) -> str:
        """Commits `files` (None removes a path) on `branch` and pushes; the new commit's id.

        A new branch starts at `base` (default: the default branch). Other `parents` than the tip make it a forced push.
        """
        repo = self.repo(repository)
        git = self._hub.git(repo)
        who = self.person(author) if isinstance(author, str) else author
        by = self.person(committer) if isinstance(committer, str) else committer
        if parents is None:
            tip = await git.rev_parse(f"refs/heads/{branch}") or await git.rev_parse(
                f"refs/heads/{base or repo.default_branch}"
            )
            parents = [tip] if tip else []
        commit = await git.commit_files(files, message, who, at=self.world.now(), parents=parents, committer=by)
        login = pusher or (author if isinstance(author, str) else "ada")
        await pushes.update_ref(self._hub, repo, f"refs/heads/{branch}", commit, login)
        return commit

    async def delete_branch(self, repository: Repository | str, branch: str, actor: str) -> None:
        await pushes.update_ref(self._hub, self.repo(repository), f"refs/heads/{branch}", ZERO, actor)

    async def open_pull(
        self,
        repository: Repository | str,
        head: str,
        base: str = "main",
        title: str = "A change",
        body: str | None = None,
        author: str = "ada",
        *,
        draft: bool = False,
    ) -> PullRequest:
        repo = self.repo(repository)
        return await pulls.open_pull(
            self._hub, repo, head=head, base=base, title=title, body=body, author=author, draft=draft
        )

    def pull(self, repository: Repository | str, number: int) -> PullRequest:
        return self.repo(repository).pulls[number]

    async def edit_pull(
        self,
        repository: Repository | str,
        number: int,
        actor: str,
        *,
        title: str | None = None,
        body: str | None = None,
        base: str | None = None,
    ) -> None:
        repo = self.repo(repository)
        await pulls.edit_pull(self._hub, repo, repo.pulls[number], actor, title=title, body=body, base=base)

    async def close_pull(self, repository: Repository | str, number: int, actor: str) -> None:
        repo = self.repo(repository)
        await pulls.close_pull(self._hub, repo, repo.pulls[number], actor)

    async def reopen_pull(self, repository: Repository | str, number: int, actor: str) -> None:
        repo = self.repo(repository)
        await pulls.reopen_pull(self._hub, repo, repo.pulls[number], actor)

    async def set_draft(self, repository: Repository | str, number: int, actor: str, *, draft: bool) -> None:
        repo = self.repo(repository)
        await pulls.set_draft(self._hub, repo, repo.pulls[number], actor, draft=draft)

    async def review(
        self, repository: Repository | str, number: int, user: str, event: str = "APPROVE", body: str = ""
    ) -> Review:
        """`event` is APPROVE, REQUEST_CHANGES or COMMENT."""
        repo = self.repo(repository)
        return await reviews.submit_review(self._hub, repo, repo.pulls[number], user, event, body)

    async def dismiss_review(
        self, repository: Repository | str, number: int, review: Review, actor: str, message: str = "dismissed"
    ) -> None:
        repo = self.repo(repository)
        await reviews.dismiss_review(self._hub, repo, repo.pulls[number], review, actor, message)

    async def open_issue(
        self, repository: Repository | str, title: str, body: str | None, author: str, labels: Sequence[str] = ()
    ) -> Issue:
        repo = self.repo(repository)
        return await issues.open_issue(self._hub, repo, title=title, body=body, author=author, labels=labels)

    async def comment(
        self, repository: Repository | str, number: int, user: str, body: str, *, through: App | None = None
    ) -> Comment:
        """`through` is an App that writes in the user's name."""
        repo = self.repo(repository)
        return await issues.create_comment(self._hub, repo, repo.issues[number], user, body, through=through)

    async def add_labels(self, repository: Repository | str, number: int, actor: str, *names: str) -> None:
        repo = self.repo(repository)
        await issues.add_labels(self._hub, repo, repo.issues[number], actor, names)

    async def set_ruleset(
        self,
        repository: Repository | str,
        name: str,
        rules: Sequence[dict[str, Any]],
        *,
        include: Sequence[str] = ("~DEFAULT_BRANCH",),
        enforcement: str = "active",
        bypass_actors: Sequence[dict[str, Any]] = (),
        actor: str = "ada",
    ) -> Ruleset:
        """Creates the branch ruleset `name`, or replaces it."""
        repo = self.repo(repository)
        now = self.world.now()
        old = next((r for r in repo.rulesets.values() if r.name == name), None)
        conditions = {"ref_name": {"include": list(include), "exclude": []}}
        ruleset = Ruleset(
            id=old.id if old else self.world.new_id(),
            name=name,
            target="branch",
            enforcement=enforcement,
            conditions=conditions,
            rules=completed(rules),
            bypass_actors=list(bypass_actors),
            created_at=old.created_at if old else now,
            updated_at=now,
        )
        repo.rulesets[ruleset.id] = ruleset
        await self._hub.publish(RulesetChanged(repo, ruleset, "edited" if old else "created", actor))
        return ruleset

    def stack(self, repository: Repository | str, numbers: Sequence[int]) -> Stack:
        """Declares open pull requests, bottom to top, as one stack on the base of the lowest."""
        repo = self.repo(repository)
        lowest = repo.pulls[numbers[0]]
        stack = Stack(self.world.new_id(), len(repo.stacks) + 1, lowest.base_ref, list(numbers))
        repo.stacks[stack.id] = stack
        for number in numbers:
            repo.pulls[number].stack_id = stack.id
        return stack

    async def announce_stack(self, repository: Repository | str, stack: Stack, actor: str) -> None:
        """Sends the webhook `pull_request.stacked` for each member."""
        repo = self.repo(repository)
        for number in stack.pulls:
            await self._hub.publish(PullRequestChanged(repo, repo.pulls[number], "stacked", actor))

    async def announce_installation(self, installation: Installation, action: str, actor: str) -> None:
        """Sends the `installation` webhook: created, deleted, suspend, unsuspend, new_permissions_accepted."""
        await self._hub.publish(InstallationChanged(installation, action, actor))
