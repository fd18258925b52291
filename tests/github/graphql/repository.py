"""Repositories, their labels and their list of people."""

from __future__ import annotations

from typing import Any

from tests.github import codeowners, node_ids
from tests.github.access import at_least, permission_of
from tests.github.graphql.connections import connect
from tests.github.graphql.errors import forbidden, not_found
from tests.github.graphql.lists import ordered, pull_state
from tests.github.graphql.view import InRepository, View
from tests.github.state import Issue, Label, PullRequest, Repository


class RepositoryView(View):
    typename = "Repository"
    record: Repository
    record_type = Repository
    description = None
    auto_merge_allowed = property(lambda self: self.record.allow_auto_merge)
    delete_branch_on_merge = False
    has_issues_enabled = has_projects_enabled = has_wiki_enabled = True
    is_archived = is_disabled = is_locked = is_mirror = is_template = False
    merge_commit_message = property(lambda self: self.record.merge_commit_message)
    squash_merge_commit_message = property(lambda self: self.record.squash_merge_commit_message)
    merge_commit_allowed = squash_merge_allowed = rebase_merge_allowed = True
    viewer_default_merge_method = "MERGE"

    def id(self) -> str:
        return node_ids.encode("Repository", self.record.id)

    def database_id(self) -> int:
        return self.record.id

    def address(self) -> str:
        return f"/{self.record.full_name}"

    def name_with_owner(self) -> str:
        return self.record.full_name

    def owner(self) -> Any:
        return self.graph.account(self.record.owner)

    def ssh_url(self) -> str:
        return f"git@{self.graph.world.base_url.partition('//')[2]}:{self.record.full_name}.git"

    def is_private(self) -> bool:
        return self.record.private

    def is_fork(self) -> bool:
        return self.record.fork_of is not None

    def is_in_organization(self) -> bool:
        return self.graph.world.accounts[self.record.owner].type == "Organization"

    def visibility(self) -> str:
        return "PRIVATE" if self.record.private else "PUBLIC"

    def updated_at(self) -> Any:
        return self.record.pushed_at

    def parent(self) -> Any:
        return self.graph.visible(self.graph.world.repositories.get(self.record.fork_of or 0))

    async def is_empty(self) -> bool:
        return not await self.graph.git(self.record).refs("refs/heads/")

    # refs and objects

    async def default_branch_ref(self) -> Any:
        return await self.ref(f"refs/heads/{self.record.default_branch}")

    async def ref(self, qualified_name: str) -> Any:
        names = (
            [qualified_name]
            if qualified_name.startswith("refs/")
            else [f"refs/heads/{qualified_name}", f"refs/tags/{qualified_name}", f"refs/{qualified_name}"]
        )
        for name in names:
            if sha := await self.graph.git(self.record).rev_parse(name):
                return self.graph.view("Ref", self.record, (name, sha))
        return None

    async def refs(
        self, ref_prefix: str, query: str | None = None, direction: str | None = None, order_by: Any = None, **page: Any
    ) -> dict[str, Any]:
        found = await self.graph.git(self.record).refs(ref_prefix)
        names = sorted(name for name in found if (query or "") in name.removeprefix(ref_prefix))
        return connect("refs", [self.graph.view("Ref", self.record, (name, found[name])) for name in names], page)

    async def object(self, expression: str | None = None, oid: str | None = None) -> Any:
        """A revision as git writes it (`main`, `refs/heads/main:path`, `HEAD:`) or an object id."""
        self.graph.permit(self.record, "contents")
        return await self._object(expression or oid or "")

    async def _object(self, revision: str) -> Any:
        git = self.graph.git(self.record)
        sha = await git.rev_parse(revision)
        kind = await git.object_type(sha) if sha else None
        return None if kind is None else self.graph.view(kind.capitalize(), self.record, sha)

    async def codeowners(self, ref_name: str | None = None) -> dict[str, Any] | None:
        """What is wrong with it as far as people are concerned."""
        self.graph.permit(self.record, "contents")
        for path in (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"):
            blob = await self.graph.git(self.record).rev_parse(f"{ref_name or self.record.default_branch}:{path}")
            if blob is not None:
                text = (await self.graph.git(self.record).blob(blob)).decode()
                return {"errors": codeowners.unknown_owners(self.graph.world, self.record, path, text)}
        return None

    # pull requests, issues, labels

    def pull_request(self, number: int) -> Any:
        self.graph.permit(self.record, "pull_requests")
        found = self.record.pulls.get(number)
        if found is None:
            raise not_found(f"Could not resolve to a PullRequest with the number of {number}.")
        return self.graph.view("PullRequest", self.record, found)

    def issue(self, number: int) -> Any:
        self.graph.permit(self.record, "issues")
        if number in self.record.pulls or number not in self.record.issues:
            raise not_found(f"Could not resolve to an Issue with the number of {number}.")
        return self.graph.view("Issue", self.record, self.record.issues[number])

    def issue_or_pull_request(self, number: int) -> Any:
        if number in self.record.pulls:
            return self.pull_request(number)
        if number not in self.record.issues:
            raise not_found(f"Could not resolve to an issue or pull request with the number of {number}.")
        return self.issue(number)

    def pull_requests(
        self,
        states: list[str] | None = None,
        labels: list[str] | None = None,
        head_ref_name: str | None = None,
        base_ref_name: str | None = None,
        order_by: dict[str, str] | None = None,
        **page: Any,
    ) -> dict[str, Any]:
        self.graph.permit(self.record, "pull_requests")

        def wanted(pull: PullRequest) -> bool:
            named = head_ref_name in (None, pull.head_ref) and base_ref_name in (None, pull.base_ref)
            labelled = labels is None or bool(set(labels) & set(pull.issue.labels))
            return named and labelled and (states is None or pull_state(pull) in states)

        found = ordered([p for p in self.record.pulls.values() if wanted(p)], order_by)
        return connect("pullRequests", [self.graph.view("PullRequest", self.record, p) for p in found], page)

    def issues(
        self,
        states: list[str] | None = None,
        labels: list[str] | None = None,
        filter_by: dict[str, Any] | None = None,
        order_by: dict[str, str] | None = None,
        **page: Any,
    ) -> dict[str, Any]:
        self.graph.permit(self.record, "issues")
        filters = filter_by or {}

        def wanted(issue: Issue) -> bool:
            if issue.number in self.record.pulls or (states is not None and issue.state.upper() not in states):
                return False
            if filters.get("createdBy") not in (None, issue.user):
                return False
            asked = labels or filters.get("labels")
            return asked is None or bool(set(asked) & set(issue.labels))

        found = ordered([i for i in self.record.issues.values() if wanted(i)], order_by)
        return connect("issues", [self.graph.view("Issue", self.record, i) for i in found], page)

    def label(self, name: str) -> Any:
        found = self.record.labels.get(name)
        return None if found is None else self.graph.view("Label", self.record, found)

    def labels(self, query: str | None = None, order_by: Any = None, **page: Any) -> dict[str, Any]:
        found = [label for label in self.record.labels.values() if (query or "") in label.name]
        return connect("labels", [self.graph.view("Label", self.record, label) for label in found], page)

    # rules

    def branch_protection_rules(self, **page: Any) -> dict[str, Any]:
        """None: the simulated GitHub protects branches by rulesets alone."""
        return connect("branchProtectionRules", [], page)

    def rulesets(self, include_parents: bool = True, targets: list[str] | None = None, **page: Any) -> dict[str, Any]:
        found = [r for r in self.record.rulesets.values() if targets is None or r.target.upper() in targets]
        return connect("rulesets", [self.graph.view("RepositoryRuleset", self.record, r) for r in found], page)

    def ruleset(self, database_id: int, include_parents: bool = True) -> Any:
        found = self.record.rulesets.get(database_id)
        return None if found is None else self.graph.view("RepositoryRuleset", self.record, found)

    def merge_queue(self, branch: str | None = None) -> Any:
        self.graph.permit(self.record, "merge_queues", "pull_requests")
        view = self.graph.view("MergeQueue", self.record, branch or self.record.default_branch)
        return view if view.parameters() is not None else None

    # people

    def viewer_permission(self) -> str | None:
        """Null for an App, whose rights are not a person's."""
        if self.graph.actor.kind != "user":
            return None
        held = permission_of(self.graph.world, self.record, self.graph.actor.login)
        return None if held == "none" else held.upper()

    def viewer_can_administer(self) -> bool:
        return self.viewer_permission() == "ADMIN"

    def collaborators(
        self, affiliation: str | None = None, login: str | None = None, query: str | None = None, **page: Any
    ) -> dict[str, Any]:
        if not self.graph.may(self.record, "metadata", "read") or self.graph.actor.kind == "anonymous":
            raise forbidden()
        world = self.graph.world
        users = [a for a in world.accounts.values() if a.type == "User" and login in (None, a.login)]
        held = {a.login: permission_of(world, self.record, a.login) for a in users if (query or "") in a.login}
        listed = [
            name for name, level in held.items() if at_least(level, "triage") or name in self.record.collaborators
        ]
        views = [self.graph.account(name) for name in listed]
        return connect("collaborators", views, page, edge=lambda view: {"permission": held[view.record.login].upper()})

    def assignable_users(self, query: str | None = None, **page: Any) -> dict[str, Any]:
        world = self.graph.world
        users = [a for a in world.accounts.values() if a.type == "User" and (query or "") in a.login]
        able = [a for a in users if at_least(permission_of(world, self.record, a.login), "triage")]
        return connect("assignableUsers", [self.graph.account(a.login) for a in able], page)


class LabelView(InRepository):
    typename = "Label"
    record: Label
    record_type = Label
    is_default = False

    def id(self) -> str:
        return node_ids.encode("Label", self.record.id)

    def created_at(self) -> Any:
        return self.home.created_at

    def updated_at(self) -> Any:
        return self.home.created_at
