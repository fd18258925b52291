"""Structured logs, one line an event, JSON where no terminal reads it. Payloads and tokens are never logged.

structlog takes a tenth of a second and 15 MB to import. A command that seldom has anything to log takes
`LateLogger`, with which the first line pays for it.
"""

from __future__ import annotations

import sys
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

from app.github.errors import redacted

if TYPE_CHECKING:
    import structlog

# What a library says about single requests belongs into its own debugging, and httpx would log whole addresses.
QUIET = ("httpx", "httpcore", "uvicorn.access", "psycopg.pool")


_ERROR, _INFO = 40, 20  # of the standard library's logging


class LateLogger:
    """structlog's logger of that name, from the first line on that is logged.

    Where nothing set up logging before, only what is broken is said.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, method: str) -> Any:
        import structlog

        keep_quiet()
        return getattr(structlog.get_logger(self._name), method)


def keep_quiet() -> None:
    """Where structlog is loaded and nobody has set it up, only what is broken is said."""
    structlog = sys.modules.get("structlog")
    if structlog is not None and not structlog.is_configured():
        configure_logging(_ERROR)


def configure_logging(level: int = _INFO) -> None:
    """Set up structlog and the standard library's logging for this process."""
    import logging

    import structlog

    logging.basicConfig(level=level, stream=sys.stderr, format="%(message)s")
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    renderer = structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _without_credentials,
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=_to_standard_error,
    )


def _to_standard_error(*_: Any) -> structlog.PrintLogger:
    """Standard error as it is at that moment: one that was replaced and closed must not end what is logged about."""
    import structlog

    return structlog.PrintLogger(sys.stderr)


def _without_credentials(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Texts from outside may quote what somebody pasted; whatever looks like a credential is taken out."""
    return {name: redacted(value) if isinstance(value, str) else value for name, value in event.items()}
