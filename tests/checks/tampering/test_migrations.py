"""Migrations with and without their way back, as the tools' own templates and documentation write them."""

from __future__ import annotations

import pytest

from checks.diff import FileStatus
from checks.snapshot import Risk
from checks.tampering.alteration import Alteration, Weight
from checks.tampering.analyse import analyse
from checks.tampering.change import Change, Version
from checks.tampering.levels import level_of
from checks.tampering.migrations import KIND, alterations
from tests.checks.tampering.honest import changes_between, version

ALEMBIC = "alembic/versions/3f2a_add_note.py"
ALEMBIC_HEAD = '"""Add note."""\nfrom alembic import op\n\nrevision = "3f2a"\ndown_revision = "1b1c"\n\n\n'
UPGRADE = 'def upgrade() -> None:\n    op.add_column("orders", sa.Column("note", sa.Text()))\n\n\n'
IDLE_UPGRADE = "def upgrade() -> None:\n    pass\n\n\n"


def alembic(down: str, up: str = UPGRADE) -> str:
    return f"{ALEMBIC_HEAD}{up}{down}"


DJANGO = "shop/migrations/0007_note.py"


def django(operation: str) -> str:
    head = "from django.db import migrations\n\n\nclass Migration(migrations.Migration):\n    operations = [\n"
    return f"{head}        {operation},\n    ]\n"


RAILS = "db/migrate/20260504120000_add_note.rb"


def rails(body: str) -> str:
    return f"class AddNote < ActiveRecord::Migration[8.0]\n{body}end\n"


RAILS_UP = "  def up\n    execute 'UPDATE orders SET note = 1'\n  end\n"
KNEX = "migrations/20260504_note.js"
KNEX_UP = "exports.up = function (knex) {\n  return knex.schema.createTable('notes', (t) => t.increments());\n};\n\n"
SEQUELIZE = (
    "'use strict';\n\nmodule.exports = {\n  async up(queryInterface, Sequelize) {\n    await queryInterface.x();\n"
)
TYPEORM = "src/migration/1714-Note.ts"


def typeorm(down: str) -> str:
    head = "export class Note1714 implements MigrationInterface {\n  public async up(queryRunner: QueryRunner)"
    return f"{head}: Promise<void> {{\n    await queryRunner.query(`CREATE TABLE notes`);\n  }}\n{down}}}\n"


CREATE = "CREATE TABLE notes (id INTEGER);\n"
DROP = "DROP TABLE notes;\n"
GOOSE_UP = f"-- +goose Up\n-- +goose StatementBegin\n{CREATE}-- +goose StatementEnd\n"
DBMATE_UP = f"-- migrate:up transaction:false\n{CREATE}\n"

