"""Every migration since the rule was made only adds, or says from which step on programs do without what it takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.store.migrate import RULED_FROM, Migration, known
from tests.many.additive import faults

RULED = [migration for migration in known() if migration.version >= RULED_FROM]

ADDITIVE = (
    "create table a (id bigint generated always as identity primary key, b text not null, check (b <> ''))",
    "create table a (id bigint references sessions on delete cascade); create unique index on a (id)",
    "create table a (id bigint primary key); create table b (id bigint references a); insert into a values (1)",
    "create table a (id bigint); alter table a add constraint a_key primary key (id)",
    "create index on sessions (opened_at) where ended_at is null",
    "alter table sessions add column a text, add column b integer not null default 0, add column c text default ''",
    "alter table sessions add column a timestamptz not null default now(), add column b text check (b in ('x', 'y'))",
    "alter table sessions add column a bigint references pulls on delete set null",
    "alter table sessions add column a text[] not null default '{}', add column b boolean not null default false",
    "-- drop table sessions;\ncreate table a (b text default '; drop table sessions')",
)
NOT_ADDITIVE = (
    ("drop table sessions", "no table, column or index"),
    ("drop index sessions_branch", "no table, column or index"),
    ("truncate sessions", "no table, column or index"),
    ("delete from sessions", "no table, column or index"),
    ("update sessions set agent = ''", "no table, column or index"),
    ("insert into sessions values (1)", "no table, column or index"),
    ("create table a as select * from sessions", "no table, column or index"),
    ("with gone as (delete from sessions returning 1) select 1", "no table, column or index"),
    ("select drop_everything()", "no table, column or index"),
    ("do $$ begin drop table sessions; end $$", "no table, column or index"),
    ("lock table sessions", "no table, column or index"),
    ("create trigger t before update on sessions for each row execute function f()", "no table, column or index"),
    ("alter table sessions alter column agent set storage external", "no table, column or index"),
    ("alter table sessions rename to visits", "not only a new column"),
    ("alter table sessions rename column agent to who", "not only a new column"),
    ("alter table sessions drop column agent", "not only a new column"),
    ("alter table sessions add column a text, drop column agent", "not only a new column"),
    ("alter table sessions alter column agent set not null", "not only a new column"),
    ("alter table sessions alter column agent type integer", "not only a new column"),
    ("alter table sessions add constraint c check (agent <> '')", "not only a new column"),
    ("alter table sessions drop constraint sessions_pkey", "not only a new column"),
    ("alter table sessions add column a text not null", "writes rows without it"),
    ("alter table sessions add column a timestamptz default clock_timestamp()", "not the same for all rows"),
    ("alter table sessions add column a uuid not null default gen_random_uuid()", "not the same for all rows"),
    ("alter table sessions add column a text unique", "more than a type"),
    ("alter table sessions add column a bigint generated always as identity", "more than a type"),
    ("alter table sessions add column a text check (agent <> '')", "columns that an earlier program writes"),
    ("alter table sessions add column a bigint references pulls", "could not remove those rows"),
    ("create unique index on sessions (agent)", "may write what is not unique"),
    ("create table a (id bigint references sessions)", "could not remove those rows"),
    ("create table a (id bigint, foreign key (id) references sessions (id))", "could not remove those rows"),
    ("create table a (id bigint); drop table sessions", "no table, column or index"),
)


@pytest.mark.parametrize("migration", RULED, ids=lambda migration: migration.name)
def test_a_migration_only_adds_or_says_who_can_do_without(migration: Migration) -> None:
    if migration.oldest:
        assert RULED_FROM <= migration.oldest < migration.version
    else:
        assert faults(migration.sql) == []


@pytest.mark.parametrize("sql", ADDITIVE)
def test_what_adds_is_let_through(sql: str) -> None:
    assert faults(sql) == []


@pytest.mark.parametrize(("sql", "because"), NOT_ADDITIVE)
def test_what_an_earlier_program_could_not_live_with_is_refused(sql: str, because: str) -> None:
    assert len(found := faults(sql)) == 1 and because in found[0], found


def test_the_first_line_says_which_programs_go_on(tmp_path: Path) -> None:
    (tmp_path / "0031_before.sql").write_text("-- oldest: 0007\nselect 1;")
    (tmp_path / "0032_adds.sql").write_text("create table a ();\n-- oldest: 0031\n")
    (tmp_path / "0040_takes.sql").write_text("-- oldest: 0036\ndrop table a;")
    assert [(one.version, one.oldest) for one in known(tmp_path)] == [(31, 31), (32, 0), (40, 36)]
