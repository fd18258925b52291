from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from checks.logs.split import Part, Step, split


def at(second: int) -> datetime:
    return datetime(2026, 11, 29, 10, 0, second, tzinfo=UTC)


def step(number: int, second: int | None, name: str = "step") -> Step:
    return Step(number, name, None if second is None else at(second), None)


def line(second: int, text: str, fraction: int = 1) -> bytes:
    return f"2026-11-29T10:00:{second:02d}.{fraction:07d}Z {text}\n".encode()


RUN = "##[group]Run pytest"


def spans(parts: tuple[Part, ...]) -> list[tuple[tuple[int, ...], int, int]]:
    return [(tuple(one.number for one in part.steps), part.first_line, part.last_line) for part in parts]


def test_parts_wholly() -> None:
    steps = (step(1, 1, "Set up job"), step(2, 3, "Test"))
    first, second = line(1, "hello") + line(2, "more"), line(3, RUN) + line(4, "ok")
    assert split(first + second, steps) == (Part(steps[:1], 1, 2, first), Part(steps[1:], 3, 4, second))


def test_no_lines_no_parts() -> None:
    assert split(b"", (step(1, 1),)) == ()


def test_without_stamps_or_steps_the_log_is_one_part() -> None:
    assert split(b"a\nb", (step(1, 1), step(2, 2))) == (Part((step(1, 1), step(2, 2)), 1, 2, b"a\nb"),)
    assert split(b"a\nb\n", ()) == (Part((), 1, 2, b"a\nb\n"),)
    assert split(line(1, "a"), (step(1, None),)) == (Part((), 1, 1, line(1, "a")),)


def test_steps_that_never_started_have_no_part_and_order_is_by_number() -> None:
    log = line(1, "a") + line(3, RUN) + line(5, "Post job cleanup.")
    parts = split(log, (step(9, 5), step(2, 3), step(4, None), step(1, 1)))
    assert spans(parts) == [((1,), 1, 1), ((2,), 2, 2), ((9,), 3, 3)]


def test_the_group_line_decides_in_the_second_of_the_start() -> None:
    log = line(1, "a") + line(3, "still the first") + line(3, RUN) + line(3, "b") + line(4, "c")
    assert spans(split(log, (step(1, 1), step(2, 3)))) == [((1,), 1, 2), ((2,), 3, 5)]


def test_group_lines_outside_the_second_do_not_count() -> None:
    log = line(1, "a") + line(2, RUN) + line(3, RUN) + line(4, RUN)
    assert spans(split(log, (step(1, 1), step(2, 3)))) == [((1,), 1, 2), ((2,), 3, 4)]


def test_steps_that_start_in_one_second_are_cut_at_their_group_lines() -> None:
    log = line(1, "a") + line(3, RUN) + line(3, "b") + line(3, RUN) + line(9, "c")
    steps = (step(1, 1), step(2, 3), step(3, 3))
    assert spans(split(log, steps)) == [((1,), 1, 1), ((2,), 2, 3), ((3,), 4, 5)]


@pytest.mark.parametrize("marks", [1, 3])
def test_steps_that_cannot_be_told_apart_share_a_part(marks: int) -> None:
    log = line(1, "a") + line(3, RUN) * marks + line(9, RUN) + line(9, "c")
    steps = (step(1, 1), step(2, 3), step(3, 3), step(4, 9))
    assert spans(split(log, steps)) == [((1, 2, 3), 1, 1 + marks), ((4,), 2 + marks, 3 + marks)]


def test_a_forged_group_line_leaves_the_start_undecided() -> None:
    log = line(1, "a") + line(3, RUN) + line(3, RUN) + line(4, "b")
    assert spans(split(log, (step(1, 1), step(2, 3)))) == [((1, 2), 1, 4)]


def test_the_first_step_needs_no_group_line() -> None:
    log = line(1, "a") + line(1, RUN) + line(2, "b")
    assert spans(split(log, (step(1, 1), step(2, 1)))) == [((1,), 1, 1), ((2,), 2, 3)]


def test_a_step_that_prints_nothing_in_its_first_second() -> None:
    log = line(1, "a") + line(5, "b") + line(6, "c")
    assert spans(split(log, (step(1, 1), step(2, 3)))) == [((1,), 1, 1), ((2,), 2, 3)]
    assert spans(split(log, (step(1, 1), step(2, 3), step(3, 3)))) == [((1, 2, 3), 1, 3)]
    assert spans(split(log, (step(1, 1), step(2, 9)))) == [((1, 2), 1, 3)]


def test_a_plain_line_in_the_second_of_the_start_is_undecided() -> None:
    log = line(1, "a") + line(3, "b") + line(4, "c")
    assert spans(split(log, (step(1, 1), step(2, 3)))) == [((1, 2), 1, 3)]


def test_a_step_without_lines_goes_with_the_next() -> None:
    log = line(1, "a") + line(5, RUN)
    assert spans(split(log, (step(1, 1), step(2, 3), step(3, 5)))) == [((1,), 1, 1), ((2, 3), 2, 2)]


def test_times_that_run_backwards_cut_nothing() -> None:
    log = line(5, RUN) + line(3, RUN) + line(9, "a")
    assert spans(split(line(1, "x") + log, (step(1, 1), step(2, 3), step(3, 5)))) == [((1,), 1, 2), ((2, 3), 3, 4)]


def test_a_cut_before_the_first_line_is_none() -> None:
    assert spans(split(line(3, RUN) + line(4, "a"), (step(1, 1), step(2, 3)))) == [((1, 2), 1, 2)]


def test_mark_line_ends_and_offsets() -> None:
    zone = timezone(timedelta(hours=2))
    steps = (step(1, 1), Step(2, "Test", at(3).astimezone(zone), at(4)))
    log = b"\xef\xbb\xbf" + line(1, "a") + line(3, "Post job cleanup.").replace(b"\n", b"\r\n") + b"no stamp\n"
    parts = split(log, steps)
    assert spans(parts) == [((1,), 1, 1), ((2,), 2, 3)]
    assert b"".join(part.data for part in parts) == log


def test_a_last_line_without_an_end_stays_without() -> None:
    log = line(1, "a") + line(3, RUN)[:-1]
    parts = split(log, (step(1, 1), step(2, 3)))
    assert [part.data for part in parts] == [line(1, "a"), line(3, RUN)[:-1]]


def test_blank_lines_at_the_end_are_kept() -> None:
    log = line(1, "a") + line(3, RUN) + b"\n\n"
    parts = split(log, (step(1, 1), step(2, 3)))
    assert (parts[1].last_line, parts[1].data) == (4, line(3, RUN) + b"\n\n")
