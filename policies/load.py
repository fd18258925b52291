"""A policy file's text becomes a `Policy`, or errors that say where, what was expected and what to write."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import re2
from pydantic import ValidationError

from checks.document import Document, DocumentError, Value, read_document
from checks.unread import Unread
from policies.errors import InvalidPolicyError, PolicyError, did_you_mean, error_at, explain_errors, unreadable
from policies.fields import REUSE
from policies.patterns import pattern_errors
from policies.rule_names import name_errors
from policies.rule_parts import title_errors, word_errors
from policies.schema import Policy

MAX_BYTES = 64 * 1024
MAX_DEPTH = 20  # rules in rules take two levels each
DEFAULT = "default"
_DEFAULT_TEXT = "version: 1"  # of a file that leaves everything to the preset
# Merged field by field, `approvers: {teams: [core]}` would let in whomever the preset names besides.
_REPLACED = frozenset({"people", "approvers", "veto", "override", "jump", "exceptions"})


@dataclass(frozen=True, slots=True)
class PolicySource:
    """The policy file as it stands at the target branch's tip. `text` is None when there is no such file.

    `given` names a file that was handed over instead, for a local judgement, or that of the organisation. `reused` is
    the text of the policy that the file's `reuse` points at, None where it was not asked for.
    """

    text: str | Unread | None
    ref: str  # full ref of the target branch
    sha: str  # commit it was read at
    given: str | None = None
    reused: str | Unread | None = None


Origin = Literal["file", "default", "broken", "unread"]


@dataclass(frozen=True, slots=True)
class PolicyState:
    """The policy that is in force, and why.

    Where the file is broken or could not be read this is the `default` preset, under which people are recognised by
    write permission and can repair it; nothing that is judged with it passes as an agent's.
    """

    policy: Policy
    digest: str  # `sha256:…` over what decides
    origin: Origin
    source: PolicySource
    errors: tuple[PolicyError, ...] = ()
    because: str = ""  # for unread
    floor: Policy | None = None  # the server's baseline, which must be met as well

    @property
    def policies(self) -> tuple[Policy, ...]:
        """All that judge: what none of them asks about need not be known."""
        return (self.policy,) if self.floor is None else (self.policy, self.floor)


def read_policy(source: PolicySource, presets: Mapping[str, str]) -> PolicyState:
    """The state that `source` leads to. Never raises for what a repository wrote; `presets` are the shipped texts."""
    unread = next((text for text in (source.text, source.reused) if isinstance(text, Unread)), None)
    if unread is not None:
        default = load(_DEFAULT_TEXT, presets)
        return PolicyState(default, _digest("unread", default), "unread", source, because=unread.because)
    if not isinstance(source.text, str):
        default = load(_DEFAULT_TEXT, presets)
        return PolicyState(default, _digest("file", default), "default", source)
    try:
        policy = load(source.text, presets, source.reused if isinstance(source.reused, str) else None)
    except InvalidPolicyError as invalid:
        default = load(_DEFAULT_TEXT, presets)
        return PolicyState(default, _digest(f"broken\0{source.text}", default), "broken", source, invalid.errors)
    return PolicyState(policy, _digest("file", policy), "file", source)


def _digest(kind: str, policy: Policy) -> str:
    text = f"{kind}\0{policy.model_dump_json()}"
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def load(text: str, presets: Mapping[str, str], reused: str | None = None) -> Policy:
    """Read a policy file over what it reuses, over a preset. Raises InvalidPolicyError with every error found.

    `reused` is the text that the file's `reuse` points at.
    """
    document = _document(text)
    fields = _fields(document)
    below = _base(document, fields, presets) if "reuse" not in fields else _reused(document, fields, presets, reused)
    complete = merged(below, fields)
    try:
        policy = _validated(json.dumps(complete))
    except ValidationError as invalid:
        raise InvalidPolicyError(*explain_errors(document, invalid.errors(include_url=False))) from invalid
    errors = [*pattern_errors(document, policy), *title_errors(document, policy), *word_errors(document, policy)]
    errors += name_errors(document, policy)
    if errors:
        raise InvalidPolicyError(*errors)
    return policy


def _fields(document: Document) -> dict[str, Value]:
    if not isinstance(document.value, dict):
        raise InvalidPolicyError(error_at(document, (), "a policy is a list of fields", "Begin with `version: 1`"))
    _require_version(document, document.value)
    return document.value


def _reused(document: Document, fields: Mapping[str, Value], presets: Mapping[str, str], reused: str | None) -> Value:
    """The complete policy that a file stands on instead of a preset; one step, which makes circles impossible."""
    if "extends" in fields:
        message = "`extends` and `reuse` are both given; what is reused says what it extends"
        raise InvalidPolicyError(error_at(document, ("reuse",), message, "Leave one of them out"))
    if _reference(fields) is None:
        return _base(document, {}, presets)  # so that the wrong field is told like any other
    if reused is None:
        hint = "Give it with `--reused FILE`; on GitHub the gate reads it by itself"
        raise InvalidPolicyError(error_at(document, ("reuse",), "what it reuses was not read here", hint))
    try:
        below = _document(reused)
        fields_below = _fields(below)
        if "reuse" in fields_below:
            raise InvalidPolicyError(error_at(below, ("reuse",), "it reuses another one itself", "Write it out there"))
        load(reused, presets)  # faults of its own are told with its own lines
        return merged(_base(below, fields_below, presets), fields_below)
    except InvalidPolicyError as invalid:
        first = invalid.errors[0]
        message = f"what it reuses is broken: line {first.line}, column {first.column}: {first.message}"
        raise InvalidPolicyError(error_at(document, ("reuse",), message, "Point at a commit where it is not")) from None


@dataclass(frozen=True, slots=True)
class Reference:
    """A policy file of another repository at one commit."""

    owner: str
    name: str
    path: str
    commit: str


def reference_of(text: str) -> Reference | None:
    """What a policy's text reuses; None where it reuses nothing, or where reading it will say what is wrong."""
    try:
        fields = _fields(_document(text))
    except InvalidPolicyError:
        return None
    return _reference(fields)


