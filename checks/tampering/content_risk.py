"""What makes a change risky by what it says, wherever it stands: lost data, secrets, wider rights, code from elsewhere.

Nothing here is held by itself; it raises the risk, and with it who must look.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import re2

from checks.tampering.alteration import LONGEST_QUOTE, Alteration, Weight
from checks.tampering.area_words import area_words
from checks.tampering.bounded import few_of_each
from checks.tampering.change import Change, Version
from checks.tampering.endings import is_code
from checks.tampering.migrating.embedded import texts
from checks.tampering.occurrences import Mark, added_marks, only_with
from checks.tampering.places import extension, is_document, is_test_path
from checks.tampering.secret_tokens import secret_tokens
from checks.tampering.settings.reading import decoded

MOST_DELETED_LINES = 2_000  # of code, over the whole difference
MOST_DELETED_FILES = 50

# Where a migration's way back begins: goose, dbmate, sql-migrate; alembic, Rails, Django, knex.
_WAY_BACK = re2.compile(
    rb"(?im)^\s*(?:--\s*(?:\+goose down|migrate:down|\+migrate down|down\b|rollback\b)"
    rb"|def (?:downgrade|down)\b|exports\.down\b|export (?:async )?function down\b|(?:public )?function down\b).*"
)
_DOWN_FILE = re2.compile(r"(?i)(?:.*/)?(?:.*[._\-])?(?:down|rollback|undo|revert)(?:[._\-].*)?\.sql|(?:.*/)?down/.*")
_MIGRATION = re2.compile(r"(?i)(?:.*/)?(?:migrations?|alembic|migrate|db/migrate|changelog|flyway)/.*")
_CODE_MIGRATION = re2.compile(
    rb"\b(?:drop_table|drop_column|remove_columns?|dropTable|dropColumns?|dropTableIfExists|removeColumn|DeleteModel|"
    rb"RemoveField|dropIfExists|drop_join_table|DropTable|DropColumn)\b[^\n]{0,120}"
)
# Of Rails, Django, Alembic, knex, Sequelize and TypeORM.
_CODE_REWRITE = re2.compile(
    rb"(?:\b(?:change_column[ (]|AlterField\(|changeColumn\(|alter_column\((?s:.{0,300}?)\btype_\s*=)|\.alter\(\))"
    rb"[^\n]{0,120}"
)
_CODE_DELETION = re2.compile(
    rb"(?:\b(?:delete_all|destroy_all|update_all|bulkDelete|truncate_tables)\b|\.truncate\(|\.del\(\)"
    rb"|\.all\(\)\.(?:delete|update)\()[^\n]{0,120}"
)
_LOSING_WORD = re2.compile(rb"(?i)\b(?:drop|truncate|delete|alter|update|replace)\b")
_WIDER = re2.compile(
    rb"\bchmod +(?:-R +)?(?:0?777|a\+rwx|o\+w)\b|\"(?:Action|NotAction)\"\s*:\s*\[?\s*\"\*\""
    rb"|\bactions\s*=\s*\[\s*\"\*\""
    rb"|\bprivileged:\s*true|\ballowPrivilegeEscalation:\s*true|\bhostNetwork:\s*true|--privileged\b"
    rb"|--cap-add[= ](?:ALL|SYS_ADMIN)|\b(?i:grant\s+all)\b|\bacl\s*=\s*\"public-read|\bverbs:\s*\[\s*[\"']\*"
    rb"|\bAllowAny\b|@csrf_exempt\b|\bpermitAll\(\)"
)
_UNVERIFIED = re2.compile(
    rb"\bverify\s*=\s*False\b|\brejectUnauthorized:\s*false|\bInsecureSkipVerify:\s*true"
    rb"|NODE_TLS_REJECT_UNAUTHORIZED\W+0"
    rb"|\bcurl\b[^\n|;]*\s(?:-k|--insecure)\b|http\.sslVerify\W+false|\balgorithms?\W{1,6}none\b"
)
_RUNS_TEXT = re2.compile(
    rb"(?m)(?:^|[^.\w])(?:eval|exec)\(|\bnew Function\(|\bos\.system\(|\bshell\s*=\s*True\b|\bpickle\.loads?\("
    rb"|\b(?:curl|wget)\b[^\n|;]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b|\bchild_process\b|\bInvoke-Expression\b"
)
_ANY_WORD = re2.compile(b"|".join(b"(?:%b)" % words.pattern for words in (_WIDER, _UNVERIFIED, _RUNS_TEXT)))


def alterations(changes: Sequence[Change]) -> Iterator[Alteration]:
    """Alterations of weight RISK, each with its area. Never raises for what a change holds."""
    return few_of_each(_alterations(changes))


def _alterations(changes: Sequence[Change]) -> Iterator[Alteration]:
    yield from _lost_data(changes)
    yield from secret_tokens(changes)
    yield from _large_deletion(changes)
    yield from area_words(changes)
    migrations = [_forwards(change) for change in changes if any(map(_is_migration, change.paths))]
    yield from _worded(migrations, _CODE_MIGRATION, "data-dropped", "migration", "It drops what is stored")
    yield from _worded(migrations, _CODE_REWRITE, "data-dropped", "migration", "It may change a stored column's type")
    yield from _worded(migrations, _CODE_DELETION, "data-dropped", "data-deletion", "It deletes or overwrites rows")
    changes = only_with(changes, lambda data: _ANY_WORD.search(data) is not None)
    yield from _worded(changes, _WIDER, "rights-widened", "permissions", "It gives more rights")
    yield from _worded(changes, _UNVERIFIED, "check-switched-off", "authentication", "It trusts whoever answers")
    yield from _worded(changes, _RUNS_TEXT, "runs-text-as-code", "", "It runs text as a program")


def _lost_data(changes: Sequence[Change]) -> Iterator[Alteration]:
    """Statements that came, compared without regard to blanks, over the whole difference."""
    sql = [_forwards(change) for change in changes if any(map(_may_hold_sql, change.paths))]
    if not sql:
        return
    before = Counter(_evened(statement) for change in sql for _, statement, _ in _destructive(change.before))
    for change in sql:
        for line, statement, what in _destructive(change.after):
            if before[_evened(statement)] > 0:
                before[_evened(statement)] -= 1
                continue
            area = "migration" if "column" in what else "data-deletion"
            reason = f"A statement {what}; what it held cannot be brought back by a revert."
            path, quote = change.paths[0], statement[:LONGEST_QUOTE]
            yield Alteration("data-dropped", path, line, "", quote, reason, Weight.RISK, path, area)


def _may_hold_sql(path: str) -> bool:
    return extension(path) == "sql" or _is_migration(path)


def _destructive(version: Version | None) -> list[tuple[int, str, str]]:
    if version is None or not version.data or _LOSING_WORD.search(version.data) is None:
        return []
    # The parser of SQL takes longer to load than most changes take to judge.
    from checks.tampering.destructive_sql import destructive_statements

    if extension(version.path) == "sql":
        return list(destructive_statements(decoded(version.data)))
    embedded = texts(version.path, version.data)
    return [
        (begin + line - 1, statement, what)
        for begin, text in embedded
        for line, statement, what in destructive_statements(text)
    ]


def _evened(statement: str) -> str:
    return " ".join(statement.split()).lower()


def _forwards(change: Change) -> Change:
    """A migration without its way back, which takes away what the way forth made."""
    return replace(change, before=_cut(change.before), after=_cut(change.after))


def _cut(version: Version | None) -> Version | None:
    if version is None or not version.data:
        return version
    if _DOWN_FILE.fullmatch(version.path.encode("utf-8", "replace").decode()):
        return replace(version, data=b"")
    back = _WAY_BACK.search(version.data)
    return version if back is None else replace(version, data=version.data[: back.start()])


def _worded(changes: Sequence[Change], pattern: Any, kind: str, area: str, says: str) -> Iterator[Alteration]:
    """One alteration for every file to which such words came; prose and tests may speak of them."""
    by_path: dict[str, list[Mark]] = defaultdict(list)
    for mark in added_marks(changes, pattern, _is_product):
        by_path[mark.path].append(mark)
    for path, marks in by_path.items():
        first = marks[0]
        more = f" and {len(marks) - 1} more" if len(marks) > 1 else ""
        reason = f"{says}: `{first.text.strip()[:80]}`{more}."
        yield Alteration(kind, path, first.line, "", first.source, reason, Weight.RISK, path, area)


def _is_product(path: str) -> bool:
    return not is_document(path) and not is_test_path(path) and extension(path) != "sql"


def _is_migration(path: str) -> bool:
    return _MIGRATION.fullmatch(path.encode("utf-8", "replace").decode()) is not None


def _large_deletion(changes: Sequence[Change]) -> Iterator[Alteration]:
    """Source code that is gone and stands nowhere else in the change."""
    code = [change for change in changes if any(map(is_code, change.paths))]
    files = sum(change.after is None for change in code)
    if files <= MOST_DELETED_FILES and _shrinks_by(code) <= MOST_DELETED_LINES:
        return
    gone = _lines([change.before for change in code]) - _lines([change.after for change in code])
    if files <= MOST_DELETED_FILES and gone.total() <= MOST_DELETED_LINES:
        return
    path = next(change.paths[0] for change in code if change.before)
    reason = f"It takes {gone.total()} lines of source code and {files} files away."
    yield Alteration("large-deletion", path, None, "", "", reason, Weight.RISK, path, "")


def _shrinks_by(changes: Sequence[Change]) -> int:
    """Lines, blank ones too; quick, and enough where a change makes as many lines as it takes."""
    return _line_ends([change.before for change in changes]) - _line_ends([change.after for change in changes])


def _line_ends(versions: Sequence[Version | None]) -> int:
    return sum(version.data.count(b"\n") for version in versions if version is not None and version.data)


def _lines(versions: Sequence[Version | None]) -> Counter[bytes]:
    return Counter(
        line
        for version in versions
        if version is not None and version.data
        for line in map(bytes.strip, version.data.split(b"\n"))
        if line
    )
