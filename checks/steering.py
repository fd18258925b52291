"""Paths that steer the gate, the runners, the tests or other agents. No policy can lower their risk.

Policies list more; these are the least. Sources of the agents' instruction files are the vendors' documentation.
"""

from __future__ import annotations

from functools import cache

from checks.areas import Area
from checks.diff import Diff
from checks.paths import PathPatterns
from checks.unread import Unread

STEERING: dict[Area, tuple[str, ...]] = {
    "gate": (
        ".github/mergegate.yml",
        ".github/mergegate.yaml",
        ".github/mergegate-trust.yml",  # which identities may have a session of the proxy
        "CODEOWNERS",
        ".gitattributes",
    ),
    "ci": (
        ".github/workflows/",
        ".github/actions/",
        "action.yml",
        "action.yaml",
        ".gitlab-ci.yml",
        ".circleci/",
        ".buildkite/",
        ".travis.yml",
        "azure-pipelines.yml",
        "Jenkinsfile",
        ".ci/",
        "Makefile",
        ".pre-commit-config.yaml",
    ),
    "dependencies": (
        ".gitmodules",
        "package.json",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "bun.lockb",
        ".npmrc",
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "requirements*.txt",
        "Pipfile",
        "Pipfile.lock",
        "poetry.lock",
        "uv.lock",
        "pdm.lock",
        "go.mod",
        "go.sum",
        "Cargo.toml",
        "Cargo.lock",
        "Gemfile",
        "Gemfile.lock",
        "composer.json",
        "composer.lock",
        "pom.xml",
        "build.gradle*",
        "gradle.lockfile",
    ),
    "tests": (
        "conftest.py",
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "tox.toml",
        "bunfig.toml",
        "vitest.workspace.*",
        "tox.ini",
        "noxfile.py",
        "sitecustomize.py",
        "usercustomize.py",
        "*.pth",
        ".coveragerc",
        "jest.config.*",
        "jest.setup.*",
        "vitest.config.*",
        "vitest.setup.*",
        ".mocharc*",
        "karma.conf.*",
        "playwright.config.*",
        "cypress.config.*",
        "phpunit.xml*",
        ".rspec",
        "spec_helper.rb",
        "rails_helper.rb",
        "test_helper.rb",
    ),
    "agent-instructions": (
        "AGENTS.md",
        "AGENTS.override.md",
        "CLAUDE.md",
        "CLAUDE.local.md",
        "GEMINI.md",
        ".claude/",
        ".codex/",
        ".cursor/",
        ".cursorrules",
        ".gemini/",
        ".windsurf/",
        ".windsurfrules",
        ".clinerules*",
        ".aider*",
        ".mcp.json",
        ".github/copilot-instructions.md",
        ".github/instructions/",
        ".github/prompts/",
        ".github/agents/",
        ".github/chatmodes/",
    ),
}


@cache
def _infrastructure() -> PathPatterns:
    return PathPatterns(STEERING["tests"] + STEERING["ci"])


def test_infrastructure(diff: Diff | Unread) -> tuple[str, ...]:
    """Changed paths, both sides of renames, that say how tests are run; sorted. None where the diff is not known."""
    if isinstance(diff, Unread):
        return ()
    paths = {path for file in diff.files for path in file.paths}
    return tuple(sorted(path for path in paths if _infrastructure().matches(path)))
