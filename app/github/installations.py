"""Typed REST calls about the App itself: its installations, their repositories, its webhook deliveries.

Those that take `app` want the client of the App (`GitHubApp.app`). Source: https://docs.github.com/rest/apps
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from app.github.addresses import route
from app.github.client import GitHubClient
from app.github.installation_models import (
    App,
    Delivery,
    HookConfig,
    Installation,
    InstalledRepository,
    RepositoryPage,
)
from app.github.rest_models import Listing


async def this_app(app: GitHubClient) -> App:
    """The App that the key belongs to; a first call that shows whether the credentials are right."""
    return await app.get("/app", purpose="app", model=App)


async def installations(app: GitHubClient) -> Listing[Installation]:
    """Accounts that installed the App, suspended ones included, up to 10,000."""
    pages, complete = await app.pages("/app/installations", purpose="app", model=list[Installation], most=100)
    return Listing(items=tuple(one for page in pages for one in page), complete=complete)


async def installation(app: GitHubClient, installation_id: int) -> Installation:
    path = route("/app/installations/{installation_id}", installation_id=installation_id)
    return await app.get(path, purpose="app", model=Installation)


async def repository_installation(app: GitHubClient, owner: str, name: str) -> Installation:
    """The installation that covers a repository. Raises NotFound when the App is not installed there."""
    path = route("/repos/{owner}/{name}/installation", owner=owner, name=name)
    return await app.get(path, purpose="app", model=Installation)


async def repositories(client: GitHubClient) -> Listing[InstalledRepository]:
    """The repositories of the client's installation, up to 5,000."""
    pages, complete = await client.pages("/installation/repositories", purpose="list", model=RepositoryPage, most=50)
    items = tuple(repository for page in pages for repository in page.repositories)
    return Listing(items=items, complete=complete and len(items) >= pages[-1].total_count)


async def repository(client: GitHubClient, repository_id: int) -> InstalledRepository:
    """A repository by its id, under its present name; for a key that outlived a renaming."""
    path = route("/repositories/{repository_id}", repository_id=repository_id)
    return await client.get(path, purpose="list", model=InstalledRepository)


async def hook(app: GitHubClient) -> HookConfig:
    """https://docs.github.com/en/rest/apps/webhooks#get-a-webhook-configuration-for-an-app"""
    return await app.get("/app/hook/config", purpose="app", model=HookConfig)


async def deliveries(
    app: GitHubClient, *, since: datetime | None, most: int = 100, keep: Callable[[Delivery], bool] = lambda _: True
) -> Listing[Delivery]:
    """Webhook deliveries, newest first: back to that time, or all that GitHub still has (it keeps them for three days).

    At most `most` pages of 100; the listing says whether that was enough. Ten thousand take ten megabytes: `keep` says
    which of them are wanted, beside the newest of all.
    """
    newest: list[Delivery] = []

    def wanted(page: list[Delivery]) -> list[Delivery]:
        newest.extend(page[:1] if not newest else ())
        return [each for each in page if keep(each) or each is newest[0]]

    pages, complete = await app.pages(
        "/app/hook/deliveries",
        purpose="app:deliveries",
        model=list[Delivery],
        most=most,
        enough=lambda page: since is not None and any(each.delivered_at < since for each in page),
        keep=wanted,
        again=False,
    )
    items = tuple(one for page in pages for one in page if since is None or one.delivered_at >= since)
    return Listing(items=items, complete=complete)


async def redeliver(app: GitHubClient, delivery_id: str) -> None:
    """Ask GitHub to send a delivery again; it keeps its `guid`."""
    path = route("/app/hook/deliveries/{delivery_id}/attempts", delivery_id=delivery_id)
    await app.post(path, purpose="app:redeliver", model=object)