def _reference(fields: Mapping[str, Value]) -> Reference | None:
    value = fields.get("reuse")
    found = re2.fullmatch(REUSE, value) if isinstance(value, str) else None
    return Reference(*found.groups()) if found else None


@lru_cache(maxsize=64)
def _validated(text: str) -> Policy:
    """The policy in a complete JSON text. A policy is read for every judgement and seldom changes."""
    return Policy.model_validate_json(text)


@lru_cache(maxsize=64)
def _document(text: str) -> Document:
    try:
        return read_document(text, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH)
    except DocumentError as refused:
        raise InvalidPolicyError(unreadable(refused.fault)) from refused


def _require_version(document: Document, fields: Mapping[str, Value]) -> None:
    """Checked by itself: what another version's fields mean is unknown, so nothing else is said about them."""
    if "version" not in fields:
        raise InvalidPolicyError(error_at(document, (), "`version` is missing", "Begin with `version: 1`"))
    version = fields["version"]
    if version is True or version != 1:
        raise InvalidPolicyError(error_at(document, ("version",), "only version 1 is known", "Write `version: 1`"))


def _base(document: Document, fields: Mapping[str, Value], presets: Mapping[str, str]) -> Value:
    """The complete preset below a file; a preset that extends another stands on that one."""
    name = fields.get("extends", DEFAULT)
    if not isinstance(name, str) or name not in presets:
        hint = did_you_mean(str(name), presets) or f"Write one of: {', '.join(sorted(presets))}"
        raise InvalidPolicyError(error_at(document, ("extends",), "there is no preset of that name", hint))
    preset = _document(presets[name])
    if not isinstance(preset.value, dict) or "extends" not in preset.value:
        return preset.value
    return merged(_base(preset, preset.value, presets), preset.value)


def merged(below: Value, above: Value) -> Value:
    """Fields of `above` over those of `below`, at every depth; lists and plain values replace."""
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    changed = {key: _changed(key, below.get(key), value) for key, value in above.items()}
    return {**below, **changed}


def _changed(key: str, below: Value, above: Value) -> Value:
    if key in _REPLACED:
        return above
    if key == "rules" and isinstance(below, dict) and isinstance(above, dict):
        return {**below, **above}  # half of one rule and half of another would be a rule that nobody wrote
    return merged(below, above)
