"""Analyses kept in the store: neither side of a difference ever changes, so it is analysed once."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from pathlib import Path

from app.gate.analysis import ANALYSIS, analyse_difference
from app.gate.child import ROOT
from app.gate.git import GitObjects
from app.gate.zizmor import PROGRAM
from app.store import analyses
from app.store.database import Database
from app.store.stored import storable
from checks.diff import Diff
from checks.tampering.alteration import Analysis
from checks.unread import Unread

RULES_FOLDER = Path(ROOT) / "checks" / "tampering"


def _rules() -> str:
    """A digest of the analysis's own sources and what helps it: other rules look at a difference again."""
    files = sorted(RULES_FOLDER.rglob("*.py"))
    helped = b"" if PROGRAM is None else b"zizmor"
    return hashlib.sha256(b"".join(file.read_bytes() for file in files) + helped).hexdigest()


RULES = _rules()


async def remembered_analysis(
    database: Database, repository_id: int, objects: GitObjects, judged: tuple[tuple[str, str], Diff]
) -> Analysis | Unread:
    """The same, once for each `judged_difference`."""
    difference, diff = judged
    async with database.transaction() as connection:
        known = await analyses.find(connection, repository_id, difference, RULES)
    if known is not None:
        return ANALYSIS.validate_python(known)
    analysis = await analyse_difference(objects, diff, difference[1])
    if isinstance(analysis, Unread):
        return analysis
    facts = storable(asdict(analysis))
    async with database.transaction() as connection:
        await analyses.save(connection, repository_id, difference, RULES, facts)
    return ANALYSIS.validate_python(facts)
