"""Where commands are written in a repository, by the name of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

import re2

from checks.tampering.change import Version
from checks.tampering.commands.ci_files import jenkins_scopes, yaml_scopes
from checks.tampering.commands.make_files import container_scopes, just_scopes, make_scopes, shell_scopes
from checks.tampering.commands.package_files import option_file_scope, package_scopes, python_scopes
from checks.tampering.commands.python_files import task_scopes
from checks.tampering.commands.scope import Scope
from checks.tampering.settings.documents import Unreadable
from checks.tampering.settings.flat import Settings
from checks.tampering.settings.reading import LARGEST_SETTINGS, decoded, read_settings

MOST_SCOPES = 300  # of one file; what a change pushes behind them counts as taken away

_FROM_TEXT: Mapping[str, Callable[[str], Iterator[Scope]]] = {
    **dict.fromkeys(("Makefile", "makefile", "GNUmakefile"), make_scopes),
    **dict.fromkeys(("justfile", "Justfile", ".justfile"), just_scopes),
    **dict.fromkeys(("Dockerfile", "Containerfile"), container_scopes),
    **dict.fromkeys(("noxfile.py", "tasks.py"), task_scopes),
    "Jenkinsfile": jenkins_scopes,
    ".rspec": lambda text: option_file_scope("rspec", text),
    # https://maven.apache.org/configure.html: options of every run, and of the Java that runs it
    **dict.fromkeys(("maven.config", "jvm.config"), lambda text: option_file_scope("mvn", text)),
}
_FROM_SETTINGS: Mapping[str, Callable[[Settings, str], Iterator[Scope]]] = {
    **dict.fromkeys(("package.json", "composer.json", "deno.json", "deno.jsonc"), package_scopes),
    **dict.fromkeys(
        (
            "pyproject.toml",
            "setup.cfg",
            "tox.ini",
            "tox.toml",
            "pytest.ini",
            ".pytest.ini",
            "pytest.toml",
            ".pytest.toml",
        ),
        python_scopes,
    ),
    **dict.fromkeys(
        (".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".drone.yml"), yaml_scopes
    ),
    **dict.fromkeys(("appveyor.yml", "cloudbuild.yaml", "Taskfile.yml", "Taskfile.yaml", "lefthook.yml"), yaml_scopes),
    ".pre-commit-config.yaml": yaml_scopes,
}
_CI_FOLDER = re2.compile(r"^(?:.*/)?(?:\.circleci|\.buildkite|\.gitlab|\.woodpecker|\.semaphore)/.*\.ya?ml$")


def holds_commands(path: str) -> bool:
    """Whether a file of that name is one that build commands are written in."""
    name = path.rpartition("/")[2]
    return (
        name in _FROM_TEXT
        or name in _FROM_SETTINGS
        or name.endswith((".sh", ".bash", ".zsh", ".mk"))
        or _in_ci_folder(path)
    )


def read_scopes(version: Version) -> tuple[Scope, ...]:
    """The places in that file where commands stand. Raises Unreadable where its form cannot be read."""
    name = version.path.rpartition("/")[2]
    from_settings = _FROM_SETTINGS.get(name, yaml_scopes if _in_ci_folder(version.path) else None)
    if version.data is None or len(version.data) > LARGEST_SETTINGS:
        raise Unreadable(f"it is larger than {LARGEST_SETTINGS} bytes")
    text = decoded(version.data)
    if from_settings is not None:
        return tuple(islice(from_settings(read_settings(version), text), MOST_SCOPES))
    return tuple(islice(_from_text(name)(text), MOST_SCOPES))


def _from_text(name: str) -> Callable[[str], Iterator[Scope]]:
    return _FROM_TEXT.get(name, make_scopes if name.endswith(".mk") else shell_scopes)


def _in_ci_folder(path: str) -> bool:
    return _CI_FOLDER.match(path.encode("utf-8", "replace").decode()) is not None
