"""The reports in all artifacts of one run, added up by artifact."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from checks.archives import ArchiveFile, read_archive
from checks.paths import PathPatterns
from checks.reports.formats import read_report
from checks.reports.report import MOST_CHARACTERS, TestReport, add_up, as_copy
from checks.unread import Unread


def read_artifacts(archives: Iterable[tuple[str, bytes]], files: PathPatterns) -> tuple[TestReport, ...] | Unread:
    """One report for every archive (artifact's name, zip) in which files match `files`.

    Unread, naming the file, as soon as one of them cannot be read: what is left would tell less than the run did.
    """
    found: list[TestReport] = []
    seen: set[bytes] = set()
    for name, data in archives:
        read = _read_artifact(name, data, files, seen)
        if isinstance(read, Unread):
            return Unread(f"artifact {name}: {read.because}")
        found += [read] if read is not None else []
    return _bounded(found)


def _read_artifact(name: str, data: bytes, files: PathPatterns, seen: set[bytes]) -> TestReport | Unread | None:
    """None where the archive holds no report. `seen` are digests of the files counted before, and is added to."""
    held = read_archive(data, files)
    if isinstance(held, Unread):
        return held
    reports: list[TestReport] = []
    for file in held:
        report = _read_file(file, seen)
        if isinstance(report, Unread):
            return report
        reports += [] if report is None else [report]
    return add_up(name, reports) if reports else None


def _read_file(file: ArchiveFile, seen: set[bytes]) -> TestReport | Unread | None:
    """A file that was uploaded twice, as jobs that gather reports do, is told from a second run by its very bytes."""
    report, digest = read_report(file.path, file.data), hashlib.sha256(file.data).digest()
    if isinstance(report, TestReport) and digest in seen:
        return as_copy(report)
    seen.add(digest)
    return report


def _bounded(reports: Sequence[TestReport]) -> tuple[TestReport, ...]:
    """Together they keep no more names than one may."""
    kept = sum(len(test) for report in reports for test in report.tests or ())
    if kept <= MOST_CHARACTERS:
        return tuple(reports)
    return tuple(replace(report, tests=None) for report in reports)
