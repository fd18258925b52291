"""The app's own PostgreSQL in its data folder: start, stop, and start again.

Everything lives in `DATA/postgresql`: two lock files, the programs (as root), the cluster, our settings, the log and,
if its path is short enough, the socket. `start.lock` is held while something is changed; `users.lock` is held shared
by every process that uses the server, and the last one stops it. The kernel drops both when a process dies.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from psycopg import pq
from psycopg.conninfo import make_conninfo

from app.store import place
from app.store.binaries import MAJOR, EmbeddedFailed, Programs, install, server_owner

__all__ = ["Embedded", "EmbeddedFailed"]

LONGEST_LOG = 4 * 1024 * 1024
UNANSWERED = 30.0  # seconds that a server may give no answer while we try to start it
RECOVERING = 600.0  # seconds that it may answer "starting up"
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "log_checkpoints": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",
    # No replication: less is written ahead, and no process waits for it.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_logical_replication_workers": "0",
    "max_wal_size": "256MB",
    # Parallel queries need /dev/shm, of which containers have little.
    "max_parallel_workers_per_gather": "0",
}


class Embedded:
    """One user of the server in a data folder; as many as you like in any number of processes."""

    def __init__(self, data: Path) -> None:
        self.data = data.resolve()
        self.root = self.data / place.SUBFOLDER
        self.place = self.root
        self._socket = place.socket_folder(self.root)
        self._users: IO[bytes] | None = None
        self._mutex = threading.Lock()
        self._owner = server_owner()

    @property
    def cluster(self) -> Path:
        """PostgreSQL's data directory; settled once `start` has returned, like all below `place`."""
        return self.place / "cluster"

    @property
    def log(self) -> Path:
        return self.place / "log"

    @property
    def conninfo(self) -> str:
        """How to connect, as libpq reads it; settled once `start` has returned."""
        return make_conninfo(host=str(self._socket), port=5432, user="mergegate", dbname="postgres")

    def start(self) -> None:
        """Become a user of the server and start it if it does not answer; blocking, about half a second at first.

        Raises EmbeddedFailed with what to do.
        """
        with self._mutex:
            if self._users is not None:
                return
            users = self._entered()
            try:
                with self._start_lock():
                    fcntl.flock(users, fcntl.LOCK_SH)
                    self.place = place.find(self.data, self._owner)
                    self._ensure()
            except BaseException:
                users.close()
                raise
            self._users = users

    def _entered(self) -> IO[bytes]:
        """The lock file of the users, in a data folder that is ours. Raises EmbeddedFailed."""
        try:
            place.prepare(self.data, self._owner)
            (self.root / "start.lock").touch()
            return (self.root / "users.lock").open("ab")
        except OSError as wrong:
            raise EmbeddedFailed(
                f"{self.data} cannot be used as the data folder: {wrong.strerror} ({wrong.filename}). Do this as the "
                "user that the service runs as, or name a folder that you may write with MERGEGATE_DATA."
            ) from wrong

    def ensure_running(self) -> None:
        """Start the server again if it does not answer, for instance because it was killed. Raises EmbeddedFailed."""
        with self._mutex, self._start_lock():
            self._ensure()

    def stop(self) -> bool:
        """Stop being a user; true when we were the last one and the server was stopped."""
        with self._mutex:
            if self._users is None:
                return False
            with self._start_lock(), self._users as users:
                self._users = None
                return self._alone(users) and self._shut_down()

    def ping(self) -> pq.Ping:
        """Whether a connection is answered. A full server answers OK, one that starts or stops answers REJECT."""
        return pq.Ping(pq.PGconn.ping(make_conninfo(self.conninfo, connect_timeout=2).encode()))

    def _alone(self, users: IO[bytes]) -> bool:
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _shut_down(self) -> bool:
        programs = install(self.place, self._owner)
        return programs.run("pg_ctl", "-w", "-t", "60", "-m", "fast", "-D", self.cluster, "stop", output=self.log) == 0

    @contextlib.contextmanager
    def _start_lock(self) -> Iterator[None]:
        with (self.root / "start.lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _ensure(self) -> None:
        self._follow_running_socket()
        if self.ping() is pq.Ping.OK:
            return
        self._remove_leftovers()
        programs = install(self.place, self._owner)
        self._create_cluster(programs)
        self._configure()
        self._launch(programs)

    def _follow_running_socket(self) -> None:
        """Another process may have started the server with another temporary folder; its pid file names the socket."""
        with contextlib.suppress(OSError, IndexError, UnicodeDecodeError):
            recorded = Path((self.cluster / "postmaster.pid").read_text().splitlines()[4])
            if (recorded / place.SOCKET).exists():
                self._socket = recorded

    def _remove_leftovers(self) -> None:
        """What a process killed during a first start left behind; nobody uses it, as we hold the start lock."""
        for pattern in ("init-*", "copy-*"):
            for leftover in self.place.glob(pattern):
                shutil.rmtree(leftover, ignore_errors=True)

    def _create_cluster(self, programs: Programs) -> None:
        """initdb in a temporary folder, then rename: a cluster is whole or not there."""
        if not self.cluster.exists():
            new = Path(tempfile.mkdtemp(prefix="init-", dir=self.place))
            self._give(new)
            self._initdb(programs, new)
            new.rename(self.cluster)
        found = (self.cluster / "PG_VERSION").read_text().strip()
        if found != MAJOR:
            raise EmbeddedFailed(
                f"the database in {self.cluster} was made by PostgreSQL {found}, this version runs PostgreSQL {MAJOR}. "
                "Dump it with the version that wrote it and restore it, or move the folder away to start anew."
            )

    def _initdb(self, programs: Programs, new: Path) -> None:
        options = ("-U", "mergegate", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8")
        if programs.run("initdb", *options, "-D", new, output=self.log):
            raise EmbeddedFailed(f"the database could not be created in {self.place}:\n{self._log_end()}")
        settings = new / "postgresql.conf"
        # Relative, so that the data folder can be moved.
        settings.write_text(settings.read_text() + "\ninclude '../mergegate.conf'\n")

    def _configure(self) -> None:
        """Our settings, written anew at each start, outside the folder that the server's user may write."""
        self._socket = place.socket_folder(self.place)
        self._socket.mkdir(mode=0o700, exist_ok=True)
        self._give(self._socket)
        listed = '"' + str(self._socket).replace('"', '""') + '"'
        settings = SETTINGS | {"unix_socket_directories": listed}
        text = "".join(f"{name} = '{value.replace(chr(39), chr(39) * 2)}'\n" for name, value in settings.items())
        written = self.place / "mergegate.conf"
        written.write_text(text)
        written.chmod(0o644)

    def _give(self, folder: Path) -> None:
        """Hand a folder to the server's user, for it alone. Refuses one that belongs to somebody else."""
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {self._owner.uid, os.geteuid()}:
            raise EmbeddedFailed(
                f"{folder} is not a folder of ours (it belongs to user id {found.st_uid}). Remove it, or choose "
                "another data folder."
            )
        if self._owner.switch:
            os.chown(folder, self._owner.uid, self._owner.gid)
        folder.chmod(0o700)

    def _launch(self, programs: Programs) -> None:
        if self.log.exists() and self.log.stat().st_size > LONGEST_LOG:
            self.log.rename(self.log.with_name("log.old"))
        begun = answered = time.monotonic()
        while (answer := self.ping()) is not pq.Ping.OK:
            now = time.monotonic()
            answered = now if answer is pq.Ping.REJECT else answered
            if now - answered > UNANSWERED or now - begun > RECOVERING:
                raise EmbeddedFailed(f"PostgreSQL in {self.cluster} did not start:\n{self._log_end()}")
            if answer is not pq.Ping.REJECT:
                self._remove_stale_pid_file()
                programs.run("pg_ctl", "-w", "-t", "10", "-D", self.cluster, "start", output=self.log)
            time.sleep(0.05)

    def _remove_stale_pid_file(self) -> None:
        """Remove the pid file if its process lives but is not our server: the number was given to another program.

        If no process has the number the file stays: PostgreSQL replaces it by itself, after it has made sure that no
        orphan of the old server still uses the cluster.
        """
        pid_file = self.cluster / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
        except FileNotFoundError:
            return
        except ValueError:
            pid_file.unlink(missing_ok=True)
            return
        command = command_line(pid)
        if command is not None and os.fsencode(self.cluster) not in command:
            pid_file.unlink(missing_ok=True)

    def _log_end(self) -> str:
        try:
            return self.log.read_bytes()[-1500:].decode(errors="replace")
        except OSError as unread:
            return f"(its log could not be read: {unread})"


def command_line(pid: int) -> bytes | None:
    """The command line of a process, or None when there is no such process."""
    if Path("/proc/self/cmdline").exists():
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return None
    shown = subprocess.run(  # noqa: S603 - no shell, a number as the only argument
        ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, check=False
    )
    return shown.stdout if shown.returncode == 0 else None
