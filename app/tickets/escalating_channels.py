"""Further channels beside GitHub's own notifications: Slack, Telegram, ntfy and others, by way of Apprise.

A file says who is reached where, one login with addresses of Apprise each (https://github.com/caronc/apprise/wiki). It
is read again before a message once it has changed; what cannot be used changes nothing. The addresses hold tokens:
nobody but the service may read the file, and they are never logged. A message is one line and an
address, without markup and without a word of an agent's. What a channel does not take is counted and lost there; GitHub
has it.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import prometheus_client
import re2
import structlog

from app.errors import ActionableError
from app.file_version import Version, version_of
from app.secret import SecretStr
from checks.document import DocumentError, read_document
from policies.fields import PERSON

log = structlog.get_logger(__name__)

SENT = prometheus_client.Counter(
    "mergegate_channel_messages", "Messages over further channels, by what became of them", ["outcome"]
)
SECONDS = 20.0  # for one address
MOST_BYTES = 64 * 1024  # of the file
MOST_DEPTH = 3
MOST_ADDRESSES, LONGEST_ADDRESS = 10, 2_000  # of a person; characters
OTHERS_MAY = stat.S_IRWXG | stat.S_IRWXO
QUIET = ("apprise", "urllib3", "requests")  # they would log whole addresses
_PERSON = re2.compile(PERSON)


class UnusableChannels(ActionableError, ValueError):
    """The file of channels cannot be used; the message says why, without any address."""


@dataclass(slots=True)
class Channels:
    """Addresses by login in small letters, and the file that they were read from, with what it was then."""

    by_login: Mapping[str, tuple[SecretStr, ...]]
    path: Path | None = None
    version: Version | None = None

    async def send(self, login: str, line: str, address: str) -> int:
        """How many of the person's channels took it. Raises nothing that a channel could raise."""
        await asyncio.to_thread(self._follow)
        taken = 0
        for url in self.by_login.get(login.casefold(), ()):
            done = await _notify(url, line, address)
            SENT.labels("taken" if done else "failed").inc()
            taken += done
        return taken

    def _follow(self) -> None:
        if self.path is None or version_of(self.path) == self.version:
            return
        try:
            now = read_channels(self.path)
        except UnusableChannels as wrong:
            log.warning("the channels cannot be read again; what was read before holds", because=str(wrong))
            return
        self.by_login, self.version = now.by_login, now.version


def read_channels(path: Path) -> Channels:
    """Raises UnusableChannels: also where anybody but the owner may read the file, or Apprise is not installed."""
    if importlib.util.find_spec("apprise") is None:
        raise UnusableChannels("MERGEGATE_CHANNELS: Apprise is missing; install mergegate[apprise]")
    version = version_of(path)  # before it is read: what is written meanwhile is read at the next message
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)  # of what is read, whatever takes its place
            raw = file.read(MOST_BYTES + 1)
    except OSError as wrong:
        raise UnusableChannels(f"MERGEGATE_CHANNELS: {path} cannot be read ({wrong.strerror})") from None
    if mode & OTHERS_MAY:
        raise UnusableChannels(f"MERGEGATE_CHANNELS: others may read or write {path}; chmod 600 it")
    return Channels(_parsed(path, raw), path, version)


def _parsed(path: Path, raw: bytes) -> dict[str, tuple[SecretStr, ...]]:
    try:
        found: Any = read_document(raw.decode("utf-8"), max_bytes=MOST_BYTES, max_depth=MOST_DEPTH).value
    except (UnicodeDecodeError, DocumentError):
        raise UnusableChannels(f"MERGEGATE_CHANNELS: {path} is no YAML of at most {MOST_BYTES} bytes") from None
    if not isinstance(found, dict) or not all(_is_entry(login, urls) for login, urls in found.items()):
        raise UnusableChannels(
            f"MERGEGATE_CHANNELS: {path} must map logins to lists of at most {MOST_ADDRESSES} addresses, "
            "for example `ada: [ntfys://ntfy.example/ada]`"
        )
    return {login.casefold(): tuple(SecretStr(url) for url in urls) for login, urls in found.items()}


def _is_entry(login: Any, urls: Any) -> bool:
    if not isinstance(login, str) or not _PERSON.fullmatch(login):
        return False
    if not isinstance(urls, list) or not 1 <= len(urls) <= MOST_ADDRESSES:
        return False
    return all(isinstance(url, str) and "://" in url and len(url) <= LONGEST_ADDRESS for url in urls)


async def _notify(url: SecretStr, line: str, address: str) -> bool:
    """In a thread: Apprise asks with a library that blocks, and the first time it loads for half a second."""
    try:
        async with asyncio.timeout(SECONDS):
            return await asyncio.to_thread(_send, url, f"{line}\n{address}")
    except Exception as wrong:  # noqa: BLE001 - more than a hundred plug-ins, and none of them may stop the work
        log.warning("a channel did not take a message", error=type(wrong).__name__)
        return False


def _send(url: SecretStr, text: str) -> bool:
    # Imported here: it takes 40 MB, which nobody pays who has no channels.
    import apprise

    for name in QUIET:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    asset = apprise.AppriseAsset(http_redirects=False, plugin_paths=[], service_timeout=SECONDS)
    one = apprise.Apprise(asset=asset)
    if not one.add(url.get_secret_value()):
        log.error("a channel's address is none that Apprise knows")
        return False
    return bool(one.notify(body=text, body_format=apprise.NotifyFormat.TEXT))
