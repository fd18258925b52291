"""The three actions that the simulation knows; their log lines follow the real actions' (v4 and v5)."""

from __future__ import annotations

import io
import platform
import zipfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tests.github.actions.plan import JobPlan, Upload
from tests.github.actions.workspace import Checkout, CheckoutError, Workspace, check_out


class ActionFailedError(Exception):
    """The action ended with an error; the text is what it logs."""


@dataclass
class Use:
    """One `uses:` step while it runs."""

    inputs: dict[str, str]
    plan: JobPlan
    workspace: Workspace
    write: Callable[[str], None]
    uploads: list[Upload]


async def checkout(use: Use) -> None:
    plan, asked = use.plan, use.inputs.get("ref", "")
    if use.inputs.get("repository", plan.repository) != plan.repository or "path" in use.inputs:
        raise ActionFailedError("The simulated actions/checkout knows only the own repository and no `path`")
    sha = await _resolved(plan, asked) if asked else plan.checkout_sha
    use.write(f"Syncing repository: {plan.repository}")
    if not sha:
        raise ActionFailedError(f"A branch or tag with the name '{asked}' could not be found")
    depth = 1 if use.inputs.get("fetch-depth", "1") == "1" else 0
    url = f"{plan.github.get('server_url', '')}/{plan.repository}"
    wanted = Checkout(plan.bare, url, asked or plan.checkout_ref, sha, depth)
    try:
        await check_out(use.workspace, wanted, use.write)
    except CheckoutError as error:
        raise ActionFailedError(str(error)) from error


async def _resolved(plan: JobPlan, ref: str) -> str | None:
    return await plan.resolve(ref) if plan.resolve else None


async def setup_python(use: Use) -> None:
    """Nothing is installed: `python` is the one on the path, whatever version was asked for."""
    use.write("##[group]Installed versions")
    use.write(f"Successfully set up CPython ({platform.python_version()})")
    use.write("##[endgroup]")


async def upload_artifact(use: Use) -> None:
    name = use.inputs.get("name", "artifact")
    files = _matched(use.workspace.folder, use.inputs.get("path", ""))
    if not files:
        _report_no_files(use)
        return
    if any(upload.name == name for upload in use.uploads):
        raise ActionFailedError(
            "Failed to CreateArtifact: Received non-retryable error: Failed request: (409) Conflict: an artifact with "
            "this name already exists on the workflow run"
        )
    upload = Upload(name, _zipped(use.workspace.folder, files))
    use.uploads.append(upload)
    use.write(f"With the provided path, there will be {len(files)} file{'s' if len(files) > 1 else ''} uploaded")
    use.write("Artifact name is valid!")
    use.write(f"SHA256 digest of uploaded artifact zip is {sha256(upload.zip).hexdigest()}")
    use.write(f"Artifact {name}.zip successfully finalized.")


KNOWN: dict[str, Callable[[Use], Awaitable[None]]] = {
    "actions/checkout": checkout,
    "actions/setup-python": setup_python,
    "actions/upload-artifact": upload_artifact,
}


def known_action(uses: str) -> Callable[[Use], Awaitable[None]] | None:
    name, _, _version = uses.partition("@")
    return KNOWN.get(name)


def _report_no_files(use: Use) -> None:
    message = (
        f"No files were found with the provided path: {use.inputs.get('path', '')}. No artifacts will be uploaded."
    )
    if use.inputs.get("if-no-files-found", "warn") == "error":
        raise ActionFailedError(message)
    use.write(f"##[warning]{message}")


def _matched(folder: Path, patterns: str) -> list[Path]:
    found: set[Path] = set()
    for pattern in patterns.split("\n"):
        if pattern.strip():
            found.update(_inside(folder, pattern.strip()))
    return sorted(found)


def _inside(folder: Path, pattern: str) -> list[Path]:
    root = folder.resolve()
    paths = list(folder.glob(pattern.rstrip("/").removeprefix("./") or "*")) if not Path(pattern).is_absolute() else []
    files = [inner for path in paths for inner in (path.rglob("*") if path.is_dir() else [path])]
    return [path for path in files if path.is_file() and path.resolve().is_relative_to(root)]


def _zipped(folder: Path, files: list[Path]) -> bytes:
    """A zip whose paths start at the files' least common folder, as upload-artifact documents."""
    base = files[0].parent
    while not all(path.is_relative_to(base) for path in files):
        base = base.parent
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            # The date is fixed, so that the same content makes the same digest.
            archive.writestr(zipfile.ZipInfo(path.relative_to(base).as_posix()), path.read_bytes())
    return buffer.getvalue()
