"""`mergegate proxy`: the agents' proxy alone, without the gate's key."""

from __future__ import annotations

import asyncio
import gc
import os

from app.config import read_settings
from app.logging import configure_logging


def proxy() -> None:
    """Run only the agents' proxy: git and GitHub's API for sessions. Needs the courier App, never the gate's key."""
    configure_logging()
    settings = read_settings(os.environ)
    # Imported here, because the client of GitHub takes longer to load than a wrong setting to be named.
    from app.proxy.starting import serve_proxy

    # What is loaded by now stays; looking through it again and again would hold transfers up.
    gc.collect()
    gc.freeze()
    asyncio.run(serve_proxy(settings))
