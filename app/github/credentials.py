"""Where the Authorization header of a request comes from: the App's keys, or the installation's tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.github.answers import failure, parsed
from app.github.budgets import Budget, other_clock
from app.github.counts import MINT
from app.github.errors import GRANT_APP, BadCredentials, InstallationGone, NotFound, Refused
from app.github.identity import AppIdentity
from app.github.installation_models import Installation
from app.github.tokens import Grant, Token, Tokens
from app.github.wire import Answer, Authorizer, Call, Wire
from app.secret import SecretStr


class AppKeys:
    """The App's own credential. While keys are rotated, the one that GitHub took last is tried first.

    What it signs bears GitHub's time: once a refusal has shown that our clock is wrong, `ahead` seconds are taken off.
    """

    def __init__(self, identity: AppIdentity, now: Callable[[], float]) -> None:
        self.identity = identity
        self._now = now
        self.current = 0
        self.ahead = 0.0

    def authorizer(self) -> Authorizer:
        return _AppAuthorizer(self)

    def now(self) -> float:
        return self._now()

    def github_time(self) -> float:
        """By which GitHub's tokens end."""
        return self._now() - self.ahead


class _AppAuthorizer:
    grant = GRANT_APP
    lacks = ""

    def __init__(self, keys: AppKeys) -> None:
        self._keys = keys
        self._key = keys.current
        self._untried = len(keys.identity.private_keys) - 1
        self._ahead = keys.ahead  # by which all keys are tried, although others may learn better meanwhile
        self._reset_clock = False

    async def header(self) -> str:
        return f"Bearer {self._signed()}"

    def _signed(self) -> str:
        """With the first key that can be read. Raises BadCredentials where none can."""
        while True:
            try:
                return self._keys.identity.jwt(self._keys.now() - self._ahead, self._key)
            except BadCredentials:
                if not self._take_next_key():
                    raise

    def refused(self, header: str, date: str | None) -> bool:  # noqa: ARG002 - the key is known without it
        try:
            return (self._take_next_key() and bool(self._signed())) or self._take_other_clock(date)
        except BadCredentials:  # what GitHub said of a key that can be read tells more
            return self._take_other_clock(date)

    def _take_other_clock(self, date: str | None) -> bool:
        """Once, with all keys from the first on."""
        ahead = other_clock(date, self._keys.now(), self._ahead)
        if self._reset_clock or ahead is None:
            self._keys.ahead = 0.0  # it is not for the clock, or the date was not GitHub's
            return False
        self._keys.ahead = self._ahead = ahead
        self._reset_clock = True
        self._untried = len(self._keys.identity.private_keys)
        return self._take_next_key()

    def _take_next_key(self) -> bool:
        if self._untried <= 0:
            return False
        self._untried -= 1
        self._key = self._keys.current = (self._key + 1) % len(self._keys.identity.private_keys)
        return True


