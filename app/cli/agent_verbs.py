"""`mergegate agent claim`, `progress`, `ask` and the others: an agent's work on its ticket, for harnesses and people.

Each prints one JSON object. Exit codes: 0 done; 1 the verdict failed; 2 it could not be asked, or was refused; 3
nothing yet (no ticket, no message, no verdict, or a person must decide); 4 the session has ended, so the agent stops.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from app.cli.agent_client import (
    LONGEST_WAIT,
    PROXY,
    Api,
    Asking,
    CannotAsk,
    Refused,
    Said,
    checked_address,
    read_secret,
)

SESSION, ENROLMENT = "MERGEGATE_SESSION", "MERGEGATE_ENROLMENT"
DONE, FAILED, COULD_NOT, NOTHING_YET, ENDED = 0, 1, 2, 3, 4
LARGEST_BUNDLE = 64 * 1024  # bytes
LONGEST = 24 * 60 * 60  # seconds that `verdict` waits at most
CAUSES = ("missing_information", "requirement_conflict", "permission_expansion", "data_migration")
Words = argparse.Namespace
Verb = Callable[[Api, Words], tuple[int, Any]]


def run(words: Sequence[str]) -> int:
    """Carry out `mergegate agent WORDS`; its exit code. What goes wrong is said on standard error."""
    given = reader().parse_args(words)
    try:
        address = checked_address(given.proxy or os.environ.get(PROXY))
        token = read_secret(ENROLMENT if given.verb == "claim" else SESSION)
        code, value = VERBS[given.verb](Api(address, token, given.ca), given)
    except Refused as no:
        sys.stderr.write(f"mergegate: {printable(str(no))}\n")
        return ENDED if no.ended and given.verb != "claim" else COULD_NOT
    except CannotAsk as wrong:
        sys.stderr.write(f"mergegate: {printable(str(wrong))}\n")
        return COULD_NOT
    sys.stdout.write(printable(json.dumps(value, ensure_ascii=False, indent=2)) + "\n")
    return code


def printable(text: str) -> str:
    """Words of others as JSON escapes them, where a terminal or a reader could be led astray by them."""
    return "".join(one if one.isprintable() or one == "\n" else json.dumps(one)[1:-1] for one in text)


def _claim(api: Api, given: Words) -> tuple[int, Any]:
    body = _named(given, "worker", "repository", "pool")
    asking = Asking("POST", "/agent/claim", body, wait=given.wait)
    if given.token_file is None:
        said = api.ask(asking).value
    else:
        with kept_apart(given.token_file) as file:
            said = api.ask(asking).value
            file.write(said.pop("token", ""))
    return DONE if said.get("claimed") else NOTHING_YET, said


@contextlib.contextmanager
def kept_apart(path: Path) -> Iterator[TextIO]:
    """A file that takes the place of `path` if anything was written; readable for nobody else, not even for a moment.

    It is there before the ticket is claimed, so that no claim is lost to a folder that cannot be written to. Raises
    CannotAsk.
    """
    part = path.with_name(path.name + ".part")
    try:
        part.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        file = os.fdopen(os.open(part, flags, 0o600), "w")
    except OSError as wrong:
        raise CannotAsk(f"{part} cannot be written ({wrong.strerror}); name another file for the token") from wrong
    try:
        with file:
            yield file
        if part.stat().st_size:
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _progress(api: Api, given: Words) -> tuple[int, Any]:
    body = _named(given, "percent", "doing", "blocker", "cost")
    if given.no_blocker:
        body["blocker"] = None
    step, _, steps = (given.step or "").partition("/")
    body |= {name: int(number) for name, number in (("step", step), ("steps", steps)) if number}
    return DONE, api.ask(Asking("POST", "/session/progress", body)).value


def _ask(api: Api, given: Words) -> tuple[int, Any]:
    body = _named(given, "question", "cause", "default")
    body |= {"options": given.option or [], **({"recommended": given.recommend} if given.recommend else {})}
    return DONE, api.ask(Asking("POST", "/session/questions", body)).value


def _messages(api: Api, given: Words) -> tuple[int, Any]:
    """What is printed counts as read, unless it is to be kept."""
    said = api.ask(Asking("GET", "/session/messages", wait=given.wait)).value
    if not said["messages"]:
        return NOTHING_YET, said
    if not given.keep:
        api.ask(Asking("POST", "/session/messages/read", {"through": said["messages"][-1]["id"]}))
    return DONE, said


def _evidence(api: Api, given: Words) -> tuple[int, Any]:
    raw = _bundle(given.file)
    return DONE, api.ask(Asking("POST", "/session/evidence", text=raw)).value


def _bundle(name: str) -> bytes:
    """Raises CannotAsk."""
    try:
        if name == "-":
            raw = sys.stdin.buffer.read(LARGEST_BUNDLE + 1)
        else:
            with Path(name).open("rb") as file:
                raw = file.read(LARGEST_BUNDLE + 1)
    except OSError as wrong:
        raise CannotAsk(f"{name} cannot be read ({wrong.strerror}); name the bundle's file, or `-`") from wrong
    if len(raw) > LARGEST_BUNDLE:
        raise CannotAsk(f"{name} is longer than {LARGEST_BUNDLE} bytes; point at logs instead of quoting them")
    return raw


def _verdict(api: Api, given: Words) -> tuple[int, Any]:
    """Waits until the evidence passed or failed."""
    ends = time.monotonic() + given.wait
    said = api.ask(Asking("GET", "/session/verdict"))
    while _code(said.value) == NOTHING_YET and (left := int(ends - time.monotonic())) > 0:
        said = _newer(api, said, min(left, LONGEST_WAIT))
    return _code(said.value), said.value


def _newer(api: Api, said: Said, wait: int) -> Said:
    found = api.ask(Asking("GET", "/session/verdict", wait=wait, headers={"If-None-Match": said.etag or ""}))
    return said if found.value is None else found


def _code(verdict: Mapping[str, Any]) -> int:
    status = (verdict.get("evidence") or {}).get("status")
    return DONE if status == "passed" else FAILED if status == "failed" else NOTHING_YET


def _limits(api: Api, _: Words) -> tuple[int, Any]:
    return DONE, api.ask(Asking("GET", "/session/limits")).value


def _done(api: Api, given: Words) -> tuple[int, Any]:
    return DONE, api.ask(Asking("POST", "/session/done", _named(given, "summary"))).value


def _failed(api: Api, given: Words) -> tuple[int, Any]:
    return DONE, api.ask(Asking("POST", "/session/failed", _named(given, "reason"))).value


VERBS: Mapping[str, Verb] = {
    "claim": _claim,
    "progress": _progress,
    "ask": _ask,
    "messages": _messages,
    "evidence": _evidence,
    "verdict": _verdict,
    "limits": _limits,
    "done": _done,
    "failed": _failed,
}
SUMMARIES: Mapping[str, str] = {
    "claim": "Claim a ticket with MERGEGATE_ENROLMENT. Exit code 3: none waits now.",
    "progress": "Say how far it is; also the sign of life. Exit code 4: the session has ended, stop.",
    "ask": "Ask a person; the attempt rests until `messages` has the answer.",
    "messages": "What people and the gate say. Exit code 3: nothing new.",
    "evidence": "Hand over the evidence bundle, as a comment on the pull request.",
    "verdict": "The gate's verdict. Exit code 0: the evidence passed; 1: it failed; 3: not there yet.",
    "limits": "What may be used, what was, and what is left.",
    "done": "Say that it is finished: the gate judges the pull request.",
    "failed": "Give up: the attempt and the session end.",
}


def reader() -> argparse.ArgumentParser:
    """What reads the command line."""
    whole = argparse.ArgumentParser(prog="mergegate agent", allow_abbrev=False)
    verbs = whole.add_subparsers(dest="verb", required=True)
    made = {name: verbs.add_parser(name, help=words, description=words) for name, words in SUMMARIES.items()}
    for one in made.values():
        one.add_argument("--proxy", metavar="URL", help=f"The proxy's address; else {PROXY}.")
        one.add_argument("--ca", type=Path, help="PEM file with the authority of the proxy's certificate.")
    _claim_options(made["claim"])
    _progress_options(made["progress"])
    _ask_options(made["ask"])
    made["messages"].add_argument("--wait", type=_seconds(LONGEST_WAIT), default=0, help="Seconds, at most 30.")
    made["messages"].add_argument("--keep", action="store_true", help="They are shown again the next time.")
    made["evidence"].add_argument("file", help="The bundle; `-` reads standard input.")
    made["verdict"].add_argument(
        "--wait", type=_seconds(LONGEST), default=0, help="Seconds to wait for passed or failed."
    )
    made["done"].add_argument("summary", nargs="?", help="One sentence.")
    made["failed"].add_argument("reason", help="Why it cannot be finished.")
    return whole


def _claim_options(one: argparse.ArgumentParser) -> None:
    one.add_argument("--worker", metavar="NAME", help="This machine's name among those of its pool.")
    one.add_argument("--wait", type=_seconds(LONGEST_WAIT), default=LONGEST_WAIT, help="Seconds, at most 30.")
    one.add_argument("--token-file", type=Path, help="Write the session's token there instead of printing it.")
    one.add_argument("--repository", metavar="OWNER/NAME", help="Needed with a workload identity's token.")
    one.add_argument("--pool", metavar="NAME", help="Needed with a workload identity's token.")


def _progress_options(one: argparse.ArgumentParser) -> None:
    one.add_argument("--step", metavar="N[/M]", type=_step, help="The step under way, and how many there are.")
    one.add_argument("--percent", type=int)
    one.add_argument("--doing", metavar="WORDS", help="What is under way.")
    stands = one.add_mutually_exclusive_group()
    stands.add_argument("--blocker", metavar="WORDS", help="What stands in the way.")
    stands.add_argument("--no-blocker", action="store_true", help="Nothing stands in the way any more.")
    one.add_argument("--cost", metavar="USD", help="What this attempt has cost so far.")


def _ask_options(one: argparse.ArgumentParser) -> None:
    one.add_argument("question")
    one.add_argument("--option", action="append", metavar="WORDS", help="May be given four times.")
    one.add_argument("--recommend", metavar="WORDS", help="One of the options.")
    one.add_argument(
        "--default", required=True, metavar="WORDS", help="What happens if nobody answers: something safe."
    )
    one.add_argument(
        "--cause",
        choices=CAUSES,
        default=CAUSES[0],
        help="A conflict quotes both lines of the ticket word by word; an expansion names what was refused.",
    )


def _seconds(most: int) -> Callable[[str], int]:
    def seconds(given: str) -> int:
        if not (given.isascii() and given.isdigit() and len(given) < 7 and int(given) <= most):
            raise argparse.ArgumentTypeError(f"{given!r} is not 0 to {most}")
        return int(given)

    return seconds


def _step(given: str) -> str:
    parts = given.split("/")
    if len(parts) > 2 or not all(part.isascii() and part.isdigit() and len(part) < 7 for part in parts):
        raise argparse.ArgumentTypeError(f"{given!r} is not N or N/M")
    return given


def _named(given: Words, *names: str) -> dict[str, Any]:
    """Those that were given."""
    return {name: value for name in names if (value := getattr(given, name)) is not None}
