"""The conditions and groups of people of policy-bot's rules in our words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import re2

from policies.fields import LOGIN, ORGANIZATION, TEAM
from policies.importing.expressions import gitignore_of

Value = Any
Turned = tuple[dict[str, Value], list[str]]  # our condition, and what of theirs has no counterpart

_PERMISSIONS = ("read", "triage", "write", "maintain", "admin")
_PEOPLE = ("users", "teams", "organizations", "permissions", "admins", "write_collaborators")
_BOUND = re.compile(r"\s*([<>])\s*(\d{1,9})\s*")


def condition_of(predicates: Value) -> Turned:
    """All predicates must hold. An empty condition: there are none that could be turned."""
    parts: list[dict[str, Value]] = []
    doubts: list[str] = []
    for name, value in _alone(predicates).items():
        turn = _WORDS.get(name)
        found = turn(value) if turn is not None and isinstance(value, _SHAPES.get(name, dict)) else None
        if found is None:
            doubts.append(f"`{name}`")
        else:
            parts += found
    return (parts[0] if len(parts) == 1 else {"all": parts} if parts else {}), doubts


def _alone(predicates: Value) -> dict[str, Value]:
    """Whose author is one account and the only contributor has no contributor but that account."""
    found = dict(predicates) if isinstance(predicates, dict) else {}
    author = found.get("has_author_in")
    users = author.get("users") if isinstance(author, dict) and set(author) == {"users"} else None
    if found.get("author_is_only_contributor") is True and isinstance(users, list) and len(users) == 1:
        del found["author_is_only_contributor"]
        found.setdefault("only_has_contributors_in", {"users": users})
    return found


def statuses_of(predicates: Value) -> list[str]:
    """Names of the statuses that must have succeeded; none where another conclusion would do too."""
    found = predicates if isinstance(predicates, dict) else {}
    names = found.get("has_successful_status") or []
    status = found.get("has_status")
    if isinstance(status, dict) and (status.get("conclusions") or ["success"]) == ["success"]:
        names = [*(names if isinstance(names, list) else []), *(status.get("statuses") or [])]
    return [str(name)[:500] for name in names] if isinstance(names, list) else []


def people_of(groups: Mapping[str, Value]) -> bool:
    """Whether it names anybody."""
    return any(groups.get(name) for name in _PEOPLE)


def who_of(groups: Mapping[str, Value]) -> tuple[dict[str, Value], list[str]]:
    """Our fields, and sentences about whom they leave out."""
    lost: list[str] = []
    users = [str(user) for user in groups.get("users") or ()]
    bots = [user for user in users if user.endswith("[bot]")]
    if bots:
        lost.append(f"approvals by bots never count: {', '.join(bots)}")
    teams = [str(team).rpartition("/")[2] for team in groups.get("teams") or ()]
    if any("/" in str(team) for team in groups.get("teams") or ()):
        lost.append("teams are those of the organisation that owns the repository, whatever organisation is named")
    organizations = [str(name) for name in groups.get("organizations") or ()]
    who = {
        "permission": _permission(groups),
        "users": [user for user in users if re.fullmatch(LOGIN, user) and user not in bots],
        "teams": [team.lower() for team in teams if re.fullmatch(TEAM, team.lower())],
        "organizations": [name for name in organizations if re.fullmatch(ORGANIZATION, name)],
    }
    return {name: value for name, value in who.items() if value}, lost


def _permission(groups: Mapping[str, Value]) -> str | None:
    """Any of several permissions is the lowest of them."""
    named = [word for word in _PERMISSIONS if word in (groups.get("permissions") or ())]
    named += ["admin"] if groups.get("admins") else []
    named += ["write"] if groups.get("write_collaborators") else []
    return min(named, key=_PERMISSIONS.index, default=None)


def _people(field: str) -> Callable[[Value], list[dict[str, Value]] | None]:
    """None where somebody whom it names cannot be named here: the condition would then be another one."""

    def turn(value: Value) -> list[dict[str, Value]] | None:
        who, _ = who_of({**value, "users": ()})
        who |= {"users": logins} if (logins := [str(user) for user in value.get("users") or ()]) else {}
        named = sum(len(value.get(name) or ()) for name in ("users", "teams", "organizations"))
        turned = sum(len(who.get(name) or ()) for name in ("users", "teams", "organizations"))
        plain = all(re.fullmatch(LOGIN, login) for login in logins)
        return [{field: who}] if who and plain and named == turned else None

    return turn


def _patterns(expressions: Value) -> list[str] | None:
    found = [gitignore_of(str(each)) for each in expressions or ()]
    if not found or not all(found):
        return None
    return list(dict.fromkeys(pattern for each in found for pattern in each or ()))


def _changed(value: Value) -> list[dict[str, Value]] | None:
    """Files that only `ignore` matches do not count, so both must be patterns of which the later wins."""
    wanted, ignored = _patterns(value.get("paths")), value.get("ignore")
    if wanted is None and not value.get("paths"):
        wanted = ["*"]
    without = _patterns(ignored) if ignored else []
    if wanted is None or without is None:
        return None
    return [{"paths": [*wanted, *(f"!{pattern}" for pattern in without)]}]


def _not_changed(value: Value) -> list[dict[str, Value]] | None:
    found = _changed(value)
    return None if found is None else [{"not": found[0]}]


def _only(value: Value) -> list[dict[str, Value]] | None:
    wanted = _patterns(value.get("paths"))
    return None if wanted is None else [{"only_paths": wanted}]


def _branch(field: str) -> Callable[[Value], list[dict[str, Value]] | None]:
    def turn(value: Value) -> list[dict[str, Value]] | None:
        pattern = str(value.get("pattern", ""))
        if field == "source" and pattern in ("^[^:]+$", "^.+:.+$"):  # as it shows forks: OWNER:BRANCH
            return [{"fork": pattern == "^.+:.+$"}]
        found = gitignore_of(pattern) if pattern and ":" not in pattern else None
        return None if found is None else [{field: list(found)}]

    return turn


def _title(value: Value) -> list[dict[str, Value]] | None:
    """Its patterns are RE2's as ours are."""
    matches, others = value.get("matches") or (), value.get("not_matches") or ()
    if not all(_is_re2(str(pattern)) for pattern in (*matches, *others)):
        return None
    wanted = [{"any": [{"title": str(pattern)} for pattern in matches]}] if matches else []
    return [*wanted, *({"not": {"title": str(pattern)}} for pattern in others)] or None


