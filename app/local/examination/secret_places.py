"""Secrets that workflows on agents' branches are given, or can be.

A run on a branch of the repository itself is given every secret that its workflow file names, and those of the
environments that it names if they let the branch in:
https://docs.github.com/en/actions/reference/security/secrets
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from app.local.examination.branch_filters import lets_in, names_under
from app.local.examination.facts import CouldNotRead, Environment, Facts, Symptom, listed, unread
from app.local.examination.workflow_reading import ON_PULLS, WorkflowText, raw_job, read_workflows
from checks.workflow_notes import ALL_SECRETS

_KEEP = "Keep them in an environment that only the default branch may use; never grant the courier `workflows`."
_MOVE = "Keep them in an environment that only the default branch may use, and take them out of these workflows."
_RESTRICT = "Restrict it to the default branch: Settings, Environments, Deployment branches and tags."


def symptoms(facts: Facts) -> Iterator[Symptom]:
    files = [file for file in read_workflows(facts) if file.runs_agents_code]
    used = _used(files)
    yield from _kept(facts.secrets.repository, "of the repository", used, "Secrets: read")
    yield from _kept(facts.secrets.organization, "of the organisation", used, "Secrets: read")
    yield from _dependabots(facts.secrets.dependabot, files)
    yield from _environments(facts, files)


def _used(files: Sequence[WorkflowText]) -> dict[str, str]:
    """The first place of each secret's name, in upper case as GitHub keeps it."""
    places: dict[str, str] = {}
    for file in files:
        for name, line in file.secrets():
            places.setdefault(name if name == ALL_SECRETS else name.upper(), f"{file.path}:{line or 1}")
    return places


def _kept(names: Sequence[str] | CouldNotRead, whose: str, used: Mapping[str, str], needs: str) -> Iterator[Symptom]:
    if isinstance(names, CouldNotRead):
        yield unread(f"The names of Actions secrets {whose}", names, needs)
        return
    given = [(name, place) for name in names if (place := used.get(name.upper()) or used.get(ALL_SECRETS))]
    if given:
        shown = listed([f"{name} at {place}" for name, place in given])
        yield Symptom("wrong", f"What agents push is given secrets {whose} ({len(given)}): {shown}.", _MOVE)
    others = [name for name in names if name not in dict(given)]
    if others:
        what = f"Any workflow file of an agent's branch can name secrets {whose} ({len(others)}): {listed(others)}."
        yield Symptom("odd", what, _KEEP)


# https://docs.github.com/en/code-security/dependabot/troubleshooting-dependabot/troubleshooting-dependabot-on-github-actions
def _dependabots(names: Sequence[str] | CouldNotRead, files: Sequence[WorkflowText]) -> Iterator[Symptom]:
    """Dependabot's runs alone are given them; what they run is a dependency that nobody has read yet."""
    if isinstance(names, CouldNotRead):
        yield unread("The names of Dependabot's secrets", names, "Dependabot secrets: read")
        return
    used = _used([file for file in files if ON_PULLS & file.events])
    given = [name for name in names if name.upper() in used or ALL_SECRETS in used]
    if given:
        what = f"Pull requests of Dependabot run new versions of dependencies with its secrets: {listed(given)}."
        yield Symptom("odd", what, "Remove those that its pull requests can do without.")


def _environments(facts: Facts, files: Sequence[WorkflowText]) -> Iterator[Symptom]:
    if isinstance(facts.environments, CouldNotRead):
        yield unread("The environments", facts.environments, "Actions: read")
        return
    used = {name for file in files for job in file.workflow.jobs if (name := _environment(raw_job(file.workflow, job)))}
    for one in facts.environments:
        is_open = _is_open(one, facts)
        if isinstance(is_open, CouldNotRead):
            yield unread(f"Which branches may use the environment `{one.name}`", is_open, "Actions: read")
        elif is_open:
            yield from _open(one, is_used=any(_is_of(name, one) for name in used))


def _is_of(name: str, one: Environment) -> bool:
    """Whether a job's word for its environment is this one's, or can be. GitHub tells no capitals apart in them."""
    return "${{" in name or name.casefold() == one.name.casefold()


def _environment(job: Mapping[str, object]) -> str:
    """`environment: name`, or with an address beside it."""
    written = job.get("environment")
    name = written.get("name") if isinstance(written, dict) else written
    return name if isinstance(name, str) else ""


def _is_open(one: Environment, facts: Facts) -> bool | CouldNotRead:
    """Whether agents' branches may use it.

    "Protected branches only" means classic protection, and lets every branch in where there is none:
    https://docs.github.com/en/actions/reference/workflows-and-actions/deployments-and-environments
    """
    if one.branches is None or isinstance(one.branches, CouldNotRead):
        return one.branches or True
    if one.branches == "protected":
        classic = facts.classic_protection
        return classic if isinstance(classic, CouldNotRead) else not classic
    return any(lets_in(one.branches, name) for name in names_under(facts.namespace))


def _open(one: Environment, *, is_used: bool) -> Iterator[Symptom]:
    if isinstance(one.secrets, CouldNotRead):
        yield unread(f"The secrets of the environment `{one.name}`", one.secrets, "Environments: read")
        return
    if not one.secrets:
        return
    secrets = f"secrets ({len(one.secrets)}): {listed(one.secrets)}"
    what = f"The environment `{one.name}` lets agents' branches in, with {secrets}"
    if one.reviewed:
        yield Symptom("odd", f"{what}. Somebody lets each job in.", _RESTRICT)
    elif is_used:
        yield Symptom("wrong", f"{what}. A workflow on agents' branches uses it.", _RESTRICT)
    else:
        yield Symptom("odd", f"{what}.", _RESTRICT)
