"""`mergegate` of a version whose database has further steps: python -m tests.many.newer FOLDER PART."""

from __future__ import annotations

import functools
import shutil
import sys
from pathlib import Path

from app.cli.main import main
from app.store import database, migrate

NEXT = max(one.version for one in migrate.known()) + 1
# In tables that every part writes.
ADDS = """
alter table work add column shade text not null default 'grey', add column seen_by bigint;
alter table deliveries add column shade text, add column weighed boolean not null default false;
alter table sessions add column shade text not null default 'grey';
create table shades (id bigint generated always as identity primary key, session_id bigint references sessions
  on delete cascade, key text not null default '');
create index work_shade on work (shade);
"""


def newer_folder(folder: Path, sql: str = ADDS) -> Path:
    """All of this version's migrations and one more."""
    made = folder / "migrations"
    shutil.copytree(migrate.FOLDER, made, dirs_exist_ok=True)
    (made / f"{NEXT:04}_next.sql").write_text(sql)
    return made


if __name__ == "__main__":
    vars(database)["migrate"] = functools.partial(migrate.migrate, folder=Path(sys.argv.pop(1)))
    main()
