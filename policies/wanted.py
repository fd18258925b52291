"""What each check wants, in one sentence, by its name or the first part of that."""

from __future__ import annotations

_WANTED = {
    "approvals": "The people whom the policy names approve this head.",
    "bundle": "An evidence bundle that holds every field the policy asks for.",
    "ci": "The required jobs succeeded on this head, and their raw logs say the same.",
    "ci.attempts": "No job needed more tries on this commit than the policy allows.",
    "ci.cache": "The jobs that count take no cache that earlier runs of this branch can have made.",
    "ci.other": "The other CI systems that the policy names are green on this head, by their raw logs where it asks.",
    "ci.runner": "The jobs that count run on machines that are used once.",
    "ci.secrets": "The jobs that count are given no secrets.",
    "ci.token": "The token of the jobs that count can only read.",
    "ci.variables": "Steps with tests depend on nothing that is set outside of the repository.",
    "ci.verifier": "A run of the required commands by the gate itself, apart from the workflows' runs, succeeded.",
    "claims": "What the bundle says is what GitHub and git say.",
    "freeze": "Merging is not frozen, or one of those whom the policy names lets it pass.",
    "group": "Every member still stands as it was judged, and nothing else is in the group.",
    "judge": "The independent judges that the policy names have nothing against it, or a person accepts it.",
    "members": "Every pull request of the group has both checks passed at the head that was queued.",
    "override": "A person whom the policy names lets it through, with a reason.",
    "people": "It is known whose work this is.",
    "policy": "A policy file that can be read.",
    "queue": "It is this pull request's turn to be merged, and its merge with the target branch was tried.",
    "review": "The people whom the policy names approve this head.",
    "policy.check": "The policy file that this pull request brings can be read, and what it changes is known.",
    "review.unmapped": "One more person approves where it is not known who wrote a commit.",
    "review.github": "What GitHub's own rules ask of reviewers is known.",
    "review.area": "One of an area's own reviewers approves this head.",
    "review.veto": "Whoever has a veto does not ask for changes.",
    "rules": "What the policy's rule requires, where it applies.",
    "risk": "The risk of the change is known, and the bundle does not call it lower.",
    "rollback": "A way back that fits the change.",
    "rollback.migration": "Every migration has its way back, or a person accepts that what it does is kept.",
    "rollback.revert": "What lands can be undone with `git revert`.",
    "scope": "The change stays within its ticket, and all of it was seen.",
    "origin": "The head of a session's branch came through that session of the proxy.",
    "scope.commits": "No single commit touches more than the whole change may.",
    "tampering": "The tests that judge the change are no fewer and no weaker than before.",
    "ticket": "The work belongs to an accepted ticket.",
    "tree": "The group's tree is what git makes of its members.",
}


def wanted(check: str) -> str:
    """For a check without a sentence of its own or of its family's, that it passes."""
    return _WANTED.get(check) or _WANTED.get(check.partition(".")[0], "This check passes.")
