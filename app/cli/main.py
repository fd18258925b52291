"""Entry point of the `mergegate` command."""

from __future__ import annotations

import gc
import sys
import traceback
from typing import TYPE_CHECKING, NoReturn

from app.errors import ActionableError

if TYPE_CHECKING:
    from app.cli.judging import Asked

_COULD_NOT_LOOK = 2


def main() -> None:
    """A fault of the program itself ends with 2 too: 1 says "something failed", which it must not claim."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        _run(sys.argv[1:])
    except ActionableError as wrong:
        sys.stderr.write(f"mergegate: {wrong}\n")
        sys.exit(_COULD_NOT_LOOK)
    except Exception:  # noqa: BLE001 - Python's own exit code for a fault is 1, which scripts read as "failed"
        traceback.print_exc()
        sys.exit(_COULD_NOT_LOOK)


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
