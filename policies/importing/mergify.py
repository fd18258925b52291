"""Mergify's configuration as a policy of ours. Its words: https://docs.mergify.com/configuration/conditions/

A pull request may be merged where the conditions of one of its rules hold; ours demands that one of them does. What
Mergify does beside merging (labels, comments, backports) is no matter of a policy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import re2

from policies.fields import LOGIN, PERSON, TEAM
from policies.importing.expressions import gitignore_of, words_of
from policies.importing.imported import ALWAYS, NEVER, ForeignError, Imported, rule_names

Value = Any
Turned = dict[str, Value]  # a demand of ours

_CONDITION = re.compile(r"(-?)(#?)([a-z][a-z-]*)\s*(?:(!=|~=|>=|<=|=|≠|≥|≤|>|<|:)\s*(.*))?", re.DOTALL)
_SIGNS = {"≠": "!=", "≥": ">=", "≤": "<=", ":": "="}
_IGNORED = frozenset({"conflict", "draft", "closed", "merged", "locked", "changes-requested-reviews-by", "queued"})
_ACTIONS = ("merge", "queue")
_SUCCEEDED = ("check-success", "status-success")  # the second is its older name


def import_mergify(value: Value) -> Imported:
    """Raises ForeignError for what is no configuration of Mergify."""
    if not isinstance(value, dict) or not any(name in value for name in _SECTIONS):
        raise ForeignError(f"it has none of {', '.join(_SECTIONS)}, so it is no configuration of Mergify")
    return _Import(value).run()


_SECTIONS = ("queue_rules", "pull_request_rules", "merge_protections")


@dataclass
class _Import:
    value: Mapping[str, Value]
    result: Imported = field(default_factory=Imported)
    jobs: list[str] = field(default_factory=list)

    def run(self) -> Imported:
        ways = [self._all(conditions) for conditions in self._ways()]
        protections = _dicts(self.value.get("merge_protections"))
        names = rule_names((str(one.get("name")) for one in protections), taken=("merge",))
        rules: dict[str, Value] = {"merge": {"require": _one_of("any", ways)}} if ways else {}
        for one in protections:
            when = self._all(one.get("if") or [])
            demand = self._all(one.get("success_conditions") or [])
            rules[names[str(one.get("name"))]] = {"require": _unless(when, demand)}
        if rules:
            self.result.policy["rules"] = rules
        if self.jobs:
            self.result.policy["ci"] = {"jobs": list(dict.fromkeys(self.jobs))}
            self.result.lose("checks are demanded as jobs of workflows: write the jobs' names where they differ")
        self._leave_out()
        return self.result

    def _ways(self) -> Iterator[list[Value]]:
        for rule in _dicts(self.value.get("queue_rules")):
            yield [*_list(rule.get("queue_conditions") or rule.get("conditions")), *_list(rule.get("merge_conditions"))]
        for rule in _dicts(self.value.get("pull_request_rules")):
            if any(action in (rule.get("actions") or {}) for action in _ACTIONS):
                yield _list(rule.get("conditions"))

    def _leave_out(self) -> None:
        for rule in _dicts(self.value.get("pull_request_rules")):
            others = sorted(set(rule.get("actions") or {}) - set(_ACTIONS))
            if others:
                self.result.lose(f"rule {str(rule.get('name'))!r} does {', '.join(others)}, which no policy does")
        for name in sorted(set(self.value) - set(_SECTIONS)):
            self.result.lose(f"`{name}`")

    def _all(self, conditions: Value) -> Turned:
        return _one_of("all", [self._turned(one) for one in _list(conditions)])

    def _turned(self, condition: Value) -> Turned:
        if isinstance(condition, str):
            found = _CONDITION.fullmatch(condition.strip())
            turned = self._word(found) if found else None
            return turned if turned is not None else self._lost(condition)
        if isinstance(condition, dict) and len(condition) == 1:
            joint, below = next(iter(condition.items()))
            if joint in ("and", "or"):
                return _one_of("all" if joint == "and" else "any", [self._turned(one) for one in _list(below)])
            inner = self._turned(below) if joint == "not" else {}
            if set(inner) == {"condition"}:
                return {"condition": {"not": inner["condition"]}}
        return self._lost(str(condition))

    def _lost(self, condition: str) -> Turned:
        self.result.lose(f"the condition {condition!r}: it never holds until it is written")
        return {"condition": NEVER}

    def _word(self, found: re.Match[str]) -> Turned | None:
        negated, counted, name, sign, value = found[1] == "-", found[2] == "#", found[3], found[4], found[5] or ""
        sign, value = _SIGNS.get(sign or "", sign or ""), value.strip().strip('"')
        if name in _IGNORED:
            return {"condition": ALWAYS}
        if name in _SUCCEEDED and sign == "=" and not negated:
            self.jobs.append(value[:500])
            return {"condition": ALWAYS}
        if name == "approved-reviews-by" and not negated:
            return _approvals(counted, sign, value)
        turned = _numbers(name, sign, value) if counted else _fact(name, sign.removeprefix("!"), value)
        if turned is None:
            return None
        return {"condition": {"not": turned} if negated != (sign == "!=") else turned}


def _approvals(counted: bool, sign: str, value: str) -> Turned | None:
    if counted and sign in (">=", ">", "=") and value.isdigit():
        count = int(value) + (sign == ">")
        return {"approvals": {"count": min(count, 10)}} if count else {"condition": ALWAYS}
    if counted or sign != "=":
        return None
    team = value.rpartition("/")[2].lower()
    if value.startswith("@") and re.fullmatch(TEAM, team):
        return {"approvals": {"teams": [team]}}
    return {"approvals": {"users": [value]}} if re.fullmatch(PERSON, value) else None


def _numbers(name: str, sign: str, value: str) -> Turned | None:
    if name not in ("files", "added-lines", "deleted-lines") or not value.isdigit():
        return None
    number, size = int(value), {"files": "files", "added-lines": "additions", "deleted-lines": "deletions"}[name]
    bounds = {
        ">=": {"at_least": number},
        ">": {"at_least": number + 1},
        "<=": {"at_most": number},
        "<": {"at_most": max(number - 1, 0)},
        "=": {"at_least": number, "at_most": number},
    }.get(sign)
    return None if bounds is None else {"size": {size: bounds}}


def _fact(name: str, sign: str, value: str) -> Turned | None:
    turn = _FACTS.get((name, sign))
    return turn(value) if turn is not None and value else None


def _exactly(field_name: str) -> Callable[[str], Turned]:
    return lambda value: {field_name: ["/" + re.sub(r"([*?\[\]!#\\])", r"\\\1", value)]}


def _expression(field_name: str) -> Callable[[str], Turned | None]:
    def turn(value: str) -> Turned | None:
        found = gitignore_of(value)
        return None if found is None else {field_name: list(found)}

    return turn


def _author(value: str) -> Turned | None:
    """`@organisation/team` means the members of a team."""
    team = value.rpartition("/")[2].lower()
    if value.startswith("@") and "/" in value and re.fullmatch(TEAM, team):
        return {"author": {"teams": [team]}}
    return {"author": {"users": [value]}} if re.fullmatch(LOGIN, value) else None


def _authors(expression: str) -> Turned | None:
    logins = words_of(expression)
    plain = logins is not None and all(re.fullmatch(LOGIN, login) for login in logins)
    return {"author": {"users": list(logins)}} if logins and plain else None


def _labels(expression: str) -> Turned | None:
    labels = words_of(expression)
    return {"labels": list(labels)} if labels and all(labels) else None


_FACTS: Mapping[tuple[str, str], Callable[[str], Turned | None]] = {
    ("base", "="): _exactly("target"),
    ("base", "~="): _expression("target"),
    ("head", "="): _exactly("source"),
    ("head", "~="): _expression("source"),
    ("files", "="): _exactly("paths"),
    ("files", "~="): _expression("paths"),
    ("label", "="): lambda value: {"labels": [value]},
    ("label", "~="): _labels,
    ("author", "="): _author,
    ("author", "~="): _authors,
    ("title", "="): lambda value: {"title": f"^{re2.escape(value[:200])}$"},
    ("title", "~="): lambda value: {"title": value[:500]},
}


def _one_of(joint: str, demands: list[Turned]) -> Turned:
    """Of none at all it is always true, as for Mergify."""
    wanted = [one for one in demands if joint == "any" or one != {"condition": ALWAYS}]
    if not wanted:
        return {"condition": ALWAYS}
    return wanted[0] if len(wanted) == 1 else {joint: wanted}


def _unless(when: Turned, demand: Turned) -> Turned:
    """Where its condition is a fact that does not hold, a protection demands nothing; else it is demanded always."""
    condition = _as_condition(when)
    return demand if condition in (None, ALWAYS) else {"any": [{"condition": {"not": condition}}, demand]}


def _as_condition(demand: Turned) -> Turned | None:
    if set(demand) == {"condition"}:
        return dict(demand["condition"])
    joint = next((word for word in ("all", "any") if word in demand), None)
    inner = [_as_condition(one) for one in demand[joint]] if joint else [None]
    return None if None in inner or joint is None else {joint: inner}


def _list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _dicts(value: Value) -> list[dict[str, Value]]:
    return [each for each in _list(value) if isinstance(each, dict)]
