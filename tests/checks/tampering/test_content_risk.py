"""What makes a change risky by what it says. SQL is checked against what SQLite really does with it."""

from __future__ import annotations

import sqlite3

import pytest

from checks.diff import FileStatus
from checks.tampering import content_risk
from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change, Version
from checks.tampering.content_risk import alterations
from checks.tampering.destructive_sql import LONGEST_STATEMENT, MOST_STATEMENTS, destructive_statements
from tests.checks.tampering.honest import changes_between

LOSING = [
    "DROP TABLE orders",
    "drop table if exists orders",
    "DELETE FROM orders",
    "ALTER TABLE orders DROP COLUMN total",
    "ALTER TABLE orders DROP total",
    "/* tidy */ DELETE FROM orders -- all",
]
NARROWS = "changes a column's type, which cuts or loses what does not fit"
KEEPING = [
    "DELETE FROM orders WHERE id > 100",
    "ALTER TABLE orders ADD COLUMN note TEXT",
    "ALTER TABLE orders RENAME TO bought",
    "ALTER TABLE orders RENAME COLUMN total TO sum",
    "CREATE TABLE more (id INTEGER)",
    "DROP INDEX by_total",
    "DROP VIEW sums",
    "INSERT INTO orders VALUES (3, 'DROP TABLE orders; DELETE FROM orders')",
    "-- DROP TABLE orders\nSELECT 1",
    "UPDATE orders SET total = total WHERE id = 1",
]


def _database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "CREATE TABLE orders (id INTEGER, total TEXT); INSERT INTO orders VALUES (1, 'a'), (2, 'b');"
        "CREATE INDEX by_total ON orders (total); CREATE VIEW sums AS SELECT id FROM orders;"
    )
    return connection


def _cells(connection: sqlite3.Connection) -> int:
    """How many values all tables hold together."""
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return sum(len(row) for name in names for row in connection.execute(f'SELECT * FROM "{name}"'))


