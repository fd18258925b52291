"""Errors that a person can act on: the command line ends with their one sentence, without a traceback."""

from __future__ import annotations


class ActionableError(Exception):
    """The message says what happened, what was expected and what to do."""
