"""A raw log through all readers at once, in one pass and bounded memory. A further family is one line in `_READERS`."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from checks.logs.ant import AntReader
from checks.logs.ava import AvaReader
from checks.logs.bats import BatsReader
from checks.logs.bazel import BazelReader
from checks.logs.bun import BunReader
from checks.logs.cargo import CargoReader
from checks.logs.catch2 import Catch2Reader
from checks.logs.coverage_bar import CoverageBarReader
from checks.logs.ctest import CtestReader
from checks.logs.cypress import CypressReader
from checks.logs.decode import TextBlocks
from checks.logs.deno import DenoReader
from checks.logs.doctest import DoctestReader
from checks.logs.dotnet import DotnetReader
from checks.logs.dotnet_consoles import DotnetConsoleReader
from checks.logs.exunit import ExunitReader
from checks.logs.googletest import GoogletestReader
from checks.logs.gotestsum import GotestsumReader
from checks.logs.gradle import GradleReader
from checks.logs.jasmine import JasmineReader
from checks.logs.jest import JestReader
from checks.logs.judge import judge_log
from checks.logs.karma import KarmaReader
from checks.logs.lab import LabReader
from checks.logs.markers import INTEREST as MARKERS
from checks.logs.markers import Markers
from checks.logs.maven import MavenReader
from checks.logs.minitest import MinitestReader
from checks.logs.mocha import MochaReader
from checks.logs.mocha_json import MochaJsonReader
from checks.logs.nextest import NextestReader
from checks.logs.node_test import NodeTestReader
from checks.logs.pest import PestReader
from checks.logs.phpunit import PhpunitReader
from checks.logs.playwright import PlaywrightReader
from checks.logs.pytest import PytestReader
from checks.logs.replays import ReplayReader, told_apart
from checks.logs.report import Listener, LogReport, Reader
from checks.logs.rspec import RspecReader
from checks.logs.sbt import SbtReader
from checks.logs.swift import SwiftReader
from checks.logs.tap import TapReader
from checks.logs.tox import ToxReader
from checks.logs.unittest import UnittestReader
from checks.logs.vitest import VitestReader
from checks.logs.walk import Walk

_READERS: tuple[type[Reader], ...] = (
    PytestReader,
    UnittestReader,
    GotestsumReader,  # and go test
    JestReader,
    VitestReader,
    MochaReader,
    MochaJsonReader,
    NodeTestReader,
    AvaReader,
    JasmineReader,
    KarmaReader,
    LabReader,
    PlaywrightReader,
    CypressReader,
    BunReader,
    DenoReader,
    CoverageBarReader,
    BatsReader,
    BazelReader,
    CargoReader,
    Catch2Reader,
    CtestReader,
    DoctestReader,
    ExunitReader,
    GoogletestReader,
    NextestReader,
    SwiftReader,
    TapReader,
    MavenReader,
    GradleReader,
    AntReader,
    SbtReader,
    RspecReader,
    MinitestReader,
    PhpunitReader,
    PestReader,
    DotnetReader,
    DotnetConsoleReader,
    ToxReader,
    ReplayReader,
)

MOST_KEPT = 20_000
"""Closing lines and markers of one log that are kept. With many more it is not read to its end."""


def parse_log(data: bytes) -> LogReport:
    """Read a raw job log of any encoding; never raises, time is linear in the size of `data`."""
    return parse_log_stream([data])


def parse_log_stream(chunks: Iterable[bytes]) -> LogReport:
    """The same for a log in chunks of any size. Memory does not grow with the log."""
    report, _ = read_log(chunks)
    return report


def read_log(chunks: Iterable[bytes], *also: tuple[str, Listener]) -> tuple[LogReport, tuple[str, ...]]:
    """The report, and the line that begins each step. Further listeners come with the RE2 patterns of their lines."""
    markers = Markers()
    walk = Walk(
        [(MARKERS, markers), *also],
        [(_interest(family), family) for family in _READERS],
        room=lambda readers: _kept(readers) + len(markers.found) < MOST_KEPT,
    )
    text = TextBlocks(chunks)
    walk.through(text)
    steps = [number for number, _ in walk.steps]
    readings = list(told_apart(walk.streams.items(), steps))
    report = judge_log(readings, markers.found, steps, walk.lines, text.truncated or walk.stopped)
    return report, tuple(heading for _, heading in walk.steps)


def _interest(family: type[Reader]) -> str:
    pattern: str = sys.modules[family.__module__].INTEREST
    return pattern


def _kept(readers: Iterable[Reader]) -> int:
    readings = [reader.finish() for reader in readers]
    return sum(len(reading.summaries) + len(reading.unfinished) + len(reading.reds) for reading in readings)
