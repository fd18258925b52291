"""An App's hook: its configuration and deliveries. https://docs.github.com/rest/apps/webhooks

Deliveries are kept for three days. A cursor is the id of the last delivery of the page before.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.github.answers import answer, json_body, page_address, page_size
from tests.github.auth import require_app
from tests.github.errors import ApiError, not_found
from tests.github.rest.lookup import github_of, number_in, world_of
from tests.github.serialize import stamp
from tests.github.state import App, Delivery, World

KEPT = timedelta(days=3)
PENDING = (None, "LOST", "PENDING")


def _config(app: App) -> dict[str, Any]:
    config: dict[str, Any] = {"content_type": "json", "insecure_ssl": "0", "url": app.webhook_url or ""}
    return config | ({"secret": "********"} if app.webhook_secret else {})


async def get_config(request: Request) -> Response:
    return answer(_config(require_app(request)))


async def change_config(request: Request) -> Response:
    app, body = require_app(request), await json_body(request)
    app.webhook_url = body.get("url", app.webhook_url)
    app.webhook_secret = body.get("secret", app.webhook_secret)
    return answer(_config(app))


def _shown(request: Request) -> list[Delivery]:
    """Newest first; what has not been sent yet is not listed."""
    app, world = require_app(request), world_of(request)
    oldest = world.now() - KEPT
    return [
        d for d in reversed(world.deliveries) if d.app_id == app.id and d.delivered_at >= oldest and _is_sent(world, d)
    ]


def _is_sent(world: World, delivery: Delivery) -> bool:
    return delivery.status_code is not None or delivery.status not in PENDING


def _succeeded(delivery: Delivery) -> bool:
    return delivery.status_code is not None and 200 <= delivery.status_code < 400


def _item(delivery: Delivery) -> dict[str, Any]:
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": stamp(delivery.delivered_at),
        "redelivery": delivery.redelivery,
        "duration": round(delivery.duration, 2),
        "status": delivery.status,
        "status_code": delivery.status_code or 0,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": delivery.installation_id,
        "repository_id": delivery.repository_id,
        "throttled_at": None,
    }


async def list_deliveries(request: Request) -> Response:
    """By cursor; `status` is success or failure."""
    found, wanted = _shown(request), request.query_params.get("status")
    if wanted not in (None, "success", "failure"):
        raise ApiError(422, f'Invalid request.\n\n{wanted} is not a member of ["success", "failure"].')
    if wanted is not None:
        found = [d for d in found if _succeeded(d) == (wanted == "success")]
    cursor, size = request.query_params.get("cursor"), page_size(request)
    if cursor is not None:
        found = [d for d in found if d.id < _cursor_id(cursor)]
    page, link = found[:size], {}
    if len(found) > size:
        link = {"link": f'<{page_address(request, cursor=f"v1_{page[-1].id}")}>; rel="next"'}
    return answer([_item(d) for d in page], headers=link)


def _cursor_id(cursor: str) -> int:
    text = cursor.removeprefix("v1_")
    if not text.isdecimal():
        raise ApiError(400, "Invalid cursor")
    return int(text)


def _delivery(request: Request) -> Delivery:
    wanted = number_in(request, "delivery_id")
    found = next((d for d in _shown(request) if d.id == wanted), None)
    if found is None:
        raise not_found()
    return found


async def get_delivery(request: Request) -> Response:
    delivery, app = _delivery(request), require_app(request)
    request_part = {"headers": delivery.request_headers, "payload": json.loads(delivery.payload)}
    response_part = {"headers": delivery.response_headers, "payload": delivery.response_body}
    return answer(_item(delivery) | {"url": app.webhook_url or "", "request": request_part, "response": response_part})


async def redeliver(request: Request) -> Response:
    """202: a new delivery with the same GUID follows."""
    github_of(request).webhooks.redeliver(_delivery(request))
    return answer({}, 202)


routes = [
    Route("/app/hook/config", get_config),
    Route("/app/hook/config", change_config, methods=["PATCH"]),
    Route("/app/hook/deliveries", list_deliveries),
    Route("/app/hook/deliveries/{delivery_id}", get_delivery),
    Route("/app/hook/deliveries/{delivery_id}/attempts", redeliver, methods=["POST"]),
]