ONE_WAY: dict[str, tuple[str, str, int]] = {
    "alembic, no downgrade": (ALEMBIC, alembic(""), 8),
    "alembic, pass": (ALEMBIC, alembic("def downgrade() -> None:\n    pass\n"), 12),
    "alembic, only words": (ALEMBIC, alembic('def downgrade() -> None:\n    """No way."""\n    return None\n'), 12),
    "alembic, refuses": (ALEMBIC, alembic("def downgrade():\n    raise NotImplementedError\n"), 12),
    "alembic, ends at once": (ALEMBIC, alembic("def downgrade():\n    return\n"), 12),
    "alembic, no Python": (ALEMBIC, alembic("def downgrade(:\n"), 1),
    "django, python": (DJANGO, django("migrations.RunPython(fill)"), 6),
    "django, imported": (DJANGO, django("RunPython(code=fill)"), 6),
    "django, sql": (DJANGO, django("migrations.RunSQL('UPDATE x SET y = 1')"), 6),
    "django, none": (DJANGO, django("migrations.RunSQL('UPDATE x SET y = 1', reverse_sql=None)"), 6),
    "django, none by place": (DJANGO, django("migrations.RunPython(fill, None)"), 6),
    "django, other words": (DJANGO, django("migrations.RunPython(fill, elidable=True)"), 6),
    "django, within": (
        DJANGO,
        django("migrations.SeparateDatabaseAndState(database_operations=[migrations.RunSQL('x')])"),
        6,
    ),
    "django, says so": (
        DJANGO,
        "class Drop(Operation):\n    reversible = False\n\n\nclass Migration(M):\n    x = 1\n",
        2,
    ),
    "rails, no down": (RAILS, rails("\n\n" + RAILS_UP), 4),
    "rails, old style": (RAILS, rails("  def self.up\n    x\n  end\n"), 2),
    "rails, refuses": (
        RAILS,
        rails(f"{RAILS_UP}  def down\n    raise ActiveRecord::IrreversibleMigration\n  end\n"),
        6,
    ),
    "rails, empty": (RAILS, rails(f"{RAILS_UP}\n  def down\n    # nothing\n  end\n"), 6),
    "rails, nil": (RAILS, rails(f"{RAILS_UP}  def down\n    nil\n  end\n"), 5),
    "rails, one line": (RAILS, rails(f"{RAILS_UP}  def down; end\n"), 5),
    "rails, raw sql": (RAILS, rails("  def change\n    execute 'UPDATE x SET y = 1'\n  end\n"), 3),
    "rails, a new type": (RAILS, rails("  def change\n    change_column :orders, :total, :bigint\n  end\n"), 3),
    "rails, a column without type": (RAILS, rails("  def change\n\n    remove_column :orders, :note\n  end\n"), 4),
    "rails, a table without columns": (RAILS, rails("  def change\n    drop_table :notes\n  end\n"), 3),
    "rails, CR LF": (RAILS, rails("  def change\n    drop_table :notes\n  end\n").replace("\n", "\r\n"), 3),
    "knex, no down": (KNEX, KNEX_UP, 1),
    "knex, empty": (KNEX, f"{KNEX_UP}exports.down = function (knex) {{}};\n", 5),
    "knex, arrow": (KNEX, f"{KNEX_UP}exports.down = async (knex) => {{\n  // later\n}};\n", 5),
    "knex, one word": (KNEX, f"{KNEX_UP}exports.down = knex => {{ return; }};\n", 5),
    "knex, resolves": (KNEX, f"{KNEX_UP}exports.down = function (knex) {{\n  return Promise.resolve();\n}};\n", 5),
    "knex, resolves at once": (KNEX, f"{KNEX_UP}exports.down = () => Promise.resolve();\n", 5),
    "knex, false": (KNEX, f"{KNEX_UP}exports.down = false;\n", 5),
    "knex, module": (
        "db/migrations/1.mjs",
        "export async function up(knex) {\n  await k.x();\n}\n\nexport async function down(knex) {\n /* no\n * */\n}\n",
        5,
    ),
    "sequelize, no down": (KNEX, f"{SEQUELIZE}  }},\n}};\n", 4),
    "sequelize, empty": (KNEX, f"{SEQUELIZE}  }},\n  async down(queryInterface, Sequelize) {{\n  }},\n}};\n", 7),
    "sequelize, refuses": (KNEX, f"{SEQUELIZE}  }},\n  down: async () => {{ throw new Error('no'); }},\n}};\n", 7),
    "umzug": (
        "migrations/1.ts",
        "export const up: M = async ({ context: q }) => {\n  q.x();\n};\nexport const down: M = async ({ c }) => {};",
        4,
    ),
    "typeorm, empty": (
        TYPEORM,
        typeorm("\n  public async down(queryRunner: QueryRunner): Promise<void> {\n  }\n"),
        6,
    ),
    "typeorm, no down": (TYPEORM, typeorm(""), 2),
    "goose, no down": ("db/1_notes.sql", GOOSE_UP, 1),
    "goose, empty": ("db/1_notes.sql", f"{GOOSE_UP}\n-- +goose Down\n-- +goose StatementBegin\n-- no\n", 6),
    "goose, template": ("db/1_notes.sql", f"{GOOSE_UP}-- +goose Down\nSELECT 'down SQL query';\n", 5),
    "dbmate, empty": ("db/1_notes.sql", f"{DBMATE_UP}-- migrate:down\n\n/* none */", 4),
    "sql-migrate, no down": ("1.sql", f"-- +migrate Up\n{CREATE}", 1),
    "golang-migrate": ("db/000001_notes.up.sql", CREATE, 1),
    "diesel": ("migrations/2026_notes/up.sql", CREATE, 1),
    "db-migrate": ("migrations/sqls/2026-notes-up.sql", CREATE, 1),
    "flyway": ("src/main/resources/db/migration/V2__notes.sql", CREATE, 1),
    "flyway, at the top": ("V2.1__notes.sql", CREATE, 1),
    "prisma": ("prisma/migrations/2026_notes/migration.sql", f"-- CreateTable\n{CREATE}", 1),
}
BOTH_WAYS: dict[str, tuple[str, str]] = {
    "alembic": (ALEMBIC, alembic('def downgrade() -> None:\n    op.drop_column("orders", "note")\n')),
    "alembic, of two branches": (ALEMBIC, alembic("def downgrade() -> None:\n    pass\n", IDLE_UPGRADE)),
    "alembic, its environment": ("alembic/env.py", "down_revision = None\n\n\ndef run() -> None:\n    x()\n"),
    "django, fields": (DJANGO, django("migrations.AddField('order', 'note', models.TextField())")),
    "django, both": (DJANGO, django("migrations.RunPython(fill, empty)")),
    "django, by name": (DJANGO, django("migrations.RunSQL('x', reverse_sql='y')")),
    "django, no operation": (DJANGO, django("migrations.RunPython(fill, migrations.RunPython.noop)")),
    "django, nothing forth": (DJANGO, django("migrations.RunPython(migrations.RunPython.noop)")),
    "django, unpacked": (DJANGO, django("migrations.RunPython(*both)")),
    "django, unpacked words": (DJANGO, django("migrations.RunPython(fill, **more)")),
    "django, reversible": (DJANGO, "class Migration(M):\n    reversible = True\n    other = False\n"),
    "rails": (RAILS, rails("  def change\n    add_column :orders, :note, :text\n  end\n")),
    "rails, both": (RAILS, rails(f"{RAILS_UP}\n  def down\n    execute 'x'\n  end\n")),
    "rails, old style": (RAILS, rails("  def self.up\n    x\n  end\n\n  def self.down\n    y\n  end\n")),
    "rails, reversible": (
        RAILS,
        rails("  def change\n    reversible do |dir|\n      dir.up { x }\n    end\n    execute 'y'\n  end\n"),
    ),
    "rails, a column with its type": (RAILS, rails("  def change\n    remove_column :orders, :note, :text\n  end\n")),
    "rails, a table with its columns": (
        RAILS,
        rails("  def change\n    drop_table :notes do |t|\n      t.text :body\n    end\n  end\n"),
    ),
    "rails, other changes": (RAILS, rails("  def change\n    change_column_null :orders, :note, false\n  end\n")),
    "rails, a remark": (
        RAILS,
        rails("  def change\n    # no IrreversibleMigration here\n    # drop_table :x\n  end\n"),
    ),
    "rails, helpers": (RAILS, rails("  def helper\n    execute 'x'\n  end\n")),
    "ruby, no migration": ("app/models/order.rb", "class Order\n  def up\n  end\nend\n"),
    "knex": (KNEX, f"{KNEX_UP}exports.down = function (knex) {{\n  return knex.schema.dropTable('notes');\n}};\n"),
    "knex, arrow": (KNEX, f"{KNEX_UP}exports.down = (knex) => knex.schema.dropTable('notes');\n"),
    "knex, awaits": (
        KNEX,
        f"{KNEX_UP}exports.down = async (knex) => {{\n  await Promise.all([knex.schema.dropTable('notes')]);\n}};\n",
    ),
    "sequelize": (
        KNEX,
        f"{SEQUELIZE}  }},\n  async down(queryInterface) {{\n    await queryInterface.y();\n  }}\n}};\n",
    ),
    "sequelize, fields": (
        KNEX,
        "module.exports = {\n  up: (q) => {\n    return q.x();\n  },\n  down: (q) => {\n    return q.y();\n  },\n};\n",
    ),
    "typeorm": (
        TYPEORM,
        typeorm("  public async down(queryRunner: QueryRunner) {\n    await queryRunner.query(`x`);\n  }\n"),
    ),
    "a runner of migrations": ("migrations/run.js", "await umzug.up();\nup();\nif (up) {\n  done();\n}\n"),
    "another folder": ("src/elevator.js", KNEX_UP),
    "goose": ("db/1_notes.sql", f"{GOOSE_UP}-- +goose Down\n{DROP}"),
    "goose, nothing forth": ("db/1_notes.sql", "-- +goose Up\n-- nothing yet\n-- +goose Down\n"),
    "dbmate": ("db/1_notes.sql", f"{DBMATE_UP}-- migrate:down\n{DROP}"),
    "no migration": ("db/schema.sql", CREATE),
    "a name like one": ("sql/clean-up.sql", DROP),
    "nothing forth": ("db/000001_notes.up.sql", "BEGIN;\n-- nothing\nCOMMIT;\n"),
    "a test's own": ("tests/fixtures/000001_notes.up.sql", CREATE),
    "another module": ("alembic/versions/__init__.py", "def upgrade():\n    x()\n"),
    "another kind of file": ("migrations/README.md", "exports.up = 1\n"),
}


