"""What a command says when GitHub does not answer a person's own token as it should."""

from __future__ import annotations

from app.github.errors import BadCredentials, GitHubDown, GitHubError, RateLimited
from app.local.clone import CannotLook
from policies.escape import clean

_LONGEST = 600


def cannot_ask(wrong: GitHubError, api_url: str) -> CannotLook:
    """What happened and what to do, for an error that is not about the one thing that was asked for."""
    because = clean(wrong.because, _LONGEST)
    if isinstance(wrong, BadCredentials):
        return CannotLook("GitHub does not know this token, or it has expired. Make a new one.")
    if isinstance(wrong, RateLimited):
        return CannotLook(f"GitHub cannot be asked now: {because}. Run the same command again then.")
    if isinstance(wrong, GitHubDown):
        what = because.partition(";")[0]  # what follows is of a service, which tries again by itself
        return CannotLook(
            f"GitHub cannot be asked at {clean(api_url, 200)}: {what}. Run the same command again; if that does not "
            "help, look at the network and at MERGEGATE_GITHUB_API_URL."
        )
    return CannotLook(f"GitHub cannot be asked: {clean(str(wrong), _LONGEST)}. Run the same command again.")
