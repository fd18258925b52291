"""Who wants a line is given it, once, in order, with its number; steps and limits."""

from __future__ import annotations

import pytest

from checks.logs import walk as module
from checks.logs.report import Reading, Red
from checks.logs.walk import Walk

GROUP = "##[group]Run x"


class Recorder:
    def __init__(self, asks: str = "?") -> None:
        self.lines: list[tuple[int, str]] = []
        self.asks = asks

    def feed(self, number: int, line: str) -> bool:
        self.lines.append((number, line))
        return line.endswith(self.asks)

    def boundary(self) -> None:
        self.lines.append((0, "step"))


def walked(interest: str, *blocks: str, room: bool = True) -> tuple[Walk, list[tuple[int, str]]]:
    recorder = Recorder()
    walk = Walk([(interest, recorder)], room=lambda _: room)
    walk.through(blocks)
    assert recorder.lines.pop() == (0, "step")
    return walk, recorder.lines


def test_wanted_lines_are_given_with_their_numbers() -> None:
    walk, lines = walked("^a", "x\n\na1\nx a\n", "a2\r\ra3  \rb\n\n", "a4")
    assert lines == [(3, "a1"), (5, "a2"), (5, "a3"), (7, "a4")]
    assert (walk.lines, walk.steps, walk.stopped) == (7, [], False)


@pytest.mark.parametrize(
    ("blocks", "lines"),
    [
        *(((), 0), (("",), 0), (("a",), 1), (("a\n",), 1), (("a\n", "b"), 2), (("a\r", "b"), 1), (("a\r", "b\n"), 1)),
        *((("x", "", "\n"), 1), (("x\n", ""), 1), (("\n",), 1), (("a\r", ""), 1)),
    ],
)
def test_lines_are_counted(blocks: tuple[str, ...], lines: int) -> None:
    assert walked("^a", *blocks)[0].lines == lines
    assert walked("", *blocks)[0].lines == lines


def test_a_line_over_several_blocks_keeps_its_number() -> None:
    assert walked("^a", "x\na1\r", "a2\r", "\na3\r", "", "a4\n", "a5")[1] == [
        (2, "a1"),
        (2, "a2"),
        (3, "a3"),
        (3, "a4"),
        (4, "a5"),
    ]


def test_each_listener_is_given_its_own() -> None:
    first, second = Recorder(), Recorder()
    Walk([("^a", first), ("b$", second)]).through(["ab\na\nb\nc\n"])
    assert first.lines == [(1, "ab"), (2, "a"), (0, "step")]
    assert second.lines == [(1, "ab"), (3, "b"), (0, "step")]


@pytest.mark.parametrize("blocks", [("a?\n\n \nx\ny\na\n",), ("a?\n", "\n \n", "x\ny\na"), ("a?\r", "\n\n\nx\ny\na")])
def test_who_asks_is_given_the_next_line_that_is_not_empty(blocks: tuple[str, ...]) -> None:
    assert walked("^a", *blocks)[1] == [(1, "a?"), (4, "x"), (6, "a")]


def test_who_asks_is_given_the_next_piece_and_may_ask_on() -> None:
    assert walked("^a", "a?\rx?\ny\nz\n")[1] == [(1, "a?"), (1, "x?"), (2, "y")]
    assert walked("^a", "a?\na\n")[1] == [(1, "a?"), (2, "a")]


def test_only_who_asks_is_given_the_next_line() -> None:
    asking, other = Recorder(), Recorder(asks="!")
    Walk([("^a", asking), ("^[xa]", other)]).through(["a?\ny\nx\n"])
    assert asking.lines == [(1, "a?"), (2, "y"), (0, "step")]
    assert other.lines == [(1, "a?"), (3, "x"), (0, "step")]


@pytest.mark.parametrize("step", [GROUP, "Post job cleanup.", "2022-06-16T22:17:31.2678286Z " + GROUP])
def test_a_step_is_a_boundary_and_nobodys_line(step: str) -> None:
    walk, lines = walked("^a|Run|Post", f"a\n{step}\na?\n{step}\nx\n")
    assert lines == [(1, "a"), (0, "step"), (3, "a?"), (0, "step")]
    assert [number for number, _ in walk.steps] == [2, 4]
    assert all(step.endswith(heading) for _, heading in walk.steps)


def test_headings_are_cut() -> None:
    walk, _ = walked("^a", GROUP + "y" * 1000)
    assert walk.steps == [(1, (GROUP + "y" * 1000)[:600])]


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("core: 1 passing", "1 passing"),
        ("core: web: 1 passing", None),
        ("web: 1 passing", None),
        ("1 passing", "1 passing"),
    ],
)
def test_names_of_packages_are_taken_off_once_shown(line: str, given: str | None) -> None:
    _, lines = walked(r"^\d passing", f"{line}\n")
    assert lines == ([(1, line)] if line == given else [])
    _, lines = walked(r"^\d passing", f"core: > core@1.0.0 test\n{line}\n")
    assert lines == ([(2, given)] if given else [])


