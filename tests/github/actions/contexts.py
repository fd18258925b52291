"""The contexts that a run's jobs see in expressions and, as GITHUB_* variables, in their environment."""

from __future__ import annotations

from tests.github.actions.expressions import Contexts, Status
from tests.github.actions.plan import JobPlan
from tests.github.state import Repository, WorkflowRun


def github_context(base_url: str, repository: Repository, run: WorkflowRun, job_id: str) -> dict[str, str]:
    """The `github` context; its keys without a dot become GITHUB_* variables.

    https://docs.github.com/actions/reference/workflows-and-actions/contexts#github-context
    """
    ref = run.checkout_ref
    owner, _, _name = repository.full_name.partition("/")
    return {
        "sha": run.checkout_sha,
        "ref": ref,
        "ref_name": ref.removeprefix("refs/heads/").removeprefix("refs/pull/").removeprefix("refs/tags/"),
        "ref_type": "branch",
        "head_ref": "",
        "base_ref": "",
        "event_name": run.event,
        "repository": repository.full_name,
        "repository_id": str(repository.id),
        "repository_owner": owner,
        "run_id": str(run.id),
        "run_number": str(run.run_number),
        "run_attempt": str(run.attempt),
        "actor": run.actor,
        "triggering_actor": run.triggering_actor,
        "workflow": run.name,
        "workflow_ref": f"{repository.full_name}/{run.workflow_path}@{ref}",
        "workflow_sha": run.checkout_sha,
        "job": job_id,
        "server_url": base_url,
        "api_url": f"{base_url}/api/v3",
        "graphql_url": f"{base_url}/api/graphql",
        **run.context,
    }


def job_contexts(plan: JobPlan) -> Contexts:
    """What a job's own name and condition may use."""
    matrix = {key: str(value) for key, value in plan.matrix.items()}
    return {"github": plan.github, "matrix": matrix, "inputs": plan.inputs, "needs": plan.needs, "vars": {}}


def status_before(plan: JobPlan, contexts: Contexts) -> Status:
    results = set(plan.needs.values())
    # A skipped need counts as "not success": the jobs behind it are skipped too.
    return Status("failure" in results or "skipped" in results, "cancelled" in results, contexts)
