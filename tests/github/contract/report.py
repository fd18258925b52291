"""Which routes of the simulated GitHub are described, and by whom: `python -m tests.github.contract.report`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.github.contract import openapi
from tests.github.contract.operations import operations, plain_path
from tests.github.server import SimulatedGitHub

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def mounted(github: SimulatedGitHub) -> list[tuple[str, str]]:
    """(method, template) of every REST route."""
    routes = [route for part in github._parts for route in getattr(part, "routes", [])]
    return [(method, route.path) for route in routes for method in METHODS if method in (route.methods or ())]


def judges(method: str, template: str) -> list[str]:
    """Who checks a successful answer of this route: githubkit, openapi; `-` where it has no body to check."""
    key = (method, plain_path(template))
    operation, description = operations().get(key), openapi.description()
    found = ["githubkit"] if operation is not None and operation.model is not None else []
    found += ["openapi"] if description is not None and description.describes(*key) else []
    return found or (["-"] if operation is not None else [])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for method, template in mounted(SimulatedGitHub.create(Path(folder))):
            print(f"{method:6} {template}: {', '.join(judges(method, template)) or 'not described'}")


if __name__ == "__main__":
    main()
