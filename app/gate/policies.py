"""The policy in force on a branch: its own file, the default branch's, the organisation's, and the server's baseline.

What lies in other repositories is kept for a while: a file at a commit for ever, the organisation's for some minutes.
A repository without a policy then costs no request more than one with.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Protocol

from app.gate.names import RepositoryName
from app.gate.shared_policies import SharedPolicies, Text
from app.github import contents, graph, reads
from app.github.client import GitHubClient
from app.github.errors import GitHubDown, GitHubError, NotFound, RateLimited
from app.github.models import FileEntry, TargetCommit
from app.github.rest_models import Content
from checks.branches import BRANCHES
from checks.unread import Unread
from policies.floor import with_floor
from policies.load import MAX_BYTES, PolicySource, PolicyState, Reference, read_policy, reference_of
from policies.schema import Policy

PLAIN_FILES = (0o100644, 0o100755)
ORGANIZATION_REPOSITORY = ".github"
ORGANIZATION_FILE = "mergegate.yml"
KEPT = timedelta(minutes=5)
MOST_KEPT = 500


class Reader(Protocol):
    """Who reads policies: the gate, or the courier where agents claim tickets."""

    @property
    def presets(self) -> Mapping[str, str]: ...
    @property
    def floor(self) -> Policy | None: ...
    @property
    def shared(self) -> SharedPolicies: ...
    @property
    def now(self) -> Callable[[], datetime]: ...
    def client(self, installation_id: int) -> GitHubClient: ...


async def policy_at(
    gate: Reader, installation_id: int, repository: RepositoryName, ref: str, tip: TargetCommit
) -> PolicyState:
    """The policy in force at a branch's tip. A branch without a file of its own has the default branch's."""
    default = BRANCHES + (repository.default_branch or "")
    if tip.policy is None and repository.default_branch and ref != default:
        client = gate.client(installation_id)
        main = await graph.branch_tip(client, repository.owner, repository.name, default)
        if main is not None:
            return await policy_of_tip(gate, installation_id, repository, default, main.target)
    return await policy_of_tip(gate, installation_id, repository, ref, tip)


async def policy_of_tip(
    gate: Reader, installation_id: int, repository: RepositoryName, ref: str, tip: TargetCommit
) -> PolicyState:
    """The same for a branch that does not look elsewhere in its repository: its file, else the organisation's."""
    text, given = file_text(tip.policy), None
    if text is None and repository.name != ORGANIZATION_REPOSITORY:
        text = await _of_organization(gate, installation_id, repository.owner)
        given = f"{repository.owner}/{ORGANIZATION_REPOSITORY}/{ORGANIZATION_FILE}" if text is not None else None
    reused = await reused_text(gate, installation_id, text)
    return with_floor(read_policy(PolicySource(text, ref, tip.oid, given, reused), gate.presets), gate.floor)


def file_text(entry: FileEntry | None) -> Text:
    if entry is None:
        return None
    blob = entry.object
    if blob is None or entry.mode not in PLAIN_FILES:
        return Unread("the policy's path is not a plain file; replace what stands there by a file")
    if blob.is_truncated or blob.text is None:
        return Unread("the policy file is too large or no text; keep it under 64 KiB")
    return blob.text


async def _of_organization(gate: Reader, installation_id: int, owner: str) -> Text:
    kept, now = gate.shared.organizations, gate.now()
    until, text = kept.get((installation_id, owner), (now, None))
    if until > now:
        return text
    read = await _read(gate.client(installation_id), owner, ORGANIZATION_REPOSITORY, ORGANIZATION_FILE, None)
    if isinstance(read, Unread):
        return read  # looked at again the next time
    if len(kept) >= MOST_KEPT:
        kept.clear()
    kept[installation_id, owner] = (now + KEPT, read)
    return read


async def reused_text(gate: Reader, installation_id: int, text: Text) -> Text:
    """The text of the policy that this one reuses; None where it reuses none."""
    reference = reference_of(text) if isinstance(text, str) else None
    if reference is None:
        return None
    kept, key = gate.shared.reused, (installation_id, reference)
    if key in kept:
        return kept[key]
    client = gate.client(installation_id)
    read = await _read(client, reference.owner, reference.name, reference.path, reference.commit)
    if read is None:
        where = f"{reference.owner}/{reference.name}"
        return Unread(f"the policy that it reuses is not there, or the App is not installed on {where}")
    if not isinstance(read, str):
        return read
    foreign = await _why_foreign(client, reference)
    if foreign is not None:
        return foreign
    if len(kept) >= MOST_KEPT:
        kept.clear()
    kept[key] = read
    return read


async def _why_foreign(client: GitHubClient, reference: Reference) -> Unread | None:
    """GitHub shows the commits of every fork in the repository that it was forked from, so a commit's id alone does
    not tell whose file it is. None where the default branch holds it.

    https://docs.github.com/en/actions/reference/security/secure-use says the same of actions that are pinned.
    """
    where = f"{reference.owner}/{reference.name}"
    try:
        about = await contents.about(client, reference.owner, reference.name)
        found = await reads.compare(client, reference.owner, reference.name, about.default_branch, reference.commit)
    except NotFound:  # they have no history in common
        return Unread(f"the commit that it reuses is not of {where}")
    except (RateLimited, GitHubDown):
        raise
    except GitHubError as wrong:
        return Unread(str(wrong))
    if found.status in ("behind", "identical"):
        return None
    return Unread(f"the commit that it reuses is not on the default branch of {where}; it may be anybody's fork's")


async def _read(client: GitHubClient, owner: str, name: str, path: str, commit: str | None) -> Text:
    """A policy's text; None where there is none, or none that the installation may see."""
    try:
        found = await contents.content_of(client, owner, name, path, commit)
    except NotFound:
        return None
    except (RateLimited, GitHubDown):
        raise  # looking again settles it, and until then what is shown stays
    except GitHubError as wrong:
        return Unread(str(wrong))
    return _text(found, f"{path} of {owner}/{name}")


def _text(found: Content, where: str) -> str | Unread:
    if found.type != "file" or found.encoding != "base64" or found.size > MAX_BYTES:
        return Unread(f"{where} is no plain file of at most 64 KiB")
    try:
        return base64.b64decode((found.content or "").replace("\n", ""), validate=True).decode()
    except ValueError:  # no base64, no ASCII, no UTF-8
        return Unread(f"{where} is no UTF-8 text")
