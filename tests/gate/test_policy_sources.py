"""Where the text of a policy comes from, and what is said when it cannot be read; GitHub answers by hand."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from app.gate import policies
from app.gate.names import RepositoryName
from app.gate.presets import read_presets
from app.gate.shared_policies import SharedPolicies
from app.github import contents, reads
from app.github.contents import About
from app.github.errors import GitHubDown, GitHubError, NotFound, RateLimited
from app.github.rest_models import Comparison, Content
from policies.load import PolicyState

pytestmark = pytest.mark.anyio

SHOP = RepositoryName(2, "acme", "shop", "main")
NO_FILE: Any = SimpleNamespace(policy=None, oid="a" * 40)
COMMIT = "c" * 40
REUSES = f"version: 1\nreuse: acme/base/gate.yml@{COMMIT}\n"


def content(text: str | bytes, **changes: Any) -> Content:
    data = text if isinstance(text, bytes) else text.encode()
    fields = {"type": "file", "path": "x", "sha": "s", "size": len(data), "encoding": "base64"}
    return Content.model_validate({**fields, "content": base64.b64encode(data).decode(), **changes})


class Files:
    """Answers by repository and path; an exception is raised. `asked` counts the questions for files.

    `compared` is what GitHub says of a commit against the default branch.
    """

    def __init__(self, answers: dict[str, Content | Exception], compared: str | Exception = "behind") -> None:
        self.answers = answers
        self.asked: list[str] = []
        self.compared = compared

    async def about(self, client: object, owner: str, name: str) -> About:
        return About(full_name=f"{owner}/{name}", default_branch="trunk")

    async def compare(self, client: object, owner: str, name: str, base: str, head: str) -> Comparison:
        assert (base, head) == ("trunk", COMMIT)
        if isinstance(self.compared, Exception):
            raise self.compared
        fields = {"ahead_by": 0, "behind_by": 1, "total_commits": 0, "merge_base_commit": {"sha": head}}
        return Comparison.model_validate({"status": self.compared, **fields})

    async def content_of(self, client: object, owner: str, name: str, path: str, commit: str | None) -> Content:
        place = f"{owner}/{name}/{path}" + (f"@{commit}" if commit else "")
        self.asked.append(place)
        answer = self.answers.get(place, NotFound(f"GET {place}", "there is none"))
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    clock = [datetime(2026, 5, 4, tzinfo=UTC)]
    gate: Any = SimpleNamespace(
        client=lambda _: object(), shared=SharedPolicies(), presets=read_presets(), floor=None, now=lambda: clock[0]
    )

    async def of(files: Files, later: timedelta = timedelta(0), repository: RepositoryName = SHOP) -> PolicyState:
        clock[0] += later
        monkeypatch.setattr(contents, "content_of", files.content_of)
        monkeypatch.setattr(contents, "about", files.about)
        monkeypatch.setattr(reads, "compare", files.compare)
        return await policies.policy_of_tip(gate, 1, repository, "refs/heads/main", NO_FILE)

    return of


ORGANIZATION = "acme/.github/mergegate.yml"
BASE = f"acme/base/gate.yml@{COMMIT}"


async def test_an_organisations_file_is_kept_for_some_minutes(read: Callable[..., Any]) -> None:
    files = Files({ORGANIZATION: content("version: 1\nmode: observe\n")})
    first = await read(files)
    assert (first.origin, first.policy.mode, first.source.given) == ("file", "observe", ORGANIZATION)
    files.answers = {}
    assert (await read(files, timedelta(minutes=4))).policy.mode == "observe"
    gone = await read(files, timedelta(minutes=2))
    assert (gone.origin, gone.source.given) == ("default", None)
    await read(files)
    assert files.asked == [ORGANIZATION, ORGANIZATION], "that there is none is kept as well"


async def test_the_organisations_own_repository_asks_nobody(read: Callable[..., Any]) -> None:
    files = Files({})
    assert (await read(files, repository=RepositoryName(3, "acme", ".github", "main"))).origin == "default"
    assert files.asked == []


async def test_a_file_at_a_commit_is_read_once(read: Callable[..., Any]) -> None:
    files = Files({ORGANIZATION: content(REUSES), BASE: content("version: 1\nextends: solo\n")})
    for _ in range(2):
        state = await read(files, timedelta(minutes=6))
        assert (state.origin, state.policy.extends) == ("file", "solo")
    assert files.asked == [ORGANIZATION, BASE, ORGANIZATION]


AWAY = GitHubError("GET x", "GitHub answered 451")


@pytest.mark.parametrize(
    ("compared", "origin", "because"),
    [
        ("identical", "file", ""),
        ("ahead", "unread", "is not on the default branch of acme/base"),
        ("diverged", "unread", "is not on the default branch of acme/base"),
        ("something new", "unread", "is not on the default branch of acme/base"),
        (NotFound("GET x", "no common ancestor"), "unread", "is not of acme/base"),
        (AWAY, "unread", "GitHub answered 451"),
    ],
)
async def test_a_commit_of_a_fork_is_not_taken_for_the_repositorys_own(
    read: Callable[..., Any], compared: str | Exception, origin: str, because: str
) -> None:
    answers: dict[str, Any] = {ORGANIZATION: content(REUSES), BASE: content("version: 1\nextends: solo\n")}
    state = await read(Files(answers, compared))
    assert (state.origin, because in state.because) == (origin, True)
    # What was refused is looked at again.
    assert (await read(Files(answers, "behind"), timedelta(minutes=6))).origin == "file"


UNREADABLE: list[tuple[dict[str, Any], str]] = [
    ({ORGANIZATION: AWAY}, "GitHub answered 451"),
    ({ORGANIZATION: content(b"\xff")}, "mergegate.yml of acme/.github is no UTF-8 text"),
    ({ORGANIZATION: content("x", content="?")}, "mergegate.yml of acme/.github is no UTF-8 text"),
    ({ORGANIZATION: content("x", type="symlink")}, "is no plain file of at most 64 KiB"),
    ({ORGANIZATION: content("x", encoding="none")}, "is no plain file of at most 64 KiB"),
    ({ORGANIZATION: content("x", size=70_000)}, "is no plain file of at most 64 KiB"),
    ({ORGANIZATION: content(REUSES)}, "is not there, or the App is not installed on acme/base"),
    ({ORGANIZATION: content(REUSES), BASE: AWAY}, "GitHub answered 451"),
]


@pytest.mark.parametrize(("answers", "because"), UNREADABLE)
async def test_what_cannot_be_read_is_said(read: Callable[..., Any], answers: dict[str, Any], because: str) -> None:
    state = await read(Files(answers))
    assert state.origin == "unread"
    assert because in state.because


async def test_a_failure_is_not_kept(read: Callable[..., Any]) -> None:
    assert (await read(Files({ORGANIZATION: AWAY}))).origin == "unread"
    assert (await read(Files({ORGANIZATION: content("version: 1")}))).origin == "file"


async def test_waiting_for_budget_is_no_word_about_the_policy(read: Callable[..., Any]) -> None:
    limited = RateLimited("GET x", "the limit is reached", until=datetime(2026, 5, 4, tzinfo=UTC))
    with pytest.raises(RateLimited):
        await read(Files({ORGANIZATION: limited}))
    with pytest.raises(GitHubDown):
        await read(Files({ORGANIZATION: GitHubDown("GET x", "GitHub answered 502")}))


async def test_what_is_kept_is_bounded(read: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policies, "MOST_KEPT", 1)
    files = Files({ORGANIZATION: content(REUSES), BASE: content("version: 1")})
    await read(files)
    await read(files, repository=RepositoryName(4, "other", "shop", "main"))
    await read(files)
    assert files.asked.count(ORGANIZATION) == 2
