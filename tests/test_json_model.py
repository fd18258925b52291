"""Memory after a day's answers: https://docs.pydantic.dev/latest/api/config/ (`cache_strings`)."""

from __future__ import annotations

import gc
import importlib
import json
import pkgutil
import secrets
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

import app
from app.gate.log_process import ANSWERS
from app.github.answers import _adapter
from app.json_model import NAMES_KEPT, JsonModel
from checks.job_log import read_job_log_stream

TOML = "app.proxy.trust"
Reader = Callable[[bytes], Any]


class _Named(JsonModel):
    names: list[str]


def _named(names: list[str]) -> Any:
    return {"names": names}


def _several(names: list[str]) -> Any:
    return [{"names": names}]


def _log(names: list[str]) -> Any:
    return asdict(replace(read_job_log_stream(()), commands=tuple(names)))


@pytest.mark.parametrize(
    ("reader", "body"),
    [(_adapter(_Named).validate_json, _named), (_adapter(list[_Named]).validate_json, _several), (ANSWERS.read, _log)],
    ids=["a model", "several", "a log"],
)
def test_what_was_read_is_not_kept(reader: Reader, body: Callable[[list[str]], Any]) -> None:
    """A day's commit ids are megabytes."""
    assert _kept_of_10_000(reader, body) < 1000


def test_every_model_is_read_so() -> None:
    """But for those of TOML."""
    models = {one for one in _derived(BaseModel) if one.__module__.startswith("app.")}
    told = {one for one in models if one.model_config.get("cache_strings") != NAMES_KEPT["cache_strings"]}
    assert len(models) > 100
    assert {one for one in told if one.__module__ != TOML} == set()


def _derived(model: type[BaseModel]) -> list[type[BaseModel]]:
    for module in pkgutil.walk_packages(app.__path__, "app."):
        importlib.import_module(module.name)
    found = [model]
    for one in found:
        found += one.__subclasses__()
    return found


def test_pydantic_keeps_it_where_nothing_is_said() -> None:
    """Else the test above could not fail."""
    assert _kept_of_10_000(TypeAdapter(list[str]).validate_json, list) > 5000


def _kept_of_10_000(reader: Reader, body: Callable[[list[str]], Any]) -> int:
    def read() -> None:
        reader(json.dumps(body([secrets.token_hex(20) for _ in range(1000)])).encode())

    read()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(10):
        read()
    gc.collect()
    return sys.getallocatedblocks() - before
