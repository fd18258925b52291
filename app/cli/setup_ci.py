"""`mergegate setup-ci OWNER/REPO`: a pull request with the workflow files that a repository lacks."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer

from app.cli.asking_github import cannot_ask
from app.cli.printing import print_line, progress
from app.cli.repository_name import parse_repository
from app.cli.wait import token_of
from app.config import read_settings
from app.github import contents, reads
from app.github.client import GitHubClient
from app.github.contents import Opened
from app.github.errors import Conflict, GitHubError, NotFound, Refused
from app.github.personal import PersonalClient
from app.github.rest_models import GitRef
from app.local.clone import CannotLook
from app.local.first_ci import CI, VERIFIER, WORKFLOWS, NewFile, files_to_add
from app.local.shipped import verifier_workflow
from app.secret import SecretStr
from checks.branches import BRANCHES
from policies.escape import clean

BRANCH = "mergegate/setup-ci"
TITLE = "Run the tests for mergegate"
_WANTED = (
    "A classic token needs the scopes `repo` and `workflow`, a fine-grained one needs Contents, Pull requests and "
    "Workflows, each for reading and writing, and its owner must be allowed to push."
)


@dataclass(frozen=True, slots=True)
class Place:
    """A repository by its present name, with the tip of its default branch."""

    owner: str
    name: str
    base: str
    tip: str

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, slots=True)
class Proposal:
    place: Place
    files: tuple[NewFile, ...]
    pull: Opened | None
    """None on a dry run, and when nothing is missing."""


def setup_ci(
    repository: Annotated[str, typer.Argument(metavar="OWNER/REPO", help="For example acme/shop.")],
    command: Annotated[
        str | None, typer.Option("--command", help="How the tests are run, where no file at the root tells.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the files; change nothing.")] = False,
) -> None:
    """Open a pull request with the workflow files that are missing, with the token in GH_TOKEN or GITHUB_TOKEN.

    It has a branch of its own, mergegate/setup-ci; run again, it brings both up to date. Exit code 2: it could not be
    done, and why.
    """
    owner, name = parse_repository(repository)
    token = token_of(os.environ, f"write to {clean(repository, 200)}")
    api_url = read_settings(os.environ).github_api_url
    with progress(f"Looking at {clean(repository, 200)}"):
        proposal = asyncio.run(_propose(owner, name, command, api_url, token, dry_run=dry_run))
    _print(proposal)


async def _propose(
    owner: str, name: str, command: str | None, api_url: str, token: SecretStr, *, dry_run: bool
) -> Proposal:
    client = PersonalClient(token, api_url)
    try:
        place = await _place(client, owner, name)
        with _refusals(place):
            files = await _missing(client, place, command)
            pull = None if dry_run or not files else await _open(client, place, files)
        return Proposal(place, files, pull)
    except GitHubError as wrong:
        raise cannot_ask(wrong, api_url) from wrong
    finally:
        await client.aclose()


async def _place(client: GitHubClient, owner: str, name: str) -> Place:
    try:
        about = await contents.about(client, owner, name)
    except NotFound as wrong:
        shown = clean(f"{owner}/{name}", 200)
        raise CannotLook(f"there is no repository {shown}, or this token may not see it. {_WANTED}") from wrong
    if about.archived:
        raise CannotLook(f"{clean(about.full_name, 200)} is archived, so nothing can be added. Unarchive it first.")
    owner, _, name = about.full_name.partition("/")
    tip = await _tip(client, owner, name, about.default_branch)
    if tip is None:
        raise CannotLook(f"{clean(about.full_name, 200)} has no commit yet. Push its code first.")
    return Place(owner, name, about.default_branch, tip.object.sha)


async def _tip(client: GitHubClient, owner: str, name: str, branch: str) -> GitRef | None:
    """GitHub answers 409 instead of 404 where a repository is empty."""
    try:
        return await reads.git_ref(client, owner, name, BRANCHES + branch)
    except Conflict:
        return None


async def _missing(client: GitHubClient, place: Place, command: str | None) -> tuple[NewFile, ...]:
    root = await contents.folder(client, place.owner, place.name, "", place.tip)
    there = {}
    for entry in await contents.folder(client, place.owner, place.name, WORKFLOWS, place.tip):
        if entry.name.endswith((".yml", ".yaml")):
            found = await contents.file(client, place.owner, place.name, entry.path, place.tip)
            there[entry.path] = found[1] if found else b""
    return files_to_add({entry.name for entry in root}, there, verifier_workflow(), command)


async def _open(client: GitHubClient, place: Place, files: tuple[NewFile, ...]) -> Opened:
    """Every step is skipped that was done before, so a run that broke off is completed by the next."""
    there = await contents.open_pulls(client, place.owner, place.name, branch=BRANCH, base=place.base)
    await _prepare_branch(client, place, is_open=bool(there))
    for file in files:
        await _put(client, place, file)
    if there:
        return there[0]
    return await contents.open_pull(
        client, place.owner, place.name, branch=BRANCH, base=place.base, title=TITLE, body=_body(files)
    )


async def _prepare_branch(client: GitHubClient, place: Place, *, is_open: bool) -> None:
    """A branch that an earlier pull request left goes on from the default branch, unless it has commits of its own."""
    branch = await reads.git_ref(client, place.owner, place.name, BRANCHES + BRANCH)
    if branch is None:
        await contents.create_branch(client, place.owner, place.name, BRANCH, place.tip)
    elif not is_open and branch.object.sha != place.tip:
        try:
            await contents.forward_branch(client, place.owner, place.name, BRANCH, place.tip)
        except Refused as wrong:
            if wrong.status != 422:
                raise


async def _put(client: GitHubClient, place: Place, file: NewFile) -> None:
    data = file.text.encode()
    old = await contents.file(client, place.owner, place.name, file.path, BRANCH)
    if old is not None and old[1] == data:
        return
    message, replaces = f"{'Update' if old else 'Add'} {file.path}", old[0] if old else None
    await contents.put_file(
        client, place.owner, place.name, file.path, data, branch=BRANCH, message=message, replaces=replaces
    )


@contextmanager
def _refusals(place: Place) -> Iterator[None]:
    """GitHub answers 404 where a classic token may not change a workflow file, and 403 for most else."""
    try:
        yield
    except (NotFound, Refused) as wrong:
        said = clean(wrong.because, 600)
        if isinstance(wrong, Refused) and wrong.status != 403:
            raise CannotLook(f"GitHub does not accept the pull request for {place}: {said}.") from wrong
        raise CannotLook(f"this token may not add workflow files to {place}. {_WANTED} {said}.") from wrong


def _body(files: tuple[NewFile, ...]) -> str:
    lines = [f"- `{file.path}`: {file.because}." for file in files]
    if any(file.path == CI for file in files):
        lines.append(
            f"\n`{CI}` runs on this pull request already. If it is red, correct its command there, or run "
            "`mergegate setup-ci` again with `--command`."
        )
    if any(file.path == VERIFIER for file in files):
        lines.append("\nEvery other gated branch needs the verifier's file too, and the policy says what it runs.")
    return "\n".join(["What mergegate needs before it can judge pull requests here:\n", *lines])


def _print(proposal: Proposal) -> None:
    place, pull = clean(str(proposal.place), 200), proposal.pull
    if not proposal.files:
        print_line(f"{place} has all that is needed; nothing was changed.")
    elif pull is None:
        sys.stdout.write("\n".join(f"# {file.path}\n{file.text}" for file in proposal.files))
    else:
        print_line(f"{place}#{pull.number}: {clean(pull.html_url, 400)}")
        for file in proposal.files:
            print_line(f"- {file.path}: {file.because}.")
