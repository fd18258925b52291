"""Who asks, and whether they may.

App JWTs and their refusals: https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app and the
recorded 401 text. An installation token's rights are those it was minted with; a person's follow from their permission
in the repository.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import jwt
from starlette.requests import Request

from tests.github.access import at_least, permission_of
from tests.github.errors import ApiError, not_found
from tests.github.state import App, Installation, Permission, Repository, Token, World

Access = Literal["read", "write", "admin"]
ActorKind = Literal["app", "installation", "user", "anonymous", "actions"]
ACCESS = ("none", "read", "write", "admin")
EXPIRY_TEXT = (
    "'Expiration time' claim ('exp') must be a numeric value representing "
    "the future time at which the assertion expires"
)
ISSUED_TEXT = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
MAXIMUM_JWT_SECONDS = 600


@dataclass(frozen=True)
class Actor:
    """The caller of one request. `permissions` and `repository_ids` are those of the token (None: all)."""

    login: str
    kind: ActorKind
    app_id: int | None = None
    installation_id: int | None = None
    permissions: dict[str, str] = field(default_factory=dict)
    repository_ids: frozenset[int] | None = None
    account: str | None = None  # of the installation
    through: int | None = None  # the App that a person lets act in their name

    @property
    def is_bot(self) -> bool:
        return self.kind in ("app", "installation", "actions")

    @property
    def is_public(self) -> bool:
        """Answers to an App's own assertion are cached like anonymous ones (recorded)."""
        return self.kind in ("anonymous", "app")

    @property
    def is_counted(self) -> bool:
        """Requests with an App's own assertion carry no rate-limit headers (recorded)."""
        return self.kind != "app"

    @property
    def budget(self) -> str:
        """The key under which requests are counted: an installation, or a person whatever their credential."""
        return f"installation:{self.installation_id}" if self.installation_id else f"{self.kind}:{self.login}"


ANONYMOUS = Actor("", "anonymous")


def authenticate(world: World, authorization: str | None) -> Actor:
    """The actor behind an Authorization header (Bearer, token, or Basic as git sends it); ApiError 401 when bad."""
    if not authorization:
        return ANONYMOUS
    scheme, _, credential = authorization.partition(" ")
    credential = credential.strip()
    if scheme.lower() == "basic":
        user, credential = _basic(credential)
        if any(app.client_id == user for app in world.apps.values()):
            return ANONYMOUS  # an App's client, which only the routes of user authorisation know
    elif scheme.lower() not in ("bearer", "token"):
        raise ApiError(401, "Bad credentials")
    token = world.tokens.get(credential)
    if token is not None:
        return _token_actor(world, token)
    if scheme.lower() == "bearer" and credential.count(".") == 2 and not credential.startswith("ghs_"):
        return _app_actor(world, credential)
    raise ApiError(401, "Bad credentials")


