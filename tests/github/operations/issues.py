"""Issues, labels, comments and reactions; a pull request is an issue too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tests.github.errors import invalid
from tests.github.events import CommentChanged, IssueChanged, LabelChanged, PullRequestChanged
from tests.github.operations.pulls import new_number
from tests.github.state import App, Comment, Issue, Label, Reaction, Repository

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub

REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")


async def publish_change(
    github: SimulatedGitHub,
    repository: Repository,
    issue: Issue,
    action: str,
    actor: str,
    changes: dict[str, Any] | None = None,
    extra: dict[str, Any] | None = None,
) -> None:
    """The change as GitHub names it: `pull_request` for a pull request, `issues` else."""
    issue.updated_at = github.world.now()
    pull = repository.pulls.get(issue.number)
    if pull is not None:
        await github.publish(PullRequestChanged(repository, pull, action, actor, changes or {}, extra or {}))
    else:
        await github.publish(IssueChanged(repository, issue, action, actor, changes or {}, extra or {}))


async def open_issue(
    github: SimulatedGitHub,
    repository: Repository,
    *,
    title: str,
    body: str | None,
    author: str,
    labels: Sequence[str] = (),
    assignees: Sequence[str] = (),
) -> Issue:
    now = github.world.now()
    issue = Issue(github.world.new_id(), new_number(repository), title, body, author, created_at=now, updated_at=now)
    issue.labels = [ensure_label(github, repository, name).name for name in labels]
    issue.assignees = list(assignees)
    repository.issues[issue.number] = issue
    await github.publish(IssueChanged(repository, issue, "opened", author))
    for name in issue.labels:
        extra = {"label": name}
        await github.publish(IssueChanged(repository, issue, "labeled", author, extra=extra))
    return issue


async def edit_issue(
    github: SimulatedGitHub,
    repository: Repository,
    issue: Issue,
    actor: str,
    *,
    title: str | None = None,
    body: str | None = None,
) -> None:
    changes: dict[str, Any] = {}
    if title is not None and title != issue.title:
        changes["title"] = {"from": issue.title}
        issue.title = title
    if body is not None and body != (issue.body or ""):
        changes["body"] = {"from": issue.body or ""}
        issue.body = body
    if changes:
        await publish_change(github, repository, issue, "edited", actor, changes)


async def set_issue_state(
    github: SimulatedGitHub, repository: Repository, issue: Issue, actor: str, state: str
) -> None:
    """`open` or `closed`, for issues that are no pull requests."""
    if state == issue.state:
        return
    issue.state = "closed" if state == "closed" else "open"
    issue.closed_at = github.world.now() if state == "closed" else None
    issue.closed_by = actor if state == "closed" else None
    action = "closed" if state == "closed" else "reopened"
    await publish_change(github, repository, issue, action, actor)


async def set_assignees(
    github: SimulatedGitHub, repository: Repository, issue: Issue, actor: str, logins: Iterable[str]
) -> None:
    wanted = [login for login in dict.fromkeys(logins) if login in github.world.accounts]
    gone = [login for login in issue.assignees if login not in wanted]
    come = [login for login in wanted if login not in issue.assignees]
    issue.assignees = wanted
    for action, names in (("unassigned", gone), ("assigned", come)):
        for login in names:
            await publish_change(github, repository, issue, action, actor, extra={"assignee": login})


def find_label(repository: Repository, name: str) -> Label | None:
    """Labels are found whatever their case."""
    return next((label for label in repository.labels.values() if label.name.lower() == name.lower()), None)


def ensure_label(github: SimulatedGitHub, repository: Repository, name: str) -> Label:
    """Adding an unknown label to an issue creates it silently, as on GitHub."""
    found = find_label(repository, name)
    if found is None:
        found = repository.labels[name] = Label(github.world.new_id(), name)
    return found


async def create_label(
    github: SimulatedGitHub,
    repository: Repository,
    actor: str,
    name: str,
    color: str = "ededed",
    description: str | None = None,
) -> Label:
    """ApiError 422 already_exists."""
    if find_label(repository, name):
        raise invalid("Label", "name", "already_exists")
    label = repository.labels[name] = Label(github.world.new_id(), name, color, description)
    await github.publish(LabelChanged(repository, label, "created", actor))
    return label


async def add_labels(
    github: SimulatedGitHub, repository: Repository, issue: Issue, actor: str, names: Iterable[str]
) -> None:
    for name in names:
        label = ensure_label(github, repository, name)
        if label.name not in issue.labels:
            issue.labels.append(label.name)
            await publish_change(github, repository, issue, "labeled", actor, extra={"label": label.name})


async def remove_label(github: SimulatedGitHub, repository: Repository, issue: Issue, actor: str, name: str) -> None:
    """Does nothing when the issue has no such label."""
    held = next((n for n in issue.labels if n.lower() == name.lower()), None)
    if held is not None:
        issue.labels.remove(held)
        await publish_change(github, repository, issue, "unlabeled", actor, extra={"label": held})


async def set_labels(
    github: SimulatedGitHub, repository: Repository, issue: Issue, actor: str, names: Iterable[str]
) -> None:
    wanted = list(names)
    for name in [n for n in issue.labels if n not in wanted]:
        await remove_label(github, repository, issue, actor, name)
    await add_labels(github, repository, issue, actor, wanted)


async def create_comment(
    github: SimulatedGitHub, repository: Repository, issue: Issue, actor: str, body: str, *, through: App | None = None
) -> Comment:
    """`through` is an App that writes in the actor's name, with that user's access token."""
    now = github.world.now()
    app = through or github.world.app_of(actor)
    comment = Comment(github.world.new_id(), actor, body, now, now, app_id=app.id if app else None)
    issue.comments.append(comment)
    issue.updated_at = now
    await github.publish(CommentChanged(repository, issue, comment, "created", actor))
    return comment


async def edit_comment(
    github: SimulatedGitHub, repository: Repository, issue: Issue, comment: Comment, actor: str, body: str
) -> None:
    changes = {"body": {"from": comment.body}}
    comment.body, comment.updated_at = body, github.world.now()
    await github.publish(CommentChanged(repository, issue, comment, "edited", actor, changes))


async def delete_comment(
    github: SimulatedGitHub, repository: Repository, issue: Issue, comment: Comment, actor: str
) -> None:
    issue.comments.remove(comment)
    await github.publish(CommentChanged(repository, issue, comment, "deleted", actor))


def react(github: SimulatedGitHub, reactions: list[Reaction], user: str, content: str) -> tuple[Reaction, bool]:
    """The reaction and whether it is new: a second equal one by the same user is the first."""
    if content not in REACTIONS:
        raise invalid("Reaction", "content", "invalid")
    held = next((r for r in reactions if (r.user, r.content) == (user, content)), None)
    if held is not None:
        return held, False
    reaction = Reaction(github.world.new_id(), user, content, github.world.now())
    reactions.append(reaction)
    return reaction, True