@pytest.mark.parametrize("statement", [*LOSING, *KEEPING])
def test_sqlite_loses_what_is_called_lost(statement: str) -> None:
    connection = _database()
    connection.executescript("DROP INDEX by_total;" if "DROP COLUMN" in statement or "DROP total" in statement else "")
    before = _cells(connection)
    connection.executescript(statement)
    assert bool(list(destructive_statements(statement))) is (_cells(connection) < before)


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("DROP TABLE a CASCADE", "drops a table"),
        ("DROP TABLE `a`, `b`", "drops a table"),
        ("DROP TABLE [dbo].[a]", "drops a table"),
        ("DROP DATABASE a", "drops a database"),
        ("DROP SCHEMA a CASCADE", "drops a schema"),
        ("TRUNCATE a", "empties a table"),
        ("TRUNCATE TABLE a, b RESTART IDENTITY", "empties a table"),
        ("DELETE FROM a USING b", "deletes every row"),
        ("DELETE a FROM a JOIN b ON a.x = b.x", "deletes every row"),
        ("ALTER TABLE a DROP COLUMN IF EXISTS b, DROP COLUMN c", "drops a column"),
        ("ALTER TABLE `a` DROP COLUMN `b`", "drops a column"),
        ("ALTER TABLE [a] DROP COLUMN [b]", "drops a column"),
        ("DROP TABLE {{ name }}", "takes data away"),
        ("TRUNCATE :name:", "takes data away"),
        ("ALTER TABLE {{ name }} DROP COLUMN b", "takes data away"),
        ("DELETE FROM {{ name }}", "takes data away"),
        ("DELETE FROM {{ name }} WHERE x", None),
        ("ALTER TABLE {{ name }} DROP CONSTRAINT b", None),
        ("ALTER TABLE a DROP CONSTRAINT b", None),
        ("ALTER TABLE a DROP PRIMARY KEY", None),
        ("ALTER TABLE a ALTER COLUMN b DROP NOT NULL", None),
        ("ALTER TABLE a ALTER COLUMN b DROP DEFAULT", None),
        ("DROP FUNCTION a()", None),
        ("UPDATE a SET b = 1", "overwrites every row"),
        ("UPDATE a SET b = 1 FROM c", "overwrites every row"),
        ("UPDATE a SET b = 1 WHERE c", None),
        # A condition that always holds is none.
        ("UPDATE a SET b = 1 WHERE (1 = 1)", "overwrites every row"),
        ("DELETE FROM a WHERE true", "deletes every row"),
        ("DELETE FROM a WHERE 1", "deletes every row"),
        ("DELETE FROM a WHERE 1 < 2 AND NOT false", "deletes every row"),
        ("DELETE FROM a WHERE b IS NOT NULL OR true", "deletes every row"),
        ("DELETE FROM a WHERE b = b", "deletes every row"),
        ("DELETE FROM a WHERE EXISTS (SELECT 1)", "deletes every row"),
        ("DELETE FROM a WHERE EXISTS (SELECT 1 FROM b)", None),
        ("DELETE FROM a WHERE b IN (" + "1, " * 400 + "2)", None),
        ("DELETE FROM a WHERE 1 / 0 = 1", "deletes every row"),
        ("DELETE FROM a WHERE 0", None),
        ("DELETE FROM a WHERE 1 = 2", None),
        ("DELETE FROM a WHERE false", None),
        ("WITH x AS (SELECT 1) DELETE FROM a", "deletes every row"),
        ("WITH gone AS (DELETE FROM a RETURNING *) SELECT * FROM gone", "deletes every row"),
        ("WITH x AS (SELECT 1) SELECT * FROM x", None),
        ("CREATE OR REPLACE TABLE a AS SELECT 1", "replaces a table"),
        ("CREATE OR REPLACE VIEW a AS SELECT 1", None),
        # Only the widest types lose nothing of whatever stood there before.
        ("ALTER TABLE a ALTER COLUMN b TYPE varchar(10)", NARROWS),
        ("ALTER TABLE a ALTER b SET DATA TYPE int USING b::int", NARROWS),
        ("ALTER TABLE a MODIFY COLUMN b VARCHAR(10) NOT NULL", NARROWS),
        ("ALTER TABLE [a] ALTER COLUMN [b] INT", NARROWS),
        ("ALTER TABLE a CHANGE b c INT", NARROWS),
        ("ALTER TABLE a ALTER COLUMN b TYPE mood USING b::mood", NARROWS),
        ("ALTER TABLE a ALTER COLUMN b TYPE text", None),
        ("ALTER TABLE a ALTER COLUMN b TYPE varchar", None),
        ("ALTER TABLE a MODIFY b BIGINT", None),
        ("ALTER TABLE a ALTER COLUMN b SET NOT NULL", None),
        ("ALTER TABLE a MODIFY (b VARCHAR2(10))", "takes data away"),
        ("ALTER TABLE a DROP PARTITION p0", "takes data away"),
        ("UPDATE {{ name }} SET b = 1", "takes data away"),
        ("UPDATE {{ name }} SET b = 1 WHERE c", None),
        ("DROP TYPE a", None),
        ("DROP TYPE a CASCADE", "drops a type and the columns that depend on it"),
        ("DROP OWNED BY a", "takes data away"),
        ("ALTER TABLE a TRUNCATE PARTITION p0", "takes data away"),
        # What carries out other statements, which stand in it.
        ("DO $$ BEGIN DROP TABLE a", "takes data away"),
        ("DO $x$ BEGIN EXECUTE 'DROP TABLE a'", "takes data away"),
        ("EXEC('DROP TABLE a')", "takes data away"),
        ("IF 1 = 1 DELETE FROM a", "takes data away"),
        ("EXPLAIN ANALYZE DELETE FROM a", "takes data away"),
        ("DO $$ BEGIN DELETE FROM a WHERE b", None),
        ("DO $$ BEGIN ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES c ON DELETE CASCADE", None),
        ("DO $$ BEGIN PERFORM 1 FROM a FOR UPDATE", None),
        ("BEGIN", None),
        # What one database takes for a comment or a text, and another for code.
        ("DROP/**/TABLE a", "drops a table"),
        ("/*!50000 DROP TABLE a */", "drops a table"),
        ("/*M! DROP TABLE a */", "drops a table"),
        ("/* DROP TABLE a */ SELECT 1", None),
        ("# it's gone\nDROP TABLE a", "drops a table"),
        ("SELECT '\n# '; DROP TABLE a", "drops a table"),
        ("-- x\rDROP TABLE a", "drops a table"),
        ("\ufeffDROP TABLE a", "drops a table"),
        (r"SELECT 'it\'s'; DROP TABLE a; --'", "drops a table"),
        (r"SELECT '\'; DROP TABLE a", "drops a table"),
        ("SELECT 'DROP TABLE a'", None),
        ("DROP", None),
        ("DELETE FROM a WHERE " + "(" * 3_000, None),
    ],
)
def test_statements(statement: str, what: str | None) -> None:
    assert [each[2] for each in destructive_statements(statement)] == ([] if what is None else [what])


