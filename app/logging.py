"""Structured logs, one line an event, JSON where no terminal reads it. Payloads and tokens are never logged.

structlog takes a tenth of a second and 15 MB to import. A command that seldom has anything to log takes
`LateLogger`, with which the first line pays for it.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, MutableMapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any

from app.redaction import REDACTED, without_credentials

if TYPE_CHECKING:
    import structlog
    from structlog.typing import Processor

SECRET_FIELDS = frozenset({"authorization", "client_secret", "password", "private_key", "secret", "signature", "token"})
LONGEST = 20_000  # characters of one field; a traceback is long
DEEPEST = 4  # levels of nested fields that are shown one by one

# What a library says about single requests belongs into its own debugging, and httpx would log whole addresses.
FIRST = ("timestamp", "level", "event")
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
    """Set up structlog and the standard library's logging for this process: the same lines, by the same processors."""
    import logging

    import structlog

    stamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
    last = (structlog.processors.format_exc_info, _without_credentials, _renderer())
    _set_up_standard_library(level, (structlog.stdlib.add_log_level, stamp), last)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, structlog.processors.add_log_level, stamp, *last],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=_to_standard_error,
    )


def _renderer() -> Processor:
    import structlog

    if sys.stderr.isatty():
        return structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    return structlog.processors.JSONRenderer()


def _set_up_standard_library(level: int, first: Sequence[Processor], last: Sequence[Processor]) -> None:
    """What libraries log is shown like our own lines."""
    import logging

    import structlog

    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.contextvars.merge_contextvars, *first],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
    )

    class ToStandardError(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            with contextlib.suppress(ValueError, OSError):  # standard error was closed
                sys.stderr.write(self.format(record) + "\n")
                sys.stderr.flush()

    handler = ToStandardError()
    handler.setFormatter(formatter)
    logging.basicConfig(level=level, handlers=[handler])


def _to_standard_error(*_: Any) -> structlog.PrintLogger:
    """Standard error as it is at that moment: one that was replaced and closed must not end what is logged about."""
    import structlog

    return structlog.PrintLogger(sys.stderr)


def _without_credentials(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Texts from outside may quote what somebody pasted; whatever is, or looks like, a credential is taken out. When,
    how bad and what come first, for whoever reads the lines as they are."""
    order = [*(name for name in FIRST if name in event), *(name for name in event if name not in FIRST)]
    return {name: _harmless(name, event[name]) for name in order}


def _harmless(name: str, value: Any, depth: int = 0) -> Any:
    """`value` as JSON can show it. A secret by its type or by the name of its field is never shown."""
    if isinstance(value, bool | int | float | NoneType):
        return value
    if name.lower() in SECRET_FIELDS or type(value).__name__ in ("SecretStr", "SecretBytes"):
        return REDACTED
    if isinstance(value, str):
        return without_credentials(value)[:LONGEST]
    if isinstance(value, Mapping) and depth < DEEPEST:
        return {str(key): _harmless(str(key), each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset) and depth < DEEPEST:
        return [_harmless(name, each, depth + 1) for each in value]
    text = value.decode(errors="replace") if isinstance(value, bytes) else repr(value)
    return without_credentials(text)[:LONGEST]
