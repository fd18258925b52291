"""From a node id to its view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.github import node_ids
from tests.github.graphql.errors import not_found
from tests.github.graphql.graph import Graph
from tests.github.node_ids import NodeId
from tests.github.state import Repository, World

GIT_OBJECTS = ("Blob", "Commit", "Tag", "Tree")
BY_COMMIT = ("Status", "StatusCheckRollup")


async def find(graph: Graph, node_id: str) -> Any:
    """The object of this id. Raises NOT_FOUND for an unknown or hidden one, as for text that is no id."""
    view = await _find(graph, node_id)
    if view is None:
        raise not_found(f"Could not resolve to a node with the global id of '{node_id[:100]}'")
    return view


async def _find(graph: Graph, node_id: str) -> Any:
    try:
        wanted = node_ids.decode(node_id)
    except ValueError:
        return None
    if wanted.type in ("User", "Organization", "Bot", "Team", "App", "Repository"):
        return _global(graph, wanted)
    if len(wanted.parts) > 1:
        return await _by_parts(graph, wanted)
    for repository in graph.world.repositories.values():
        if graph.visible(repository) is not None and (view := _in_repository(graph, repository, wanted)):
            return view
    return None


def _global(graph: Graph, wanted: NodeId) -> Any:
    world, number = graph.world, wanted.database_id
    if wanted.type == "Repository":
        return graph.visible(world.repositories.get(number))
    if wanted.type == "App":
        return graph.view("App", world.apps[number]) if number in world.apps else None
    if wanted.type == "Team":
        team = next((team for team in world.teams.values() if team.id == number), None)
        return team and graph.view("Team", team)
    account = _account(world, number, wanted.type)
    return account and graph.view(wanted.type, account)


def _account(world: World, number: int, kind: str) -> Any:
    return next((a for a in world.accounts.values() if (a.id, a.type) == (number, kind)), None)


async def _by_parts(graph: Graph, wanted: NodeId) -> Any:
    """Objects of git, and what has no number of its own."""
    first, name = wanted.parts[0], str(wanted.parts[1])
    home = graph.world.repositories.get(int(first)) if isinstance(first, int) else None
    if home is None or graph.visible(home) is None:
        return None
    if wanted.type == "Ref":
        return await graph.view("Repository", home).ref(name)
    if wanted.type == "MergeQueue":
        return graph.view("Repository", home).merge_queue(name)
    if wanted.type not in (*GIT_OBJECTS, *BY_COMMIT) or await graph.git(home).object_type(name) is None:
        return None
    return graph.view(wanted.type, home, name)


def _in_repository(graph: Graph, home: Repository, wanted: NodeId) -> Any:
    number = wanted.database_id
    candidates = FINDERS.get(wanted.type)
    if candidates is None:
        return None
    found = next((records for records in candidates(home) if records[0].id == number), None)
    return found and graph.view(wanted.type, home, *found)


def _issues(home: Repository) -> Iterator[tuple[Any, ...]]:
    return ((issue,) for number, issue in home.issues.items() if number not in home.pulls)


def _comments(home: Repository) -> Iterator[tuple[Any, ...]]:
    return ((comment, issue) for issue in home.issues.values() for comment in issue.comments)


def _reviews(home: Repository) -> Iterator[tuple[Any, ...]]:
    return ((review, pull) for pull in home.pulls.values() for review in pull.reviews)


def _review_comments(home: Repository) -> Iterator[tuple[Any, ...]]:
    return ((comment, pull) for pull in home.pulls.values() for comment in pull.review_comments)


def _entries(home: Repository) -> Iterator[tuple[Any, ...]]:
    return ((entry, branch) for branch, entries in home.queues.items() for entry in entries)


FINDERS: dict[str, Callable[[Repository], Iterator[tuple[Any, ...]]]] = {
    "PullRequest": lambda home: ((pull,) for pull in home.pulls.values()),
    "Issue": _issues,
    "IssueComment": _comments,
    "PullRequestReview": _reviews,
    "PullRequestReviewComment": _review_comments,
    "MergeQueueEntry": _entries,
    "Label": lambda home: ((label,) for label in home.labels.values()),
    "CheckRun": lambda home: ((run,) for run in home.check_runs.values()),
    "CheckSuite": lambda home: ((suite,) for suite in home.suites.values()),
    "StatusContext": lambda home: ((status,) for status in home.statuses),
    "WorkflowRun": lambda home: ((run,) for run in home.runs.values()),
    "RepositoryRuleset": lambda home: ((ruleset,) for ruleset in home.rulesets.values()),
}
