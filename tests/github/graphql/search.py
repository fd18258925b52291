"""`search`, as far as gh needs it: pull requests and issues by GitHub's qualifiers."""

from __future__ import annotations

import shlex
from typing import Any

from tests.github.graphql.connections import connect
from tests.github.graphql.graph import Graph
from tests.github.graphql.lists import pull_state
from tests.github.state import Issue, Repository


def search(graph: Graph, query: str, kind: str, page: dict[str, Any]) -> dict[str, Any]:
    """Issues and pull requests that fit every term of `query`, newest first; other kinds find nothing."""
    terms = _terms(query) if kind in ("ISSUE", "ISSUE_ADVANCED") else None
    found = [] if terms is None else [hit for hit in _candidates(graph) if _fits(graph, *hit, terms)]
    newest = sorted(found, key=lambda hit: (hit[1].created_at, hit[1].number), reverse=True)
    views = [_view(graph, *hit) for hit in newest]
    counts = {"issueCount": len(views), "codeCount": 0, "discussionCount": 0}
    more = counts | {"repositoryCount": 0, "userCount": 0, "wikiCount": 0}
    return connect("search", views, page, more=more)


def _terms(query: str) -> list[str]:
    try:
        return [term for term in shlex.split(query) if term not in ("(", ")", "AND")]
    except ValueError:
        return query.split()


def _candidates(graph: Graph) -> list[tuple[Repository, Issue]]:
    homes = [home for home in graph.world.repositories.values() if graph.visible(home) is not None]
    return [(home, issue) for home in homes for issue in home.issues.values()]


def _view(graph: Graph, home: Repository, issue: Issue) -> Any:
    pull = home.pulls.get(issue.number)
    return graph.view("PullRequest", home, pull) if pull else graph.view("Issue", home, issue)


def _fits(graph: Graph, home: Repository, issue: Issue, terms: list[str]) -> bool:
    facts = _facts(graph, home, issue)
    return all(_term_fits(term, facts, issue) for term in terms)


def _term_fits(term: str, facts: dict[str, set[str]], issue: Issue) -> bool:
    """A qualifier that the simulator does not know fits nothing, so that no test passes by it."""
    negated = term.startswith("-")
    name, colon, value = term.removeprefix("-").partition(":")
    if not colon:
        return (term.lower() in f"{issue.title}\n{issue.body or ''}".lower()) != negated
    if name == "sort":
        return True
    return (value.lower() in facts.get(name, set())) != negated


def _facts(graph: Graph, home: Repository, issue: Issue) -> dict[str, set[str]]:
    """What each qualifier may be asked for, in lower case."""
    pull = home.pulls.get(issue.number)
    kind = "pr" if pull else "issue"
    states = {kind, "pull-request" if pull else "issue", issue.state}
    if pull is not None:
        states |= {pull_state(pull).lower(), *(["draft"] if pull.draft else [])}
    facts = {
        "repo": {home.full_name},
        "org": {home.owner},
        "user": {home.owner},
        "type": states,
        "is": states,
        "state": states,
        "author": {issue.user, issue.user.removesuffix("[bot]"), f"app/{issue.user.removesuffix('[bot]')}"},
        "label": set(issue.labels),
        "assignee": set(issue.assignees),
        "draft": {str(bool(pull and pull.draft)).lower()},
        "head": {pull.head_ref} if pull else set(),
        "base": {pull.base_ref} if pull else set(),
        "review-requested": set(pull.requested_reviewers) if pull else set(),
    }
    if graph.actor.login in facts["author"]:
        facts["author"] |= {"@me"}
    if graph.actor.login in facts["review-requested"]:
        facts["review-requested"] |= {"@me"}
    return {name: {value.lower() for value in values} for name, values in facts.items()}
