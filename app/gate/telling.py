"""What the agent of a proxy session is told with the answer to its next push. Pure; planned twice it gives nothing."""

from __future__ import annotations

from collections.abc import Collection

from app.gate.effects import TellSession
from checks.finding import Finding, Status
from checks.origin import COMMITS, ORIGIN
from checks.scope import SCOPE
from checks.snapshot import Snapshot
from policies.escape import clean
from policies.verdict import Verdict

PURPOSE = "session"
TOLD = (SCOPE, COMMITS, ORIGIN)  # what a push can get wrong that the proxy could not see while it streamed
LONGEST = 700  # characters of one sentence in git's side band


def tellings(
    snapshot: Snapshot, verdict: Verdict, noted: Collection[tuple[str, str]], *, freeze: bool
) -> tuple[TellSession, ...]:
    """One for each of these findings that failed on this head. `noted` holds purpose and subject of those said."""
    session = snapshot.session
    if session is None or not session.live or not verdict.gated:
        return ()
    failed = [one for one in verdict.evidence.findings if one.check in TOLD and one.status is Status.FAILED]
    new = [one for one in failed if (PURPOSE, _subject(snapshot, one)) not in noted]
    number = snapshot.number or 0
    return tuple(TellSession(number, session.id, _subject(snapshot, one), _words(snapshot, one), freeze) for one in new)


def _subject(snapshot: Snapshot, finding: Finding) -> str:
    return f"{snapshot.head.sha}:{finding.check}"


def _words(snapshot: Snapshot, finding: Finding) -> str:
    fix = f" {finding.fix.text}" if finding.fix else ""
    return clean(f"{snapshot.head.sha[:12]} failed {finding.check}: {finding.reason}{fix}", LONGEST)