def test_a_condition_that_cannot_be_worked_out_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: object) -> None:
        raise ArithmeticError

    monkeypatch.setattr("checks.tampering.destructive_sql.simplify", fails)
    assert list(destructive_statements("DELETE FROM a WHERE b OR true")) == []


def test_lines_and_texts_of_statements() -> None:
    sql = "-- a\nSELECT ';' ;\n\n /* x\n; */ DROP TABLE\n  a; DELETE FROM b -- c;\n;'open; DROP TABLE c"
    assert list(destructive_statements(sql)) == [
        (5, "DROP TABLE\n  a", "drops a table"),
        (6, "DELETE FROM b", "deletes every row"),
    ]
    assert [line for line, _, _ in destructive_statements("DO $$ a; b $$;\nDROP TABLE c")] == [2]
    assert list(destructive_statements("")) == []


def test_bounds_on_sql() -> None:
    many = list(destructive_statements("DROP TABLE a;\n" * (MOST_STATEMENTS + 5)))
    assert len(many) == MOST_STATEMENTS + 1
    assert many[-1] == (
        MOST_STATEMENTS + 1,
        "DROP TABLE a",
        f"more than {MOST_STATEMENTS} statements that may take data away",
    )
    assert len(list(destructive_statements("DROP TABLE a;\n" * MOST_STATEMENTS))) == MOST_STATEMENTS
    long = "DELETE FROM a WHERE " + "x = 1 OR " * LONGEST_STATEMENT
    assert [len(each[1]) for each in destructive_statements(long)] in ([], [len(long)])


@pytest.mark.parametrize(
    "part", ["'", "$", "/*", "-", '"', "`", "DROP ", "ALTER TABLE x DROP ", "/*!", "\n#", r"\'", "DO UPDATE "]
)
def test_hostile_sql_ends(part: str) -> None:
    assert list(destructive_statements(part * (100_000 // len(part)))) is not None


def _found(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str, int | None, str]]:
    """Kind, path, line and area of all that is found; always of weight RISK."""
    found = list(alterations(changes_between(before, after)))
    assert {each.weight for each in found} <= {Weight.RISK}
    return [(each.kind, each.path, each.line, each.risk_area) for each in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("DROP TABLE a;", [(1, "data-deletion")]),
        ("CREATE TABLE b;\nALTER TABLE a DROP COLUMN b;", [(2, "migration")]),
        ("CREATE TABLE a;\n-- +goose Down\nDROP TABLE a;", []),
        ("CREATE TABLE a;\n-- migrate:down\nDROP TABLE a;", []),
        ("DROP TABLE b;\n-- +migrate Down\nDROP TABLE a;", [(1, "data-deletion")]),
        ("CREATE TABLE a;", []),
    ],
)
def test_data_that_sql_drops(text: str, found: list[tuple[int, str]]) -> None:
    expected = [("data-dropped", "db/1.sql", line, area) for line, area in found]
    assert _found({}, {"db/1.sql": text}) == expected


@pytest.mark.parametrize("path", ["1_a.down.sql", "db/down/1.sql", "U1__x.undo.sql", "rollback.sql", "x_rollback.sql"])
def test_a_way_back_drops_what_the_way_forth_made(path: str) -> None:
    assert _found({}, {path: "DROP TABLE a;"}) == []


def test_statements_that_move_are_not_new() -> None:
    one, other = "DROP TABLE  a;\n", "drop table a;\nSELECT 1;\n"
    assert _found({"a.sql": one}, {"b.sql": other}) == []
    assert _found({"a.sql": one}, {"a.sql": one + one}) == [("data-dropped", "a.sql", 2, "data-deletion")]
    assert _found({"a.sql": one}, {}) == []
    large = Change(FileStatus.ADDED, None, Version("a.sql", "100644", None))
    assert list(alterations([large])) == []


def test_dropped_data_in_words() -> None:
    (statement,) = alterations(changes_between({}, {"a.sql": "\nDROP  TABLE a -- x\n;"}))
    assert statement == Alteration(
        "data-dropped",
        "a.sql",
        2,
        "",
        "DROP  TABLE a",
        "A statement drops a table; what it held cannot be brought back by a revert.",
        Weight.RISK,
        "a.sql",
        "data-deletion",
    )
    path = "db/migrate/1.rb"
    (call,) = alterations(changes_between({}, {path: "def up\n  drop_table :a\nend\n"}))
    assert call == Alteration(
        "data-dropped",
        path,
        2,
        "",
        "drop_table :a",
        "It drops what is stored: `drop_table :a`.",
        Weight.RISK,
        path,
        "migration",
    )
    (long,) = alterations(changes_between({}, {"a.sql": "DROP TABLE " + "a" * 500}))
    assert len(long.after) == 300


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("app/migrations/0002_x.py", "x\n    migrations.RemoveField('a', 'b'),\n", 2),
        ("app/migrations/0002_x.py", "migrations.DeleteModel('a')\n", 1),
        ("alembic/versions/x.py", "def upgrade():\n    op.drop_column('a', 'b')\ndef downgrade():\n    pass\n", 2),
        ("alembic/versions/x.py", "def upgrade():\n    pass\ndef downgrade():\n    op.drop_table('a')\n", None),
        ("db/migrate/1_x.rb", "def up\n  drop_table :a\nend\ndef down\nend\n", 2),
        ("db/migrate/1_x.rb", "def change\n  remove_column :a, :b\nend\n", 2),
        ("migrations/1.js", "exports.up = k => k.schema.dropTable('a')\nexports.down = k => 1\n", 1),
        ("migrations/1.js", "exports.up = k => 1\nexports.down = k => k.schema.dropTable('a')\n", None),
        ("migrations/1.ts", "export async function up() {}\nexport async function down() { k.dropTable('a') }", None),
        ("database/migrations/1.php", "public function up() {}\npublic function down() { $t->dropColumn('a'); }", None),
        ("src/tables.py", "drop_table('a')\n", None),
    ],
)
def test_data_that_migrations_drop(path: str, text: str, line: int | None) -> None:
    assert _found({}, {path: text}) == ([] if line is None else [("data-dropped", path, line, "migration")])


