"""A simulated GitHub on a socket with acme/shop in it, agents' pull requests of every kind, and what is right for each.

The kinds: `honest` ends merged; `silent` has no bundle until it is repaired, then it is honest; `red` fails its tests;
`payment` waits for a person until it is approved, then it ends merged; `evicted` is green, but its merge groups fail.
"""

from __future__ import annotations

import contextlib
import sys
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from app.intake.webhook import PATH
from tests.demo.service import free_port
from tests.gate.scene import GATE_EVENTS, GATE_PERMISSIONS, SECRET
from tests.gate.shop import BUNDLE, FILES, GREEN, POLICY, RED, WORKFLOW_PATH, log_of, required
from tests.github.actions.scripted import ScriptedJob
from tests.github.events import DomainEvent, PullRequestChanged
from tests.github.server import SimulatedGitHub
from tests.github.state import App, CheckRun, Job, PullRequest, Repository, WorkflowRun
from tests.service.process import GateProcess
from tests.standby import Standby

POLICY_FILE = ".github/mergegate.yml"
KINDS = ("honest", "silent", "red", "payment", "evicted")
MEDIUM = POLICY + "risk:\n  areas:\n    payment: {risk: medium}\n"
PASSED = {"mergegate/evidence": "success", "mergegate/review": "success"}


@dataclass
class Town:
    github: SimulatedGitHub
    shop: Repository
    app: App
    folder: Path
    environment: Mapping[str, str]
    standby: Standby | None = None  # which the gate's parts are forked from
    places: int = 0  # so many pull requests later the same files are changed again; 0: each adds files of its own
    kinds: dict[int, str] = field(default_factory=dict)  # pull request number -> kind
    entries: list[tuple[int, str]] = field(default_factory=list)  # (number, head) of every entry into the merge queue

    async def note(self, event: DomainEvent) -> None:
        """Listener: notes entries into the queue."""
        if isinstance(event, PullRequestChanged) and event.action == "enqueued":
            self.entries.append((event.pull.number, event.pull.head_sha))

    def outcome(self, run: WorkflowRun, job: Job) -> ScriptedJob:
        """How a CI job ends."""
        if job.name != "test":
            return ScriptedJob("success", log_of(self.shop, job, run, "", 0))
        good = not self._fails(run)
        log = log_of(self.shop, job, run, GREEN if good else RED, 0 if good else 1)
        return ScriptedJob("success" if good else "failure", log)

    def _fails(self, run: WorkflowRun) -> bool:
        kind = "evicted" if run.event == "merge_group" else "red"
        return f"{kind}-" in (run.head_branch or "") or any(self.kinds.get(n) == kind for n in _numbers(run))

    @property
    def data(self) -> Path:
        return Path(self.environment["MERGEGATE_DATA"])

    def gate(self, part: str = "serve", **environment: str) -> GateProcess:
        """A part of the service, not started yet; an empty value removes a variable."""
        given = {**self.environment, **environment}
        kept = {name: value for name, value in given.items() if value}
        return GateProcess(part, sys.executable, kept, self.folder / "gate.log", standby=self.standby)

    async def open(self, kind: str) -> PullRequest:
        """A pull request of the agent's App."""
        number = len(self.kinds) + 1
        name, files = f"{kind}-{number}", files_of(kind, number % self.places if self.places else number, number)
        body = BUNDLE.replace("level: low", "level: medium") if kind == "payment" else BUNDLE
        await self.github.push(self.shop, f"agent/{name}", files, author="courier[bot]", message=f"Add {name}")
        self.kinds[number] = kind
        text = "Trust me." if kind == "silent" else body
        return await self.github.open_pull(self.shop, f"agent/{name}", "main", f"Add {name}", text, "courier[bot]")

    async def touch(self, number: int) -> None:
        """The next thing that happens to it: a repair, an approval, or a label that changes nothing."""
        kind = self.kinds[number]
        if kind == "silent":
            self.kinds[number] = "honest"
            await self.github.edit_pull(self.shop, number, "courier[bot]", body=BUNDLE)
        elif kind == "payment":
            self.kinds[number] = "approved"
            await self.github.review(self.shop, number, "bob")
        else:
            await self.github.add_labels(self.shop, number, "ada", f"label-{self.github.world.new_id()}")

    async def give_up(self, number: int) -> None:
        """Close it if it will never land."""
        if self.kinds[number] in ("red", "evicted"):
            self.kinds[number] = "closed"
            await self.github.close_pull(self.shop, number, "courier[bot]")

    def wrong(self) -> dict[int, Mapping[str, str]]:
        """The pull requests whose checks are not as they should be, with the checks that they have."""
        shown: dict[str, dict[str, str]] = defaultdict(dict)  # in one pass: after a day there are many of both
        for run in self.own_runs():
            shown[run.head_sha][run.name] = run.conclusion or run.status
        checks = {number: shown[self.shop.pulls[number].head_sha] for number in self.kinds}
        return {number: each for number, each in checks.items() if not self._right(number, each)}

    def _right(self, number: int, checks: Mapping[str, str]) -> bool:
        match self.kinds[number]:
            case "silent" | "red":
                return checks.get("mergegate/evidence") == "failure" and "mergegate/review" in checks
            case "closed":
                return "in_progress" not in checks.values()
            case "payment":
                return checks == {"mergegate/evidence": "success", "mergegate/review": "in_progress"}
            case _:
                return checks == PASSED

    def unfinished(self) -> list[int]:
        """Pull requests that should end merged and are not, and failed merge groups that were not spoken of."""
        merged = [n for n, kind in self.kinds.items() if kind in ("honest", "approved")]
        evicted = [n for n, kind in self.kinds.items() if kind == "evicted"]
        left = [n for n in merged if self.shop.pulls[n].merged_at is None]
        return left + [n for n in evicted if not self.comments(n)]

    def checks(self, sha: str) -> Mapping[str, str]:
        return {run.name: run.conclusion or run.status for run in self.own_runs() if run.head_sha == sha}

    def own_runs(self) -> list[CheckRun]:
        return [run for run in self.shop.check_runs.values() if run.app_id == self.app.id]

    def comments(self, number: int) -> list[str]:
        return [one.body for one in self.shop.issues[number].comments if one.app_id == self.app.id]

    def duplicates(self) -> list[str]:
        """Second check runs of one name on a commit, second equal comments, second entries in the queue at one head."""
        runs = Counter(f"check run {run.name} on {run.head_sha}" for run in self.own_runs())
        comments = Counter(f"comment on {n}: {body[:60]}" for n in self.kinds for body in self.comments(n))
        entries = Counter(f"entry of {number} at {head}" for number, head in self.entries)
        return [what for counted in (runs, comments, entries) for what, times in counted.items() if times > 1]


