"""Which REST requests a session may make: a decision over the table of routes, without input or output."""

from __future__ import annotations

from dataclasses import dataclass

from app.proxy.api.bodies import Json, judged, read_object, short
from app.proxy.api.denied import Denied, missing
from app.proxy.api.looks import Look, OwnComment, OwnPull
from app.proxy.api.routes import ALLOWED, REFUSED, Route, begins, match
from app.proxy.api.target import Target
from app.proxy.grant import Grant, Right
from app.proxy.refusal import Refusal

# What `gh` reads of a server before it asks for more. The version is of an Enterprise Server whose API has all that
# the proxy lets through: https://docs.github.com/enterprise-server/rest/meta/meta
LOCAL: dict[tuple[str, ...], Json] = {
    (): {},
    ("meta",): {"installed_version": "3.17.0", "verifiable_password_authentication": False},
}
MAY = {
    Right.PULL_REQUEST: "open or edit a pull request",
    Right.COMMENT: "comment",
}


@dataclass(frozen=True, slots=True)
class Forward:
    """What may be sent once every one of `looks` holds: segments below the repository, query and body."""

    route: Route
    segments: tuple[str, ...]
    query: tuple[tuple[str, str], ...]
    body: Json | None = None
    looks: tuple[Look, ...] = ()
    number: int | None = None  # of the issue or pull request that is written to


@dataclass(frozen=True, slots=True)
class Local:
    """Answered here."""

    body: Json


def decide(grant: Grant, method: str, target: Target, raw_body: bytes) -> Forward | Local | Denied:
    """What a request of a session comes to. Nothing but the grant's repository is ever named in a Forward."""
    segments = target.segments
    if method == "GET" and segments in LOCAL and not raw_body:
        return Local(LOCAL[segments])
    if not _is_home(grant, segments):
        return missing()
    below = segments[3:]
    for route in ALLOWED:
        values = match(route.parts, below) if route.method == method else None
        if values is not None:
            return _decided(grant, route, Forward(route, below, target.query), values, raw_body)
    return _refused(method, below)


def _is_home(grant: Grant, segments: tuple[str, ...]) -> bool:
    """GitHub's names do not differ by case."""
    named = tuple(segment.lower() for segment in segments[:3])
    return named == ("repos", grant.owner.lower(), grant.repository.lower())


def _refused(method: str, below: tuple[str, ...]) -> Denied:
    for wanted, template, (because, fix) in REFUSED:
        if wanted in ("*", method) and begins(template, below):
            return Denied(403, Refusal(because, fix))
    return missing()


def _decided(grant: Grant, route: Route, asked: Forward, values: dict[str, str], raw: bytes) -> Forward | Denied:
    if route.right is not None and route.right not in grant.rights:
        return Denied(403, no_right(route.right))
    unknown = [name for name, _ in asked.query if name not in route.query]
    if unknown:
        known = ", ".join(sorted(route.query)) or "none"
        return Denied(422, Refusal(f"The parameter `{unknown[0]}` is not known for this route", f"It takes: {known}"))
    if "own_branch" in values and values["own_branch"] not in (short(grant.branch), short(grant.base)):
        return Denied(403, Refusal("A session asks for its own branch", f"Ask for `{short(grant.branch)}`"))
    body = _body(grant, route, raw)
    if isinstance(body, Denied):
        return body
    return _with_subject(grant, asked, values, body)


def _body(grant: Grant, route: Route, raw: bytes) -> Json | Denied | None:
    if route.body is None:
        wrong = Refusal("This route takes no body", "Send it without one")
        return Denied(400, wrong) if raw else None
    body = read_object(raw)
    if isinstance(body, Refusal):
        return Denied(400, body)
    fault = judged(body, route.body, route.required, grant)
    return body | dict(route.fixed) if fault is None else Denied(422, fault)


def _with_subject(grant: Grant, asked: Forward, values: dict[str, str], body: Json | None) -> Forward:
    number = int(values["number"]) if asked.route.subject in ("own pull", "discussed") else None
    looks: tuple[Look, ...] = ()
    if asked.route.subject == "own comment":
        looks = (OwnComment(int(values["id"])),)
    elif number is not None and (asked.route.subject == "own pull" or number != grant.ticket):
        looks = (OwnPull(number, edited=asked.route.subject == "own pull"),)
    return Forward(asked.route, asked.segments, asked.query, body, looks, number)


def no_right(right: Right) -> Refusal:
    return Refusal(f"This session may not {MAY[right]}", "Ask the person who started this agent for that right")