def found(before: dict[str, str], after: dict[str, str]) -> list[Alteration]:
    return list(alterations(changes_between(before, after)))


@pytest.mark.parametrize(("path", "text", "line"), ONE_WAY.values(), ids=ONE_WAY)
def test_no_way_back(path: str, text: str, line: int) -> None:
    (told,) = found({}, {path: text})
    assert (told.kind, told.path, told.line, told.weight) == (KIND, path, line, Weight.RISK)
    assert (told.before, told.subject, told.risk_area) == ("", path, "migration")
    shown = " ".join(text.replace("\r\n", "\n").split("\n")[line - 1].split())
    assert told.after.removesuffix("…") in shown or shown.rstrip(",") in told.after
    assert told.reason.endswith(".")
    assert level_of(told) is Risk.MEDIUM


@pytest.mark.parametrize(("path", "text"), BOTH_WAYS.values(), ids=BOTH_WAYS)
def test_a_way_back(path: str, text: str) -> None:
    assert found({}, {path: text}) == []


PAIRS = [
    ("db/000001_notes.up.sql", "db/000001_notes.down.sql"),
    ("migrations/2026_notes/up.sql", "migrations/2026_notes/down.sql"),
    ("migrations/sqls/2026-notes-up.sql", "migrations/sqls/2026-notes-down.sql"),
    ("db/migration/V2__notes.sql", "db/migration/U2__back.sql"),
    ("prisma/migrations/2026_notes/migration.sql", "prisma/migrations/2026_notes/down.sql"),
]


