"""What a change does to the settings and commands by which tests and checks are run.

Catalogue: narrowed collection, weakened options, swallowed exit codes, lowered bars of coverage and linters, raised
retries and time limits, runners replaced, expectations rewritten. *Failed* is only what takes something away for
certain; where a person must judge, it is for a person; the rest raises the risk.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from checks.tampering.alteration import Alteration
from checks.tampering.bounded import few_of_each
from checks.tampering.change import Change, Version
from checks.tampering.commands.compare import compare_runs
from checks.tampering.commands.files import holds_commands
from checks.tampering.commands.make_settings import make_settings
from checks.tampering.commands.places import scopes_of
from checks.tampering.commands.scope import Scope
from checks.tampering.endings import is_code
from checks.tampering.goldens import rewritten_goldens
from checks.tampering.kept_tests import kept_tests
from checks.tampering.places import extension
from checks.tampering.runner_swaps import runner_swaps
from checks.tampering.settings.bars import BarTables
from checks.tampering.settings.compare import compare_settings
from checks.tampering.settings.coverage import COVERAGE
from checks.tampering.settings.javascript_runners import JAVASCRIPT_RUNNERS
from checks.tampering.settings.lint import LINT
from checks.tampering.settings.module_maps import module_maps
from checks.tampering.settings.other_runners import OTHER_RUNNERS
from checks.tampering.settings.precedence import hidden_by
from checks.tampering.settings.python_runners import PYTHON_RUNNERS
from checks.tampering.suppressions import suppressions
from checks.tampering.workflows.model import is_workflow

# Coverage before runners: `test.coverage.exclude` is not `test.exclude`.
TABLES = BarTables(*COVERAGE, *PYTHON_RUNNERS, *JAVASCRIPT_RUNNERS, *OTHER_RUNNERS, *LINT)


def alterations(
    changes: Sequence[Change], tree: Collection[str] = (), beside: Mapping[str, Version] | None = None
) -> Iterator[Alteration]:
    """Everything that is found, in no order that means anything. Never raises for what a change holds.

    `tree` are the paths of the resulting tree, where they are known: with them an exclusion that takes existing tests
    out is told from one that does not. `beside` are unchanged files that new ones may put out of force.
    """
    beside = beside or {}
    by = {one.version.path: change.paths[0] for change in changes for one in hidden_by(change, beside)}
    return few_of_each(_told_of_new_file(each, by.get(each.path)) for each in _alterations(changes, tree, beside))


def _told_of_new_file(found: Alteration, path: str | None) -> Alteration:
    """What an unchanged file loses is the doing of the one that puts it out of force."""
    if path is None:
        return found
    reason = f"{found.reason} It stands in `{found.path}`, which `{path}` puts out of force."
    return replace(found, path=path, subject=path, line=None, reason=reason)


def steers_tests(path: str) -> bool:
    """Whether a file of that name holds settings or commands of test runs."""
    return is_workflow(path) or holds_commands(path) or TABLES.of(path.rpartition("/")[2]) is not None


def _alterations(
    changes: Sequence[Change], tree: Collection[str], beside: Mapping[str, Version]
) -> Iterator[Alteration]:
    kept = kept_tests(changes, tree)
    gone = removed_folders(changes)
    unchanged = set(map(id, beside.values()))
    runs = compare_runs(
        _with_hidden(changes, beside),
        lambda version: (_scopes_out_of_force if id(version) in unchanged else scopes_of)(version),
        kept,
        lambda change: _is_gone(change, gone),
    )
    yield from (each for each in runs if not is_workflow(each.path))
    yield from compare_settings(changes, TABLES, kept, lambda change: _is_gone(change, gone), beside)
    yield from suppressions(changes)
    yield from rewritten_goldens(changes)
    yield from runner_swaps(changes)
    yield from make_settings(changes)
    yield from module_maps(changes)


def _with_hidden(changes: Sequence[Change], beside: Mapping[str, Version]) -> list[Change]:
    """A new file takes the place of the commands and options that it puts out of force."""
    return [replace(change, before=change.before or _out_of_force(change, beside)) for change in changes]


def _out_of_force(change: Change, beside: Mapping[str, Version]) -> Version | None:
    hidden = (one.version for one in hidden_by(change, beside))
    return next((version for version in hidden if _scopes_out_of_force(version)), None)


def _scopes_out_of_force(version: Version) -> list[Scope]:
    """Of a make file all; of other files the options of every run, as the rest of them stays."""
    return [scope for scope in scopes_of(version) if scope.implied or version.path.lower().endswith("makefile")]


def removed_folders(changes: Sequence[Change]) -> frozenset[str]:
    """Folders from which a change takes code away, and in which it leaves or makes nothing that it touches.

    The settings of a package that is removed as a whole are not weakened by it.
    """
    stay = {folder for change in changes if change.after for folder in _folders(change.after.path)}
    left = [change.before.path for change in changes if change.after is None and change.before]
    return frozenset({folder for path in left if _is_program(path) for folder in _folders(path)} - stay)


def _is_gone(change: Change, gone: Collection[str]) -> bool:
    return change.after is None and not set(_folders(change.paths[0])).isdisjoint(gone)


def _is_program(path: str) -> bool:
    """Source code; a folder of nothing but scripts is no package."""
    return is_code(path) and extension(path) not in ("sh", "bash")


def _folders(path: str) -> Iterator[str]:
    """Every folder around it but the repository itself."""
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts)))
