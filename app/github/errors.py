"""What can go wrong when GitHub is asked, sorted by who must act.

    GitHubError
      RateLimited        nobody: look again at `until`; waiting is no failure
      GitHubDown         nobody: GitHub or the network failed; try again later
        LeftAlone        nobody: it failed again and again, so it was not asked; try again at `until`
      NotFound           the caller: the object is gone, or this App may not see it
      Conflict           the caller: the object moved (409); read it again
      NotMergeable       the caller: GitHub's rules refuse this merge (405)
      Refused            a person: a permission is missing (403) or the request breaks a rule of GitHub's (422)
      BadCredentials     the operator: the App's key or the clock is wrong (401)
      InstallationGone   the operator of that account: removed or suspended; park this installation only
      TooLarge           the caller: an answer over the size limit, treated as not readable
      UnexpectedAnswer   us: GitHub answered in a shape that this version does not know

Messages never hold a credential: they are built from the method, the path and GitHub's own short message, redacted.
"""

from __future__ import annotations

from datetime import datetime

from app.redaction import without_credentials

_LONGEST = 500
GRANT_APP = "grant it to the App and accept it in the installation"
GRANT_OWN = "use a token that has it, and that its owner's organisation allows"


def redacted(text: str) -> str:
    """`text` on one line of at most 500 characters, without anything that looks like a GitHub credential."""
    line = " ".join(text[: 4 * _LONGEST].split())
    return without_credentials(line)[:_LONGEST]


class GitHubError(Exception):
    """Base of everything that app.github raises.

    `request` is the method and path without query, `because` a sentence that a stranger can act on.
    """

    def __init__(self, request: str, because: str) -> None:
        self.request = redacted(request)
        self.because = redacted(because)
        super().__init__(f"{self.request}: {self.because}")


class RateLimited(GitHubError):
    """A budget is used up; nothing was sent, or GitHub refused it. Look again at `until` (aware, UTC)."""

    def __init__(self, request: str, because: str, until: datetime) -> None:
        super().__init__(request, f"{because}; next try at {until.isoformat(timespec='seconds')}")
        self.until = until


class GitHubDown(GitHubError):
    """5xx, time-out or a broken connection.

    `may_have_happened` is true for a write that was sent: read the state first, never send it again blindly.
    """

    def __init__(self, request: str, because: str, *, may_have_happened: bool = False) -> None:
        super().__init__(request, because)
        self.may_have_happened = may_have_happened


class LeftAlone(GitHubDown):
    """GitHub failed many times in a row; nothing was sent. Look again at `until` (aware, UTC)."""

    def __init__(self, request: str, because: str, until: datetime) -> None:
        super().__init__(request, because)
        self.until = until


class NotFound(GitHubError):
    """404 or 410, or GraphQL's null for the object asked for."""


class Conflict(GitHubError):
    """409: the head moved, or another request is in the way."""


class NotMergeable(GitHubError):
    """405 of the merge endpoint; `because` has one line for each rule that is violated."""


class Refused(GitHubError):
    """403 or 422. `wanted` is GitHub's list of permissions that would have sufficed, empty when it did not say.

    `grant` says how the credential that was used is given them.
    """

    def __init__(self, request: str, because: str, *, status: int, wanted: str = "", grant: str = GRANT_APP) -> None:
        asks = f" (GitHub accepts: {wanted}; {grant})" if wanted else ""
        super().__init__(request, because + asks)
        self.status = status
        self.wanted = wanted


class BadCredentials(GitHubError):
    """401 with a fresh credential: wrong App id, wrong or revoked private key, or a clock that is wrong."""


class InstallationGone(GitHubError):
    """The installation was removed or suspended, or is of an account that is not served."""

    def __init__(self, request: str, because: str, installation_id: int) -> None:
        super().__init__(request, because)
        self.installation_id = installation_id


class TooLarge(GitHubError):
    """The answer is longer than `limit` bytes; nothing of it is used."""

    def __init__(self, request: str, limit: int) -> None:
        super().__init__(request, f"the answer is longer than {limit} bytes and was not read")
        self.limit = limit


class UnexpectedAnswer(GitHubError):
    """An answer that fits no model or a status that this call does not know."""
