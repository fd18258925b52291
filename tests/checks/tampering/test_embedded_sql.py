"""SQL as text in migrations of every common framework: what it does, where it stands, and what only goes back."""

from __future__ import annotations

import pytest

from checks.tampering.content_risk import alterations
from checks.tampering.migrating.embedded import texts
from tests.checks.tampering.honest import changes_between

ALEMBIC = '''\
"""Drop table orders

Revision ID: 1"""
from alembic import op
down_revision = "0"

def upgrade():
    op.execute("ALTER TABLE orders ADD note text")
    op.execute(f"""
        DELETE FROM {table}
    """)
    op.alter_column("orders", "total", existing_type=sa.Text(), type_=sa.String(10))

def downgrade():
    op.execute("DROP TABLE orders")
'''
DJANGO = """\
class Migration(migrations.Migration):
    operations = [
        migrations.RunSQL("DROP TABLE orders", "CREATE TABLE orders (id int)"),
        RunSQL(sql="CREATE TABLE b (id int)", reverse_sql="DROP TABLE b"),
        migrations.RunSQL("CREATE TABLE c (id int)", reverse_sql=["DROP TABLE c"]),
        migrations.AlterField("order", "total", models.CharField(max_length=10)),
    ]
"""
RAILS = """\
class A < ActiveRecord::Migration[8.0]
  def up
    execute <<~SQL
      UPDATE orders SET total = 0;
      DELETE FROM carts WHERE id = 1;
    SQL
    execute 'TRUNCATE carts'
    change_column :orders, :total, :string, limit: 10
    Order.delete_all
  end
  def down
    execute "DROP TABLE orders"
  end
end
"""
KNEX = """\
exports.up = async function (knex) {
  await knex.raw(`DELETE FROM ${table}`);
  await knex.schema.raw("DROP TABLE orders");
  await knex('carts').del();
  await knex.schema.alterTable('orders', t => t.string('total', 10).alter());
};
exports.down = async (knex) => knex.raw('DROP TABLE carts');
"""
TYPEORM = """\
export class A implements MigrationInterface {
  public async up(queryRunner: QueryRunner) {
    await queryRunner.query(`ALTER TABLE "orders" DROP COLUMN "total"`);
    await queryRunner.query("ALTER TABLE orders ADD note text");
  }
}
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("alembic/versions/1.py", ALEMBIC, {(10, "data-deletion"), (12, "migration")}),
        ("shop/migrations/0002.py", DJANGO, {(3, "data-deletion"), (6, "migration")}),
        (
            "db/migrate/1_a.rb",
            RAILS,
            {(4, "data-deletion"), (7, "data-deletion"), (8, "migration"), (9, "data-deletion")},
        ),
        (
            "migrations/1_a.js",
            KNEX,
            {(2, "data-deletion"), (3, "data-deletion"), (4, "data-deletion"), (5, "migration")},
        ),
        ("src/migrations/1_a.ts", TYPEORM, {(3, "migration")}),
        ("src/shop/a.ts", TYPEORM, set()),  # no migration
    ],
)
def test_frameworks(path: str, text: str, expected: set[tuple[int, str]]) -> None:
    found = [one for one in alterations(changes_between({}, {path: text})) if one.kind == "data-dropped"]
    assert {(one.line, one.risk_area) for one in found} == expected
    assert list(alterations(changes_between({path: text}, {path: text + "\n"}))) == []


@pytest.mark.parametrize("path", ["prisma/migrations/1_a/migration.sql", "db/migration/V2__a.sql", "sql/a.sql"])
def test_plain_sql_of_prisma_and_flyway(path: str) -> None:
    found = list(alterations(changes_between({}, {path: "ALTER TABLE orders ALTER COLUMN total TYPE varchar(5);\n"})))
    assert [(one.kind, one.risk_area, one.line) for one in found] == [("data-dropped", "migration", 1)]


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("a.py", b'x = "one"\n"""two"""\ny = f"{a} three"\nz = 4\n', ["one", "x three"]),
        ("a.py", b"def broken(:", []),
        ("a.rb", b"execute <<-SQL\n  one\n SQL\nx \"two\" 'it\\'s'", ["  one", "two", "it\\'s"]),
        ("a.php", b"DB::statement('one');", ["one"]),
        ("a.rb", b"a(<<~EOS)\n  one SQL\n  EOS\nb %q(two) + %Q{ three} + %q[ four]", ["  one SQL", "two three four"]),
        ("a.js", b"raw('one ' +\n \"two\", 'three')", ["one two", "three"]),
        ("a.js", b"it's\n`two\n${x}`", ["two\n${x}"]),
        ("a.txt", b"'one'", []),
        ("a.js", b"1 + 2", []),
    ],
)
def test_texts(path: str, data: bytes, expected: list[str]) -> None:
    assert [text for _, text in texts(path, data)] == expected


def test_texts_are_bounded() -> None:
    assert len(list(texts("a.js", b"'x' " * 5_000))) == 2_000
