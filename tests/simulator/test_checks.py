"""The Checks API and commit statuses: who may write, what is refused, what listings show."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github import checks
from tests.github.events import CheckRunChanged, CheckSuiteChanged, DomainEvent
from tests.github.server import SimulatedGitHub
from tests.github.state import App, PullRequest, Repository
from tests.simulator.shop import as_app, as_user, client, gate, pull, shop, valid

pytestmark = pytest.mark.anyio
RUNS = "/repos/acme/shop/check-runs"


async def opened(hub: SimulatedGitHub) -> tuple[App, Repository, PullRequest]:
    app = gate(hub)
    repository = await shop(hub)
    return app, repository, await pull(hub, repository)


async def created(api: httpx.AsyncClient, sha: str, name: str = "gate", **fields: Any) -> dict[str, Any]:
    answer = await api.post(RUNS, json={"name": name, "head_sha": sha, **fields})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = valid(models.CheckRun, answer.json())
    return body


async def test_an_app_creates_updates_and_reads_a_run(hub: SimulatedGitHub) -> None:
    app, _repository, change = await opened(hub)
    async with as_app(hub, app) as api:
        run = await created(api, change.head_sha, status="in_progress", external_id="key")
        assert (run["status"], run["conclusion"], run["app"]["id"], run["external_id"]) == (
            "in_progress",
            None,
            app.id,
            "key",
        )
        assert [p["number"] for p in run["pull_requests"]] == [change.number]
        output = {"title": "Good", "summary": "All is well"}
        done = await api.patch(f"{RUNS}/{run['id']}", json={"conclusion": "success", "output": output})
        body = valid(models.CheckRun, done.json())
        assert (body["status"], body["conclusion"], body["output"]["title"]) == ("completed", "success", "Good")
        assert body["completed_at"] is not None
        assert (await api.get(f"{RUNS}/{run['id']}")).json() == body


async def test_only_apps_write_and_only_their_own(hub: SimulatedGitHub) -> None:
    app, _repository, change = await opened(hub)
    other = gate(hub, "other")
    async with as_app(hub, app) as api, as_app(hub, other) as stranger, as_user(hub, "ada") as person:
        run = await created(api, change.head_sha)
        refused = await stranger.patch(f"{RUNS}/{run['id']}", json={"conclusion": "success"})
        assert refused.status_code == 403
        assert refused.json()["message"] == (
            f"Invalid app_id `{other.id}` - check run can only be modified by the GitHub App that created it."
        )
        assert (await person.post(RUNS, json={"name": "gate", "head_sha": change.head_sha})).status_code == 403
        assert (await person.patch(f"{RUNS}/{run['id']}", json={"conclusion": "success"})).status_code == 403
        async with client(hub) as nobody:
            assert (await nobody.post(RUNS, json={"name": "gate", "head_sha": change.head_sha})).status_code == 401


async def test_without_the_permission_an_app_is_refused(hub: SimulatedGitHub) -> None:
    reader = gate(hub, "reader", {"checks": "read"})
    change = await pull(hub, await shop(hub))
    async with as_app(hub, reader) as api:
        refused = await api.post(RUNS, json={"name": "gate", "head_sha": change.head_sha})
        assert (refused.status_code, refused.json()["message"]) == (403, "Resource not accessible by integration")
        assert refused.headers["x-accepted-github-permissions"] == "checks=write"


@pytest.mark.parametrize(
    "fields",
    [
        {"head_sha": "0" * 40},
        {"head_sha": None},
        {"name": ""},
        {"status": "completed"},
        {"status": "waiting"},
        {"conclusion": "stale"},
        {"conclusion": "perfect"},
        {"completed_at": "yesterday"},
        {"output": {"title": "no summary"}},
        {"output": {"title": "t", "summary": "ä" * 32_768}},  # 65,536 bytes
        {"output": {"title": "t", "summary": "s", "text": "x" * 65_536}},
        {"actions": [{"label": "l", "description": "d", "identifier": "i"}] * 4},
        {"actions": [{"label": "l" * 21, "description": "d", "identifier": "i"}]},
        {"actions": [{"label": "l", "description": "d" * 41, "identifier": "i"}]},
        {"actions": [{"label": "l", "description": "d", "identifier": "i" * 21}]},
        {"output": {"title": "t", "summary": "s", "annotations": [{"path": "a"}]}},
    ],
)
async def test_bad_requests_are_422_and_leave_nothing(hub: SimulatedGitHub, fields: dict[str, Any]) -> None:
    app, repository, change = await opened(hub)
    async with as_app(hub, app) as api:
        answer = await api.post(RUNS, json={"name": "gate", "head_sha": change.head_sha, **fields})
    assert answer.status_code == 422
    assert repository.check_runs == {}


async def test_the_limit_is_65535_bytes_and_three_actions(hub: SimulatedGitHub) -> None:
    app, _repository, change = await opened(hub)
    action = {"label": "l" * 20, "description": "d" * 40, "identifier": "i" * 20}
    async with as_app(hub, app) as api:
        summary = "ä" * 32_767 + "a"  # 65,535 bytes
        run = await created(
            api, change.head_sha, output={"title": "t", "summary": summary}, actions=[action, action, action]
        )
        assert run["output"]["summary"] == summary


async def test_annotations_are_appended_fifty_a_request(hub: SimulatedGitHub) -> None:
    app, _repository, change = await opened(hub)
    note = {"path": "a.py", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": "m"}
    output = {"title": "t", "summary": "s"}
    async with as_app(hub, app) as api:
        run = await created(api, change.head_sha, output={**output, "annotations": [note] * 50})
        url = f"{RUNS}/{run['id']}"
        over = await api.patch(url, json={"output": {**output, "annotations": [note] * 51}})
        assert over.status_code == 422
        body = (await api.patch(url, json={"output": {**output, "annotations": [note] * 7}})).json()
        assert body["output"]["annotations_count"] == 57
        page = await api.get(f"{url}/annotations", params={"per_page": 50, "page": 2})
        assert [valid(models.CheckAnnotation, item)["path"] for item in page.json()] == ["a.py"] * 7


@pytest.mark.parametrize(("allowed", "status"), [(True, "in_progress"), (False, "completed")])
async def test_a_completed_run_is_reopened_or_not_by_switch(hub: SimulatedGitHub, allowed: bool, status: str) -> None:
    hub.world.switches.reopen_completed_check_run = allowed
    app, _repository, change = await opened(hub)
    async with as_app(hub, app) as api:
        run = await created(api, change.head_sha, conclusion="success")
        answer = await api.patch(f"{RUNS}/{run['id']}", json={"status": "in_progress"})
        assert (answer.status_code, answer.json()["status"]) == (200, status)
        assert answer.json()["conclusion"] == (None if allowed else "success")


async def test_listing_shows_the_newest_of_a_name_or_all(hub: SimulatedGitHub) -> None:
    app, _repository, change = await opened(hub)
    other = gate(hub, "other")
    url = f"/repos/acme/shop/commits/{change.head_sha}/check-runs"
    async with as_app(hub, app) as api, as_app(hub, other) as second:
        first = await created(api, change.head_sha, conclusion="failure")
        newer = await created(api, change.head_sha)
        foreign = await created(second, change.head_sha)
        named = await created(api, change.head_sha, name="other")

        async def ids(**query: Any) -> set[int]:
            body = (await api.get(url, params=query)).json()
            assert body["total_count"] == len(body["check_runs"])
            return {run["id"] for run in body["check_runs"]}

        assert await ids() == {newer["id"], foreign["id"], named["id"]}
        assert await ids(filter="all") == {first["id"], newer["id"], foreign["id"], named["id"]}
        assert await ids(check_name="gate", app_id=app.id) == {newer["id"]}
        assert await ids(status="completed") == set()
        assert await ids(status="completed", filter="all") == {first["id"]}
        assert (await api.get("/repos/acme/shop/commits/change/check-runs")).json()["total_count"] == 3


async def test_listings_have_pages_with_links(hub: SimulatedGitHub) -> None:
    app, repository, change = await opened(hub)
    async with as_app(hub, app) as api:
        for number in range(5):
            await created(api, change.head_sha, name=f"check {number}")
        answer = await api.get(f"/repos/acme/shop/commits/{change.head_sha}/check-runs", params={"per_page": 2})
        assert (answer.json()["total_count"], len(answer.json()["check_runs"])) == (5, 2)
        assert f"/repositories/{repository.id}/commits/" in answer.links["next"]["url"]
        last = await api.get(answer.links["last"]["url"])
        assert len(last.json()["check_runs"]) == 1


async def test_a_new_run_may_be_missing_from_the_first_listings(hub: SimulatedGitHub) -> None:
    hub.world.switches.check_run_list_lag = 2
    app, _repository, change = await opened(hub)
    url = f"/repos/acme/shop/commits/{change.head_sha}/check-runs"
    async with as_app(hub, app) as api:
        await created(api, change.head_sha)
        assert [(await api.get(url)).json()["total_count"] for _ in range(3)] == [0, 0, 1]


async def test_an_app_has_one_suite_a_commit(hub: SimulatedGitHub) -> None:
    app, repository, change = await opened(hub)
    async with as_app(hub, app) as api:
        first = await created(api, change.head_sha)
        second = await created(api, change.head_sha, name="second", conclusion="success")
        assert first["check_suite"] == second["check_suite"]
        listed = (await api.get(f"/repos/acme/shop/commits/{change.head_sha}/check-suites")).json()
        (suite,) = [valid(models.CheckSuite, s) for s in listed["check_suites"] if s["app"]["id"] == app.id]
        assert (suite["conclusion"], suite["latest_check_runs_count"], suite["head_branch"]) == (None, 2, "change")
        await api.patch(f"{RUNS}/{first['id']}", json={"conclusion": "failure"})
        done = valid(models.CheckSuite, (await api.get(f"/repos/acme/shop/check-suites/{suite['id']}")).json())
        assert (done["status"], done["conclusion"]) == ("completed", "failure")
        inside = (await api.get(f"/repos/acme/shop/check-suites/{suite['id']}/check-runs")).json()
        assert inside["total_count"] == 2
        again = await api.post("/repos/acme/shop/check-suites", json={"head_sha": change.head_sha})
        assert (again.status_code, again.json()["id"]) == (200, suite["id"])
    assert len([s for s in repository.suites.values() if s.head_sha == change.head_sha]) == 1


async def test_events_of_a_run_and_its_suite(hub: SimulatedGitHub) -> None:
    seen: list[tuple[str, str]] = []

    async def note(event: DomainEvent) -> None:
        if isinstance(event, CheckRunChanged | CheckSuiteChanged):
            seen.append((type(event).__name__, event.action))

    hub.listeners.append(note)
    app, _repository, change = await opened(hub)
    async with as_app(hub, app) as api:
        run = await created(api, change.head_sha)
        await api.patch(f"{RUNS}/{run['id']}", json={"output": {"title": "t", "summary": "s"}})
        await api.patch(f"{RUNS}/{run['id']}", json={"conclusion": "success"})
        assert (await api.post(f"{RUNS}/{run['id']}/rerequest")).status_code == 201
    assert seen == [
        ("CheckSuiteChanged", "requested"),
        ("CheckRunChanged", "created"),
        ("CheckRunChanged", "completed"),
        ("CheckSuiteChanged", "completed"),
        ("CheckRunChanged", "rerequested"),
    ]


async def test_statuses_and_their_combination(hub: SimulatedGitHub) -> None:
    app, _repository, change = await opened(hub)
    url = f"/repos/acme/shop/commits/{change.head_sha}/status"
    async with as_app(hub, app) as api, as_user(hub, "dan") as reader:
        assert valid(models.CombinedCommitStatus, (await api.get(url)).json())["state"] == "pending"
        for context, state, combined in (
            ("a", "pending", "pending"),
            ("b", "success", "pending"),
            ("a", "success", "success"),
            ("b", "error", "failure"),
        ):
            answer = await api.post(
                f"/repos/acme/shop/statuses/{change.head_sha}", json={"context": context, "state": state}
            )
            assert valid(models.Status, answer.json())["creator"]["login"] == "gate[bot]"
            body = valid(models.CombinedCommitStatus, (await api.get(url)).json())
            assert body["state"] == combined
        assert body["total_count"] == 2
        listed = (await api.get(f"/repos/acme/shop/commits/{change.head_sha}/statuses")).json()
        assert [item["state"] for item in listed] == ["error", "success", "success", "pending"]
        refused = await reader.post(f"/repos/acme/shop/statuses/{change.head_sha}", json={"state": "success"})
        assert refused.status_code == 403


@pytest.mark.parametrize("body", [{}, {"state": "green"}, {"state": "success", "description": "x" * 141}])
async def test_bad_statuses_are_422(hub: SimulatedGitHub, body: dict[str, str]) -> None:
    app, _repository, change = await opened(hub)
    async with as_app(hub, app) as api:
        answer = await api.post(f"/repos/acme/shop/statuses/{change.head_sha}", json=body)
        assert answer.status_code == 422
        missing = await api.post(f"/repos/acme/shop/statuses/{'1' * 40}", json={"state": "success"})
        assert missing.status_code == 422


async def test_an_open_run_becomes_stale_after_fourteen_days(hub: SimulatedGitHub) -> None:
    app, repository, change = await opened(hub)
    async with as_app(hub, app) as api:
        run = await created(api, change.head_sha, status="in_progress")
    hub.world.clock_offset += timedelta(days=13, hours=23)
    await hub.settle()
    assert repository.check_runs[run["id"]].status == "in_progress"
    hub.world.clock_offset += timedelta(hours=1)
    await hub.settle()
    assert repository.check_runs[run["id"]].conclusion == "stale"


async def test_retention_takes_checks_and_statuses_away(hub: SimulatedGitHub) -> None:
    hub.world.switches.retention_days = 1
    app, repository, change = await opened(hub)
    async with as_app(hub, app) as api:
        await created(api, change.head_sha, conclusion="success")
        await api.post(f"/repos/acme/shop/statuses/{change.head_sha}", json={"state": "success"})
    hub.world.clock_offset += timedelta(days=1)
    await hub.settle()
    assert (repository.check_runs, repository.statuses, repository.suites) == ({}, [], {})


async def test_a_button_is_pressed(hub: SimulatedGitHub) -> None:
    app, repository, change = await opened(hub)
    seen: list[DomainEvent] = []

    async def note(event: DomainEvent) -> None:
        seen.append(event)

    hub.listeners.append(note)
    action = {"label": "Approve", "description": "d", "identifier": "approve"}
    async with as_app(hub, app) as api:
        run = await created(api, change.head_sha, conclusion="action_required", actions=[action])
    await checks.request_action(hub, repository, repository.check_runs[run["id"]], "approve", "bob")
    last = seen[-1]
    assert isinstance(last, CheckRunChanged)
    assert (last.action, last.actor, last.extra) == (
        "requested_action",
        "bob",
        {"requested_action": {"identifier": "approve"}},
    )
    with pytest.raises(KeyError):
        await checks.request_action(hub, repository, repository.check_runs[run["id"]], "other", "bob")
