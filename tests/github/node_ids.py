"""Global node ids: the `node_id` of REST and the `id` of GraphQL are the same text.

GitHub's ids are a type prefix and the base64url of a MessagePack array that starts with 0; callers must treat them as
opaque. Records carry their database id alone; git objects and refs have none, so theirs carry the repository's id and
the object id or the name: `encode("PullRequest", pull.id)`, `encode("Commit", repository.id, sha)`,
`encode("Ref", repository.id, "refs/heads/main")`.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

PREFIXES = {
    "App": "A",
    "Artifact": "ART",
    "BaseRefChangedEvent": "BRCE",
    "RemovedFromMergeQueueEvent": "RFMQE",
    "Blob": "B",
    "Bot": "BOT",
    "CheckRun": "CR",
    "CheckSuite": "CS",
    "ClosedEvent": "CE",  # issue id
    "Commit": "C",
    "Comparison": "CMP",  # repository id, two commit ids
    "Environment": "EN",
    "EnvironmentRule": "GA",
    "Issue": "I",
    "IssueComment": "IC",
    "Label": "LA",
    "MergeQueue": "MQ",  # repository id, branch name
    "MergeQueueEntry": "MQE",
    "MergedEvent": "ME",  # pull request id
    "Organization": "O",
    "PullRequest": "PR",
    "PullRequestCommit": "PURC",  # pull request id, commit id
    "PullRequestReview": "PRR",
    "PullRequestReviewComment": "PRRC",
    "PullRequestReviewThread": "PRRT",
    "Reaction": "REA",
    "Ref": "REF",
    "Repository": "R",
    "RepositoryRule": "RRU",  # ruleset id, type
    "RepositoryRuleset": "RRS",
    "RepositoryRulesetBypassActor": "RRBA",  # ruleset id, actor id
    "ReviewRequest": "RR",  # pull request id, reviewer id
    "Status": "ST",  # repository id, commit id
    "StatusCheckRollup": "SCR",  # repository id, commit id
    "StatusContext": "SC",
    "Tag": "TA",
    "Team": "T",
    "Tree": "TR",
    "User": "U",
    "Workflow": "W",
    "WorkflowRun": "WFR",
    "WorkflowRunFile": "WFRF",
}
TYPES = {prefix: name for name, prefix in PREFIXES.items()}

Part = int | str


@dataclass(frozen=True)
class NodeId:
    """A decoded node id: GraphQL's type name and what identifies the record."""

    type: str
    parts: tuple[Part, ...]

    @property
    def database_id(self) -> int:
        """The record's number; raises ValueError for a git object, which has none."""
        if len(self.parts) != 1 or not isinstance(self.parts[0], int):
            raise ValueError(f"a {self.type} has no database id")
        return self.parts[0]


def encode(type_name: str, *parts: Part) -> str:
    """The node id of a record. Raises KeyError for a type without prefix."""
    packed = bytes([0x90 + 1 + len(parts), 0]) + b"".join(_pack(part) for part in parts)
    return f"{PREFIXES[type_name]}_{base64.urlsafe_b64encode(packed).rstrip(b'=').decode()}"


def decode(node_id: str) -> NodeId:
    """The type and the parts of a node id. Raises ValueError for text that is no node id."""
    prefix, _, body = node_id.partition("_")
    if prefix not in TYPES:
        raise ValueError(f"{node_id[:80]!r} is no node id: unknown prefix")
    try:
        packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        return NodeId(TYPES[prefix], tuple(_unpack(packed)))
    except (binascii.Error, IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"{node_id[:80]!r} is no node id: {error}") from error


def _pack(part: Part) -> bytes:
    if isinstance(part, str):
        raw = part.encode()
        return b"\xda" + len(raw).to_bytes(2, "big") + raw
    if part < 2**32:
        return b"\xce" + part.to_bytes(4, "big")
    return b"\xcf" + part.to_bytes(8, "big")


def _unpack(packed: bytes) -> list[Part]:
    parts: list[Part] = []
    position = 2
    for _ in range(packed[0] - 0x91):
        part, position = _unpack_one(packed, position)
        parts.append(part)
    if position != len(packed):
        raise IndexError("wrong length")
    return parts


def _unpack_one(packed: bytes, position: int) -> tuple[Part, int]:
    kind, start = packed[position], position + 1
    if kind == 0xDA:
        end = start + 2 + int.from_bytes(packed[start : start + 2], "big")
        return packed[start + 2 : end].decode(), end
    width = {0xCE: 4, 0xCF: 8}.get(kind)
    if width is None:
        raise IndexError("unknown part")
    return int.from_bytes(packed[start : start + width], "big"), start + width
