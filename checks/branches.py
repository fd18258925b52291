"""How git names branches in full: `refs/heads/main`."""

from __future__ import annotations

BRANCHES = "refs/heads/"
