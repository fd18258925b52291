"""A command line as the program that is recognised in it."""

from __future__ import annotations

from checks.tampering.commands.runners import Program, recognise
from checks.tampering.commands.shell import split_words


def program(line: str) -> Program:
    found = recognise(split_words(line))
    assert found is not None, line
    return found
