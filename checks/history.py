"""Whether the bundle would come into the history, where GitHub makes the commit message from the pull request's text.

A merge queue takes no message from whoever enqueues: https://docs.github.com/rest/pulls/pulls gives it for direct
merges only. So the repository's setting decides:
https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges
"""

from __future__ import annotations

from checks.bundle import BundleReading
from checks.finding import Finding, skipped
from checks.snapshot import Snapshot

CHECK = "bundle.history"


def check(snapshot: Snapshot, reading: BundleReading) -> tuple[Finding, ...]:
    """At most one finding, which holds nothing up."""
    source, methods = reading.source, snapshot.methods_with_body
    if source is None or source.given or source.comment_id is not None or not methods:
        return ()
    reason = (
        f"The pull request's text becomes the message of a {' or '.join(methods)} commit here, and the bundle with it. "
        "An administrator can choose another default message in Settings, General, Pull Requests; "
        "a bundle in a comment stays out as well."
    )
    return (skipped(CHECK, reason),)
