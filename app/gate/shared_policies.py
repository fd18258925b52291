"""Texts of policies that lie in other repositories, kept between judgements."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from checks.unread import Unread
from policies.load import Reference

Text = str | Unread | None


@dataclass
class SharedPolicies:
    """By installation: what was read of an organisation and until when that stands, and files at one commit."""

    organizations: dict[tuple[int, str], tuple[datetime, Text]] = field(default_factory=dict)
    reused: dict[tuple[int, Reference], str] = field(default_factory=dict)
