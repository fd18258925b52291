"""`mergegate wait OWNER/REPO#N`: until the gate has an answer that somebody must act on."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any

import typer

from app.cli.asking_github import cannot_ask
from app.cli.explain import PullName, parse_name
from app.cli.printing import print_json, print_line, progress
from app.config import read_settings
from app.github import reads
from app.github.client import GitHubClient
from app.github.errors import GitHubDown, GitHubError, NotFound, RateLimited
from app.github.personal import PersonalClient
from app.github.rest_models import CheckRun
from app.local.clone import CannotLook
from app.local.waiting import Advice, Next, Shown, advise
from app.secret import SecretStr
from policies.escape import clean

FIRST_PAUSE, LONGEST_PAUSE = 2.0, 30.0  # seconds between looks
TOKENS = ("GH_TOKEN", "GITHUB_TOKEN")


def wait(
    pull_request: Annotated[str, typer.Argument(metavar="OWNER/REPO#N", help="For example acme/shop#12.")],
    minutes: Annotated[float, typer.Option("--minutes", min=0, help="How long at most.")] = 60,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Wait for the gate's answer on a pull request, with the token in GH_TOKEN or GITHUB_TOKEN.

    Exit code 0: both checks passed, or it is merged; 1: something is to be fixed, which is printed; 2: it could not be
    looked at, or the time is over; 3: it waits for a person.
    """
    name = parse_name(pull_request)
    api_url, token = read_settings(os.environ).github_api_url, token_of(os.environ)
    with progress(f"Waiting for {clean(str(name), 200)}"):
        advice = asyncio.run(_wait(name, api_url, token, timedelta(minutes=minutes)))
    _print(name, advice, as_json=as_json)
    raise typer.Exit(int(advice.next))


def token_of(environment: Mapping[str, str], may: str = "read the repository") -> SecretStr:
    """The caller's own token, of which is told what it must be good for. Raises CannotLook."""
    for variable in TOKENS:
        if token := environment.get(variable, "").strip():
            return SecretStr(token)
    raise CannotLook(f"no token is given. Set {' or '.join(TOKENS)} to one that may {may}.")


async def _wait(name: PullName, api_url: str, token: SecretStr, limit: timedelta) -> Advice:
    client = PersonalClient(token, api_url)
    try:
        async with asyncio.timeout(limit.total_seconds()):
            return await _until_answered(client, name)
    except TimeoutError:
        raise CannotLook(f"{clean(str(name), 200)} has no answer yet. Run the same command again.") from None
    except NotFound as wrong:
        raise CannotLook(
            f"there is no pull request {clean(str(name), 200)} that this token may see. Check its number, and that "
            "the token may read the repository."
        ) from wrong
    except GitHubError as wrong:
        raise cannot_ask(wrong, api_url) from wrong
    finally:
        await client.aclose()


async def _until_answered(client: GitHubClient, name: PullName) -> Advice:
    """Once GitHub has answered, it may be away for a while without ending the wait."""
    advice, pause = await _look(client, name), FIRST_PAUSE
    while advice is None:
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, LONGEST_PAUSE)
        with contextlib.suppress(GitHubDown, RateLimited):
            advice = await _look(client, name)
    return advice


async def _look(client: GitHubClient, name: PullName) -> Advice | None:
    """One look. An unchanged answer costs nothing of the token's requests."""
    pull = await reads.pull(client, name.owner, name.repository, name.number)
    if pull.merged:
        return Advice(Next.GREEN, "It is merged.")
    if pull.state != "open":
        return Advice(Next.FIX, "It was closed without being merged.")
    runs = await reads.check_runs(client, name.owner, name.repository, pull.head.sha)
    return advise([_shown(run) for run in runs.items])


def _shown(run: CheckRun) -> Shown:
    output = run.output
    return Shown(run.id, run.name, run.status, run.conclusion, output.title or "", output.text or "")


def _print(name: PullName, advice: Advice, *, as_json: bool) -> None:
    if as_json:
        word = {Next.GREEN: "green", Next.FIX: "fix", Next.PERSON: "person"}[advice.next]
        print_json({"pull_request": str(name), "next": word, "reason": advice.words, "findings": list(advice.findings)})
        return
    print_line(f"{clean(str(name), 200)}: {advice.words}")
    for finding in advice.findings:
        print_line(_line(finding))


def _line(finding: Mapping[str, Any]) -> str:
    fix = finding.get("fix")
    text = f" Fix: {fix.get('text')}" if isinstance(fix, Mapping) else ""
    return clean(f"- {finding.get('check')} ({finding.get('status')}): {finding.get('reason')}{text}", 2_000)
