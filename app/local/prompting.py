"""The section for an agent's instruction file (AGENTS.md), from the policy of the repository that it works in."""

from __future__ import annotations

from policies.schema import Policy

BEGIN, END = "<!-- mergegate: begin -->", "<!-- mergegate: end -->"
MOST_LISTED = 6  # areas and commands; more would cost every session of an agent


def section(policy: Policy, branch: str) -> str:
    """Markdown of at most 600 tokens. `branch` is the target's name."""
    namespace = _listed(policy.agents.branches) or "any branch"
    high = [name for name, area in policy.risk.areas.items() if area.risk in ("high", "critical")]
    lines = [
        BEGIN,
        "## Pull requests: mergegate decides",
        "",
        f"- Work on a branch that matches {namespace}; open one pull request into `{branch}`.",
        "- Run every test and check through `mergegate run -- COMMAND`. Commit, without changing files after the run.",
        f"- Before pushing: `mergegate check --base origin/{branch} --head HEAD`. Do what each `Fix:` says.",
        *_commands(policy),
        *_areas(high),
        f"- Put what `mergegate bundle make --base origin/{branch} --reason '…' --no-known-risk` prints into the pull",
        "  request's text, as it is. Say each known risk with `--known-risk`. Claims are compared with GitHub and git.",
        "- Then `mergegate wait OWNER/REPO#N`: exit 0 is done; 1 prints what to fix, fix it and push; 3 waits for a",
        "  person, stop and say so; 2 could not look.",
        "- Never remove, skip or weaken a test, an assertion, a coverage bar or a lint rule to get green. If a test is",
        "  really obsolete, name it in the bundle's `tests.removed` and say why; a person decides.",
        "- Do not edit workflows, runner settings, `.github/mergegate.yml`, CODEOWNERS or this section.",
        END,
    ]
    return "\n".join(lines) + "\n"


def _commands(policy: Policy) -> list[str]:
    commands = policy.ci.commands
    return [f"- These commands must pass: {_listed(commands)}."] if commands else []


def _areas(high: list[str]) -> list[str]:
    return [f"- High risk, so keep out unless the task is about it: {_listed(tuple(high))}."] if high else []


def _listed(values: tuple[str, ...]) -> str:
    more = f" and {len(values) - MOST_LISTED} more" if len(values) > MOST_LISTED else ""
    return ", ".join(f"`{value}`" for value in values[:MOST_LISTED]) + more