@pytest.mark.parametrize(("up", "down"), PAIRS)
def test_two_files(up: str, down: str) -> None:
    assert found({}, {up: CREATE, down: DROP}) == []
    (empty,) = found({}, {up: CREATE, down: "-- nothing\n"})
    assert (empty.path, empty.reason) == (up, f"`{down}`, which should take it back, does nothing.")
    (absent,) = found({}, {up: CREATE, f"other/{down}": DROP})
    assert (absent.path, absent.after, absent.reason) == (up, CREATE.strip(), "No file of the change takes it back.")


def test_a_way_back_that_was_not_read_may_be_one() -> None:
    down = Change(FileStatus.ADDED, None, Version(PAIRS[0][1], "100644", None))
    up = Change(FileStatus.ADDED, None, version(PAIRS[0][0], CREATE))
    assert list(alterations([up, down])) == []


def test_one_that_was_not_read_has_none() -> None:
    changes = [
        Change(FileStatus.ADDED, None, Version(path, "100644", None)) for path in (ALEMBIC, DJANGO, "data/dump.sql")
    ]
    assert [(each.path, each.line, each.after, each.reason) for each in alterations(changes)] == [
        (DJANGO, 1, "", "It is too large to be read, so that no way back is seen.")
    ]


def test_only_what_the_change_takes_away_counts() -> None:
    old, new = alembic(""), alembic("", UPGRADE.replace("note", "remark"))
    assert found({ALEMBIC: old}, {ALEMBIC: new}) == []
    assert found({ALEMBIC: alembic("def downgrade():\n    x()\n")}, {}) == []
    with_way = alembic("def downgrade():\n    x()\n")
    assert [each.line for each in found({ALEMBIC: with_way}, {ALEMBIC: alembic("def downgrade():\n    pass\n")})] == [
        12
    ]
    up, down = PAIRS[0]
    assert found({up: CREATE}, {up: CREATE + CREATE}) == []
    assert [each.path for each in found({up: CREATE, down: DROP}, {up: CREATE + CREATE})] == [up]


def test_hostile_files_are_read_to_an_end() -> None:
    paths = ["migrations/\udcff\n.up.sql", "migrations/a.js", "db/migrate/a.rb", "migrations/b.py"]
    noise = (
        "exports.up = " + "/*" * 100_000 + " def down down( { class Migration ActiveRecord::Migration\n" + "(" * 9_000
    )
    told = found({}, dict.fromkeys(paths, noise))
    assert {each.path for each in told} <= set(paths)
    assert paths[0] in {each.path for each in told}


def test_a_long_line_is_cut_and_many_are_counted() -> None:
    (told,) = found({}, {"db/1.up.sql": "SELECT " + "x" * 999 + " FROM y;\n"})
    assert len(told.after) == 300
    many = found({}, {f"db/{number}.up.sql": CREATE for number in range(30)})
    assert len(many) == 20
    assert many[0].reason == "No file of the change takes it back. (One of 30.)"


def test_the_whole_analysis_lists_them() -> None:
    analysis = analyse(changes_between({}, {PAIRS[0][0]: CREATE}))
    assert [(each.kind, each.path) for each in analysis.alterations] == [(KIND, PAIRS[0][0])]
