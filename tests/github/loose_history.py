"""What comes before a commit in git's history, walked without a process; what is not plain raises NotLoose."""

from __future__ import annotations

from collections.abc import Sequence

from tests.github.loose_objects import LooseObjects, NotLoose

MOST_COMMITS = 500  # a longer history is git's own matter


class LooseHistory:
    """Questions to the commits among `objects`, all by full object ids."""

    def __init__(self, objects: LooseObjects) -> None:
        self._objects = objects
        self._of: dict[str, frozenset[str]] = {}

    def of(self, sha: str) -> frozenset[str]:
        """The commit and all that came before it."""
        if sha not in self._of:
            found: set[str] = set()
            waiting = [sha]
            while waiting and len(found) <= MOST_COMMITS:
                if (commit := waiting.pop()) not in found:
                    found.add(commit)
                    waiting += self._objects.commit(commit).parents
            if waiting:
                raise NotLoose(sha)
            self._of[sha] = frozenset(found)
        return self._of[sha]

    def merge_base(self, one: str, other: str) -> str | None:
        """As `git merge-base`; of several it is git that chooses."""
        common = self.of(one) & self.of(other)
        before = {parent for commit in common for parent in self._objects.commit(commit).parents}
        best = common - before
        if len(best) > 1:
            raise NotLoose(one)
        return next(iter(best), None)

    def newest_first(self, revisions: Sequence[str]) -> list[str]:
        """As `git rev-list`, where each commit has one parent that is to be shown; the order of others git knows."""
        starts, without = self._chosen(revisions)
        found: list[str] = []
        following = [start for start in starts if start not in without]
        while following:
            if len(following) > 1:
                raise NotLoose(following[1])
            found += following
            parents = dict.fromkeys(self._objects.commit(found[-1]).parents)
            following = [parent for parent in parents if parent not in without]
        return found

    def count(self, revisions: Sequence[str]) -> int:
        starts, without = self._chosen(revisions)
        return len(frozenset[str]().union(*(self.of(start) for start in starts)) - without)

    def _chosen(self, revisions: Sequence[str]) -> tuple[list[str], frozenset[str]]:
        """Where to start, and what is left out, of `A`, `^A` and `A..B`."""
        starts: list[str] = []
        without = frozenset[str]()
        for revision in revisions:
            old, dots, new = revision.rpartition("..")
            left_out = old if dots else new.removeprefix("^") if new.startswith("^") else None
            if left_out is not None:
                without |= self.of(left_out)
            if dots or left_out is None:
                starts.append(new)
        return starts, without
