"""Commands in the files of other CI systems, where every text may be a script (GitLab, CircleCI, Azure, Jenkins, …)."""

from __future__ import annotations

from collections.abc import Iterator

import re2

from checks.tampering.commands.runs import Shell
from checks.tampering.commands.scope import Scope, script_scope
from checks.tampering.settings.flat import Settings
from checks.tampering.settings.reading import line_of

_MOST_LINES = 5_000
_STEP = re2.compile(r"""^\s*(?:sh|bat|powershell|pwsh)[\s(]+(?:script:\s*)?["']{1,3}(.*?)["']{0,3}\)?\s*$""")


def yaml_scopes(settings: Settings, text: str) -> Iterator[Scope]:
    """A scope for every key under which texts stand that run tests.

    GitLab runs scripts with `set -eo pipefail`: https://docs.gitlab.com/ci/yaml/script/; the others with `-e` at least.
    """
    for key, values in settings.items():
        script = "\n".join(values)
        scope = script_scope(key, script, line_of(text, values[0].partition("\n")[0]), Shell(True, True))
        if scope.runs:
            yield scope


def jenkins_scopes(text: str) -> Iterator[Scope]:
    """`sh 'make test'` of https://www.jenkins.io/doc/pipeline/steps/workflow-durable-task-step/, with `-xe`."""
    for number, line in enumerate(text.splitlines()[:_MOST_LINES], start=1):
        match = _STEP.match(line)
        if match is not None:
            yield script_scope("sh", match[1], number, Shell(errexit=True))
