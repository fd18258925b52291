"""The app's own server: where it can live, who may use it at once, and what can be killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psycopg
import pytest

from app.store import binaries
from app.store.database import Database
from app.store.embedded import Embedded, EmbeddedFailed
from app.store.place import SOCKET, socket_folder
from app.store.work import Mark, claim, mark
from tests.databases import data_folder
from tests.store import processes

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has to give the server to another user")


@pytest.fixture
def data() -> Iterator[Path]:
    with data_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def cluster() -> Iterator[Path]:
    """A data folder with a stopped cluster; creating one takes a second or two."""
    with data_folder() as folder:
        embedded = Embedded(folder)
        embedded.start()
        embedded.stop()
        yield folder


@pytest.fixture
def made(cluster: Path) -> Iterator[Path]:
    """A copy of it, as a backup program makes one."""
    with data_folder() as folder:
        subprocess.run(["/bin/cp", "-a", f"{cluster}/postgresql", folder], check=True)
        yield folder


def answers(conninfo: str) -> bool:
    try:
        with psycopg.connect(conninfo, connect_timeout=2) as connection:
            return connection.execute("select 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


def postmaster(embedded: Embedded) -> int:
    return int((embedded.cluster / "postmaster.pid").read_text().split()[0])


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_until_gone(pid: int) -> None:
    wait_for(lambda: gone(pid))


def test_start_and_stop_leave_no_process_and_keep_the_data(data: Path) -> None:
    embedded = Embedded(data)
    embedded.start()
    with psycopg.connect(embedded.conninfo) as connection:
        connection.execute("create table kept as select 42 as n")
        assert connection.execute("show listen_addresses").fetchone() == ("",)
        assert connection.execute("show server_version").fetchone() == ("18.4",)
    pid = postmaster(embedded)
    assert embedded.stop()
    wait_until_gone(pid)
    assert not answers(embedded.conninfo)
    embedded.start()
    with psycopg.connect(embedded.conninfo) as connection:
        assert connection.execute("select n from kept").fetchone() == (42,)
    embedded.stop()


@pytest.mark.parametrize("name", ['a "quoted" name', "$HOME", "`id`", "back\\slash"])
def test_a_folder_whose_name_a_shell_would_read_is_refused(data: Path, name: str) -> None:
    with pytest.raises(EmbeddedFailed, match="PostgreSQL cannot run in"):
        Embedded(data / name).start()


def test_a_data_folder_that_cannot_be_made_is_said_with_what_to_do(tmp_path: Path) -> None:
    """As root every folder can be written; below a file none can be made."""
    (tmp_path / "file").touch()
    with pytest.raises(EmbeddedFailed, match=r"cannot be used as the data folder: .*MERGEGATE_DATA"):
        Embedded(tmp_path / "file" / "data").start()


def test_a_folder_with_spaces_and_the_like_works(data: Path) -> None:
    embedded = Embedded(data / "it's a data folder; (really) & 100 % ünïcode")
    embedded.start()
    assert answers(embedded.conninfo)
    assert embedded.stop()


def test_a_path_too_long_for_a_socket_works_from_another_folder(data: Path) -> None:
    long = data / ("long-" * 12) / ("longer-" * 12)
    embedded = Embedded(long)
    assert len(os.fsencode(embedded.cluster)) > 107
    embedded.start()
    folder = socket_folder(embedded.root)
    assert answers(embedded.conninfo)
    assert len(os.fsencode(folder / SOCKET)) <= 100
    assert folder.stat().st_mode & 0o777 == 0o700
    assert embedded.stop()
    folder.rmdir()


def test_a_socket_folder_of_somebody_else_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded = Embedded(data)
    taken = data / "postgresql" / "socket"
    taken.parent.mkdir()
    taken.symlink_to("/tmp")
    with pytest.raises(EmbeddedFailed, match="is not a folder of ours"):
        embedded.start()


def test_only_the_last_user_stops_it(made: Path) -> None:
    first, second = Embedded(made), Embedded(made)
    first.start()
    second.start()
    assert not first.stop()
    assert answers(second.conninfo)
    assert second.stop()
    assert not answers(second.conninfo)


def test_six_first_starts_at_once_make_one_server(data: Path) -> None:
    users = [processes.begin("use", data, "1.5") for _ in range(6)]
    try:
        assert len({processes.ready(user) for user in users}) == 1
        ends = [user.communicate(timeout=60)[0].strip() for user in users]
    finally:
        for user in users:
            processes.end(user)
    assert sorted(ends) == ["others use it"] * 5 + ["stopped"]


def test_a_user_killed_with_9_is_no_user_any_more(made: Path) -> None:
    user = processes.begin("use", made, "600")
    conninfo = processes.ready(user)
    processes.end(user)
    assert answers(conninfo), "the server outlives the process that started it"
    embedded = Embedded(made)
    embedded.start()
    assert embedded.stop()
    assert not answers(conninfo)


def test_a_killed_first_start_leaves_nothing_that_breaks_the_next(data: Path) -> None:
    """Killed in the middle of initdb, three times; initdb itself lives on for a while and still writes."""
    root = data / "postgresql"
    for _ in range(3):
        user = processes.begin("use", data, "600")
        wait_for(partial(initdb_writes, root, set(root.glob("init-*"))))
        processes.end(user)
        assert not (root / "cluster").exists(), "killed too late to tell"
    embedded = Embedded(data)
    embedded.start()
    assert answers(embedded.conninfo)
    assert embedded.stop()


def initdb_writes(root: Path, old: set[Path]) -> bool:
    return any(any(folder.iterdir()) for folder in set(root.glob("init-*")) - old)


def wait_for(happened: Callable[[], object]) -> None:
    until = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.002)


def test_leftovers_of_a_killed_start_are_removed(made: Path) -> None:
    root = made / "postgresql"
    (root / "init-abc" / "base").mkdir(parents=True)
    (root / "copy-abc").mkdir()
    embedded = Embedded(made)
    embedded.start()
    assert not list(root.glob("init-*")) and not list(root.glob("copy-*"))
    embedded.stop()


def test_a_pid_file_that_names_another_process_is_removed(made: Path) -> None:
    embedded = Embedded(made)
    embedded.start()
    embedded.stop()
    pid_file = embedded.cluster / "postmaster.pid"
    owner = binaries.server_owner()
    switch = {"user": owner.uid, "group": owner.gid} if owner.switch else {}
    with subprocess.Popen(["/bin/sleep", "60"], **switch) as other:  # type: ignore[call-overload]
        pid_file.write_text(f"{other.pid}\n{embedded.cluster}\n1700000000\n5432\n/nonexistent\n\n     0         0\n")
        embedded.start()
        assert answers(embedded.conninfo)
        assert postmaster(embedded) != other.pid
        assert other.poll() is None, "a stranger was touched"
        other.kill()
    assert embedded.stop()


def test_a_database_killed_with_9_is_started_again(made: Path) -> None:
    embedded = Embedded(made)
    embedded.start()
    os.kill(postmaster(embedded), signal.SIGKILL)
    embedded.ensure_running()
    assert answers(embedded.conninfo)
    assert embedded.stop()


def test_a_database_killed_with_9_is_away_only_for_a_moment(made: Path) -> None:
    """The next use starts it again by itself; what was committed is there."""

    async def add(db: Database, key: str) -> None:
        async with db.transaction() as connection:
            await mark(connection, [Mark(key)])

    async def story() -> None:
        async with Database.open(None, made) as db:
            await add(db, "a")
            kill_and_wait(made)
            await add(db, "b")
            kill_and_wait(made)
            found = [await claim(db), await claim(db), await claim(db)]
            assert [lease.key for lease in found if lease] == ["a", "b"]

    asyncio.run(story())


def kill_and_wait(data: Path) -> None:
    """Until no session of the old server is left; a session that is left for a moment would end in the middle."""
    embedded = Embedded(data)
    pid = postmaster(embedded)
    sessions = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    os.kill(pid, signal.SIGKILL)
    for each in (pid, *sessions):
        wait_until_gone(each)


def test_a_cluster_of_another_major_version_is_refused(made: Path) -> None:
    embedded = Embedded(made)
    embedded.start()
    embedded.stop()
    (embedded.cluster / "PG_VERSION").write_text("17\n")
    with pytest.raises(EmbeddedFailed, match=r"made by PostgreSQL 17, this version runs PostgreSQL 18"):
        embedded.start()


def test_a_server_that_cannot_start_says_what_its_log_says(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.store.embedded.UNANSWERED", 0.5)
    monkeypatch.setattr("app.store.embedded.SETTINGS", {"shared_buffers": "nonsense"})
    with pytest.raises(EmbeddedFailed, match=r'invalid value for parameter "shared_buffers"'):
        Embedded(made).start()


@pytest.fixture
def closed(data: Path) -> Path:
    """A data folder inside a folder that only root may enter, as all of /root is."""
    inside = data / "closed" / "data"
    inside.mkdir(parents=True)
    inside.parent.chmod(0o700)
    return inside


@as_root
def test_as_root_a_closed_folder_stays_closed_and_the_database_lives_elsewhere(
    closed: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(data))
    embedded = Embedded(closed)
    embedded.start()
    assert answers(embedded.conninfo)
    assert closed.parent.stat().st_mode & 0o777 == 0o700
    assert embedded.place.parent == data
    assert not (closed / "postgresql" / "cluster").exists()
    second = Embedded(closed)
    second.start()
    assert second.conninfo == embedded.conninfo
    assert not embedded.stop()
    assert second.stop()


@as_root
def test_as_root_with_no_reachable_folder_the_closed_one_is_named(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(closed))
    with pytest.raises(EmbeddedFailed, match=f"may not enter the folder {closed.parent} on the way to"):
        Embedded(closed).start()
    assert closed.parent.stat().st_mode & 0o777 == 0o700


@as_root
def test_a_database_whose_place_is_gone_is_not_replaced_by_an_empty_one(
    closed: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(data))
    embedded = Embedded(closed)
    embedded.start()
    embedded.stop()
    embedded.place.rename(data / "moved")
    with pytest.raises(EmbeddedFailed, match=r"was kept in .*, which is gone"):
        Embedded(closed).start()


@as_root
def test_as_root_a_data_folder_with_other_things_keeps_its_mode(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data / "of somebody else").touch()
    data.chmod(0o700)
    with data_folder() as other:
        monkeypatch.setattr("app.store.place.ELSEWHERE", other / "lib")
        monkeypatch.setattr("tempfile.tempdir", str(other))
        embedded = Embedded(data)
        embedded.start()
        assert embedded.place.parent == other / "lib"
        embedded.stop()
    assert data.stat().st_mode & 0o777 == 0o700


@as_root
def test_as_root_the_server_runs_as_an_unprivileged_user(made: Path) -> None:
    embedded = Embedded(made)
    embedded.start()
    status = Path(f"/proc/{postmaster(embedded)}/status").read_text()
    uids = next(line for line in status.splitlines() if line.startswith("Uid:")).split()[1:]
    groups = next(line for line in status.splitlines() if line.startswith("Groups:")).split()[1:]
    assert set(uids) == {str(binaries.server_owner().uid)} != {"0"}
    assert groups == []
    assert embedded.cluster.stat().st_mode & 0o777 == 0o700
    embedded.stop()


@as_root
def test_without_an_unprivileged_user_root_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    monkeypatch.setattr(binaries, "UNPRIVILEGED", ("no-such-user-here",))
    with pytest.raises(EmbeddedFailed, match="Create the system user mergegate"):
        Embedded(data)
