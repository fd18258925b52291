"""Workflows of the stories whose jobs upload test reports, and what those hold."""

from __future__ import annotations

import io
import zipfile

from tests.gate.scene import Scene
from tests.gate.shop import GREEN, WORKFLOW_PATH, log_of
from tests.github.actions.plan import Upload
from tests.github.actions.scripted import ScriptedJob
from tests.github.state import Job, Repository, WorkflowRun

THREE = ("test_add", "test_sum", "test_tax")


def junit(*passed: str, skipped: tuple[str, ...] = (), failed: tuple[str, ...] = ()) -> bytes:
    """A JUnit report as unittest-xml-reporting writes it."""
    cases = [f'<testcase classname="shop" name="{name}"/>' for name in passed]
    cases += [f'<testcase classname="shop" name="{name}"><skipped/></testcase>' for name in skipped]
    cases += [f'<testcase classname="shop" name="{name}"><failure/></testcase>' for name in failed]
    return f'<testsuite name="shop">{"".join(cases)}</testsuite>'.encode()


def archive(**files: bytes) -> bytes:
    """A zip of these files, `junit_xml=…` for `junit.xml`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(zipfile.ZipInfo(name.replace("_", ".")), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def ran(count: int, skipped: int = 0) -> str:
    """What `python -m unittest` prints at its end."""
    left_out = f" (skipped={skipped})" if skipped else ""
    return "." * count + "\n" + "-" * 70 + f"\nRan {count} tests in 0.001s\n\nOK{left_out}"


def report_ci(
    stage: Scene, shop: Repository, *archives: bytes, output: str = GREEN, names: tuple[str, ...] = ("junit", "junit-2")
) -> None:
    """From now on the job `test` prints this and uploads these archives."""

    def script(run: WorkflowRun, job: Job) -> ScriptedJob:
        if job.name != "test":
            return ScriptedJob("success", log_of(shop, job, run, "", 0))
        uploads = tuple(Upload(name, data) for name, data in zip(names, archives, strict=False))
        return ScriptedJob("success", log_of(shop, job, run, output, 0), uploads=uploads)

    stage.github.actions.script(shop, WORKFLOW_PATH, script)
