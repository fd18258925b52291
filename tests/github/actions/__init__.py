"""GitHub Actions, as far as a merge gate can see it: workflow files are read from the tree that GitHub reads them from,
their `run:` steps are really executed in a clean checkout, and the logs are those bytes in GitHub's raw format.

`workflow_file` parses, `triggers` and `expressions` decide, `log` writes, `process` executes, `runner` carries out one
job, `occasions` turns events into runs, `attempt` brings one attempt to its end and `engine` keeps them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.github.actions.engine import Actions

if TYPE_CHECKING:
    from tests.github.server import SimulatedGitHub


def attach(github: SimulatedGitHub) -> None:
    github.actions = Actions(github)
    github.listeners.append(github.actions.on_event)
    github.settlers.append(github.actions.settle)
