"""Making and changing a world in the words of the domain, for tests and the demonstration.

Repositories are named by their record or by `owner/name`, people and bots by their login. What is done here takes the
same path as a request: records change, events are published, webhooks go out.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.github.events import ZERO, InstallationChanged, PullRequestChanged, RulesetChanged
from tests.github.git import Files, Git, Person
from tests.github.operations import issues, pulls, pushes, reviews
from tests.github.rule_defaults import completed
from tests.github.state import (
    Account,
    AccountType,
    App,
    Comment,
    Installation,
    Issue,
    Permission,
    PullRequest,
    Repository,
    Review,
    Ruleset,
    Stack,
    Team,
    Token,
    World,
)

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

GITHUB_ACTIONS_APP_ID = 15368  # as on github.com
ACTIONS_PERMISSIONS = {"checks": "write", "contents": "write", "pull_requests": "write", "statuses": "write"}
LONG_TOKEN_LENGTH = 520
HOUR = timedelta(hours=1)


def new_world(root: Path) -> World:
    """An empty world with what GitHub itself brings: the Actions App and the web-flow account."""
    world = World(root=root)
    world.accounts["github"] = Account(9919, "github", "Organization", name="GitHub")
    world.accounts["web-flow"] = Account(19864447, "web-flow", "User", name="GitHub", email="noreply@github.com")
    world.accounts["ghost"] = Account(10137, "ghost", "User")
    app = App(GITHUB_ACTIONS_APP_ID, "github-actions", "GitHub Actions", "github", b"", ACTIONS_PERMISSIONS, [])
    world.apps[app.id] = app
    world.accounts[app.bot_login] = Account(41898282, app.bot_login, "Bot")
    return world


def new_key() -> tuple[str, bytes]:
    """A private key and its public key, both PEM."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public


def new_token(world: World, installation: Installation, *, long: bool | None = None) -> str:
    """An installation token in the long opaque form (2026) or the classic one of 40 characters."""
    if not (world.switches.long_tokens if long is None else long):
        return "ghs_" + secrets.token_hex(18)
    head = f"ghs_{installation.app_id}_"
    body = secrets.token_urlsafe(LONG_TOKEN_LENGTH)[: LONG_TOKEN_LENGTH - len(head)]
    return head + body[:60] + "." + body[61:260] + "." + body[261:]


