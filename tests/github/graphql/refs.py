"""Branches and tags, and the comparison of two."""

from __future__ import annotations

from typing import Any

from tests.github import node_ids
from tests.github.graphql.connections import connect
from tests.github.graphql.lists import ordered, pull_state
from tests.github.graphql.view import InRepository

TEXT_LIMIT = 512_000  # bytes; GitHub cuts the text of larger blobs


class RefView(InRepository):
    """`record` is (full name, object id)."""

    typename = "Ref"
    record: tuple[str, str]
    branch_protection_rule = None  # branches are protected by rulesets alone

    @property
    def branch(self) -> str:
        return self.record[0].removeprefix("refs/heads/")

    def id(self) -> str:
        return node_ids.encode("Ref", self.home.id, self.record[0])

    def prefix(self) -> str:
        return next((p for p in ("refs/heads/", "refs/tags/") if self.record[0].startswith(p)), "refs/")

    def name(self) -> str:
        return self.record[0].removeprefix(self.prefix())

    async def target(self) -> Any:
        kind = await self.git.object_type(self.record[1])
        return self.view((kind or "commit").capitalize(), self.record[1])

    async def compare(self, head_ref: str) -> Any:
        head = await self.git.commit_id(head_ref.rpartition(":")[2])
        return self.view("Comparison", (self.record[1], head)) if head else None

    def rules(self, order_by: Any = None, **page: Any) -> dict[str, Any]:
        rules = self.graph.github.effective_rules(self.home, self.branch)
        return connect("rules", self.views("RepositoryRule", rules), page)

    def associated_pull_requests(
        self,
        states: list[str] | None = None,
        labels: list[str] | None = None,
        head_ref_name: str | None = None,
        base_ref_name: str | None = None,
        order_by: Any = None,
        **page: Any,
    ) -> dict[str, Any]:
        mine = [
            p for p in self.home.pulls.values() if p.head_ref == self.branch and p.head_repository_id == self.home.id
        ]
        wanted = [
            p
            for p in mine
            if (states is None or pull_state(p) in states)
            and base_ref_name in (None, p.base_ref)
            and (labels is None or set(labels) & set(p.issue.labels))
        ]
        return connect("associatedPullRequests", self.views("PullRequest", ordered(wanted, order_by)), page)


class ComparisonView(InRepository):
    """`record` is (base commit, head commit)."""

    typename = "Comparison"
    record: tuple[str, str]

    def id(self) -> str:
        return node_ids.encode("Comparison", self.home.id, *self.record)

    def base_target(self) -> Any:
        return self.view("Commit", self.record[0])

    def head_target(self) -> Any:
        return self.view("Commit", self.record[1])

    async def ahead_by(self) -> int:
        return await self.git.count(f"{self.record[0]}..{self.record[1]}")

    async def behind_by(self) -> int:
        return await self.git.count(f"{self.record[1]}..{self.record[0]}")

    async def status(self) -> str:
        ahead, behind = await self.ahead_by(), await self.behind_by()
        if ahead and behind:
            return "DIVERGED"
        return "AHEAD" if ahead else "BEHIND" if behind else "IDENTICAL"

    async def commits(self, **page: Any) -> dict[str, Any]:
        shas = await self.git.commits(f"{self.record[0]}..{self.record[1]}", limit=100_000)
        emails = {(await self.git.commit(sha)).author.email for sha in shas}
        return connect("commits", self.views("Commit", reversed(shas)), page, more={"authorCount": len(emails)})
