"""`mergegate proxy`: the agents' proxy alone, without the gate's key."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import os
import sys
from collections.abc import Iterator


def proxy() -> None:
    """Run only the agents' proxy: git and GitHub's API for sessions. Needs the courier App, never the gate's key."""
    # Imported here, because a wrong setting is named sooner than the client of GitHub is loaded.
    with _without_rich():
        from app.logging import configure_logging

        configure_logging()
    from app.config import read_settings

    reread = functools.partial(read_settings, os.environ)
    settings = reread()
    from app.proxy.starting import serve_proxy

    # What is loaded by now stays; looking through it again and again would hold transfers up.
    gc.collect()
    gc.freeze()
    asyncio.run(serve_proxy(settings, reread))


@contextlib.contextmanager
def _without_rich() -> Iterator[None]:
    """structlog loads rich where it is installed, for tracebacks in colours: 4 MB that this process has no use for.

    A module that is None cannot be imported: https://docs.python.org/3/reference/import.html#the-module-cache
    """
    if "rich" in sys.modules:
        yield
        return
    sys.modules["rich"] = None  # type: ignore[assignment]  # what makes an import fail, by the page above
    try:
        yield
    finally:
        del sys.modules["rich"]
