"""What belongs to a risky area by what it says: money, guards, tokens, infrastructure, words to other agents.

Paths name most of an area; these are calls and words that nothing else uses, so that code does not leave its area by
moving to a file of another name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import re2

from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change
from checks.tampering.occurrences import Mark, added_marks, only_with
from checks.tampering.places import is_document, is_test_path


@dataclass(frozen=True, slots=True)
class _Words:
    """`gone`: it counts where such words are taken away, not where they come."""

    kind: str
    area: str
    says: str
    pattern: Any
    gone: bool = False


_GUARDS = re2.compile(
    # Django, Flask, FastAPI; Spring; ASP.NET; NestJS; Express and Passport; Rails, Devise, Pundit, CanCanCan; Laravel.
    rb"@(?:login_required|permission_required|user_passes_test|staff_member_required|jwt_required|auth\.login_required"
    rb"|fresh_jwt_required|requires_auth|PreAuthorize|Secured|RolesAllowed|UseGuards|Roles)\b"
    rb"|\bpermission_classes\s*=|\bDepends\(\s*(?:get_current_(?:active_)?user|require_\w+)|\[Authorize\b"
    rb"|\b(?:requireAuth|ensureAuthenticated|ensureLoggedIn|isAuthenticated|requireRole|checkPermission)\b"
    rb"|\bpassport\.authenticate\(|\bbefore_action\s+:(?:authenticate|authorize|require)\w*|\bload_and_authorize_resource\b"
    rb"|\bauthorize!?[ (]|\bverify_authorized\b|\bprotect_from_forgery\b|\bCsrfViewMiddleware\b|\bcsrf_protect\b"
    rb"|->middleware\(\s*['\"]auth|\b(?:LoginRequired|PermissionRequired|UserPassesTest)Mixin\b"
)
_TABLE = (
    _Words("guard-removed", "permissions", "It takes a check of rights away", _GUARDS, gone=True),
    _Words(
        "credentials-handled",
        "authentication",
        "It handles passwords or tokens of people",
        re2.compile(
            rb"\bjwt\.(?:sign|decode|encode|verify)\(|\bbcrypt\.\w+\(|\bargon2\.\w+\(|\bPasswordHasher\(|\bpasslib\b"
            rb"|\bpbkdf2_hmac\(|\bpbkdf2(?:Sync)?\(|\bscrypt(?:Sync)?\(|\bset_password\(|\bcheck_password\(|\bset_unusable_password\("
            rb"|\bpassword_(?:hash|verify)\(|\bhas_secure_password\b|\bBCryptPasswordEncoder\b|\bsetAuthCookie\w*\("
        ),
    ),
    _Words(
        "money-moved",
        "payment",
        "It moves money",
        re2.compile(
            rb"(?i:\bstripe)(?:\.|::)(?:\w+\.)?(?:Charge|PaymentIntent|Refund|Payout|Transfer|Subscription|Invoice|Checkout|charges|"
            rb"paymentIntents|refunds|payouts|transfers|subscriptions|invoices|checkout)\b"
            rb"|\bbraintree\.(?:\w+\.)?(?:Transaction|transaction)\b|\bgateway\.transaction\.(?:sale|refund)\("
            rb"|\bpaypalrestsdk\b|\bpaypal\.(?:Payment|Sale|Order)\b|/v[12]/(?:payments|checkout/orders|payouts)\b"
        ),
    ),
    _Words(
        "everything-deleted",
        "data-deletion",
        "It deletes whole sets of data",
        re2.compile(
            rb"\b(?:objects|query)\.all\(\)\.delete\(|\.(?:delete_all|destroy_all)\b|\bdeleteMany\(\s*(?:\{\s*\}\s*)?\)"
            rb"|\bdrop_all\(|\bdropDatabase\(|\bdrop_database\(|\b(?i:flushall|flushdb)\b|\bdelete_bucket\(|\bdeleteBucket\("
            rb"|\bTRUNCATE TABLE\b|\brm +-(?:rf|fr) +[\"']?(?:/|~|\$\{?HOME)"
        ),
    ),
    _Words(
        "infrastructure-changed",
        "infrastructure",
        "It changes what runs elsewhere",
        re2.compile(
            rb"\bterraform +(?:apply|destroy|import|state)\b|\bkubectl +(?:apply|delete|scale|patch|edit|exec|drain)\b"
            rb"|\bhelm +(?:install|upgrade|uninstall|rollback)\b"
            rb"|\baws +[a-z0-9-]+ +(?:delete|create|put|update|terminate)-"
            rb"|\bgcloud +[a-z -]+ +(?:delete|create|deploy|update)\b|\baz +[a-z -]+ +(?:delete|create|update)\b"
            rb"|\bpulumi +(?:up|destroy)\b|\bansible-playbook\b|\bcdk +(?:deploy|destroy)\b|\bfly(?:ctl)? +deploy\b"
        ),
    ),
    _Words(
        "dependency-installed",
        "dependencies",
        "It installs packages that no manifest names",
        re2.compile(
            rb"\b(?:pip3?|uv pip) +install +(?:-[^r\s]\S* +)*[A-Za-z][\w.\[\]=<>~!-]*"
            rb"|\bnpm +(?:install|i|add) +(?:-\S+ +)*[@a-z]\S*|\b(?:yarn|pnpm|bun) +(?:global +)?add +\S+"
            rb"|\bnpx +(?:-y|--yes)\b|\bgo +install +\S+@|\bcargo +install +\S+"
            rb"|\bgem +install +\S+|\bcomposer +(?:global +)?require +\S+"
        ),
    ),
    _Words(
        "gate-addressed",
        "gate",
        "It speaks of the gate's own checks or of the rules that protect branches",
        re2.compile(
            rb"\bmergegate/(?:evidence|review|queue|observe)\b|/rulesets(?:/|\b)[^\n]{0,40}|/branches/[^/\s]+/protection\b"
            rb"|\bbypass_(?:rules|actors)\b|\b(?:create|update|delete)BranchProtectionRule\b"
        ),
    ),
    _Words(
        "agents-addressed",
        "agent-instructions",
        "It tells an agent what to do",
        re2.compile(
            rb"(?i)\b(?:ignore|disregard|forget) +(?:all +|any +)?(?:of +)?(?:the +|your +)?"
            rb"(?:previous|prior|above|earlier|system) +(?:instructions|prompts?|rules)"
            rb"|\b(?:attention|note to|instructions? for|message (?:to|for)) +(?:all +)?"
            rb"(?:ai|llm|coding) +(?:agents?|assistants?|models?)\b"
        ),
    ),
    _Words(
        "runner-steered",
        "ci",
        "It writes to what steers the runner's later steps",
        re2.compile(rb"\$\{?(?:env:)?GITHUB_(?:ENV|PATH)\b|\b(?:environ|env|ENV)[\[.(]+['\"]?GITHUB_(?:ENV|PATH)\b"),
    ),
)
KINDS = frozenset(words.kind for words in _TABLE)
_ANY = re2.compile(b"|".join(b"(?:%b)" % words.pattern.pattern for words in _TABLE))


def area_words(changes: Sequence[Change]) -> Iterator[Alteration]:
    """One alteration of weight RISK for every file and kind."""
    concerned = only_with(changes, lambda data: _ANY.search(data) is not None)
    for words in _TABLE if concerned else ():
        by_path: dict[str, list[Mark]] = defaultdict(list)
        for mark in added_marks(_turned(concerned) if words.gone else concerned, words.pattern, _where(words)):
            by_path[mark.path].append(mark)
        yield from (_alteration(words, path, marks) for path, marks in by_path.items())


def _turned(changes: Sequence[Change]) -> list[Change]:
    """With both sides exchanged, so that what is gone comes."""
    return [replace(change, before=change.after, after=change.before) for change in changes]


def _where(words: _Words) -> Any:
    """Tests may speak of anything, and prose may too, except to agents."""
    if words.area == "agent-instructions":
        return lambda path: not is_test_path(path)
    return lambda path: not is_document(path) and not is_test_path(path)


def _alteration(words: _Words, path: str, marks: Sequence[Mark]) -> Alteration:
    first, more = marks[0], f" and {len(marks) - 1} more" if len(marks) > 1 else ""
    reason = f"{words.says}: `{first.text.strip()[:80]}`{more}."
    before, after = (first.source, "") if words.gone else ("", first.source)
    return Alteration(words.kind, path, first.line, before, after, reason, Weight.RISK, path, words.area)
