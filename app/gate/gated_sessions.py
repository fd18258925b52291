"""Sessions whose branch has become one that the gate guards, or the repository's default: they end.

A session is opened on an agents' branch only. The policy or the settings may say otherwise afterwards, and an agent
that may still push there would write to what is being guarded. The proxy then stops what is under way within a second.
"""

from __future__ import annotations

import structlog

from app.gate.gate import Gate
from app.gate.names import RepositoryName
from app.gate.policies import policy_of_tip
from app.gate.target import is_gated
from app.github import graph
from app.proxy import sessions
from app.proxy.sessions import Session
from checks.branches import BRANCHES

log = structlog.get_logger(__name__)


async def end_gated_sessions(gate: Gate, installation_id: int, repository: RepositoryName) -> None:
    """Asks GitHub only where there are live sessions. Raises the errors of `app.github.errors`."""
    live = await sessions.live_in(gate.database, repository.id)
    if not live or repository.default_branch is None:
        return
    default = BRANCHES + repository.default_branch
    client = gate.client(installation_id)
    tip = await graph.branch_tip(client, repository.owner, repository.name, default)
    if tip is None:
        return
    policy = await policy_of_tip(gate, installation_id, repository, default, tip.target)
    # A policy that cannot be read names no branch; whatever is pushed meanwhile is judged as on a gated one.
    known = policy.origin not in ("broken", "unread")
    for one in live:
        if one.grant.branch == default:
            await _end(gate, one, "its branch is now the repository's default branch")
        elif known and is_gated(policy, one.grant.branch, default):
            await _end(gate, one, "the policy now gates its branch")


async def _end(gate: Gate, session: Session, because: str) -> None:
    if await sessions.revoke(gate.database, session.grant.session, because):
        log.warning("a session ends", session=session.grant.session, branch=session.grant.branch, because=because)
