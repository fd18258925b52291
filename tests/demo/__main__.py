"""`make demo`: five agents' pull requests go through the gate, in two repositories.

Exits 0 only when the first was merged by the queue, the second refused, the third merged after the approval, and of the
last two, which are green alone and red together, the serial queue merged one and refused the other.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.table import Table

from tests.demo import till
from tests.demo.agent import Agent
from tests.demo.service import Credentials, NotStarted, RunningGate, free_port, running_gate
from tests.demo.shop import CHANGES, FILES, Change
from tests.gate.scene import GATE_EVENTS, GATE_PERMISSIONS
from tests.gate.serial_shop import rules
from tests.gate.shop import required
from tests.github.server import SimulatedGitHub
from tests.github.state import CheckRun, PullRequest, Repository

REPOSITORY = "acme/shop"
SECRET = "demonstration"
COURIER_PERMISSIONS = {
    "actions": "read",
    "checks": "read",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "statuses": "read",
}
PATIENCE = 90.0  # seconds for one step


class NotAsExpected(RuntimeError):
    """A pull request did not come to its expected end in time."""


@dataclass
class Stage:
    """The demonstration's world while it runs."""

    github: SimulatedGitHub
    shop: Repository  # whose pull requests are spoken of
    till: Repository
    app_id: int
    folder: Path  # of the agents
    gate: RunningGate
    console: Console

    @property
    def at_till(self) -> Stage:
        return dataclasses.replace(self, shop=self.till)

    def checks(self, pull: PullRequest) -> dict[str, CheckRun]:
        runs = [run for run in self.shop.check_runs.values() if run.app_id == self.app_id]
        return {run.name: run for run in runs if run.head_sha == pull.head_sha}

    def state(self, pull: PullRequest) -> dict[str, str]:
        return {name: run.conclusion or run.status for name, run in self.checks(pull).items()}

    async def until(self, what: str, pull: PullRequest, done: Callable[[], bool]) -> None:
        """Wait with a line that shows the time and the checks. Raises NotAsExpected."""
        started = time.monotonic()
        with self.console.status("") as status:
            while not done():
                waited = time.monotonic() - started
                if waited > PATIENCE:
                    said = "\n\n".join(run.summary or "" for run in self.checks(pull).values())
                    raise NotAsExpected(f"pull request {pull.number}: {what}: not after {PATIENCE:.0f} s\n{said}")
                shown = ", ".join(f"{name} {state}" for name, state in sorted(self.state(pull).items()))
                status.update(f"   {what} … {waited:.0f} s   {shown}")
                await asyncio.sleep(0.1)
        self.console.print(f"   [green]✓[/] {what} ({time.monotonic() - started:.1f} s)")


async def main(keep: bool) -> int:
    console = Console()
    folder = Path(tempfile.mkdtemp(prefix="mergegate-demo-"))
    folder.chmod(0o755)
    started = time.monotonic()
    try:
        async with opened(folder, console) as stage:
            await play(stage)
            console.print(f"\nAll five as expected, in {time.monotonic() - started:.0f} s.")
            if keep:
                await _keep(stage)
        return 0
    except (NotAsExpected, NotStarted) as wrong:
        console.print(f"[red]Not as expected:[/] {wrong}")
        console.print((folder / "gate.log").read_text(errors="replace")[-3000:], markup=False)
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.asynccontextmanager
async def opened(folder: Path, console: Console) -> AsyncIterator[Stage]:
    """A simulated GitHub with the repository, and a gate that is connected to it."""
    console.print("[bold]1. A GitHub without the internet, and a gate beside it[/]")
    (folder / "github").mkdir()
    (folder / "agent").mkdir()
    github = SimulatedGitHub.create(folder / "github")
    github.actions.tool_folders = (str(Path(sys.executable).parent),)
    address = await github.start()
    port = free_port()
    gate, key = github.register_app(
        "mergegate", GATE_PERMISSIONS, GATE_EVENTS, f"http://127.0.0.1:{port}/webhooks/github", SECRET
    )
    courier, courier_key = github.register_app("courier", COURIER_PERMISSIONS, [])
    people = {"ada": "admin", "bob": "write"}
    shop = await github.repository(REPOSITORY, FILES, collaborators=people)  # type: ignore[arg-type]
    github.install(gate, "acme")
    github.install(courier, "acme")
    await github.set_ruleset(shop, "mergegate", required(gate.id))
    second = await github.repository(till.REPOSITORY, till.FILES, collaborators=people)  # type: ignore[arg-type]
    await github.set_ruleset(second, "mergegate", rules(gate.id))
    try:
        apps = (Credentials(gate.id, key), Credentials(courier.id, courier_key))
        async with running_gate(folder, address, *apps, SECRET, port) as running:
            console.print(f"   GitHub: {address}   gate: {running.address}   proxy: {running.proxy}")
            yield Stage(github, shop, second, gate.id, folder / "agent", running, console)
    finally:
        await github.stop()


