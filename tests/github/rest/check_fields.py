"""The fields of a check run in a request: their limits, and what they do to the record.

https://docs.github.com/rest/checks/runs#create-a-check-run
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.github.errors import ApiError, invalid
from tests.github.state import CheckRun, World

STATUSES = ("queued", "in_progress", "completed")
CONCLUSIONS = ("action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out")
ANNOTATIONS_A_REQUEST = 50
ACTIONS_A_RUN = 3
ACTION_SIZES = {"label": 20, "description": 40, "identifier": 20}  # characters
TEXT_BYTES = 65_535  # GitHub counts UTF-8 bytes, see rest-api-description issue 5399


@dataclass
class Change:
    """What a request wants to change, checked; None leaves a field as it is."""

    name: str | None
    status: str | None
    conclusion: str | None
    details_url: str | None
    external_id: str | None
    started_at: datetime | None
    completed_at: datetime | None
    output: dict[str, Any]
    actions: list[dict[str, str]] | None


def checked(body: dict[str, Any]) -> Change:
    """The request's fields; ApiError 422 when one is not as documented."""
    return Change(
        name=text_of(body, "name"),
        status=_choice(body, "status", STATUSES),
        conclusion=_choice(body, "conclusion", CONCLUSIONS),
        details_url=text_of(body, "details_url"),
        external_id=text_of(body, "external_id"),
        started_at=_moment(body, "started_at"),
        completed_at=_moment(body, "completed_at"),
        output=_output(body),
        actions=_actions(body),
    )


def apply(world: World, run: CheckRun, change: Change) -> None:
    for key in ("name", "details_url", "external_id", "started_at"):
        value = getattr(change, key)
        if value is not None:
            setattr(run, key, value)
    for key in ("title", "summary", "text"):
        if key in change.output:
            setattr(run, key, change.output[key])
    run.annotations += change.output.get("annotations") or []
    if change.actions is not None:
        run.actions = change.actions
    _apply_state(world, run, change)


def _apply_state(world: World, run: CheckRun, change: Change) -> None:
    """A conclusion makes the run completed, whatever `status` says; another status takes the conclusion away."""
    if change.conclusion is not None or change.completed_at is not None:
        run.status = "completed"
        run.conclusion = change.conclusion or run.conclusion or "neutral"
        run.completed_at = change.completed_at or world.now()
    elif change.status == "completed":
        raise invalid("CheckRun", "conclusion", "missing_field")
    elif change.status is not None:
        run.status, run.conclusion, run.completed_at = change.status, None, None


def text_of(body: dict[str, Any], key: str, *, required: bool = False) -> str | None:
    value = body.get(key)
    if value is None or value == "":
        if required:
            raise ApiError(422, f'Invalid request.\n\n"{key}" wasn\'t supplied.')
        return None
    if not isinstance(value, str):
        raise ApiError(422, f"Invalid request.\n\nFor 'properties/{key}', {value!r} is not a string.")
    return value


def _choice(body: dict[str, Any], key: str, allowed: Sequence[str]) -> str | None:
    value = text_of(body, key)
    if value is not None and value not in allowed:
        raise ApiError(422, f"Invalid request.\n\n{value} is not a member of {list(allowed)}.")
    return value


def _moment(body: dict[str, Any], key: str) -> datetime | None:
    value = text_of(body, key)
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise ApiError(422, f"Invalid request.\n\n{value} is not a valid date-time.") from None
    if moment.tzinfo is None:
        raise ApiError(422, f"Invalid request.\n\n{value} is not a valid date-time.")
    return moment


def _output(body: dict[str, Any]) -> dict[str, Any]:
    output = body.get("output")
    if output is None:
        return {}
    if not isinstance(output, dict) or not isinstance(output.get("summary"), str):
        raise ApiError(422, 'Invalid request.\n\n"summary" wasn\'t supplied.')
    for key in ("title", "summary", "text"):
        value = output.get(key)
        if value is not None and len(str(value).encode()) > TEXT_BYTES:
            raise invalid("CheckRun", key, "custom", f"{key} exceeds a maximum bytesize of {TEXT_BYTES}")
    given = output.get("annotations") or []
    if len(given) > ANNOTATIONS_A_REQUEST:
        raise ApiError(
            422,
            f"Invalid request.\n\nNo more than {ANNOTATIONS_A_REQUEST} items are allowed; {len(given)} were supplied.",
        )
    for item in given:
        _check_annotation(item)
    return output


def _check_annotation(item: object) -> None:
    if not isinstance(item, dict):
        raise ApiError(422, "Invalid request.\n\nAn annotation must be an object.")
    missing = [key for key in ("path", "start_line", "end_line", "annotation_level", "message") if key not in item]
    if missing:
        raise ApiError(422, f'Invalid request.\n\n"{missing[0]}" wasn\'t supplied.')
    if item["annotation_level"] not in ("notice", "warning", "failure"):
        raise ApiError(422, f"Invalid request.\n\n{item['annotation_level']} is not a member of annotation levels.")
    if len(str(item["message"]).encode()) > TEXT_BYTES + 1:
        raise invalid("CheckAnnotation", "message", "custom", "message exceeds 64 KB")
    columns = "start_column" in item or "end_column" in item
    if columns and item["start_line"] != item["end_line"]:
        raise invalid(
            "CheckAnnotation", "start_column", "custom", "columns need start_line and end_line to be the same"
        )


def _actions(body: dict[str, Any]) -> list[dict[str, str]] | None:
    actions = body.get("actions")
    if actions is None:
        return None
    if not isinstance(actions, list) or len(actions) > ACTIONS_A_RUN:
        raise ApiError(422, f"Invalid request.\n\nNo more than {ACTIONS_A_RUN} items are allowed in actions.")
    for action in actions:
        for key, size in ACTION_SIZES.items():
            if not isinstance(action, dict) or not 0 < len(str(action.get(key, ""))) <= size:
                raise ApiError(422, f"Invalid request.\n\nactions: {key} needs 1 to {size} characters.")
    return actions
