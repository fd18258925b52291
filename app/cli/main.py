"""Entry point of the `mergegate` command."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn, TextIO

from app.errors import ActionableError

if TYPE_CHECKING:
    from app.cli.judging import Asked

_COULD_NOT_LOOK = 2
_INTERRUPTED = 130  # as shells report a program that Ctrl-C ended


class _Unwritten(Exception):
    """The answer could not be written. No OSError, of which a library would make another exit code."""


class _Answer(io.TextIOWrapper):
    """Standard output, which tells its own faults from those of all other files."""

    def __init__(self, out: io.TextIOWrapper) -> None:
        super().__init__(out.buffer, out.encoding, "replace", line_buffering=out.line_buffering)
        self._out = out  # whose end would close the file

    def write(self, text: str) -> int:
        with _faults():
            return super().write(text)

    def flush(self) -> None:
        with _faults():
            super().flush()


@contextlib.contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except OSError as wrong:
        raise _Unwritten from wrong


def main() -> None:
    """A fault of the program itself ends with 2 too: 1 says "something failed", which it must not claim.

    So does an answer that did not go out whole, as into a full disk or a pipe that nobody reads any more.
    """
    _open_streams()
    errors = sys.stderr
    code = _carried_out(sys.argv[1:])
    if code == _INTERRUPTED:
        warnings.simplefilter("ignore", RuntimeWarning)  # what was about to be awaited is nobody's fault then
    # Where standard error breaks, typer puts another stream in its place and ends with 1.
    sys.exit(code if sys.stderr is errors else _COULD_NOT_LOOK)


def _open_streams() -> None:
    """Any text can be written. A stream that was closed (`>&-`) is one that nobody reads: the exit code is left."""
    if sys.stdin is None:
        sys.stdin = _nowhere("r")
    if sys.stderr is None:
        sys.stderr = _nowhere()
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="replace")
    if sys.stdout is None:
        sys.stdout = _nowhere()
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = _Answer(sys.stdout)


def _nowhere(mode: Literal["r", "w"] = "w") -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")


def _carried_out(words: list[str]) -> int | str | None:
    """Carry out a command; its exit code."""
    try:
        code = _code(words)
        sys.stdout.flush()
    except ActionableError as wrong:
        _say(f"mergegate: {wrong}\n")
    except KeyboardInterrupt:
        return _INTERRUPTED
    except _Unwritten as wrong:
        _give_up_answer(wrong.__cause__)
    except Exception:  # noqa: BLE001 - Python's own exit code for a fault is 1, which scripts read as "failed"
        _say(traceback.format_exc())
    else:
        return code
    return _COULD_NOT_LOOK


def _code(words: list[str]) -> int | str | None:
    try:
        _run(words)
    except SystemExit as ended:
        return ended.code
    return 0


def _give_up_answer(cause: BaseException | None) -> None:
    """Say why it could not be written, unless its reader had enough, as `head` has."""
    if isinstance(cause, OSError) and not isinstance(cause, BrokenPipeError):
        _say(f"mergegate: the answer could not be written: {cause.strerror}. Make room, or send it elsewhere.\n")
    # The interpreter would try again when it ends, and end with another exit code.
    sys.stdout = _nowhere()


def _say(words: str) -> None:
    """On standard error; where nobody reads that either, the exit code says it."""
    with contextlib.suppress(OSError):
        sys.stderr.write(words)
        sys.stderr.flush()


def _run(words: list[str]) -> None:
    """Imports here, because commands have reasons to load little: `check` is to be quick, `proxy` to stay small."""
    if words == ["proxy"]:
        from app.cli.proxy import proxy

        proxy()
        return
    if words[:1] == ["agent"]:
        from app.cli import agent_verbs

        if words[1:2] and words[1] in agent_verbs.VERBS:
            sys.exit(agent_verbs.run(words[1:]))
    if words[:1] == ["check"]:
        from app.cli.plain import plain_check

        asked = plain_check(words)
        if asked is not None:
            _judge(asked)
    # A library that reads command lines takes longer to load than `check` to judge most changes.
    from app.cli.commands import app

    app()


def _judge(asked: Asked) -> NoReturn:
    from app.cli.judging import report

    code = report(asked)
    gc.freeze()  # the interpreter's last collection would walk through all that was loaded and made, for nothing
    sys.exit(code)


if __name__ == "__main__":
    main()
