"""How pydantic reads JSON here.

On its own it keeps the last 16,000 short strings that it read, commit ids and names of tests and all: a megabyte and a
half that fills over a day, and that is of no use again.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

NAMES_KEPT = ConfigDict(cache_strings="keys")  # names of fields, that is, and no values; for a TypeAdapter


class JsonModel(BaseModel):
    """What all models here are made from."""

    model_config = NAMES_KEPT
