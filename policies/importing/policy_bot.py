"""policy-bot's `.policy.yml` as a policy of ours. Its words: https://github.com/palantir/policy-bot#readme

Its policy is a tree of rules that must come true; ours is one rule of that tree, which names the others. A rule whose
condition cannot be carried over whole applies always where it is demanded, and never passes where it is an alternative.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from policies.importing.imported import ALWAYS, NEVER, ForeignError, Imported, rule_names
from policies.importing.policy_bot_words import condition_of, people_of, statuses_of, who_of

_APPROVAL = "approval"
Value = Any


def import_policy_bot(value: Value) -> Imported:
    """Raises ForeignError for what is no policy of policy-bot."""
    if not isinstance(value, dict) or not isinstance(value.get("policy"), dict):
        raise ForeignError(_why_none(value))
    return _Import(value).run()


def _why_none(value: Value) -> str:
    if isinstance(value, dict) and "remote" in value:
        place = f"{value.get('path', 'policy.yml')} of {value['remote']}"
        return f"it only points at {place}; import that file, and `reuse` the result at a commit"
    return "it has no `policy`, so it is no configuration of policy-bot"


@dataclass
class _Import:
    """`alternatives` are names of rules that stand below an `or`."""

    value: Mapping[str, Value]
    result: Imported = field(default_factory=Imported)
    alternatives: set[str] = field(default_factory=set)
    used: list[str] = field(default_factory=list)

    def run(self) -> Imported:
        rules = {str(rule.get("name")): rule for rule in _dicts(self.value.get("approval_rules"))}
        names = rule_names(rules, taken=(_APPROVAL,))
        approval = self.value["policy"].get("approval")
        for name in _named(approval):
            if name not in rules:
                raise ForeignError(f"its policy names the rule {name!r}, which it does not define")
        tree = self._demand(approval, names, alternative=False) if approval else None
        imported = {names[name]: self._rule(name, rules[name]) for name in dict.fromkeys(self.used)}
        if tree is not None:
            self.result.policy["rules"] = {_APPROVAL: {"require": tree}, **imported}
        else:
            self.result.lose("the policy has no `approval`, so it demands nothing")
        for name in rules.keys() - set(self.used):
            self.result.lose(f"rule {name!r} is not used by its policy")
        self._settings([rules[name] for name in dict.fromkeys(self.used)])
        self._veto(self.value["policy"].get("disapproval"))
        return self.result

    def _demand(self, node: Value, names: Mapping[str, str], *, alternative: bool) -> dict[str, Value]:
        """A list must come true as a whole; `or` and `and` of one are that one."""
        if isinstance(node, str):
            self.used.append(node)
            self.alternatives |= {node} if alternative else set()
            return {"rule": names[node]}
        if isinstance(node, dict) and len(node) == 1 and (joint := next(iter(node))) in ("or", "and"):
            items, is_choice = _list(node[joint]), joint == "or"
        elif isinstance(node, list):
            items, is_choice = node, False
        else:
            raise ForeignError("its policy is no tree of `or`, `and` and names of rules")
        below = alternative or (is_choice and len(items) > 1)
        parts = [self._demand(item, names, alternative=below) for item in items]
        if not parts:
            raise ForeignError("its policy has an empty `or` or `and`")
        return parts[0] if len(parts) == 1 else {"any" if is_choice else "all": parts}

    def _rule(self, name: str, rule: Mapping[str, Value]) -> dict[str, Value]:
        when, doubts = condition_of(rule.get("if"))
        demands = list(self._required(name, rule.get("requires") or {}))
        if doubts and name in self.alternatives:
            self.result.lose(f"rule {name!r} never passes until its condition is written: {'; '.join(doubts)}")
            demands.insert(0, {"condition": NEVER})
        elif doubts:
            self.result.lose(f"rule {name!r} applies whether or not this holds: {'; '.join(doubts)}")
        if not demands:
            demands = [{"condition": when or ALWAYS}]
        because = {"because": str(rule["description"])[:500]} if rule.get("description") else {}
        require = demands[0] if len(demands) == 1 else {"all": demands}
        return {**because, **({"when": when} if when else {}), "require": require, "standalone": False}

    def _required(self, name: str, requires: Mapping[str, Value]) -> Iterator[dict[str, Value]]:
        condition, doubts = condition_of(requires.get("conditions"))
        if condition:
            yield {"condition": condition}
        if doubts:
            self.result.lose(f"rule {name!r} never passes until what it requires is written: {'; '.join(doubts)}")
            yield {"condition": NEVER}
        count = requires.get("count", 0)
        if isinstance(count, int) and count > 0:
            who = self._people(requires)
            yield {"condition": NEVER} if who is None else {"approvals": {"count": min(count, 10), **who}}

    def _people(self, requires: Mapping[str, Value]) -> dict[str, Value] | None:
        """None where it names people and none of them could be carried over."""
        who, lost = who_of(requires)
        for sentence in lost:
            self.result.lose(sentence)
        return None if not who and people_of(requires) else who

    def _veto(self, disapproval: Value) -> None:
        if not isinstance(disapproval, dict) or not people_of(disapproval.get("requires") or {}):
            return
        self.result.policy["veto"] = self._people(disapproval["requires"]) or {}
        self.result.lose("a disapproval ends when the same person approves, not when somebody else revokes it")
        if disapproval.get("if"):
            self.result.lose("the condition of the disapproval: the veto holds for every pull request")

    def _settings(self, rules: list[Mapping[str, Value]]) -> None:
        self._jobs(rules)
        defaults = (self.value.get("approval_defaults") or {}).get("options") or {}
        options = [{**defaults, **(rule.get("options") or {})} for rule in rules]
        for sentence in dict.fromkeys(sentence for one in options for sentence in _lost_options(one)):
            self.result.lose(sentence)
        strict = [one for one in options if one.get("invalidate_on_push")]
        if any(one.get("ignore_update_merges") for one in options):
            if all(one.get("ignore_update_merges") for one in strict):
                self.result.policy["review"] = {"keep_on_clean_merge": True}
            else:
                self.result.lose("`ignore_update_merges`, as some rules invalidate approvals on such merges too")

    def _jobs(self, rules: list[Mapping[str, Value]]) -> None:
        asked = [(rule.get("if"), (rule.get("requires") or {}).get("conditions")) for rule in rules]
        names = [name for both in asked for predicates in both for name in statuses_of(predicates)]
        if names:
            self.result.policy["ci"] = {"jobs": list(dict.fromkeys(names))}
            self.result.lose(
                "statuses are demanded as jobs of workflows, of every change that is not a person's own: write the "
                "jobs' names where they differ; what needs them does not pass by itself for a person's"
            )


def _lost_options(options: Mapping[str, Value]) -> Iterator[str]:
    if any(options.get(f"allow_{who}") for who in ("author", "contributor", "non_author_contributor")):
        yield "approvals by the author or by somebody who wrote a part never count"
    if not options.get("invalidate_on_push"):
        yield "an approval counts for the head that it was given on only, as if `invalidate_on_push` were true"
    if options.get("ignore_commits_by"):
        yield "`ignore_commits_by`: whoever wrote a commit may not approve"
    methods = options.get("methods") or {}
    if any(methods.get(way) for way in ("comments", "comment_patterns", "body_patterns")):
        yield "approval by the words of comments; a review or `/approve CODE` counts"
    if isinstance(options.get("request_review"), dict) and options["request_review"].get("enabled"):
        yield "`request_review`: the gate asks reviewers in its own way"


def _named(node: Value) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    for item in node.values() if isinstance(node, dict) else _list(node):
        yield from _named(item)


def _list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _dicts(value: Value) -> list[dict[str, Value]]:
    return [each for each in _list(value) if isinstance(each, dict)]
