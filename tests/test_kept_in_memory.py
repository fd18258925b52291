"""What is kept in memory is bounded in bytes, and let go with the work that it was used for."""

from __future__ import annotations

from app.bounded import Bounded, used_for


def kept(limit: int = 100) -> Bounded[str, str]:
    return Bounded(limit, lambda key, value: len(key) + len(value))


def test_what_was_not_used_for_the_longest_goes_first() -> None:
    store = kept(limit=40)
    for key in ("a", "b", "c", "d"):
        store.put(key, "x" * 9)
    assert store.get("a") == "x" * 9
    store.put("e", "x" * 9)
    assert [key for key in "abcde" if store.get(key)] == ["a", "c", "d", "e"]


def test_over_a_quarter_of_all_is_not_kept() -> None:
    store = kept(limit=40)
    store.put("a", "x" * 9)
    store.put("b", "x" * 10)
    assert store.get("a") is not None
    assert store.get("b") is None


def test_what_is_put_anew_takes_its_room_once() -> None:
    store = kept(limit=40)
    for _ in range(10):
        store.put("a", "x" * 9)
    for key in ("b", "c", "d"):
        store.put(key, "x" * 9)
    assert all(store.get(key) for key in "abcd")


def test_what_was_used_for_work_that_is_over_goes() -> None:
    store = kept()
    with used_for("pull:1"):
        store.put("its own", "1")
        store.put("shared", "2")
    with used_for("pull:2"):
        store.put("the other's", "3")
        assert store.get("shared") == "2"
    store.forget("pull:1")
    assert store.get("its own") is None
    assert store.get("shared") == "2", "pull:2 was the last that used it"
    assert store.get("the other's") == "3"


def test_room_of_what_was_let_go_is_free() -> None:
    store = kept(limit=40)
    for work in ("pull:1", "pull:2"):
        with used_for(work):
            for key in "abcd":
                store.put(f"{work}{key}", "x" * 3)
        store.forget(work)
    for key in "abcd":
        store.put(key, "x" * 9)
    assert all(store.get(key) for key in "abcd")


def test_what_a_later_look_did_not_use_goes() -> None:
    store = kept()
    with used_for("pull:2"):
        store.put("the other's", "3")
    with used_for("pull:1"):
        store.put("of an old target", "1")
        store.put("of the head", "2")
        store.forget_unused()
        assert store.get("of an old target") == "1"
    with used_for("pull:1"):
        assert store.get("of the head") == "2"
        store.put("of the new target", "4")
        store.forget_unused()
    assert store.get("of an old target") is None
    assert store.get("of the head") == "2"
    assert store.get("of the new target") == "4"
    assert store.get("the other's") == "3"
