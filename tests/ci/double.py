"""A server on loopback that answers as it is told and remembers what it was asked, with the documented answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HEAD = "4f" * 20
JOB = "0193a7c2-5d1e-4f60-8a3b-6c2d9e417f05"
WORKFLOW = "7c1e04d9-2b6a-4d83-9f15-a08b3c52e6d4"
PASSED = "===== test session starts =====\r\ncollected 3 items\r\n\r\n===== 3 passed in 0.04s =====\r\n"


@dataclass
class Double:
    """`answers`: path with query to status, headers and body. `asked`: path and headers of every request."""

    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    url: str = ""

    def say(self, path: str, body: Any, status: int = 200, **headers: str) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers[path] = (status, headers, raw)

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]


@contextmanager
def serving() -> Iterator[Double]:
    """Listens on a port of its own until the block ends."""
    double = Double()

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            double.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            status, headers, body = double.answers.get(self.path, (404, {}, b"{}"))
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    double.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield double
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def buildkite(double: Double, *, head: str = HEAD, **job: Any) -> None:
    """Build 7 of acme/shop as https://buildkite.com/docs/apis/rest-api/builds shows one, with one script job."""
    script = {
        "id": JOB,
        "type": "script",
        "name": ":pytest: Tests",
        "state": "passed",
        "exit_status": 0,
        "soft_failed": False,
        "retried": False,
        "step_key": "tests",
        "agent": None,
        **job,
    }
    jobs = [script, {"id": "0193a7c3", "type": "manual", "label": "Deploy", "state": "unblocked"}]
    base = "/v2/organizations/acme/pipelines/shop/builds/7"
    url = "https://buildkite.com/acme/shop/builds/7"
    double.say(base, {"number": 7, "state": "passed", "commit": head, "web_url": url, "jobs": jobs})
    double.say(f"{base}/jobs/{JOB}/log.txt", f"\x1b_bk;t=1745322209921\x07$ pytest\r\n{PASSED}".encode())


def circleci(double: Double, *, head: str = HEAD, containers: int = 1, output: str = "", **action: Any) -> None:
    """A workflow of one job as the two versions of the API show it."""
    slug = "gh/acme/shop"
    double.say(f"/api/v2/workflow/{WORKFLOW}", {"id": WORKFLOW, "status": "success", "project_slug": slug})
    listed = [
        {"name": "tests", "type": "build", "status": "success", "job_number": 12},
        {"name": "hold", "type": "approval", "status": "success"},
        {"name": "docs", "type": "build", "status": "not_run", "job_number": None},
    ]
    double.say(f"/api/v2/workflow/{WORKFLOW}/job", {"items": listed, "next_page_token": None})
    actions = [
        {"index": n, "status": "success", "exit_code": 0, "truncated": False, **action}
        | {"output_url": f"{output or double.url}/output/{n}"}
        for n in range(containers)
    ]
    steps = [
        {"name": "Spin up environment", "actions": [{"index": 0, "status": "success", "exit_code": None}]},
        {"name": "pytest", "actions": actions},
    ]
    job = {"build_url": "https://circleci.com/gh/acme/shop/12", "vcs_revision": head, "status": "success"}
    double.say(f"/api/v1.1/project/{slug}/12", {**job, "outcome": "success", "lifecycle": "finished", "steps": steps})
    for n in range(containers):
        double.say(f"/output/{n}", [{"message": PASSED, "time": "2026-11-30T08:00:00.000Z", "type": "out"}])


TREE = "?tree=building,result,actions[lastBuiltRevision[SHA1]]"


def jenkins(double: Double, *, shas: tuple[str, ...] = ("1a" * 20, HEAD), **build: Any) -> None:
    """Build 12 of a multibranch pipeline; the first checkout is of a shared library."""
    git = [{"_class": "hudson.plugins.git.util.BuildData", "lastBuiltRevision": {"SHA1": sha}} for sha in shas]
    told = {"_class": "org.jenkinsci.plugins.workflow.job.WorkflowRun", "actions": [{}, None, *git]}
    path = "/job/shop/job/PR-7/12"
    double.say(f"{path}/api/json{TREE}", {**told, "building": False, "result": "SUCCESS", **build})
    double.say(f"{path}/consoleText", f"[Pipeline] sh\n+ pytest\n{PASSED}Finished: SUCCESS\n".encode())