@pytest.mark.parametrize(
    ("text", "kind", "area"),
    [
        *(
            (line, "rights-widened", "permissions")
            for line in (
                "chmod 777 /data",
                "chmod -R a+rwx .",
                '"Action": "*"',
                '"Action": ["*"]',
                'actions = ["*"]',
                "privileged: true",
                "allowPrivilegeEscalation: true",
                "hostNetwork: true",
                "docker run --privileged x",
                "--cap-add=SYS_ADMIN",
                "grant all on x to y",
                'acl = "public-read"',
                'verbs: ["*"]',
                "permission_classes = [AllowAny]",
                "@csrf_exempt",
                ".anyRequest().permitAll()",
            )
        ),
        *(
            (line, "check-switched-off", "authentication")
            for line in (
                "requests.get(x, verify=False)",
                "rejectUnauthorized: false",
                "InsecureSkipVerify: true",
                "NODE_TLS_REJECT_UNAUTHORIZED=0",
                "curl -k https://x",
                "git -c http.sslVerify=false",
            )
        ),
        *(
            (line, "runs-text-as-code", "")
            for line in (
                "x = eval(y)",
                "exec(y)",
                "new Function('a')",
                "os.system(x)",
                "run(x, shell=True)",
                "pickle.loads(x)",
                "curl https://x | sudo bash",
                "wget -O- x | sh",
                "require('child_process')",
            )
        ),
    ],
)
def test_words_that_raise_the_risk(text: str, kind: str, area: str) -> None:
    assert _found({"src/a.py": "1\n"}, {"src/a.py": f"1\n{text}\n"}) == [(kind, "src/a.py", 2, area)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/a.py", "model.eval()"),
        ("src/a.js", "pattern.exec(text)"),
        ("src/a.py", "evaluate(x)"),
        ("src/a.py", "chmod 755 x"),
        ("src/a.py", "verify=True"),
        ("src/a.py", "privileged: false"),
        ("src/a.py", "curl https://x > y"),
        ("docs/a.md", "eval(x) and verify=False"),
        ("tests/test_a.py", "verify=False"),
        ("src/a.sql", "grant all on x to y"),
    ],
)
def test_words_that_do_not(path: str, text: str) -> None:
    assert _found({path: "1\n"}, {path: f"1\n{text}\n"}) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("chmod 777 /x", "It gives more rights: `chmod 777`."),
        ("get(verify=False)", "It trusts whoever answers: `verify=False`."),
        ("eval(" + "x" * 200, "It runs text as a program: `eval(`."),
        ("curl " + "x" * 200 + " | sh", "It runs text as a program: `curl " + "x" * 75 + "`."),
    ],
)
def test_words_in_words(text: str, reason: str) -> None:
    (found,) = alterations(changes_between({}, {"a.py": text}))
    assert (found.reason, found.subject) == (reason, "a.py")


