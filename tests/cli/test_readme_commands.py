"""The README's table of commands: each command is in it, with every exit code that its help tells of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from app.cli import commands

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
ROWS = README.split("## The command\n", 1)[1].split("\n## ", 1)[0].splitlines()
# Of `run` it is the command's own code.
TELLING = [name for name in commands.COMMANDS if name != "run"]


def leaves(name: str) -> dict[str, str]:
    """Help by the words of each command; of a group, by those of each in it, which may be a group itself."""
    group = typer.main.get_command(commands.app).get_command(None, name)  # type: ignore[attr-defined]
    parts = getattr(group, "commands", None) or {"": group}
    return {f"{name} {part}".strip(): one.help or "" for part, one in parts.items()}


def rows_of(words: str) -> list[str]:
    """Rows that have it whole, or behind the group's name in another row's list."""
    group, _, part = words.partition(" ")
    listed = rf"`mergegate {group}\b[^|]*`{part}[ `]" if part else rf"`mergegate [^|]*`{group}[ `]"
    return [row for row in ROWS if re.search(rf"`mergegate {words}[ `]|{listed}", row)]


@pytest.mark.parametrize("name", TELLING)
def test_every_command_and_every_exit_code_that_its_help_tells_of_is_in_the_table(name: str) -> None:
    for words, told in leaves(name).items():
        rows = rows_of(words)
        assert rows, words
        codes = "".join(row.rsplit("|", 2)[1] for row in rows)
        said = re.search(r"[Ee]xit code.*", " ".join(told.split()))
        for code in re.findall(r"(?:code |[;,] )(\d)(?=[:; ])", said.group() if said else ""):
            assert re.search(rf"\b{code}\b", codes), (words, code, rows)
