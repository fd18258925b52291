"""A ticket written as a file, for a judgement without GitHub."""

from __future__ import annotations

from checks.document import Fault
from checks.snapshot import Ticket


def parse_ticket(text: str) -> Ticket | tuple[Fault, ...]:
    """A ticket in YAML or JSON: id, allowed_paths, forbidden_paths, risk, verification_commands, agent, operator."""
    raise NotImplementedError
