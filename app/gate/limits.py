"""What a child does before it looks at anything hostile. It imports little, because every child waits for it."""

from __future__ import annotations

import resource


def limit(memory: int, seconds: int) -> None:
    """What a child does first: `memory` in bytes of address space, `seconds` of processor time."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