class InstallationTokens:
    """Mints and keeps the tokens of one installation, narrowed to a purpose and a repository."""

    def __init__(self, keys: AppKeys, installation_id: int | None, wire: Wire, budget: Budget) -> None:
        self._keys = keys
        self._installation_id = installation_id
        self._wire = wire
        self._budget = budget
        self._tokens = Tokens(self._mint, keys.github_time)
        self._served: bool | None = None if keys.identity.accounts else True
        self._lacking: dict[Grant, str] = {}

    def authorizer(self, purpose: str, repository: str | None) -> Authorizer:
        grant = self._grant(purpose, repository)
        return _TokenAuthorizer(self._tokens, grant, self._lacking)

    async def get(self, purpose: str, repository: str) -> Token:
        return await self._tokens.get(self._grant(purpose, repository))

    def forget(self, purpose: str, repository: str, token: SecretStr) -> None:
        self._tokens.evict(self._grant(purpose, repository), token)

    def forget_all(self) -> None:
        self._tokens.evict_all()

    def _grant(self, purpose: str, repository: str | None) -> Grant:
        return Grant(tuple(sorted(self._keys.identity.permissions(purpose).items())), repository)

    async def _mint(self, grant: Grant) -> Token:
        """A token of that grant, or of the part of it that the installation's owner has accepted."""
        await self._refuse_foreign()
        self._lacking.pop(grant, None)
        answer, call = await self._ask(grant)
        if answer.status == 422 and b"permission" in answer.body:
            part = await self._accepted(grant, call)
            lacking = sorted(set(grant.permissions) - set(part.permissions))
            self._lacking[grant] = ", ".join(f"{name}={level}" for name, level in lacking)
            answer, call = await self._ask(part)
        if answer.status == 201:
            return parsed(call, answer.body, Token)
        raise self._refusal(call, answer)

    async def _refuse_foreign(self) -> None:
        """Raises InstallationGone where the account is not among those that are served. Asked for once."""
        call = self._call("GET", f"/app/installations/{self._installation_id}", None)
        if self._served is None:
            seen = await self._wire.send(call)
            if seen.status != 200:
                raise self._refusal(call, seen)
            account = parsed(call, seen.body, Installation).account
            self._served = self._keys.identity.serves(None if account is None else account.login)
        if not self._served:
            raise self._gone(call, "made by an account that is not in MERGEGATE_ACCOUNTS")

    async def _ask(self, grant: Grant) -> tuple[Answer, Call]:
        wanted: dict[str, object] = {"permissions": dict(grant.permissions)}
        if grant.repository is not None:
            wanted["repositories"] = [grant.repository]
        call = self._call("POST", f"/app/installations/{self._installation_id}/access_tokens", wanted)
        answer = await self._wire.send(call)
        return answer, call

    async def _accepted(self, grant: Grant, refused: Call) -> Grant:
        """The part of `grant` that was accepted. Raises Refused when none of it was, naming what is missing."""
        call = self._call("GET", f"/app/installations/{self._installation_id}", None)
        seen = await self._wire.send(call)
        if seen.status != 200:
            raise self._refusal(call, seen)
        have = parsed(call, seen.body, Installation).permissions
        part = tuple((name, _lower(level, have[name])) for name, level in grant.permissions if name in have)
        if not part or part == grant.permissions:
            missing = ", ".join(f"{name}={level}" for name, level in grant.permissions)
            raise Refused(
                refused.name, "the installation did not accept the App's permissions", status=422, wanted=missing
            )
        return Grant(part, grant.repository)

    def _refusal(self, call: Call, answer: Answer) -> Exception:
        if answer.status == 404 or (answer.status == 403 and b"suspended" in answer.body):
            return self._gone(call, "removed" if answer.status == 404 else "suspended")
        if answer.status == 422 and b"repositor" in answer.body:
            return NotFound(call.name, "the repository is not part of the installation")
        return failure(call, answer, self._budget)

    def _gone(self, call: Call, how: str) -> InstallationGone:
        because = f"installation {self._installation_id} of the {self._keys.identity.role} App was {how}"
        return InstallationGone(call.name, because, self._installation_id or 0)

    def _call(self, method: str, path: str, body: object) -> Call:
        url = self._keys.identity.api_url.rstrip("/") + path
        return Call(method, url, f"{method} {path}", MINT, self._keys.authorizer(), json=body)


class _TokenAuthorizer:
    """One request's token; after a 401 it is forgotten and one new one is tried."""

    grant = GRANT_APP

    def __init__(self, tokens: Tokens, grant: Grant, lacking: Mapping[Grant, str]) -> None:
        self._lacking = lacking
        self._tokens = tokens
        self._grant = grant
        self._retried = False

    @property
    def lacks(self) -> str:
        return self._lacking.get(self._grant, "")

    async def header(self) -> str:
        return f"token {(await self._tokens.get(self._grant)).token.get_secret_value()}"

    def refused(self, header: str, date: str | None) -> bool:  # noqa: ARG002 - a token bears no time
        self._tokens.evict(self._grant, SecretStr(header.removeprefix("token ")))
        again, self._retried = not self._retried, True
        return again


def _lower(wanted: str, have: str) -> str:
    order = ("read", "write", "admin")
    return wanted if order.index(wanted) <= (order.index(have) if have in order else 0) else have
