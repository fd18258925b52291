"""What git said about objects that are named by their full ids. It never changes, and most looks at a pull request ask
what the one before asked: nine of ten processes of git were for that.

They are kept compressed: the longest of them are lists of paths, which repeat themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from isal import isal_zlib

from app.bounded import Bounded

LIMIT = 32 * 1024 * 1024  # bytes, in a process
OVERHEAD = 500  # bytes that Python takes for an answer beside its text: 400 to 500 were measured
_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

Said = tuple[int, bytes]  # exit code and standard output of a command that did not fail


class Question(NamedTuple):
    """A command of git. The folder belongs to it: who may ask one repository must not learn what another one holds."""

    folder: str
    arguments: tuple[str, ...]
    stdin: bytes


class GitAnswers:
    """The answers to questions whose words but for the object ids `named` are constants."""

    def __init__(self, limit_bytes: int = LIMIT) -> None:
        self._kept: Bounded[Question, Said] = Bounded(limit_bytes, _size)

    @property
    def size(self) -> int:
        """Bytes that are kept now."""
        return self._kept.size

    def get(self, question: Question) -> Said | None:
        said = self._kept.get(question)
        return None if said is None else (said[0], isal_zlib.decompress(said[1]))

    def put(self, question: Question, named: Sequence[str], said: Said) -> None:
        """Kept only if all that is named are full object ids: a ref moves, and a short id may get a twin."""
        if all(map(_OBJECT_ID.fullmatch, named)):
            self._kept.put(question, (said[0], isal_zlib.compress(said[1], 1)))

    def forget(self, work: str) -> None:
        """Let go what was last asked for a piece of work that is over."""
        self._kept.forget(work)

    def forget_unused(self) -> None:
        """Let go what was asked for earlier looks at this work and not for this one: of a target that has moved on."""
        self._kept.forget_unused()


def _size(question: Question, said: Said) -> int:
    said_and_asked = (*question.arguments, question.folder, question.stdin, said[1])
    return OVERHEAD + sum(map(len, said_and_asked))
