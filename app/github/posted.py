"""Which checks and statuses were posted lately, whoever posted them: with a person's token, for `mergegate doctor`."""

from __future__ import annotations

from app.github import documents
from app.github.client import GitHubClient
from app.github.errors import NotFound
from app.github.models import Connection, Model


class _App(Model):
    database_id: int | None = None


class _Suite(Model):
    app: _App | None = None


class Context(Model):
    """A check run has `name` and its suite's App, a commit status `context` alone."""

    name: str | None = None
    check_suite: _Suite | None = None
    context: str | None = None

    @property
    def key(self) -> tuple[str, int | None]:
        app = self.check_suite.app if self.check_suite else None
        return self.name or self.context or "", app.database_id if app else None


class _Rollup(Model):
    contexts: Connection[Context]


class _Commit(Model):
    status_check_rollup: _Rollup | None = None


class _Node(Model):
    commit: _Commit


class _Pull(Model):
    commits: Connection[_Node]


class _Tip(Model):
    target: _Commit | None


class _PostedRepository(Model):
    default_branch_ref: _Tip | None
    pull_requests: Connection[_Pull]


class _PostedAnswer(Model):
    repository: _PostedRepository | None


class PostedChecks(Model):
    """Names of checks with their App: on the default branch's tip, and on each of the newest pull requests' heads."""

    on_tip: frozenset[tuple[str, int | None]]
    on_pulls: tuple[frozenset[tuple[str, int | None]], ...]
    complete: bool


async def posted_checks(client: GitHubClient, owner: str, name: str, branch: str) -> PostedChecks:
    """What was posted on the tip of the default branch and for the pull requests into `branch`, up to a hundred checks
    of a commit. Raises NotFound."""
    variables = {"owner": owner, "name": name, "branch": branch}
    answer = await client.graphql(
        documents.POSTED_CHECKS, variables, purpose="read:checks", repository=name, model=_PostedAnswer
    )
    found = answer.repository
    if found is None:
        raise NotFound("GraphQL PostedChecks", f"there is no {owner}/{name} that this token may see")
    tip = found.default_branch_ref.target if found.default_branch_ref else None
    heads = [node.commit for pull in found.pull_requests.nodes for node in pull.commits.nodes]
    rollups = [commit.status_check_rollup for commit in (tip, *heads) if commit and commit.status_check_rollup]
    complete = all(rollup.contexts.complete for rollup in rollups)
    return PostedChecks(on_tip=_keys(tip), on_pulls=tuple(map(_keys, heads)), complete=complete)


def _keys(commit: _Commit | None) -> frozenset[tuple[str, int | None]]:
    rollup = commit.status_check_rollup if commit else None
    return frozenset(one.key for one in rollup.contexts.nodes) if rollup else frozenset()