def files_of(kind: str, place: int, version: int) -> dict[str, str]:
    """What a pull request of this kind changes."""
    folder = "shop/payment" if kind == "payment" else "shop"
    return {
        f"{folder}/{kind}-{place}.py": f"RATE = {version}\n",
        f"tests/test_{kind}-{place}.py": f"import unittest  # {version}\n",
    }


def _numbers(run: WorkflowRun) -> list[int]:
    """The pull requests of a run; a merge group's branch is named after its last member."""
    if run.event != "merge_group":
        return list(run.pull_numbers)
    return [int((run.head_branch or "").rpartition("/pr-")[2].partition("-")[0])]


@contextlib.asynccontextmanager
async def town(
    folder: Path,
    *,
    webhooks: bool = True,
    standby: Standby | None = None,
    files: Mapping[str, str] = MappingProxyType({}),
) -> AsyncIterator[Town]:
    """A small repository, with `files` beside, on a simulated GitHub on a socket, and settings of a gate for it."""
    (folder / "github").mkdir()
    github = SimulatedGitHub.create(folder / "github")
    address = await github.start()
    port = free_port()
    hook = f"http://127.0.0.1:{port}{PATH}" if webhooks else ""
    app, key = github.register_app("mergegate", GATE_PERMISSIONS, GATE_EVENTS, hook, SECRET)
    courier, _ = github.register_app("courier", {"contents": "write", "pull_requests": "write"}, [])
    people = {"ada": "admin", "bob": "write"}
    shop = await github.repository("acme/shop", {**FILES, **files, POLICY_FILE: MEDIUM}, collaborators=people)  # type: ignore[arg-type]
    github.install(app, "acme")
    github.install(courier, "acme")
    await github.set_ruleset(shop, "gate", required(app.id))
    (folder / "app.pem").write_text(key, encoding="ascii")
    settings = {
        "MERGEGATE_DATA": str(folder / "data"),
        "MERGEGATE_GITHUB_API_URL": address,
        "MERGEGATE_APP_ID": str(app.id),
        "MERGEGATE_PRIVATE_KEY_FILE": str(folder / "app.pem"),
        "MERGEGATE_WEBHOOK_SECRET": SECRET if webhooks else "",
        "MERGEGATE_PORT": str(port),
        "MERGEGATE_WRITES_PER_MINUTE": "0",
    }
    made = Town(github, shop, app, folder, settings, standby)
    github.actions.script(shop, WORKFLOW_PATH, made.outcome)
    github.listeners.append(made.note)
    try:
        yield made
    finally:
        await github.stop()
    assert github.crashes == []
