"""The courier App as the settings name it."""

from __future__ import annotations

from app.config import Misconfigured, Settings
from app.github.identity import AppIdentity

NO_COURIER = (
    "MERGEGATE_COURIER_APP_ID: missing; the proxy speaks to GitHub as the courier App. Register it with "
    "`mergegate setup --no-browser --role courier`, or set it and MERGEGATE_COURIER_PRIVATE_KEY_FILE"
)


def courier_identity(settings: Settings) -> AppIdentity:
    """Raises Misconfigured."""
    if settings.courier is None:
        raise Misconfigured(NO_COURIER)
    app = settings.courier
    return AppIdentity("courier", app.app_id, app.private_keys, settings.github_api_url, settings.accounts)
