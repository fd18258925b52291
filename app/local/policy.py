"""The policy for a local judgement: the file that was handed over, else the one at the base revision, else none."""

from __future__ import annotations

from app.gate.git import GitFailed, GitObjects, run_git
from app.gate.presets import read_presets
from app.local.clone import CannotLook, Revision
from checks.unread import Unread
from policies.errors import PolicyError
from policies.escape import clean
from policies.load import MAX_BYTES, PolicySource, PolicyState, read_policy
from policies.schema import POLICY_PATH

_PLAIN_MODES = (b"100644", b"100755")


async def read_policy_of(objects: GitObjects, base: Revision, given: tuple[str, str] | None) -> PolicyState:
    """The policy in force; `given` is a file's name and text. Raises CannotLook for a given file with faults."""
    ref, presets = base.branch or base.commit[:12], read_presets()
    if given is None:
        return read_policy(PolicySource(await _text_at(objects, base.commit), ref, base.commit), presets)
    name, text = given
    state = read_policy(PolicySource(text, ref, base.commit, name), presets)
    if state.errors:
        raise CannotLook("\n".join(fault_line(name, error) for error in state.errors))
    return state


def fault_line(name: str, error: PolicyError) -> str:
    """One fault of a policy file as a line that editors can follow."""
    field = f"`{error.field}`: " if error.field else ""
    return clean(f"{name}:{error.line}:{error.column}: {field}{error.message}. {error.step}", 1_000)


async def _text_at(objects: GitObjects, commit: str) -> str | Unread | None:
    """The file as it stands there, in the words that the gate has for what is no readable file."""
    try:
        _, out, _ = await run_git(objects.folder, ("ls-tree", "-z", "-l", "--full-tree", commit, "--", POLICY_PATH))
        if not out:
            return None
        mode, _, oid, size = out.partition(b"\t")[0].split()
        if mode not in _PLAIN_MODES:
            return Unread("the policy's path is not a plain file; replace what stands there by a file")
        if int(size) > MAX_BYTES:
            return Unread("the policy file is too large; keep it under 64 KiB")
        _, blob, _ = await run_git(objects.folder, ("cat-file", "blob", oid.decode("ascii")))
    except GitFailed as wrong:
        return Unread(str(wrong))
    try:
        return blob.decode()
    except UnicodeDecodeError:
        return Unread("the policy file is no UTF-8 text")
