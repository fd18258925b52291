"""Where the app's own PostgreSQL lives: in the data folder, unless the user it runs as may not enter that.

As root the server runs as an unprivileged user, to whom the data folder may be closed (`/root` is on most machines).
No such folder is opened: everything but the locks then lives in a folder of its own under `/var/lib/mergegate`, or in
the temporary folder if the data folder is there, and `DATA/postgresql/place` names it.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from app.logging import LateLogger
from app.store.binaries import EmbeddedFailed, Owner, closed_to, refuse_unfit

SUBFOLDER = "postgresql"
ELSEWHERE = Path("/var/lib/mergegate")
SOCKET = ".s.PGSQL.5432"
# sockaddr_un holds 108 bytes on Linux and 104 on macOS, the closing zero included.
LONGEST_SOCKET = 100

log = LateLogger(__name__)


def prepare(data: Path, owner: Owner) -> None:
    """Create the data folder and our folder in it, with the modes that they need. Raises EmbeddedFailed."""
    refuse_unfit(data)
    make_folder(data)
    _let_pass(data, owner)
    root = data / SUBFOLDER
    root.mkdir(exist_ok=True)
    root.chmod(0o711 if owner.switch else 0o700)


def make_folder(folder: Path) -> None:
    """Create a folder and its parents; those that we create may be passed by others, whatever the umask."""
    for step in (*reversed(folder.parents), folder):
        if not step.exists():
            step.mkdir(exist_ok=True)
            step.chmod(0o755)


def _let_pass(data: Path, owner: Owner) -> None:
    """Let the server's user pass through a data folder that is empty or holds nothing but the database.

    Only such a folder is ours for certain; any other keeps its mode.
    """
    mode = stat.S_IMODE(data.stat().st_mode)
    ours = {entry.name for entry in data.iterdir()} <= {SUBFOLDER}
    if owner.switch and ours and not mode & stat.S_IXOTH:
        data.chmod(mode | stat.S_IXOTH)


def find(data: Path, owner: Owner) -> Path:
    """The folder that the cluster is in, or is to be created in. Call it under the start lock.

    Raises EmbeddedFailed when there is none, or the recorded one is gone.
    """
    recorded = data / SUBFOLDER / "place"
    if recorded.exists():
        return _recorded(recorded)
    closed = closed_to(owner, data / SUBFOLDER)
    if closed is None:
        return data / SUBFOLDER
    place = _elsewhere(data, owner, closed)
    unfinished = recorded.with_name("place.new")
    unfinished.write_text(f"{place}\n")
    unfinished.rename(recorded)
    log.warning("database is kept outside the data folder", place=str(place), data=str(data), closed=str(closed))
    return place


def _recorded(record: Path) -> Path:
    place = Path(record.read_text().strip())
    if not place.is_dir():
        raise EmbeddedFailed(
            f"the database was kept in {place}, which is gone. Restore that folder, or remove {record} to start with "
            "an empty database (the resync will look at everything again)."
        )
    return place


def _elsewhere(data: Path, owner: Owner, closed: Path) -> Path:
    temporary = Path(tempfile.gettempdir()).resolve()
    parent = temporary if data.is_relative_to(temporary) else ELSEWHERE
    try:
        make_folder(parent)
        place = Path(tempfile.mkdtemp(prefix="mergegate-", dir=parent))
        place.chmod(0o711)
    except OSError as wrong:
        raise _unreachable(data, owner, closed, f"{parent} cannot be used instead ({wrong})") from wrong
    also_closed = closed_to(owner, place)
    if also_closed is not None:
        place.rmdir()
        raise _unreachable(data, owner, closed, f"nor {also_closed}, which was tried instead")
    return place


def _unreachable(data: Path, owner: Owner, closed: Path, reason: str) -> EmbeddedFailed:
    return EmbeddedFailed(
        f"PostgreSQL does not run as root, so it runs as the user {owner.name}, who may not enter the folder {closed} "
        f"on the way to the data folder {data}, {reason}. Choose a data folder that others may enter, or run as "
        "another user than root, or set MERGEGATE_DATABASE_URL."
    )


def socket_folder(root: Path) -> Path:
    """Where the socket goes: beside the cluster, or in the temporary folder when that path is too long for a socket."""
    mark = hashlib.sha256(os.fsencode(root)).hexdigest()[:12]
    name = f"mergegate-{os.geteuid()}-{mark}"
    for folder in (root / "socket", Path(tempfile.gettempdir()) / name):
        if len(os.fsencode(folder / SOCKET)) <= LONGEST_SOCKET:
            return folder
    return Path("/tmp") / name  # noqa: S108 - the owner of the folder is checked before use
