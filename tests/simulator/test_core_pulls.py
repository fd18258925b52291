"""Pull requests and reviews over REST, with GitHub's rules and limits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from githubkit_schemas.v2026_03_10 import models

from tests.github.server import SimulatedGitHub
from tests.github.state import Repository
from tests.simulator.shop import approvals, as_user, client, pull, shop, valid

pytestmark = pytest.mark.anyio
SHOP = "/repos/acme/shop"
PULLS = f"{SHOP}/pulls"


@dataclass
class People:
    hub: SimulatedGitHub
    shop: Repository
    ada: httpx.AsyncClient
    bob: httpx.AsyncClient
    dan: httpx.AsyncClient


@pytest.fixture
async def people(hub: SimulatedGitHub) -> AsyncIterator[People]:
    repository = await shop(hub)
    async with as_user(hub, "ada") as ada, as_user(hub, "bob") as bob, as_user(hub, "dan") as dan:
        yield People(hub, repository, ada, bob, dan)


def refusal(answer: httpx.Response) -> tuple[int, Any]:
    return answer.status_code, answer.json().get("errors")


async def review(api: httpx.AsyncClient, event: str | None, number: int = 1, **more: Any) -> httpx.Response:
    given = {"event": event} if event else {}
    return await api.post(f"{PULLS}/{number}/reviews", json=given | {"body": "words"} | more)


async def test_opening_reading_changing_closing(people: People) -> None:
    await people.hub.push(people.shop, "work", {"a": "1\n2\n"}, author="bob")
    made = await people.bob.post(PULLS, json={"head": "work", "base": "main", "title": "A", "body": "B", "draft": True})
    assert made.status_code == 201
    body = valid(models.PullRequest, made.json())
    assert (body["number"], body["draft"], body["head"]["label"]) == (1, True, "acme:work")
    assert (body["commits"], body["additions"], body["deletions"], body["changed_files"]) == (1, 2, 0, 1)
    assert (body["mergeable"], body["stack"], body["auto_merge"]) == (True, None, None)
    changed = await people.ada.patch(f"{PULLS}/1", json={"title": "New", "body": "More", "state": "closed"})
    body = valid(models.PullRequest, changed.json())
    assert (body["title"], body["body"], body["state"], body["merged"]) == ("New", "More", "closed", False)
    listed = valid(list[models.PullRequestSimple], (await people.dan.get(f"{PULLS}?state=all")).json())
    assert [p["number"] for p in listed] == [1]
    assert (await people.dan.get(PULLS)).json() == []
    reopened = await people.bob.patch(f"{PULLS}/1", json={"state": "open"})
    assert reopened.json()["state"] == "open"


async def test_who_may_change_a_pull_request(people: People) -> None:
    await pull(people.hub, people.shop)
    assert (await people.dan.patch(f"{PULLS}/1", json={"title": "Mine"})).status_code == 403
    await people.hub.push(people.shop, "dans", {"d": "d"}, author="bob")
    own = await people.dan.post(PULLS, json={"head": "dans", "base": "main", "title": "D"})
    assert (await people.dan.patch(f"{PULLS}/{own.json()['number']}", json={"title": "E"})).status_code == 200


async def test_refusals_to_open(people: People) -> None:
    await pull(people.hub, people.shop)
    await people.hub.push(people.shop, "same", {}, parents=None, author="ada")
    wanted = {
        ("none", "main"): {"resource": "PullRequest", "field": "head", "code": "invalid"},
        ("change", "none"): {"resource": "PullRequest", "field": "base", "code": "invalid"},
        ("change", "main"): {
            "resource": "PullRequest",
            "code": "custom",
            "message": "A pull request already exists for acme:change.",
        },
        ("main", "change"): {
            "resource": "PullRequest",
            "code": "custom",
            "message": "No commits between change and main",
        },
    }
    for (head, base), error in wanted.items():
        answer = await people.ada.post(PULLS, json={"head": head, "base": base, "title": "T"})
        assert answer.json()["message"] == "Validation Failed"
        assert refusal(answer) == (422, [error])
    missing = await people.ada.post(PULLS, json={"head": "change", "title": "T"})
    assert refusal(missing) == (422, [{"resource": "PullRequest", "field": "base", "code": "missing_field"}])


async def test_mergeable_is_null_at_first_where_so_wanted(people: People) -> None:
    people.hub.world.switches.mergeable_lag_reads = 2
    await pull(people.hub, people.shop)
    seen = [(await people.ada.get(f"{PULLS}/1")).json() for _ in range(3)]
    assert [b["mergeable"] for b in seen] == [None, None, True]
    assert seen[0]["mergeable_state"] == "unknown"
    await people.hub.push(people.shop, "main", {"change": "conflict\n"}, author="bob")
    seen = [(await people.ada.get(f"{PULLS}/1")).json() for _ in range(3)]
    assert [b["mergeable"] for b in seen] == [None, None, False]
    assert seen[2]["mergeable_state"] == "dirty"


async def test_a_new_base(people: People) -> None:
    await people.hub.push(people.shop, "release", {"r": "r"}, author="bob")
    change = await pull(people.hub, people.shop)
    answer = await people.ada.patch(f"{PULLS}/1", json={"base": "release"})
    assert answer.json()["base"]["ref"] == "release"
    assert change.base_sha == await people.hub.git(people.shop).rev_parse("refs/heads/release")
    assert (await people.ada.patch(f"{PULLS}/1", json={"base": "none"})).status_code == 422


async def test_files_commits_and_their_limits(people: People) -> None:
    many = {f"many/{n:04}": "x\n" for n in range(3001)}
    await pull(people.hub, people.shop, files=many)
    for n in range(2):
        await people.hub.push(people.shop, "change", {f"later{n}": "x"}, author="ada")
    first = await people.ada.get(f"{PULLS}/1/files?per_page=100")
    valid(list[models.DiffEntry], first.json())
    assert "page=30>" in first.headers["link"] or "page=30&" in first.headers["link"]
    last = await people.ada.get(first.links["last"]["url"])
    assert len(last.json()) == 100
    assert "next" not in last.links
    assert (await people.ada.get(f"{PULLS}/1")).json()["changed_files"] == 3003
    commits = valid(list[models.Commit], (await people.ada.get(f"{PULLS}/1/commits")).json())
    assert [c["commit"]["message"] for c in commits] == ["Change"] * 3
    refused = await people.ada.get(f"{PULLS}/1", headers={"accept": "application/vnd.github.diff"})
    assert refused.status_code == 406


async def test_a_page_with_too_many_patch_lines_hides_changes(people: People) -> None:
    """Reported in community discussion 213491: the later files say 0 changes and have no patch, without a mark."""
    people.hub.world.switches.patch_lines_a_page = 25
    await pull(people.hub, people.shop, files=dict.fromkeys(("a", "b"), "x\n" * 15))
    files = (await people.ada.get(f"{PULLS}/1/files")).json()
    assert [(f["filename"], f["changes"], "patch" in f) for f in files] == [("a", 15, True), ("b", 0, False)]
    assert (await people.ada.get(f"{PULLS}/1")).json()["additions"] == 30


async def test_the_diff_media_type(people: People) -> None:
    await pull(people.hub, people.shop)
    diff = await people.ada.get(f"{PULLS}/1", headers={"accept": "application/vnd.github.diff"})
    git = people.hub.git(people.shop)
    assert diff.text.strip() == await git.text("diff", "main...change")


async def test_reviews_and_whom_they_bind(people: People) -> None:
    change = await pull(people.hub, people.shop)
    approved = valid(models.PullRequestReview, (await review(people.bob, "APPROVE")).json())
    assert (approved["state"], approved["commit_id"]) == ("APPROVED", change.head_sha)
    assert (await review(people.dan, "REQUEST_CHANGES")).json()["state"] == "CHANGES_REQUESTED"
    assert (await review(people.dan, "COMMENT")).json()["state"] == "COMMENTED"
    listed = valid(list[models.PullRequestReview], (await people.ada.get(f"{PULLS}/1/reviews")).json())
    assert [(r["user"]["login"], r["state"]) for r in listed] == [
        ("bob", "APPROVED"),
        ("dan", "CHANGES_REQUESTED"),
        ("dan", "COMMENTED"),
    ]
    assert refusal(await review(people.ada, "APPROVE")) == (422, ["Can not approve your own pull request"])
    assert refusal(await review(people.ada, "REQUEST_CHANGES")) == (
        422,
        ["Can not request changes on your own pull request"],
    )
    assert (await review(people.ada, "COMMENT")).status_code == 200
    assert (await review(people.bob, "COMMENT", body="")).status_code == 422


async def test_a_pending_review_is_its_author_s_alone_until_submitted(people: People) -> None:
    await pull(people.hub, people.shop)
    comment = {"path": "change", "line": 1, "body": "Why?"}
    pending = (await review(people.bob, None, comments=[comment])).json()
    assert (pending["state"], "submitted_at" in pending) == ("PENDING", False)
    reviews = f"{PULLS}/1/reviews"
    assert (await people.ada.get(reviews)).json() == (await people.ada.get(f"{PULLS}/1/comments")).json() == []
    assert [r["state"] for r in (await people.bob.get(reviews)).json()] == ["PENDING"]
    assert (await review(people.bob, "COMMENT")).status_code == 422
    done = await people.bob.post(f"{reviews}/{pending['id']}/events", json={"event": "APPROVE", "body": "Fine"})
    assert (done.json()["state"], done.json()["body"]) == ("APPROVED", "Fine")
    comments = valid(list[models.PullRequestReviewComment], (await people.ada.get(f"{PULLS}/1/comments")).json())
    assert [(c["path"], c["body"], c["pull_request_review_id"]) for c in comments] == [
        ("change", "Why?", pending["id"])
    ]


async def test_dismissing(people: People) -> None:
    await pull(people.hub, people.shop)
    given = (await review(people.bob, "APPROVE")).json()
    words = (await review(people.dan, "COMMENT")).json()
    path = f"{PULLS}/1/reviews/{{}}/dismissals"
    assert (await people.dan.put(path.format(given["id"]), json={"message": "no"})).status_code == 403
    done = await people.ada.put(path.format(given["id"]), json={"message": "Head moved"})
    assert valid(models.PullRequestReview, done.json())["state"] == "DISMISSED"
    again = await people.ada.put(path.format(given["id"]), json={"message": "again"})
    assert refusal(again) == (422, ["Can not dismiss a dismissed pull request review"])
    wrong = await people.ada.put(path.format(words["id"]), json={"message": "no"})
    assert refusal(wrong) == (422, ["Can not dismiss a commented pull request review"])


async def test_a_push_dismisses_stale_approvals_where_a_rule_says_so(people: People) -> None:
    change = await pull(people.hub, people.shop)
    await people.hub.review(people.shop, 1, "bob")
    await people.hub.push(people.shop, "change", {"more": "x"}, author="ada")
    assert change.reviews[0].state == "APPROVED"
    await people.hub.set_ruleset(people.shop, "main", [approvals(1, dismiss_stale_reviews_on_push=True)])
    await people.hub.push(people.shop, "main", {"elsewhere": "x"}, author="bob")
    updated = await people.ada.put(f"{PULLS}/1/update-branch", json={"expected_head_sha": change.head_sha})
    assert (updated.status_code, updated.json()["message"]) == (202, "Updating pull request branch.")
    assert change.reviews[0].state == "APPROVED"  # merging the base changed no line of the pull request
    people.hub.world.switches.stale_dismissal = False
    await people.hub.push(people.shop, "change", {"most": "x"}, author="ada")
    assert change.reviews[0].state == "APPROVED"
    people.hub.world.switches.stale_dismissal = True
    await people.hub.push(people.shop, "change", {"most": "y"}, author="ada")
    assert (change.reviews[0].state, change.reviews[0].dismissed_by) == ("DISMISSED", "ada")


async def test_updating_the_branch(people: People) -> None:
    change = await pull(people.hub, people.shop)
    path, git = f"{PULLS}/1/update-branch", people.hub.git(people.shop)
    assert (await people.ada.put(path, json={})).json()["message"] == "There are no new commits on the base branch."
    tip = await people.hub.push(people.shop, "main", {"new": "x"}, author="bob")
    stale = await people.ada.put(path, json={"expected_head_sha": "1" * 40})
    assert (stale.status_code, stale.json()["message"]) == (
        422,
        "expected head sha didn’t match current head ref.",
    )
    old = change.head_sha
    assert (await people.ada.put(path, json={"expected_head_sha": old})).status_code == 202
    assert (await git.commit(change.head_sha)).parents == (old, tip)
    await people.hub.push(people.shop, "main", {"change": "conflict\n"}, author="bob")
    assert (await people.ada.put(path, json={})).json()["message"] == "merge conflict between base and head"


async def test_requested_reviewers(people: People) -> None:
    people.hub.team("acme", "core", ["carl"])
    people.shop.teams["core"] = "write"
    await pull(people.hub, people.shop)
    path = f"{PULLS}/1/requested_reviewers"
    asked = await people.ada.post(path, json={"reviewers": ["bob", "dan"], "team_reviewers": ["core"]})
    assert asked.status_code == 201
    body = valid(models.PullRequestReviewRequest, (await people.ada.get(path)).json())
    assert ([u["login"] for u in body["users"]], [t["slug"] for t in body["teams"]]) == (["bob", "dan"], ["core"])
    await review(people.bob, "APPROVE")
    gone = await people.ada.request("DELETE", path, json={"reviewers": ["dan"], "team_reviewers": ["core"]})
    assert gone.status_code == 200
    assert (await people.ada.get(path)).json() == {"users": [], "teams": []}
    assert (await people.ada.post(path, json={"reviewers": ["ada"]})).status_code == 422
    assert (await people.ada.post(path, json={"team_reviewers": ["none"]})).status_code == 422


async def test_a_pull_request_from_a_fork(people: People) -> None:
    hub = people.hub
    hub.user("eve")
    fork = await hub.fork(people.shop, "eve")
    sha = await hub.push(fork, "idea", {"idea": "x\n"}, author="eve")
    async with as_user(hub, "eve") as eve:
        made = await eve.post(PULLS, json={"head": "eve:idea", "base": "main", "title": "Idea"})
        body = valid(models.PullRequest, made.json())
    assert (body["head"]["repo"]["full_name"], body["head"]["sha"], body["author_association"]) == (
        "eve/shop",
        sha,
        "NONE",
    )
    assert body["head"]["repo"]["fork"] is True
    newer = await hub.push(fork, "idea", {"idea": "y\n"}, author="eve")
    assert await hub.git(people.shop).rev_parse("refs/pull/1/head") == newer
    files = (await people.ada.get(f"{PULLS}/1/files")).json()
    assert [f["filename"] for f in files] == ["idea"]
    assert [p["number"] for p in (await people.ada.get(f"{PULLS}?head=eve:idea")).json()] == [1]


async def test_pull_requests_of_a_commit(people: People) -> None:
    change = await pull(people.hub, people.shop)
    first = change.head_sha
    await people.hub.push(people.shop, "change", {"more": "x"}, author="ada")
    main = await people.hub.git(people.shop).rev_parse("refs/heads/main")
    for sha, numbers in ((first, [1]), (change.head_sha, [1]), (main, [])):
        found = valid(list[models.PullRequestSimple], (await people.ada.get(f"{SHOP}/commits/{sha}/pulls")).json())
        assert [p["number"] for p in found] == numbers


async def test_a_stack_shows_on_its_layers(people: People) -> None:
    hub = people.hub
    await hub.push(people.shop, "one", {"one": "1"}, author="ada")
    await hub.push(people.shop, "two", {"two": "2"}, author="ada", base="one")
    low = await hub.open_pull(people.shop, "one", author="ada")
    high = await hub.open_pull(people.shop, "two", "one", author="ada")
    stack = hub.stack(people.shop, [low.number, high.number])
    body = valid(models.PullRequest, (await people.ada.get(f"{PULLS}/{high.number}")).json())
    tip = await hub.git(people.shop).rev_parse("refs/heads/main")
    assert body["stack"] == {
        "id": stack.id,
        "number": 1,
        "base": {"ref": "main", "sha": tip},
        "size": 2,
        "position": 2,
    }
    assert body["base"]["ref"] == "one"


async def test_an_app_needs_the_permission_on_pull_requests(people: People) -> None:
    await pull(people.hub, people.shop)
    app, _ = people.hub.register_app("gate", {"pull_requests": "write"}, [])
    installation = people.hub.install(app, "acme")
    async with client(people.hub, people.hub.installation_token(installation)) as api:
        given = (await review(api, "APPROVE")).json()
        assert (given["user"]["login"], given["user"]["type"]) == ("gate[bot]", "Bot")
    async with client(people.hub, people.hub.installation_token(installation, {"pull_requests": "read"})) as api:
        assert (await review(api, "COMMENT")).status_code == 403
    async with client(people.hub, people.hub.installation_token(installation, {"issues": "read"})) as api:
        assert (await api.get(f"{PULLS}/1")).status_code == 403


async def test_stacks_over_rest(people: People) -> None:
    hub, stacks = people.hub, f"{SHOP}/stacks"
    for below, name in (("main", "one"), ("one", "two"), ("two", "three")):
        await hub.push(people.shop, name, {name: "x"}, author="ada", base=below)
        await hub.open_pull(people.shop, name, below, author="ada")
    assert (await people.ada.post(stacks, json={"pull_requests": [2, 1]})).status_code == 422
    made = await people.ada.post(stacks, json={"pull_requests": [1, 2]})
    assert made.status_code == 201
    body = valid(models.ReposOwnerRepoStacksPostResponse201, made.json())
    assert ([p["number"] for p in body["pull_requests"]], body["base"]["ref"]) == ([1, 2], "main")
    added = await people.ada.post(f"{stacks}/1/add", json={"pull_requests": [3]})
    assert [p["number"] for p in added.json()["pull_requests"]] == [1, 2, 3]
    listed = valid(list[models.PullRequestStackMinimal], (await people.ada.get(f"{stacks}?pull_request=3")).json())
    assert [s["number"] for s in listed] == [1]
    assert (await people.ada.get(f"{SHOP}/pulls/3")).json()["stack"]["position"] == 3
    assert (await people.ada.post(f"{stacks}/1/unstack")).status_code == 204
    assert (await people.ada.get(f"{SHOP}/pulls/3")).json()["stack"] is None
    assert (await people.ada.get(f"{stacks}/1")).status_code == 404
