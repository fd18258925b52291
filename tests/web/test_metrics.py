"""Health, readiness, metrics and the alert rules that read them."""

from __future__ import annotations

import asyncio
import importlib.metadata
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from fastapi import FastAPI
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families

from app.github import installations
from app.github.budgets import Left
from app.github.errors import BadCredentials, GitHubDown, GitHubError
from app.proxy.flights import Flights
from app.proxy.health import Health
from app.proxy.watched import PrivatePages, Watched
from app.store import work
from app.store.database import Database, DatabaseAway
from app.store.work import Lease, Mark
from app.store.worker import Done, Outcome, Worker
from app.web.health import health_router
from app.web.metrics import Sources
from app.web.private import private_listener
from app.web.readiness import ASKED_EVERY, Readiness
from tests.gate.scene import Scene
from tests.gate.shop import POLICY, agent_pull, open_shop

pytestmark = pytest.mark.anyio
ALERTS = Path(__file__).resolve().parents[2] / "deploy" / "prometheus" / "alerts.yml"


def values(text: bytes) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Every sample by its name and labels, as Prometheus' own parser reads it."""
    families = list(text_string_to_metric_families(text.decode()))
    names = [family.name for family in families]
    assert len(names) == len(set(names)), "a family twice"
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for family in families for s in family.samples}


async def test_what_happened_at_the_gate_is_shown(stage: Scene) -> None:
    shop = await open_shop(stage, POLICY.replace("'on'", "'off'"))
    await agent_pull(stage, shop)
    await stage.settle()
    async with stage.gate.database.transaction() as connection:
        await work.mark(connection, [Mark("pull:1:2:3"), Mark("pull:1:2:4", delay=work.AHEAD)])
    await stage.gate.database.query(
        "update work set parked = true where key = 'pull:1:2:4'; "
        "update work set due_at = now() - interval '90 seconds' where key = 'pull:1:2:3'"
    )
    sources = Sources(stage.gate.database, stage.gate.github)
    shown = values(await sources.exposition())
    installation = ("installation", str(stage.installation.id))
    assert shown["mergegate_work_keys", (("state", "due"),)] == 1
    assert shown["mergegate_work_keys", (("state", "parked"),)] == 1
    assert 90 <= shown["mergegate_work_oldest_due_seconds", ()] < 120
    spent = {s[1]: value for s, value in shown.items() if s[0] == "mergegate_github_requests_total"}
    assert spent[installation, ("purpose", "read:pull")] >= 1
    left = shown["mergegate_github_budget_remaining", (installation, ("resource", "graphql"))]
    assert left < shown["mergegate_github_budget_limit", (installation, ("resource", "graphql"))] == 5000
    assert shown["mergegate_build_info", (("version", importlib.metadata.version("mergegate")),)] == 1
    assert shown["mergegate_database_up", ()] == 1
    assert shown["mergegate_database_pool_connections", (("state", "open"),)] >= 1
    assert shown["mergegate_last_delivery_timestamp_seconds", ()] > 1.7e9
    assert shown["mergegate_reconcile_seconds_count", (("kind", "pull"),)] >= 1
    assert shown["mergegate_proxy_sessions", (("state", "open"),)] == 0


async def test_children_are_counted(stage: Scene) -> None:
    sources = Sources(stage.gate.database, stage.gate.github)
    before = values(await sources.exposition())["mergegate_children", ()]
    child = await asyncio.create_subprocess_exec("sleep", "30")
    try:
        assert values(await sources.exposition())["mergegate_children", ()] == before + 1
    finally:
        child.kill()
        await child.wait()


class Away:
    """A database that does not answer."""

    async def query(self, *_: Any) -> list[Any]:
        raise DatabaseAway("no connection to the database: refused by db.internal")

    def pool_stats(self) -> dict[str, int]:
        return {}


async def test_without_its_database_the_rest_is_shown(stage: Scene) -> None:
    sources = Sources(Away(), stage.gate.github)  # type: ignore[arg-type]
    shown = values(await sources.exposition())
    assert shown["mergegate_database_up", ()] == 0
    assert ("mergegate_work_keys", (("state", "due"),)) not in shown


async def _idle(_: Lease) -> Outcome:
    return Done()