class Building:
    """The builder's half of SimulatedGitHub."""

    world: World

    @property
    def _hub(self) -> SimulatedGitHub:
        return cast("SimulatedGitHub", self)

    def _account(self, login: str, kind: AccountType, name: str | None = None, email: str | None = None) -> Account:
        found = self.world.accounts.get(login)
        if found is None:
            found = Account(self.world.new_id(), login, kind, name, email, self.world.now())
            self.world.accounts[login] = found
        return found

    def user(self, login: str, name: str | None = None, email: str | None = None) -> Account:
        return self._account(login, "User", name, email)

    def organization(self, login: str, *, owners: Iterable[str] = (), members: Iterable[str] = ()) -> Account:
        account = self._account(login, "Organization")
        for member in (*owners, *members):
            self.user(member)
            self.world.memberships[login, member] = "active"
        self.world.organization_roles |= {(login, owner): "admin" for owner in owners}
        return account

    def team(self, organization: str, slug: str, members: Iterable[str] = (), *, parent: str | None = None) -> Team:
        """A team of active members, who become members of the organisation too."""
        team = Team(self.world.new_id(), organization, slug, parent)
        self.world.teams[organization, slug] = team
        for login in members:
            self.user(login)
            team.members[login] = "active"
            self.world.memberships.setdefault((organization, login), "active")
        return team

    def register_app(
        self,
        slug: str,
        permissions: Mapping[str, str],
        events: Sequence[str],
        webhook_url: str | None = None,
        webhook_secret: str | None = None,
        *,
        owner: str = "github",
    ) -> tuple[App, str]:
        """Registers an App; the second value is its private key, PEM."""
        private, public = new_key()
        app = App(
            id=self.world.new_id(),
            slug=slug,
            name=slug,
            owner=owner,
            public_key_pem=public,
            permissions={"metadata": "read", **permissions},
            events=list(events),
            webhook_url=webhook_url,
            webhook_secret=webhook_secret,
            hook_id=self.world.new_id(),
            created_at=self.world.now(),
        )
        self.world.apps[app.id] = app
        self._account(app.bot_login, "Bot")
        return app, private

    def install(
        self,
        app: App,
        account: str,
        repositories: Iterable[Repository] | None = None,
        *,
        permissions: Mapping[str, str] | None = None,
    ) -> Installation:
        """Installs an App with what it asks for, or with fewer `permissions`; None means all repositories."""
        installation = Installation(
            id=self.world.new_id(),
            app_id=app.id,
            account=account,
            permissions=dict(permissions if permissions is not None else app.permissions),
            events=list(app.events),
            repository_ids=None if repositories is None else {r.id for r in repositories},
        )
        self.world.installations[installation.id] = installation
        return installation

    async def announce_installation(self, installation: Installation, action: str, actor: str) -> None:
        """Sends the `installation` webhook: created, deleted, suspend, unsuspend, new_permissions_accepted."""
        await self._hub.publish(InstallationChanged(installation, action, actor))

    def user_token(self, login: str) -> str:
        value = "ghp_" + secrets.token_hex(18)
        self.world.tokens[value] = Token(value, "user", login)
        return value

    def installation_token(
        self,
        installation: Installation,
        permissions: Mapping[str, str] | None = None,
        repositories: Iterable[Repository] | None = None,
        *,
        long: bool | None = None,
    ) -> str:
        """A token for one hour; the REST route checks what may be asked for, this does not."""
        value = new_token(self.world, installation, long=long)
        self.world.tokens[value] = Token(
            value,
            "installation",
            self.world.apps[installation.app_id].bot_login,
            installation_id=installation.id,
            permissions=dict(installation.permissions if permissions is None else permissions),
            repository_ids=None if repositories is None else {r.id for r in repositories},
            expires_at=self.world.now() + HOUR,
        )
        return value

    async def repository(
        self,
        full_name: str,
        files: Files | None = None,
        *,
        collaborators: Mapping[str, Permission] | None = None,
        teams: Mapping[str, Permission] | None = None,
        private: bool = False,
        default_branch: str = "main",
    ) -> Repository:
        """A repository with one commit of `files` on its default branch (none at all for None)."""
        owner, _, name = full_name.partition("/")
        if owner not in self.world.accounts:
            self.organization(owner)
        number = self.world.new_id()
        repository = Repository(number, owner, name, self.world.root / f"{number}.git", default_branch, private)
        repository.collaborators = dict(collaborators or {})
        repository.teams = dict(teams or {})
        repository.created_at = repository.pushed_at = self.world.now()
        for login in repository.collaborators:
            self.user(login)
        git = Git(repository.git)
        git.init(default_branch)
        self.world.repositories[number] = repository
        if files is not None:
            commit = await git.commit_files(files, "Initial commit", self.person("web-flow"), at=self.world.now())
            await git.update_ref(f"refs/heads/{default_branch}", commit)
            repository.verified_commits.add(commit)
        return repository

    async def fork(self, source: Repository | str, owner: str) -> Repository:
        origin = self.repo(source)
        fork = await self.repository(f"{owner}/{origin.name}", private=origin.private)
        fork.fork_of, fork.default_branch = origin.id, origin.default_branch
        await self._hub.git(fork).fetch(origin.git, "refs/heads/*", "refs/heads/*")
        return fork

    def repo(self, repository: Repository | str) -> Repository:
        """The record of `owner/name`; KeyError when there is none."""
        if isinstance(repository, Repository):
            return repository
        found = self.world.repository(*repository.split("/", 1))
        if found is None:
            raise KeyError(repository)
        return found

    def person(self, login: str) -> Person:
        """Name and address as git commits carry them; unknown logins are strangers with an address of their own."""
        account = self.world.accounts.get(login)
        if account is None:
            return Person(login, f"{login}@example.org")
        return Person(account.name or login, account.email or f"{account.id}+{login}@users.noreply.github.com")

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

    async def comment(self, repository: Repository | str, number: int, user: str, body: str) -> Comment:
        repo = self.repo(repository)
        return await issues.create_comment(self._hub, repo, repo.issues[number], user, body)

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
