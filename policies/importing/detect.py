"""Which tool a configuration is of, told by what it holds."""

from __future__ import annotations

from policies.importing.github_rules import import_branch_rules, import_codeowners, is_branch_rules
from policies.importing.imported import ForeignError, Imported, read_foreign
from policies.importing.mergify import import_mergify
from policies.importing.policy_bot import import_policy_bot

_POLICY_BOT = ("policy", "approval_rules", "remote")
_MERGIFY = ("queue_rules", "pull_request_rules", "merge_protections")


def import_policy(name: str, text: str) -> Imported:
    """The policy for the file `name` with this text. Raises ForeignError."""
    if name.rpartition("/")[2] == "CODEOWNERS":
        return import_codeowners(text)
    value = read_foreign(text)
    if is_branch_rules(value):
        return import_branch_rules(value)
    if isinstance(value, dict) and any(word in value for word in _POLICY_BOT):
        return import_policy_bot(value)
    if isinstance(value, dict) and any(word in value for word in _MERGIFY):
        return import_mergify(value)
    raise ForeignError(
        "it is no configuration of policy-bot or Mergify, no CODEOWNERS (by its name), and no list of a branch's rules"
    )
