"""Commands of which somebody pressed the button on a page: each is written as a comment once, however often it is sent.

The person is asked by GitHub between the pressing and the writing, so that both are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from psycopg.rows import class_row

from app.store.database import Connection
from app.store.stored import text


@dataclass(frozen=True, slots=True)
class PageCommand:
    """`key` is that of one button of one page as one person saw it. `thread` is the issue or pull request that is
    commented, `ticket` the page to go back to: a number, or `all`.

    `begun`: the comment was, or may have been, written; `comment_id` once that is certain.
    """

    key: str
    repository_id: int
    thread: int
    ticket: str
    person_id: int
    body: str
    begun: bool = False
    comment_id: int | None = None


FIND = """
select key, repository_id, thread, ticket, person_id, body, begun, comment_id from page_commands where key = %s
"""


async def press(connection: Connection, command: PageCommand) -> PageCommand:
    """What is kept under its key: this one, or what was pressed before."""
    await connection.execute(
        "insert into page_commands (key, repository_id, thread, ticket, person_id, body) "
        "values (%s, %s, %s, %s, %s, %s) on conflict do nothing",
        (
            *(command.key, command.repository_id, command.thread, command.ticket),
            *(command.person_id, text(command.body)),
        ),
    )
    kept = await find(connection, command.key)
    assert kept is not None
    return kept


async def find(connection: Connection, key: str) -> PageCommand | None:
    cursor = connection.cursor(row_factory=class_row(PageCommand))
    await cursor.execute(FIND, (key,))
    return await cursor.fetchone()


async def begin(connection: Connection, key: str) -> bool:
    """Whether the caller is the one who writes it."""
    cursor = await connection.execute("update page_commands set begun = true where key = %s and not begun", (key,))
    return cursor.rowcount == 1


async def unwritten(connection: Connection, key: str) -> None:
    """GitHub refused it, so that it can be pressed again."""
    await connection.execute("update page_commands set begun = false where key = %s and comment_id is null", (key,))


async def written(connection: Connection, key: str, comment_id: int) -> None:
    await connection.execute("update page_commands set comment_id = %s where key = %s", (comment_id, key))


async def of_comment(
    connection: Connection, repository_id: int, person_id: int, comment_id: int
) -> tuple[str, str | None, str | None] | None:
    """What a person wrote from a page, what became of it and what was answered; None where they wrote no such comment.

    The outcome is None until it was carried out.
    """
    cursor = await connection.execute(
        "select page.body, said.outcome, said.answer from page_commands page "
        "left join ticket_commands said on said.repository_id = page.repository_id and said.source = 'comment' "
        "and said.comment_id = page.comment_id "
        "where page.repository_id = %s and page.person_id = %s and page.comment_id = %s",
        (repository_id, person_id, comment_id),
    )
    return await cursor.fetchone()
