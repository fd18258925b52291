"""What pytest needs inside a mutant's process. mutmut forks it from one that has run all tests already."""

from __future__ import annotations

import resource
import sys

from hypothesis import Phase, settings

MEMORY = 4 * 1024**3

# Found is killed: shrinking would only make the example nicer. Deadlines and chance would kill by the machine's load.
settings.register_profile("mutation", phases=(Phase.explicit, Phase.generate), derandomize=True, deadline=None)
settings.load_profile("mutation")


def pytest_configure() -> None:
    """A mutant that never stops collecting fails by itself, instead of taking the machine's memory."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))


def pytest_runtest_setup() -> None:
    """Forget cached answers: they come from the unchanged code, and hide which test calls which function."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ("checks", "policies")]:
        for value in vars(sys.modules[name]).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
