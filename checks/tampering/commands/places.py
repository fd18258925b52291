"""The places where commands stand in one version of any file; a file that cannot be read has none."""

from __future__ import annotations

from collections.abc import Sequence

from checks.tampering.change import Version
from checks.tampering.commands.files import holds_commands, read_scopes
from checks.tampering.commands.scope import Scope
from checks.tampering.settings.documents import Unreadable
from checks.tampering.workflows.model import is_workflow, read_workflow
from checks.tampering.workflows.scopes import workflow_scopes


def scopes_of(version: Version) -> Sequence[Scope]:
    """Never raises. That a file cannot be read is said where its settings or its workflow are compared."""
    if is_workflow(version.path):
        workflow = read_workflow(version.path, version.data)
        return () if workflow is None else tuple(workflow_scopes(workflow))
    if not holds_commands(version.path):
        return ()
    try:
        return read_scopes(version)
    except Unreadable:
        return ()
