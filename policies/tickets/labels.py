"""The one label that shows on GitHub where a ticket is."""

from __future__ import annotations

from collections.abc import Collection

from policies.tickets.states import State

PREFIX = "agent/"


def label_of(state: State) -> str:
    """`agent/needs-human`, and so on: one for each state."""
    return PREFIX + state.replace("_", "-")


def listed_at(repository: str, state: State) -> str:
    """Where GitHub lists a repository's open tickets of a state; `repository` is its address there."""
    return f"{repository}/issues?q=is%3Aopen+label%3A{label_of(state).replace('/', '%2F')}"


LABELS = frozenset(label_of(state) for state in State)


def relabelled(present: Collection[str], state: State) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels to add and to remove so that exactly one of ours is there. GitHub does not tell cases apart."""
    wanted = label_of(state)
    ours = {name.casefold(): name for name in present if name.casefold() in LABELS}
    missing = () if wanted in ours else (wanted,)
    return missing, tuple(sorted(name for folded, name in ours.items() if folded != wanted))