async def play(stage: Stage) -> None:
    """The story. Raises NotAsExpected at the first step that does not happen."""
    honest, lying, waiting, *at_till = await _open_all(stage)
    stage.console.print("\n[bold]3. What the gate makes of them[/]")
    await stage.until("the honest one is merged by the merge queue", honest, lambda: honest.merged_at is not None)
    refused = {"mergegate/evidence": "failure"}
    await stage.until("the lying one is refused", lying, lambda: refused.items() <= stage.state(lying).items())
    asked = {"mergegate/evidence": "success", "mergegate/review": "in_progress"}
    await stage.until("the third waits for a person", waiting, lambda: asked.items() <= stage.state(waiting).items())
    _show(stage, [honest, lying, waiting])
    stage.console.print("\n[bold]4. Ada approves the third from her phone[/]")
    await stage.github.review(stage.shop, waiting.number, "ada", "APPROVE", "Rounding looks right.")
    await stage.until("it is merged by the merge queue", waiting, lambda: waiting.merged_at is not None)
    if lying.merged_at is not None:
        raise NotAsExpected("the lying pull request was merged")
    await _play_till(stage.at_till, at_till)
    await _requests(stage, [honest, lying, waiting])


async def _play_till(stage: Stage, both: list[PullRequest]) -> None:
    """Whichever is ready first is merged; the other's merge with it is red, although both are green alone."""
    stage.console.print("\n[bold]5. Two changes that do not go together, in a repository without GitHub's queue[/]")
    await stage.until("the first is merged in its turn", both[0], lambda: any(pull.merged_at for pull in both))
    (second,) = [pull for pull in both if pull.merged_at is None]
    refused = {"mergegate/evidence": "success", "mergegate/queue": "failure"}
    what = "the second is refused: tried on top of the first it fails"
    await stage.until(what, second, lambda: refused.items() <= stage.state(second).items())
    run = stage.checks(second)["mergegate/queue"]
    _show_run(stage, second, run)
    if second.merged_at is not None:
        raise NotAsExpected("the pull request that fails on top of the other was merged")


async def _open_all(stage: Stage) -> list[PullRequest]:
    stage.console.print(
        "\n[bold]2. Five agents push and open pull requests, each with a session of the proxy and no credential[/]"
    )
    wanted = [(stage, REPOSITORY, change) for change in CHANGES]
    wanted += [(stage.at_till, till.REPOSITORY, change) for change in till.CHANGES]
    return list(await asyncio.gather(*[_open(*one) for one in wanted]))


async def _open(stage: Stage, repository: str, change: Change) -> PullRequest:
    token = await stage.gate.open_session(repository, change.branch)
    number = await Agent(stage.gate.proxy, repository, token, stage.folder).open_pull(change)
    stage.console.print(f"   {repository}#{number} [cyan]{change.title}[/]: {change.story}")
    return stage.shop.pulls[number]


def _show(stage: Stage, pulls: list[PullRequest]) -> None:
    """The check that says most about each pull request, as GitHub would show it."""
    for pull, name in zip(pulls, ("evidence", "evidence", "review"), strict=True):
        _show_run(stage, pull, stage.checks(pull)[f"mergegate/{name}"])


def _show_run(stage: Stage, pull: PullRequest, run: CheckRun) -> None:
    shown = Markdown(f"**{run.title}**\n\n{run.summary}")
    title = f"{stage.shop.full_name}#{pull.number} {run.name} · {run.conclusion or run.status}"
    stage.console.print(Panel(shown, title=title, title_align="left"))


async def _requests(stage: Stage, pulls: list[PullRequest]) -> None:
    """How many API requests the gate sent about each pull request, as its own command tells."""
    table = Table("pull request", "requests to GitHub")
    for pull in pulls:
        answer = await stage.gate.explain(f"{REPOSITORY}#{pull.number}")
        table.add_row(f"#{pull.number} {pull.issue.title}", str(answer["requests"]["pull_request"]))
    stage.console.print(table)


def _environment(stage: Stage) -> Path:
    """A file for a shell: what the gate was started with, and a token of Ada's for the commands that need a person."""
    path = stage.folder.parent / "environment"
    path.touch(mode=0o600)
    wanted = {name: value for name, value in stage.gate.environment.items() if name != "PATH"}
    wanted["GH_TOKEN"] = stage.github.user_token("ada")
    path.write_text("".join(f"export {name}={shlex.quote(value)}\n" for name, value in wanted.items()))
    return path


async def _keep(stage: Stage) -> None:
    said = (
        "\nLeft running; end it with Ctrl-C.",
        f"   GitHub: {stage.github.world.base_url}",
        f"   gate:   {stage.gate.address}",
        f"   proxy:  {stage.gate.proxy}",
        "In another terminal, in this folder, any of the gate's commands:",
        f"   . {_environment(stage)} && . .venv/bin/activate",
        "   mergegate status",
        f"   mergegate explain {REPOSITORY}#1",
        f"   mergegate protect {REPOSITORY} --dry-run",
    )
    stage.console.print("\n".join(said), soft_wrap=True, highlight=False)
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main("--keep" in sys.argv)))
    except KeyboardInterrupt:
        sys.exit(0)
