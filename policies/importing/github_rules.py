"""What GitHub itself demands, as a policy of ours: CODEOWNERS, and the rules of a branch.

The rules are those that `gh api repos/OWNER/REPO/rules/branches/main` prints:
https://docs.github.com/rest/repos/rules#get-rules-for-a-branch
"""

from __future__ import annotations

from typing import Any

from checks.codeowners import MAX_BYTES, parse
from policies.importing.imported import ForeignError, Imported, rule_names

Value = Any

_MOST_LOST = 100  # lines that are told one by one
_OWNERS: dict[str, Value] = {"code-owners": {"require": {"code_owners": {}}}}


def import_codeowners(text: str) -> Imported:
    """The file stays where it is: the rule reads it from the target branch. Raises ForeignError."""
    try:
        parsed = parse("CODEOWNERS", text.encode())
    except ValueError as wrong:
        raise ForeignError(f"it is too large ({wrong}); at most {MAX_BYTES} bytes are used") from None
    if not parsed.rules and not parsed.faults:
        raise ForeignError("it names no owner of anything, so there is nothing to demand")
    result = Imported()
    result.policy["rules"] = dict(_OWNERS)
    for fault in parsed.faults[:_MOST_LOST]:
        result.lose(f"line {fault.line} of it is skipped: {fault.because}")
    return result


def is_branch_rules(value: Value) -> bool:
    return isinstance(value, list) and any(isinstance(rule, dict) and "type" in rule for rule in value)


def import_branch_rules(value: Value) -> Imported:
    """Required approvals, code owners and required reviewers. Raises ForeignError where no rule asks for reviews."""
    asked = [rule for rule in value if isinstance(rule, dict) and rule.get("type") == "pull_request"]
    if not asked:
        raise ForeignError("none of the rules asks for a pull request, so there is nothing to demand of one")
    result, rules = Imported(), dict[str, Value]()
    parameters = [rule.get("parameters") or {} for rule in asked]
    count = max(int(one.get("required_approving_review_count") or 0) for one in parameters)
    if count:
        rules["approvals"] = {"require": {"approvals": {"count": min(count, 10)}}}
    if any(one.get("require_code_owner_review") for one in parameters):
        rules |= _OWNERS
    for one in parameters:
        rules |= _reviewers(one.get("required_reviewers") or [], result)
        if one.get("required_review_thread_resolution"):
            result.lose("the resolution of review threads, which GitHub goes on to demand")
    result.policy["rules"] = rules
    for rule in value:
        if isinstance(rule, dict) and rule.get("type") != "pull_request":
            result.lose(f"the rule `{rule.get('type')}`, which GitHub goes on to enforce")
    return result


def _reviewers(required: list[Value], result: Imported) -> dict[str, Value]:
    """GitHub names a team by its number alone, and the policy by its slug."""
    rules: dict[str, Value] = {}
    numbers = [str((one.get("reviewer") or {}).get("id")) for one in required]
    names = rule_names([f"reviewers-{number}-{at}" for at, number in enumerate(numbers)])
    for (name, one), number in zip(zip(names.values(), required, strict=True), numbers, strict=True):
        demand = {"approvals": {"count": min(max(int(one.get("minimum_approvals") or 1), 1), 10), "teams": [number]}}
        patterns = [str(pattern) for pattern in one.get("file_patterns") or ()]
        rules[name] = {**({"when": {"paths": patterns}} if patterns else {}), "require": demand}
        result.lose(f"the slug of team {number}: write it instead of the number, which nobody is a member of")
    return rules
