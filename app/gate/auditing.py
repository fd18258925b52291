"""What of a judgement or a landing goes into the audit log. Pure: verdicts in, entries out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.keys import GroupKey, PullKey, QueueKey
from app.store.audit import Entry, Recorded
from app.store.decisions import Json
from checks.snapshot import Risk, Snapshot
from checks.unread import Unread
from policies.verdict import GroupVerdict, Verdict


@dataclass(frozen=True, slots=True)
class Author:
    """Who made a change: its author's login, the agent's name where a session told it, and who answers for it."""

    login: str | None
    agent: str | None
    operator: str | None


def author_of(snapshot: Snapshot) -> Author:
    login = None if isinstance(snapshot.author, Unread) else snapshot.author.login
    return Author(login, snapshot.session_agent, snapshot.operator)


def subject_of(key: PullKey) -> str:
    return f"pull:{key.number}"


def judged(key: PullKey, before: Json | None, verdict: Verdict) -> list[Entry]:
    """What is new in a verdict beside the one before it (as the store has it): statuses, approvals, an override."""
    return [Entry(kind, subject_of(key), key.repository_id, data) for kind, data in _news(before, verdict)]


def group_judged(key: GroupKey | QueueKey, verdict: Verdict | GroupVerdict) -> Entry:
    """A verdict on what would land: a merge group, or a trial of the serial queue."""
    data = {
        "head": verdict.head_sha,
        "target": verdict.target_ref,
        "evidence": verdict.evidence.status.value,
        "review": verdict.review.status.value,
    }
    return Entry("verdict", f"group:{verdict.head_sha}", key.repository_id, data)


def _news(before: Json | None, verdict: Verdict) -> Iterator[tuple[Any, dict[str, Any]]]:
    known: Mapping[str, Any] = before or {}
    new = _verdict(verdict)
    if before is None or _standing(known) != {name: new[name] for name in _standing(known)}:
        yield "verdict", new
    same_head = known.get("head_sha") == verdict.head_sha
    counted = set(known.get("approved_by", ())) if same_head else set()
    for login in sorted(set(verdict.approved_by) - counted):
        yield "approval", {"by": login, "head": verdict.head_sha, "bundle": verdict.bundle_digest}
    override = verdict.overridden_by
    if override is not None and ((known.get("overridden_by") or {}).get("comment_id") != override.comment_id):
        yield "override", _override(override.author.login, override.reason, override.commit)


def _standing(known: Mapping[str, Any]) -> dict[str, Any]:
    """What makes a verdict another one."""
    return {
        "head": known.get("head_sha"),
        "target": known.get("target_ref"),
        "evidence": (known.get("evidence") or {}).get("status"),
        "review": (known.get("review") or {}).get("status"),
        "policy": known.get("policy_digest"),
        "bundle": known.get("bundle_digest"),
        "ticket": known.get("ticket_digest"),
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "head": verdict.head_sha,
        "target": verdict.target_ref,
        "evidence": verdict.evidence.status.value,
        "review": verdict.review.status.value,
        "kind": verdict.kind,
        "mode": verdict.mode,
        "gated": verdict.gated,
        "risk": verdict.risk.word,
        "policy": verdict.policy_digest,
        "bundle": verdict.bundle_digest,
        "ticket": verdict.ticket_digest,
    }


def _override(login: str, reason: str, commit: str) -> dict[str, Any]:
    return {"by": login, "reason": reason, "head": commit}


def policy_change(key: PullKey, before: Recorded | None, verdict: Verdict) -> list[Entry]:
    """Whether another policy judges changes of this branch than the one that is in the log."""
    known = before.entry.data["policy"] if before is not None else None
    if known == verdict.policy_digest:
        return []
    return [Entry("policy", verdict.target_ref, key.repository_id, {"policy": verdict.policy_digest, "before": known})]


@dataclass(frozen=True, slots=True)
class Landed:
    """A pull request's merge: `sha` on `ref` (full), its head, who merged it, and what is wrong with it, if so.

    `bypass`: GitHub's record says that rules were passed over.
    """

    repository: str  # full name
    ref: str
    sha: str
    head_sha: str
    merged_by: str | None
    by_gate: bool
    alarm: str | None
    bypass: bool


def landed(key: PullKey, merge: Landed, verdict: Json, author: Author) -> list[Entry]:
    """The record from which a report is made; `verdict` is the last one, as the store has it."""
    data = {
        **_place(merge),
        "pull": key.number,
        "author": author.login,
        "agent": author.agent,
        "operator": author.operator,
        "approvers": list(verdict.get("approved_by", ())) if verdict["head_sha"] == merge.head_sha else [],
        "kind": verdict["kind"],
        "risk": Risk(verdict["risk"]).word,
        "judged_head": verdict["head_sha"],
        "evidence": evidence_of(verdict),
        "policy": verdict["policy_digest"],
        "override": _given_override(verdict.get("overridden_by")),
        "by_gate": merge.by_gate,
        "alarm": merge.alarm,
        "bypass": merge.bypass,
    }
    entries = [Entry("landing", subject_of(key), key.repository_id, data)]
    if merge.bypass:
        entries.append(bypassed(key.repository_id, {**_place(merge), "pull": key.number, "how": "rules bypassed"}))
    return entries


def bypassed(repository_id: int, data: Mapping[str, Any]) -> Entry:
    """Something landed past the rules; known by `ref` (full) and `sha` in the data, however it was found."""
    return Entry("bypass", f"{data['ref']}:{data['sha']}", repository_id, data)


def _place(merge: Landed) -> dict[str, Any]:
    return {
        "repository": merge.repository,
        "ref": merge.ref,
        "sha": merge.sha,
        "head": merge.head_sha,
        "by": merge.merged_by,
    }


def _given_override(override: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if override is None:
        return None
    return _override(override["author"]["login"], override["reason"], override["commit"])


def evidence_of(verdict: Json) -> dict[str, Any]:
    """Digests of what the verdict rests on: bundle, ticket, and raw logs and reports of the runs that counted."""
    subject = verdict.get("subject") or {}
    return {
        "bundle": verdict["bundle_digest"],
        "ticket": verdict["ticket_digest"],
        "tree": subject.get("tree"),
        "runs": [
            {
                "url": run["url"],
                "attempt": run["attempt"],
                "files": [{"name": name, "digest": digest} for name, digest in (*run["logs"], *run["reports"])],
            }
            for run in subject.get("runs", ())
        ],
    }