def _is_re2(pattern: str) -> bool:
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options=options)
    except re2.error:
        return False
    return 0 < len(pattern) <= 500


def _lines(value: Value) -> list[dict[str, Value]] | None:
    sizes: dict[str, Value] = {}
    for theirs, ours in (("additions", "additions"), ("deletions", "deletions"), ("total", "lines")):
        if theirs in value:
            found = _BOUND.fullmatch(str(value[theirs]))
            if found is None:
                return None
            sign, number = found[1], int(found[2])
            sizes[ours] = {"at_least": number + 1} if sign == ">" else {"at_most": max(number - 1, 0)}
    return [{"size": sizes}] if sizes else None


def _labels(value: Value) -> list[dict[str, Value]] | None:
    return [{"labels": [str(label)]} for label in value] or None


def _repository(value: Value) -> list[dict[str, Value]] | None:
    wanted, others = value.get("matches"), value.get("not_matches")
    parts = [("matches", _patterns(wanted))] if wanted else []
    parts += [("not_matches", _patterns(others))] if others else []
    if not parts or any(found is None for _, found in parts):
        return None
    return [{"repositories": found} if name == "matches" else {"not": {"repositories": found}} for name, found in parts]


def _signed(value: Value) -> list[dict[str, Value]] | None:
    return [{"signed": value}]


def _succeeded(value: Value) -> list[dict[str, Value]] | None:
    """Their names become jobs that the evidence of agents' work must have; of people's own it asks for none."""
    names = statuses_of({"has_status": value} if isinstance(value, dict) else {"has_successful_status": value})
    return [{"kinds": ["agent", "outsider", "dependency-bot"]}] if names else None


def _workflows(value: Value) -> list[dict[str, Value]] | None:
    paths = [str(path) for path in value.get("workflows") or ()]
    conclusions = [str(word) for word in value.get("conclusions") or ("success",)]
    return [{"workflows": [{"path": path, "conclusions": conclusions} for path in paths]}] if paths else None


_WORDS: Mapping[str, Callable[[Value], list[dict[str, Value]] | None]] = {
    "changed_files": _changed,
    "no_changed_files": _not_changed,
    "only_changed_files": _only,
    "has_author_in": _people("author"),
    "has_contributor_in": _people("contributor"),
    "only_has_contributors_in": _people("only_contributors"),
    "targets_branch": _branch("target"),
    "from_branch": _branch("source"),
    "modified_lines": _lines,
    "title": _title,
    "has_labels": _labels,
    "repository": _repository,
    "has_valid_signatures": _signed,
    "has_workflow_result": _workflows,
    "has_status": _succeeded,
    "has_successful_status": _succeeded,
}
_SHAPES: Mapping[str, type] = {"has_labels": list, "has_successful_status": list, "has_valid_signatures": bool}