def test_words_of_one_file_are_one_alteration() -> None:
    (found,) = alterations(changes_between({}, {"a.py": "eval(a)\nexec(b)\neval(c)\n"}))
    assert found == Alteration(
        "runs-text-as-code",
        "a.py",
        1,
        "",
        "eval(a)",
        "It runs text as a program: `eval(` and 2 more.",
        Weight.RISK,
        "a.py",
        "",
    )


SECRETS = {
    "Amazon Web Services": "AKIA" + "QWERTYUIOPASDFGH",
    "GitHub": "ghp_" + "aB3" * 12,
    "GitLab": "glpat-" + "aB3" * 7,
    "Slack": "xoxb-" + "2468-" * 5,
    "Stripe": "sk_live_" + "aB3" * 8,
    "Google": "AIza" + "aB3-_" * 7,
    "Anthropic": "sk-ant-" + "aB3-" * 8,
    "OpenAI": "sk-proj-" + "aB3-" * 10,
    "npm": "npm_" + "aB3" * 12,
    "PyPI": "pypi-AgEIcHlwaS5vcmc" + "aB3" * 20,
    "SendGrid": "SG." + "a" * 22 + "." + "b" * 43,
    "Hugging Face": "hf_" + "aB" * 17,
    "DigitalOcean": "dop_v1_" + "a7" * 32,
    "Docker": "dckr_pat_" + "aB3" * 9,
    "Azure": "AccountKey=" + "aB" * 43 + "==",
}


@pytest.mark.parametrize(("service", "token"), SECRETS.items())
def test_secrets(service: str, token: str) -> None:
    (found,) = alterations(changes_between({"a.md": "1\n"}, {"a.md": f"1\nkey: {token}\n"}))
    assert found == Alteration(
        "secret-added",
        "a.md",
        2,
        "",
        f"{token[:8]}…",
        f"This looks like a token of {service}; whoever can read the repository has it now.",
        Weight.RISK,
        "a.md",
        "secrets",
    )


@pytest.mark.parametrize(
    "token",
    [
        "ghs_123456_" + "eyJ." * 20,
        "github_pat_" + "aB3" * 20,
        "hooks.slack.com/services/T0AB/B0AB/" + "aB3" * 8,
        "sk-" + "aB3k" * 5 + "T3BlbkFJ" + "aB3k" * 5,
    ],
)
def test_other_forms_of_tokens(token: str) -> None:
    assert [each[0] for each in _found({}, {"a.txt": token})] == ["secret-added"]


@pytest.mark.parametrize("kind", ["", "RSA ", "OPENSSH ", "EC ", "ENCRYPTED "])
def test_private_keys(kind: str) -> None:
    line = f"-----BEGIN {kind}PRIVATE KEY-----"
    (found,) = alterations(changes_between({}, {"a.pem": f"{line}\nabc\n"}))
    assert (found.kind, found.after) == ("secret-added", line)
    assert found.reason.startswith("This looks like a private key;")


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_" + "x" * 36,
        "ghp_short",
        "sk_test_" + "aB3" * 8,
        "-----BEGIN CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----",
        "npm_config_registry",
    ],
)
def test_what_is_no_secret(text: str) -> None:
    assert _found({}, {"a.txt": text}) == []


def test_a_secret_that_was_there_is_not_new() -> None:
    token = SECRETS["GitHub"]
    assert _found({"a.txt": token}, {"b.txt": f"{token}\n"}) == []


def test_large_deletions(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (content_risk.MOST_DELETED_LINES, content_risk.MOST_DELETED_FILES) == (2_000, 50)
    monkeypatch.setattr(content_risk, "MOST_DELETED_LINES", 3)
    monkeypatch.setattr(content_risk, "MOST_DELETED_FILES", 1)
    three, four = "1\n2\n\n3\n", "1\n2\n3\n4\n"
    assert _found({"a.py": three}, {}) == []
    assert _found({"a.py": four}, {}) == [("large-deletion", "a.py", None, "")]
    assert _found({"a.py": four}, {"b.py": "9\n 1\n 2\n 3\n 4\n"}) == []
    assert _found({"a.md": four}, {}) == []
    assert _found({"a.py": "1", "b.py": "1"}, {}) == [("large-deletion", "a.py", None, "")]
    assert list(alterations(changes_between({"a.py": four}, {}))) == [
        Alteration(
            "large-deletion",
            "a.py",
            None,
            "",
            "",
            "It takes 4 lines of source code and 1 files away.",
            Weight.RISK,
            "a.py",
            "",
        )
    ]
    unread = Change(FileStatus.REMOVED, Version("a.py", "100644", None), None)
    assert list(alterations([unread])) == []
