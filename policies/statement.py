"""A verdict as an in-toto Test Result, so that other programs need not know our own words.

Shape: https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md (version 0.1), within
https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md. Readers must ignore fields that they do not
know, so `counts`, `attempt`, `logDigests` and `reportDigests` stand beside the specified ones; what is not known is
left out, because an absent field claims nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from checks.bundle_schema import STATEMENT_TYPE
from checks.finding import Finding, Status
from policies.escape import clean
from policies.verdict import JudgedRun, Node, Subject, Verdict, fold_all

PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
_MOST = 50  # descriptors of one kind
_COUNTED = ("passed", "failed", "errors", "skipped")
_GREEN = (Status.PASSED, Status.SKIPPED)


def test_result(verdict: Verdict) -> dict[str, Any] | None:
    """The Statement on `mergegate/evidence`, JSON in and out; None while nothing is decided.

    The names of tests are names of our checks. WARNED: what only people can settle was accepted by them, and those
    checks are the `warnedTests`. Where no run counted (a person's own work, documentation) nothing was tested, and no
    success is stated.
    """
    subject, result = verdict.subject, _result(verdict)
    if verdict.overridden_by is not None:
        return None  # a person let it through, which is no result of a test
    if subject is None or result is None or (result != "FAILED" and not subject.runs):
        return None
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": clean(subject.repository, 200), "digest": _commit(verdict.head_sha, subject.tree)}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "result": result,
            "configuration": _configuration(verdict.policy_digest, subject),
            **_run(subject.runs),
            **_names(verdict),
            **_counts(subject.runs),
            "logDigests": _descriptors(log for run in subject.runs for log in run.logs),
            "reportDigests": _descriptors(report for run in subject.runs for report in run.reports),
        },
    }


def _questions(verdict: Verdict) -> tuple[Node, ...]:
    """What the evidence leaves to people."""
    return tuple(node for node in verdict.review.children if node.name == "questions")


def _result(verdict: Verdict) -> str | None:
    questions = _questions(verdict)
    status = fold_all((verdict.evidence.status, *(node.status for node in questions)))
    if status is Status.PASSED:
        return "WARNED" if questions else "PASSED"
    return "FAILED" if status is Status.FAILED else None


def _commit(sha: str, tree: str | None) -> dict[str, str]:
    """Digests of git objects: https://github.com/in-toto/attestation/blob/main/spec/v1/digest_set.md."""
    return {"gitCommit": sha} if tree is None else {"gitCommit": sha, "gitTree": tree}


def _configuration(policy_digest: str, subject: Subject) -> list[dict[str, Any]]:
    files = [{"name": clean(path, 400), "digest": {"gitBlob": blob}} for path, blob in subject.files[:_MOST]]
    return [*_descriptors([("policy", policy_digest)]), *files]


def _descriptors(named: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """A ResourceDescriptor for each name and `algorithm:value`."""
    parts = [(clean(name, 200), *digest.partition(":")[::2]) for name, digest in named]
    return [{"name": name, "digest": {algorithm: value}} for name, algorithm, value in parts[:_MOST]]


def _run(runs: Sequence[JudgedRun]) -> dict[str, Any]:
    """The run that decides: the first that is no success, else the one with the most tests."""
    red = [run for run in runs if not run.succeeded]
    deciding = red[0] if red else max(runs, key=_tests, default=None)
    if deciding is None:
        return {}
    attempt = {"attempt": deciding.attempt}
    return attempt if deciding.url is None else {"url": clean(deciding.url, 500), **attempt}


def _tests(run: JudgedRun) -> int:
    return 0 if run.counts is None else sum(getattr(run.counts, name) or 0 for name in _COUNTED)


def _names(verdict: Verdict) -> dict[str, list[str]]:
    warned = {finding.check for node in _questions(verdict) for finding in node.findings}
    statuses = _statuses(verdict.evidence.findings)
    failed = [check for check, seen in statuses.items() if Status.FAILED in seen]
    green = [check for check, seen in statuses.items() if Status.PASSED in seen and seen.issubset(_GREEN)]
    passed = [check for check in green if check not in warned]
    return {"passedTests": passed, "warnedTests": sorted(warned), "failedTests": failed}


def _statuses(findings: Iterable[Finding]) -> dict[str, set[Status]]:
    seen: dict[str, set[Status]] = defaultdict(set)
    for finding in findings:
        seen[finding.check].add(finding.status)
    return seen


def _counts(runs: Sequence[JudgedRun]) -> dict[str, Any]:
    """Sums over the raw logs that show tests; a number that one of them does not tell is left out."""
    logs = [asdict(run.counts) for run in runs if run.counts is not None]
    if not logs:
        return {}
    names = [name for name in (*_COUNTED, "flaky") if all(log[name] is not None for log in logs)]
    known = {name: sum(log[name] for log in logs) for name in names}
    if known.keys() >= set(_COUNTED):
        known["total"] = sum(known[name] for name in _COUNTED)
    return {"counts": known}
