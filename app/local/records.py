"""Commands that `mergegate run` recorded: a JSON file and the raw output of each, in the clone's own git folder.

They are an agent's word about what it did, so they are never proof; they save it from writing a bundle by hand, and
from saying something that is not so.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, ConfigDict, ValidationError

from app.json_model import JsonModel
from app.local.clone import CannotLook, Clone
from policies.escape import clean

LARGEST_RECORD = 64 * 1024  # bytes of a JSON file
MOST_RECORDS = 200  # the newest ones; older ones are removed with their output


class Record(JsonModel):
    """One command. `command` is a shell's spelling of `argv`; the trees are of all files that git does not ignore.

    `output` is `sha256:…` of everything it printed, of which the file `log` holds at most the first `kept` bytes.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    version: Literal[1] = 1
    command: str
    argv: tuple[str, ...]
    exit_code: int
    started_at: AwareDatetime
    seconds: float
    head: str | None  # commit; None before the first one
    tree_before: str
    tree_after: str
    output: str
    bytes: int
    kept: int
    log: str

    @property
    def kept_still(self) -> bool:
        """Whether the command left the files that it ran on as they were."""
        return self.tree_before == self.tree_after


def records_folder(clone: Clone) -> Path:
    return clone.git_folder / "mergegate" / "runs"


def new_name(started_at: datetime) -> str:
    """A file name that sorts by time."""
    return started_at.strftime("%Y%m%dT%H%M%S.%fZ")


def save_record(folder: Path, name: str, record: Record) -> None:
    """Write it as a whole or not at all, and let the oldest ones go. Raises CannotLook."""
    try:
        unfinished = folder / f"{name}.part"
        unfinished.write_text(record.model_dump_json(indent=2), "utf-8")
        unfinished.replace(folder / f"{name}.json")
        for old in sorted(folder.glob("*.json"))[:-MOST_RECORDS]:
            old.with_suffix(".log").unlink(missing_ok=True)
            old.unlink(missing_ok=True)
    except OSError as wrong:
        raise CannotLook(f"{clean(str(folder), 300)} cannot be written ({wrong.strerror}). Make room there.") from wrong


def read_records(clone: Clone) -> tuple[Record, ...]:
    """The readable ones, oldest first."""
    files = sorted(records_folder(clone).glob("*.json"))[-MOST_RECORDS:]
    return tuple(record for file in files if (record := _read(file)) is not None)


def _read(file: Path) -> Record | None:
    try:
        with file.open("rb") as stream:
            return Record.model_validate_json(stream.read(LARGEST_RECORD))
    except (OSError, ValidationError):
        return None


def fresh(records: Sequence[Record], tree: str) -> tuple[Record, ...]:
    """The newest record of each command that ran on exactly these files, in the order in which they ran."""
    newest = {record.command: record for record in records if record.tree_before == tree}
    return tuple(sorted(newest.values(), key=lambda record: record.started_at))