@pytest.fixture
async def ready(stage: Scene) -> Readiness:
    worker = Worker(stage.gate.database, _idle)
    await worker.drain()
    return Readiness(stage.gate.database, stage.gate.github.app, worker)


async def ask(readiness: Readiness, path: str, *, details: bool = True) -> httpx.Response:
    application = FastAPI()
    application.include_router(health_router(readiness, details=details))
    transport = httpx.ASGITransport(app=application)
    async with httpx.AsyncClient(transport=transport, base_url="http://gate") as client:
        return await client.get(path)


async def test_ready_and_asked_of_github_once_a_minute(ready: Readiness, stage: Scene) -> None:
    moment = 0.0
    ready.clock = lambda: moment
    for _ in range(5):
        answer = await ask(ready, "/readyz")
        assert (answer.status_code, answer.json()) == (200, {"status": "ready", "troubles": {}})
    moment = ASKED_EVERY
    await ask(ready, "/readyz")
    assert [one.path for one in stage.github.requests].count("/app") == 2


@pytest.mark.parametrize(
    ("wrong", "is_ready"),
    [
        (BadCredentials("GET /app", "GitHub answered 401"), False),
        (GitHubDown("GET /app", "GitHub answered 502"), True),
    ],
    ids=["key refused", "outage"],
)
async def test_a_refused_key_is_trouble_and_an_outage_is_not(
    ready: Readiness, monkeypatch: pytest.MonkeyPatch, wrong: GitHubError, is_ready: bool
) -> None:
    async def refuse(_: object) -> None:
        raise wrong

    monkeypatch.setattr(installations, "this_app", refuse)
    answer = await ask(ready, "/readyz")
    assert answer.status_code == (200 if is_ready else 503)
    assert ("github" in answer.json()["troubles"]) is not is_ready


async def test_what_keeps_it_is_named_in_words_only_in_private(ready: Readiness) -> None:
    ready.database = Away()  # type: ignore[assignment]
    ready.draining = True
    ready.worker = Worker(Away(), _idle)  # type: ignore[arg-type]  # never ran
    private, public = await ask(ready, "/readyz"), await ask(ready, "/readyz", details=False)
    assert private.status_code == public.status_code == 503
    assert set(private.json()["troubles"]) == {"database", "draining", "worker"}
    assert public.json() == {"status": "not ready", "troubles": ["database", "draining", "worker"]}
    for path in ("/healthz", "/readyz"):
        assert "db.internal" not in (await ask(ready, path, details=False)).text
    assert (await ask(ready, "/healthz")).status_code == 503


async def test_metrics_are_on_the_private_listener_alone(ready: Readiness, stage: Scene) -> None:
    sources = Sources(stage.gate.database, stage.gate.github)
    assert (await ask(ready, "/metrics")).status_code == 404
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    async with private_listener("127.0.0.1", port, ready, sources), httpx.AsyncClient(trust_env=False) as client:
        answer = await client.get(f"http://127.0.0.1:{port}/metrics")
        assert answer.headers["content-type"].startswith("text/plain")
        assert "mergegate_work_keys" in answer.text
        assert (await client.get(f"http://127.0.0.1:{port}/readyz")).status_code == 200
        async with private_listener("127.0.0.1", port, ready, sources):
            pass  # a second process on the same port goes without
        assert (await client.get(f"http://127.0.0.1:{port}/healthz")).status_code == 200


def proxy_metrics(stage: Scene) -> list[Metric]:
    """What a proxy that runs alone shows beside them."""
    watched = Watched(stage.gate.database, Health(), Flights(stage.gate.database, None))  # type: ignore[arg-type]
    return PrivatePages(watched, lambda: False)._now_metrics()


async def test_every_alert_reads_metrics_that_exist(stage: Scene) -> None:
    stage.gate.github.app.budget.left["core"] = Left(1, 2, 3.0)
    text = await Sources(stage.gate.database, stage.gate.github).exposition()
    known = {name for family in text_string_to_metric_families(text.decode()) for name in _names(family)}
    known |= {name for family in proxy_metrics(stage) for name in _names(family)}
    rules = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
    assert len(rules) >= 8
    for rule in rules:
        asked = set(re.findall(r"\b(?:mergegate|process)_[a-z_]+", rule["expr"]))
        assert asked, rule["alert"]
        assert asked <= known, (rule["alert"], asked - known)
        assert {"summary", "action"} <= rule["annotations"].keys()


