"""Making a world in the words of the domain, for tests and the demonstration; `acting.py` goes on from there.

Nothing is published here: what a world starts with has no news value.
"""

from __future__ import annotations

import functools
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.github.git import Files, Git, Person
from tests.github.state import (
    Account,
    AccountType,
    App,
    Installation,
    Permission,
    Repository,
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


@functools.cache
def app_key(number: int) -> tuple[str, bytes]:
    """A private key and its public key, both PEM, of the App with that number in any world of this process.

    Apps of one world have different keys; making one takes as long as a dozen answers.
    """
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
        private, public = app_key(len(self.world.apps))
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
