"""Commits, the people in them, and GitHub's signature on those that it makes itself."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tests.github.git import Commit, Person
from tests.github.graphql.connections import connect
from tests.github.graphql.git_objects import GitObjectView
from tests.github.graphql.lists import ordered
from tests.github.graphql.view import InRepository, View

TEXT_LIMIT = 512_000  # bytes; GitHub cuts the text of larger blobs


class CommitView(GitObjectView):
    typename = "Commit"

    def signature(self) -> Any:
        """Only what GitHub itself makes (the account web-flow) is signed here."""
        return self.view("GpgSignature", self.record if self.record in self.home.verified_commits else None)

    async def _commit(self) -> Commit:
        return await self.git.commit(self.record)

    async def message(self) -> str:
        return (await self._commit()).message.rstrip("\n")

    async def message_headline(self) -> str:
        return (await self.message()).partition("\n")[0]

    async def message_body(self) -> str:
        return (await self.message()).partition("\n")[2].strip("\n")

    async def author(self) -> GitActorView:
        commit = await self._commit()
        return GitActorView(self.graph, (commit.author, commit.authored_at))

    async def committer(self) -> GitActorView:
        commit = await self._commit()
        return GitActorView(self.graph, (commit.committer, commit.committed_at))

    async def authors(self, **page: Any) -> dict[str, Any]:
        """The author, and whoever a `Co-authored-by` trailer names."""
        commit = await self._commit()
        people = [commit.author, *(p for p in co_authors(commit.message) if p.email != commit.author.email)]
        return connect("authors", [GitActorView(self.graph, (p, commit.authored_at)) for p in people], page)

    async def authored_date(self) -> datetime:
        return (await self._commit()).authored_at

    async def committed_date(self) -> datetime:
        return (await self._commit()).committed_at

    async def authored_by_committer(self) -> bool:
        commit = await self._commit()
        return commit.author == commit.committer

    async def committed_via_web(self) -> bool:
        return (await self._commit()).committer.email == "noreply@github.com"

    async def parents(self, **page: Any) -> dict[str, Any]:
        return connect("parents", self.views("Commit", (await self._commit()).parents), page)

    async def tree(self) -> Any:
        return self.view("Tree", (await self._commit()).tree)

    def tree_url(self) -> str:
        return f"{self.graph.world.base_url.rstrip('/')}/{self.home.full_name}/tree/{self.record}"

    async def additions(self) -> int:
        return sum(change.additions for change in await self._changes())

    async def deletions(self) -> int:
        return sum(change.deletions for change in await self._changes())

    async def changed_files_if_available(self) -> int:
        return len(await self._changes())

    async def _changes(self) -> list[Any]:
        commit = await self._commit()
        return await self.git.diff(commit.parents[0], self.record) if commit.parents else []

    async def file(self, path: str) -> Any:
        entry = await self.git.entry(self.record, path)
        return self.view("TreeEntry", entry)

    async def history(
        self,
        path: str | None = None,
        author: Any = None,
        since: str | None = None,
        until: str | None = None,
        **page: Any,
    ) -> dict[str, Any]:
        shas = await self.git.commits(self.record, limit=100_000, path=path)
        return connect("history", self.views("Commit", shas), page)

    def associated_pull_requests(self, order_by: Any = None, **page: Any) -> dict[str, Any]:
        pulls = [p for p in self.home.pulls.values() if self.record in (p.head_sha, p.merge_commit_sha)]
        return connect("associatedPullRequests", self.views("PullRequest", ordered(pulls, order_by)), page)

    def status(self) -> Any:
        self.graph.permit(self.home, "statuses")
        given = [s for s in self.home.statuses if s.sha == self.record]
        return self.view("Status", self.record) if given else None

    def status_check_rollup(self) -> Any:
        self.graph.permit(self.home, "checks", "statuses")
        given = any(s.sha == self.record for s in self.home.statuses)
        run = any(r.head_sha == self.record for r in self.home.check_runs.values())
        return self.view("StatusCheckRollup", self.record) if given or run else None

    def check_suites(self, filter_by: dict[str, Any] | None = None, **page: Any) -> dict[str, Any]:
        self.graph.permit(self.home, "checks")
        app_id, name = (filter_by or {}).get("appId"), (filter_by or {}).get("checkName")
        named = {run.suite_id for run in self.home.check_runs.values() if name in (None, run.name)}
        suites = [s for s in self.home.suites.values() if s.head_sha == self.record and app_id in (None, s.app_id)]
        kept = [s for s in suites if name is None or s.id in named]
        return connect("checkSuites", self.views("CheckSuite", kept), page)


class SignatureView(InRepository):
    """GitHub's signature on a commit; `record` is the commit's id."""

    typename = "GpgSignature"
    record: str
    is_valid = was_signed_by_git_hub = True
    state = "VALID"
    key_id = "B5690EEEBB952194"
    signature = "-----BEGIN PGP SIGNATURE-----\n\nsimulated\n-----END PGP SIGNATURE-----\n"

    async def _commit(self) -> Commit:
        return await self.git.commit(self.record)

    async def email(self) -> str:
        return (await self._commit()).committer.email

    async def payload(self) -> str:
        return (await self.git.run("cat-file", "commit", self.record)).decode(errors="replace")

    def signer(self) -> Any:
        return self.graph.account("web-flow")

    async def verified_at(self) -> datetime:
        return (await self._commit()).committed_at


def co_authors(message: str) -> list[Person]:
    """People named by `Co-authored-by: Name <mail>` lines."""
    lines = [line for line in message.splitlines() if line.lower().startswith("co-authored-by:")]
    named = [line.partition(":")[2].strip().rstrip(">").partition(" <") for line in lines]
    return [Person(name, email) for name, separator, email in named if separator]


class GitActorView(View):
    """A name and address in a commit; `record` is (Person, time)."""

    typename = "GitActor"
    record: tuple[Person, datetime]

    def name(self) -> str:
        return self.record[0].name

    def email(self) -> str:
        return self.record[0].email

    def date(self) -> datetime:
        return self.record[1]

    def avatar_url(self, size: int | None = None) -> str:
        return f"{self.graph.world.base_url.rstrip('/')}/avatars/u/e?email={self.email()}"

    def user(self) -> Any:
        """The person (never a bot) whom GitHub knows by this address."""
        address = self.email().lower()
        private = address.endswith("@users.noreply.github.com")
        login = address.partition("@")[0].rpartition("+")[2] if private else None
        users = [a for a in self.graph.world.accounts.values() if a.type == "User"]
        found = next((a for a in users if a.login.lower() == login or (a.email or "").lower() == address), None)
        return self.graph.account(found.login) if found else None
