"""Titles, labels and logins as they are written and as they are seen; where these differ nothing is known."""

from __future__ import annotations

import unicodedata
from typing import Any

from checks import agents
from checks.accounts import Account
from checks.lookalikes import as_latin, visible
from checks.unread import Unread
from policies.unknown import NeverKnown

BOT = "[bot]"
_PLAIN_LETTERS = NeverKnown(
    "the title holds characters that nobody sees, or that look like others; write it in plain letters"
)


def has_title(pattern: Any, title: str) -> bool | Unread:
    """Whether the compiled pattern matches the title; Unread where it matches otherwise what people see of it."""
    written = pattern.search(unicodedata.normalize("NFC", title)) is not None
    seen = pattern.search(visible(title)) is not None
    if written is seen and (written or pattern.search(as_latin(title)) is None):
        return written
    return _PLAIN_LETTERS


def has_label(wanted: tuple[str, ...], labels: tuple[str, ...]) -> bool | Unread:
    """Whether one of the labels is one that is wanted, without difference of case; Unread where it only looks so."""
    there = {label.casefold() for label in labels}
    if any(label.casefold() in there for label in wanted):
        return True
    looks = {as_latin(label).casefold() for label in wanted}
    alike = next((label for label in labels if as_latin(label).casefold() in looks), None)
    return False if alike is None else NeverKnown(f"the label {alike!a} only looks like one that is meant")


def names_bot(users: tuple[str, ...], bot: Account) -> bool | Unread:
    """Whether the logins name this bot. One without `[bot]` is a person's, who may be somebody else than the App of
    that name: then it is not known whom the policy means."""
    login = agents.fold_login(bot.login)
    named = [user.casefold() for user in users if agents.fold_login(user) == login]
    if any(user.endswith(BOT) for user in named):
        return True
    doubt = f"the policy names the person `{login}`; if the App is meant, it must say `{login}{BOT}`"
    return NeverKnown(doubt) if named else False
