"""What must be known about an object before a request that names it may be sent. Data; `subjects` finds it out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OwnPull:
    """The pull request is the session's: its head is the session's branch in the session's repository.

    One that is edited has to be open too: what was merged stays as it was judged.
    """

    number: int
    edited: bool = False


@dataclass(frozen=True, slots=True)
class OwnPullNode:
    """The same, named by node id, to be edited."""

    node_id: str


@dataclass(frozen=True, slots=True)
class DiscussedNode:
    """The node is what the session may comment on: its own pull request or its ticket."""

    node_id: str


@dataclass(frozen=True, slots=True)
class ReadableNode:
    """The node is a pull request of the session's repository, or its ticket."""

    node_id: str


@dataclass(frozen=True, slots=True)
class PullNumber:
    """The number is a pull request's, not an issue's."""

    number: int


@dataclass(frozen=True, slots=True)
class HomeNode:
    """The node is the session's repository."""

    node_id: str


@dataclass(frozen=True, slots=True)
class OwnComment:
    """The comment (by its REST id) was written by this very session."""

    object_id: int


@dataclass(frozen=True, slots=True)
class OwnCommentNode:
    """The same, named by node id."""

    node_id: str


Look = OwnPull | OwnPullNode | DiscussedNode | ReadableNode | PullNumber | HomeNode | OwnComment | OwnCommentNode
