"""Tokens of well-known services by the prefixes that their makers document, and private keys.

Nothing that this finds is ever quoted beyond its prefix: what is written here stands in a public place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

from checks.tampering.alteration import Alteration, Weight
from checks.tampering.change import Change
from checks.tampering.occurrences import added_marks

_SHOWN = 8  # characters

# The service and how its tokens begin; the length keeps words apart that only begin alike.
_TOKENS = (
    ("Amazon Web Services", rb"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b"),
    ("GitHub", rb"\bgh[pousr]_[A-Za-z0-9]{36,}|\bghs_[0-9]+_[\w.\-]{40,}|\bgithub_pat_[A-Za-z0-9_]{40,}"),
    ("GitLab", rb"\bglpat-[\w\-]{20,}"),
    ("Slack", rb"\bxox[abposr]-[0-9A-Za-z\-]{20,}|hooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/\w{20,}"),
    ("Stripe", rb"\b[rs]k_live_[0-9A-Za-z]{20,}"),
    ("Google", rb"\bAIza[\w\-]{35}"),
    ("Anthropic", rb"\bsk-ant-[\w\-]{30,}"),
    ("OpenAI", rb"\bsk-(?:proj|svcacct|admin)-[\w\-]{40,}|\bsk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
    ("npm", rb"\bnpm_[A-Za-z0-9]{36}\b"),
    ("PyPI", rb"\bpypi-AgEIcHlwaS5vcmc[\w\-]{50,}"),
    ("SendGrid", rb"\bSG\.[\w\-]{22}\.[\w\-]{43}"),
    ("Hugging Face", rb"\bhf_[A-Za-z]{34}\b"),
    ("DigitalOcean", rb"\bdop_v1_[a-f0-9]{64}\b"),
    ("Docker", rb"\bdckr_pat_[\w\-]{27,}"),
    ("Azure", rb"\bAccountKey=[A-Za-z0-9+/]{86}=="),
)
_TOKEN = re2.compile(b"|".join(pattern for _, pattern in _TOKENS))
_KEY = re2.compile(rb"-----BEGIN (?:[A-Z]+ ){0,2}PRIVATE KEY(?: BLOCK)?-----")
_EXAMPLE = re2.compile(r"(?i)example|xxxx|0000000|1234567")


def secret_tokens(changes: Sequence[Change]) -> Iterator[Alteration]:
    """Alterations of kind `secret-added`, in files of every kind."""
    for mark in added_marks(changes, _TOKEN, _everywhere):
        if _EXAMPLE.search(mark.text) is None:
            yield _found(mark.path, mark.line, f"{mark.text[:_SHOWN]}…", f"a token of {_service(mark.text)}")
    for mark in added_marks(changes, _KEY, _everywhere):
        yield _found(mark.path, mark.line, mark.text, "a private key")


def _everywhere(_: str) -> bool:
    return True


def _service(token: str) -> str:
    return next(name for name, pattern in _TOKENS if re2.search(pattern, token.encode()))


def _found(path: str, line: int, quote: str, what: str) -> Alteration:
    reason = f"This looks like {what}; whoever can read the repository has it now."
    return Alteration("secret-added", path, line, "", quote, reason, Weight.RISK, path, "secrets")