async def test_every_metric_of_ours_is_explained(stage: Scene) -> None:
    text = await Sources(stage.gate.database, stage.gate.github).exposition()
    explained = (ALERTS.parents[1] / "README.md").read_text(encoding="utf-8")
    names = {family.name for family in (*text_string_to_metric_families(text.decode()), *proxy_metrics(stage))}
    ours = {name for name in names if name.startswith("mergegate_") and not name.endswith("_created")}
    assert {name for name in ours if name not in explained} == set()


def _names(family: Any) -> set[str]:
    """What samples of a family are called, whether or not there is one yet."""
    endings = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
    return {family.name + ending for ending in endings.get(family.type, ("",))}


def promtool(*arguments: str) -> str:
    """What promtool says when it is content; skips the test without it."""
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool is not installed")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_promtool_accepts_the_alert_rules() -> None:
    assert "SUCCESS" in promtool("check", "rules", str(ALERTS))


# Series of two processes, what they show each minute, and which alerts fire after half an hour.
FIRING = [
    (
        {
            "mergegate_work_oldest_due_seconds{instance='a'}": "0x40",
            "mergegate_work_oldest_due_seconds{instance='b'}": "0+60x40",
        },
        "MergegateWorkWaits",
    ),
    ({"mergegate_work_keys{state='parked',instance='a'}": "2x40"}, "MergegateKeysParked"),
    (
        {"mergegate_database_up{instance='a'}": "1x40", "mergegate_database_up{instance='b'}": "0x40"},
        "MergegateDatabaseAway",
    ),
    ({"mergegate_deliveries_total{answer='401'}": "0+2x40"}, "MergegateDeliveriesRefused"),
    ({"mergegate_deliveries_total{answer='202'}": "0+200x40"}, None),
    (
        {"mergegate_attempts_total{outcome='failed'}": "0+4x40", "mergegate_attempts_total{outcome='done'}": "0+6x40"},
        "MergegateAttemptsFail",
    ),
    (
        {"mergegate_attempts_total{outcome='failed'}": "0+1x40", "mergegate_attempts_total{outcome='done'}": "0+9x40"},
        None,
    ),
    (
        {
            "mergegate_github_budget_remaining{installation='7',resource='core'}": "100x40",
            "mergegate_github_budget_limit{installation='7',resource='core'}": "5000x40",
            "mergegate_github_budget_reset_timestamp_seconds{installation='7',resource='core'}": "3600x40",
        },
        "MergegateBudgetLow",
    ),
]


@pytest.mark.parametrize(
    ("series", "alert"), FIRING, ids=[f"{alert} {number}" for number, (_, alert) in enumerate(FIRING)]
)
def test_an_alert_fires_when_it_should_and_no_other(tmp_path: Path, series: dict[str, str], alert: str | None) -> None:
    rules = [rule["alert"] for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
    fired = f"count(ALERTS{{alertstate='firing',alertname='{alert}'}}) or vector(0)"
    others = f"count(ALERTS{{alertstate='firing',alertname!='{alert}'}}) or vector(0)"
    case = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [
            {"expr": expr, "eval_time": "30m", "exp_samples": [{"labels": "{}", "value": value}]}
            for expr, value in ((fired, int(alert is not None)), (others, 0))
        ],
    }
    assert alert is None or alert in rules
    (tmp_path / "cases.yml").write_text(yaml.safe_dump({"rule_files": [str(ALERTS)], "tests": [case]}))
    promtool("test", "rules", str(tmp_path / "cases.yml"))


async def test_a_worker_that_hangs_makes_no_progress(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(database, _idle, slots=1)
    assert not worker.makes_progress(), "before it began"
    await worker.drain()
    assert worker.makes_progress()
    loop = asyncio.get_running_loop()
    now = loop.time()
    monkeypatch.setattr(loop, "time", lambda: now + 31)
    assert not worker.makes_progress()
    worker._running.add(asyncio.create_task(asyncio.sleep(0)))
    assert worker.makes_progress(), "its slots are taken, and no attempt is over its time"
    monkeypatch.setattr(loop, "time", lambda: now + 331)
    assert not worker.makes_progress()