def _basic(credential: str) -> tuple[str, str]:
    """The user's name, and the token wherever it stands."""
    try:
        user, _, password = base64.b64decode(credential, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise ApiError(401, "Bad credentials") from None
    return user, password if password and password != "x-oauth-basic" else user


def _token_actor(world: World, token: Token) -> Actor:
    if token.revoked or (token.expires_at is not None and token.expires_at <= world.now()):
        raise ApiError(401, "Bad credentials")
    if token.kind != "installation":
        return _plain_actor(token)
    installation = world.installations.get(token.installation_id or 0)
    if installation is None:
        raise ApiError(401, "Bad credentials")
    if installation.suspended:
        raise ApiError(403, "This installation has been suspended")
    return Actor(
        token.login,
        "installation",
        app_id=installation.app_id,
        installation_id=installation.id,
        permissions=_narrowed(token.permissions, installation.permissions),
        repository_ids=_common(token.repository_ids, installation.repository_ids),
        account=installation.account,
    )


def _plain_actor(token: Token) -> Actor:
    repositories = None if token.repository_ids is None else frozenset(token.repository_ids)
    return Actor(
        token.login, token.kind, permissions=token.permissions, repository_ids=repositories, through=token.app_id
    )


def _narrowed(token: dict[str, str], granted: dict[str, str]) -> dict[str, str]:
    """What is left of a token's permissions when the installation has lost some since it was minted."""
    levels = {name: min(level, granted.get(name, "none"), key=ACCESS.index) for name, level in token.items()}
    return {name: level for name, level in levels.items() if level != "none"}


def _common(token: set[int] | None, installation: set[int] | None) -> frozenset[int] | None:
    if token is None or installation is None:
        both = installation if token is None else token
        return None if both is None else frozenset(both)
    return frozenset(token & installation)


def _app_actor(world: World, assertion: str) -> Actor:
    app = _issuer(world, assertion)
    _verify_signature(app, assertion)
    claims = jwt.decode(assertion, options={"verify_signature": False})
    _check_times(claims, world.now().timestamp())
    return Actor(app.bot_login, "app", app_id=app.id, permissions=app.permissions)


def _issuer(world: World, assertion: str) -> App:
    try:
        header = jwt.get_unverified_header(assertion)
        claims: dict[str, Any] = jwt.decode(assertion, options={"verify_signature": False})
    except jwt.PyJWTError:
        raise ApiError(401, "A JSON web token could not be decoded") from None
    if header.get("alg") != "RS256":
        raise ApiError(401, "A JSON web token could not be decoded")
    issuer = str(claims.get("iss", ""))
    found = next((a for a in world.apps.values() if issuer in (str(a.id), a.client_id)), None)
    if found is None:
        raise ApiError(404, "Integration not found")
    return found


def _verify_signature(app: App, assertion: str) -> None:
    options = {"verify_exp": False, "verify_iat": False, "verify_nbf": False, "verify_aud": False, "verify_iss": False}
    for key in (app.public_key_pem, *app.more_public_keys):
        try:
            jwt.decode(assertion, key, algorithms=["RS256"], options=options)  # type: ignore[arg-type]
        except (jwt.PyJWTError, ValueError):
            continue
        return
    raise ApiError(401, "A JSON web token could not be decoded")


def _check_times(claims: dict[str, Any], now: float) -> None:
    issued, expires = claims.get("iat"), claims.get("exp")
    if isinstance(issued, bool) or not isinstance(issued, int | float) or issued > now + 1:
        raise ApiError(401, ISSUED_TEXT)
    if isinstance(expires, bool) or not isinstance(expires, int | float) or expires <= now:
        raise ApiError(401, EXPIRY_TEXT)
    if expires > now + MAXIMUM_JWT_SECONDS + 1:
        raise ApiError(401, "'Expiration time' claim ('exp') is too far in the future")


def actor_of(request: Request) -> Actor:
    actor: Actor = request.state.actor
    return actor


def require_app(request: Request) -> App:
    """The App that signed this request; 401 for every other credential."""
    actor = actor_of(request)
    world: World = request.app.state.github.world
    if actor.kind != "app" or actor.app_id is None:
        raise ApiError(401, "A JSON web token could not be decoded")
    return world.apps[actor.app_id]


def require_user(request: Request) -> str:
    """The login of the person who asks; 403 for Apps, 401 without credentials."""
    actor = actor_of(request)
    if actor.kind == "anonymous":
        raise ApiError(401, "Requires authentication")
    if actor.kind != "user":
        raise ApiError(403, "Resource not accessible by integration")
    return actor.login


def can_see(world: World, actor: Actor, repository: Repository) -> bool:
    """Whether the repository exists for this caller at all."""
    if not repository.private:
        return True
    if actor.kind == "user":
        return at_least(permission_of(world, repository, actor.login), "read")
    return covers(actor, repository)


def covers(actor: Actor, repository: Repository) -> bool:
    """Whether an App's token was given this repository."""
    if actor.kind not in ("installation", "actions"):
        return False
    if actor.kind == "installation" and actor.account != repository.owner:
        return False
    return actor.repository_ids is None or repository.id in actor.repository_ids


def require(
    request: Request,
    repository: Repository,
    permission: str,
    access: Access = "read",
    *,
    user: Permission | None = None,
) -> Actor:
    """The caller, or ApiError 404 (hidden) or 403 (may not).

    `permission` and `access` are what an App's token needs; `user` is the permission that a person needs, by default
    read for reading, write for writing, and admin wherever `permission` is administration.
    """
    actor = actor_of(request)
    world: World = request.app.state.github.world
    request.state.accepted_permissions = f"{permission}={access}"
    if not can_see(world, actor, repository):
        raise not_found()
    if not allowed(world, actor, repository, permission, access, user=user):
        raise refusal(actor)
    return actor


def require_any(
    request: Request,
    repository: Repository,
    permissions: Sequence[str],
    access: Access,
    *,
    user: Permission | None = None,
) -> Actor:
    """Like `require` where GitHub accepts any of several permissions."""
    actor = actor_of(request)
    world: World = request.app.state.github.world
    if any(allowed(world, actor, repository, p, access, user=user) for p in permissions):
        require(request, repository, "metadata")
    else:
        require(request, repository, permissions[0], access, user=user)
    request.state.accepted_permissions = "; ".join(f"{p}={access}" for p in permissions)
    return actor


def allowed(
    world: World,
    actor: Actor,
    repository: Repository,
    permission: str,
    access: Access = "read",
    *,
    user: Permission | None = None,
) -> bool:
    """The rule behind `require`, for callers without a REST request (git, GraphQL)."""
    if actor.kind == "user":
        return at_least(permission_of(world, repository, actor.login), user or _personal_level(permission, access))
    if covers(actor, repository):
        held = "read" if permission == "metadata" else actor.permissions.get(permission, "none")
        return ACCESS.index(held) >= ACCESS.index(access)
    return access == "read" and not repository.private and permission != "administration"


def _personal_level(permission: str, access: str) -> Permission:
    if permission == "administration":
        return "admin"
    return "read" if access == "read" else "write"


def refusal(actor: Actor) -> ApiError:
    if actor.kind == "anonymous":
        return ApiError(401, "Requires authentication")
    if actor.is_bot:
        return ApiError(403, "Resource not accessible by integration")
    return ApiError(403, "Must have push access to repository")


def installation_for(world: World, app_id: int, repository: Repository) -> Installation | None:
    """The installation through which an App sees a repository."""
    for installation in world.installations.values():
        if installation.app_id != app_id or installation.account != repository.owner:
            continue
        if installation.repository_ids is None or repository.id in installation.repository_ids:
            return installation
    return None
