"""What pytest needs inside a mutant's process. mutmut forks it from one that has run all tests already."""

from __future__ import annotations

import os
import resource
import sys

import pytest
from hypothesis import Phase, settings

MEMORY = 4 * 1024**3

# Found is killed: shrinking would only make the example nicer. Deadlines and chance would kill by the machine's load.
settings.register_profile("mutation", phases=(Phase.explicit, Phase.generate), derandomize=True, deadline=None)
settings.load_profile("mutation")


def pytest_configure() -> None:
    """A mutant that never stops collecting fails by itself, instead of taking the machine's memory."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of the mutant's own module first, because they notice most; the rest keeps mutmut's order."""
    module = os.environ.get("MUTANT_UNDER_TEST", "").rpartition(".")[0]
    own = "test_" + "_".join(module.split(".")[1:])
    items.sort(key=lambda item: not item.path.stem.startswith(own))


def pytest_runtest_setup() -> None:
    """Forget cached answers: they come from the unchanged code, and hide which test calls which function."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ("checks", "policies", "tests")]:
        for value in vars(sys.modules[name]).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
