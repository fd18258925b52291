"""A no of the proxy, in words that its reader can act on."""

from __future__ import annotations

from dataclasses import dataclass

LATER = "Trying again in a moment can help."
NEVER = "Trying the same again will not help."


@dataclass(frozen=True, slots=True)
class Refusal:
    """`because` and `fix` are sentences without their full stops; `retry` says whether the same can work later."""

    because: str
    fix: str
    retry: bool = False

    @property
    def sentence(self) -> str:
        """One line for git's side band, a plain body or the `message` of JSON."""
        return f"{self.because}. {self.fix}. {LATER if self.retry else NEVER}"