def test_a_line_that_is_wanted_as_it_is_keeps_its_beginning() -> None:
    """Else a program could make a word a package's name, and red lines that begin with it would not be seen."""
    shown = "error: > error@1.0.0 test\n"
    assert walked("^error: |^test", f"{shown}error: test failed\n")[1][-1] == (2, "error: test failed")
    assert walked("^test", f"{shown}error: test failed\n")[1] == [(2, "test failed")]


def test_who_asks_is_given_a_line_without_its_package() -> None:
    _, lines = walked("^a", "core: > core@1.0.0 test\ncore: a?\ncore:   cause\n")
    assert lines == [(2, "a?"), (3, "  cause")]


class Counter(Recorder):
    """A reader that closes nothing."""

    def finish(self) -> Reading:
        return Reading((), (), tuple(Red(number, line) for number, line in self.lines))


def apart(text: str, *interests: str) -> list[list[tuple[int, str]]]:
    """What each reader of each name was given."""
    walk = Walk(families=[(interest, Counter) for interest in interests])
    walk.through([text])
    return [[(red.line, red.reason) for red in reader.finish().reds] for reader in walk.readers()]


def test_each_name_has_readers_of_its_own() -> None:
    assert apart("a1\nweb-1  | a2\n@acme/core: a3\nb\nweb-1  | ab\n", "^a", "b$") == [
        [(1, "a1"), (0, "step")],
        [(4, "b"), (0, "step")],
        [(2, "a2"), (5, "ab"), (0, "step")],
        [(5, "ab"), (0, "step")],
        [(3, "a3"), (0, "step")],
        [(0, "step")],
    ]


def test_listeners_are_given_lines_of_any_name() -> None:
    assert walked("^a", "a1\nweb-1  | a2\nx:y: a3\n")[1] == [(1, "a1"), (2, "a2"), (3, "a3")]


def test_names_that_only_nobodys_lines_have_make_no_readers() -> None:
    assert apart("web-1  | x\nx:y: z\n", "^a") == [[(0, "step")]]


def test_who_asks_is_given_the_next_line_of_its_name() -> None:
    given = apart("x:y: a?\nx:z: b?\nc\nx:z: d\nx:y: e\nx:y: f\nx:z: g\n", "^[ab]")
    assert given == [
        [(0, "step")],
        [(1, "a?"), (5, "e"), (0, "step")],
        [(2, "b?"), (4, "d"), (0, "step")],
    ]


def test_a_step_is_a_boundary_for_every_name() -> None:
    assert apart(f"x:y: a?\n{GROUP}\nx:y: b\n", "^a") == [
        [(0, "step"), (0, "step")],
        [(1, "a?"), (0, "step"), (0, "step")],
    ]


def test_too_many_names_go_with_the_nameless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_STREAMS", 2)
    assert apart("[1] a\n[2] a\n[3] a?\n[1] a\nb\n", "^a") == [
        [(3, "a?"), (5, "b"), (0, "step")],
        [(1, "a"), (4, "a"), (0, "step")],
        [(2, "a"), (0, "step")],
    ]


def test_room_is_asked_with_the_readers_of_every_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BETWEEN_LOOKS", 2)
    walk = Walk(families=[("^a", Counter)], room=lambda readers: sum(len(one.finish().reds) for one in readers) < 4)
    walk.through(["[1] a\n[2] a\n", "a\na\na\n"])
    assert walk.stopped
    assert [len(reader.finish().reds) for reader in walk.readers()] == [3, 2, 2]


def test_too_many_wanted_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BETWEEN_LOOKS", 2)
    monkeypatch.setattr(module, "MOST_LINES", 4)
    walk, lines = walked("^a", "x\n" + "a\n" * 3 + "x\n")
    assert (len(lines), walk.lines, walk.stopped) == (3, 5, False)
    walk, lines = walked("^a", "x\n" + "a\n" * 6, "a\n" * 4, "a")
    assert (len(lines), walk.lines, walk.stopped) == (4, 12, True)


def test_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BETWEEN_LOOKS", 3)
    walk, lines = walked("^a", "a\n" * 2 + "b\n" * 9, room=False)
    assert (len(lines), walk.lines, walk.stopped) == (2, 11, False)
    walk, lines = walked("^a", "a\nb\n" * 5, room=False)
    assert (len(lines), walk.lines, walk.stopped) == (3, 10, True)


def test_too_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_STEPS", 3)
    assert walked("^a", f"{GROUP}\n" * 2)[0].stopped is False
    walk, lines = walked("^a", f"{GROUP}\na\n" * 5)
    assert (len(walk.steps), walk.lines, walk.stopped) == (3, 10, True)
    assert [line for line in lines if line[0]] == [(2, "a"), (4, "a")]


def test_limits() -> None:
    assert (module.MOST_LINES, module.MOST_STEPS, module.LONGEST_HEADING) == (2_000_000, 2_000, 600)
    assert module.MOST_STREAMS == 200
