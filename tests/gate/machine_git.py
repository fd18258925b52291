"""Git in memory: the commands that the gate and the simulated GitHub give, answered without a process.

The state machine merges and compares thousands of commits of a handful of tiny files, and a process for each question
would be most of its time. Objects are encoded and named as git does it (https://git-scm.com/docs/gitformat-pack and
"Git Objects" in the Pro Git book), so that a test can hold every answer against the real command. Left out is what
those repositories never hold: renames, links, submodules, modes, and merges within a file, which count as a conflict.
"""

from __future__ import annotations

import asyncio
import difflib
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from app.gate.git import GitFailed
from tests.github.git import ZERO, Files, Git, Person
from tests.github.loose_objects import LooseObjects, NotLoose

Answer = tuple[int, bytes, bytes]
Tree = dict[str, str]  # path -> blob id, all folders flattened
MODE = "100644"
NO_ENTRY = "0" * 6
FLAGS_WITH_VALUE = ("-c", "--git-dir", "-F")


class Unsupported(AssertionError):
    """A command that nobody gave until now."""


@dataclass
class Store:
    """One repository's objects and refs; `folder` holds its loose refs as files, because the simulator reads those."""

    folder: Path
    objects: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    trees: dict[str, Tree] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    ancestors: dict[str, frozenset[str]] = field(default_factory=dict)  # of a commit, itself included

    def write(self, kind: str, data: bytes) -> str:
        oid = hashlib.sha1(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest()
        self.objects[oid] = (kind, data)
        return oid

    def write_tree(self, tree: Tree) -> str:
        return self._write_folder(sorted(tree.items()))

    def _write_folder(self, entries: Sequence[tuple[str, str]]) -> str:
        folders: dict[str, list[tuple[str, str]]] = {}
        files: dict[str, str] = {}
        for path, oid in entries:
            head, slash, rest = path.partition("/")
            if slash:
                folders.setdefault(head, []).append((rest, oid))
            else:
                files[head] = oid
        lines = [(name, MODE, oid) for name, oid in files.items()]
        lines += [(f"{name}/", "40000", self._write_folder(inner)) for name, inner in folders.items()]
        data = b"".join(
            f"{mode} {name.rstrip('/')}\0".encode() + bytes.fromhex(oid) for name, mode, oid in sorted(lines)
        )
        written = self.write("tree", data)
        self.trees[written] = dict(entries)
        return written

    def write_commit(self, tree: str, parents: Sequence[str], author: str, committer: str, message: bytes) -> str:
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        lines += [f"author {author}", f"committer {committer}", "", ""]
        return self.write("commit", "\n".join(lines).encode() + message)

    def header(self, commit: str, name: str) -> list[str]:
        """The values of a commit's header lines of that name."""
        head = self.objects[commit][1].partition(b"\n\n")[0].decode()
        return [line.partition(" ")[2] for line in head.split("\n") if line.startswith(f"{name} ")]

    def parents(self, commit: str) -> list[str]:
        return self.header(commit, "parent")

    def tree_id(self, treeish: str) -> str:
        return treeish if treeish in self.trees else self.header(treeish, "tree")[0]

    def tree(self, treeish: str) -> Tree:
        return self.trees[self.tree_id(treeish)]

    def history(self, commit: str) -> frozenset[str]:
        if commit not in self.ancestors:
            found = frozenset({commit}).union(*(self.history(parent) for parent in self.parents(commit)))
            self.ancestors[commit] = found
        return self.ancestors[commit]

    def merge_bases(self, one: str, other: str) -> list[str]:
        common = self.history(one) & self.history(other)
        return sorted(each for each in common if not any(each in self.history(x) for x in common - {each}))

    def resolve(self, name: str) -> str | None:
        if name in self.objects:
            return name
        return self.refs.get(name) or self.refs.get(f"refs/heads/{name}")

    def set_ref(self, ref: str, oid: str) -> None:
        file = self.folder / ref
        if oid == ZERO:
            self.refs.pop(ref, None)
            file.unlink(missing_ok=True)
            return
        self.refs[ref] = oid
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{oid}\n")


@dataclass(frozen=True)
class Call:
    """A command line, taken apart: the words that are no options, the options, and what came after `--`."""

    store: Store
    words: Sequence[str]
    options: frozenset[str]
    paths: Sequence[str]
    parents: Sequence[str]
    stdin: bytes
    environment: Mapping[str, str]


class MemoryGit:
    """All repositories by folder."""

    def __init__(self) -> None:
        self.stores: dict[Path, Store] = {}

    def store(self, folder: Path) -> Store:
        return self.stores.setdefault(folder, Store(folder))

    def run(self, folder: Path, arguments: Sequence[str], stdin: bytes, environment: Mapping[str, str]) -> Answer:
        words, options, paths, parents = _parsed(arguments)
        command = words.pop(0)
        call = Call(self.store(folder), words, frozenset(options), paths, parents, stdin, environment)
        if command == "fetch":
            return self._fetch(call)
        answer = COMMANDS.get(command)
        if answer is None:
            raise Unsupported(f"git {' '.join(arguments)}")
        return answer(call)

    def _fetch(self, call: Call) -> Answer:
        """The whole of the other repository's objects; refs as the refspecs say. One that is not there fails."""
        source, target = self.store(Path(call.words[0])), call.store
        specs = [word.removeprefix("+").split(":") for word in call.words[1:]]
        missing = [theirs for theirs, _ in specs if "*" not in theirs and theirs not in source.refs]
        if missing:
            return 128, b"", f"fatal: couldn't find remote ref {missing[0]}".encode()
        target.objects |= source.objects
        target.trees |= source.trees
        for theirs, ours in specs:
            prefix, star, _ = theirs.partition("*")
            for ref in [ref for ref in source.refs if (ref.startswith(prefix) if star else ref == theirs)]:
                target.set_ref(ours.replace("*", ref.removeprefix(prefix)) if star else ours, source.refs[ref])
        return 0, b"", b""


def _parsed(arguments: Sequence[str]) -> tuple[list[str], list[str], list[str], list[str]]:
    words: list[str] = []
    options: list[str] = []
    parents: list[str] = []
    given = iter(arguments)
    for word in given:
        if word == "--":
            break
        if word == "-p" and "commit-tree" in words:
            parents.append(next(given))
        elif word in FLAGS_WITH_VALUE:
            next(given)
        elif word.startswith("-"):
            options.append(word)
        else:
            words.append(word)
    return words, options, list(given), parents


def _line(text: str) -> Answer:
    return 0, f"{text}\n".encode(), b""


def _rev_parse(call: Call) -> Answer:
    name, caret, kind = call.words[0].partition("^{")
    oid = call.store.resolve(name)
    if oid is None:
        return 1, b"", b""
    found = call.store.objects[oid][0]
    if caret and kind == "tree}" and found == "commit":
        return _line(call.store.tree_id(oid))
    return _line(oid) if not caret or found == kind.removesuffix("}") else (1, b"", b"")


def _for_each_ref(call: Call) -> Answer:
    prefix = call.words[0]
    names = sorted(name for name in call.store.refs if name == prefix or name.startswith(f"{prefix.rstrip('/')}/"))
    return 0, "".join(f"{name} {call.store.refs[name]}\n" for name in names).encode(), b""


def _cat_file(call: Call) -> Answer:
    objects = call.store.objects
    if "--batch-check" in call.options:
        lines = [
            f"{oid} {objects[oid][0]} {len(objects[oid][1])}" if oid in objects else f"{oid} missing"
            for oid in call.stdin.decode().split()
        ]
        return 0, "".join(f"{line}\n" for line in lines).encode(), b""
    found = objects.get(call.words[-1])
    if found is None or (len(call.words) == 2 and found[0] != call.words[0]):
        return 128, b"", b"fatal: Not a valid object name"
    if "-t" in call.options:
        return _line(found[0])
    return _line(str(len(found[1]))) if "-s" in call.options else (0, found[1], b"")


def _update_ref(call: Call) -> Answer:
    ref, *rest = call.words
    new = ZERO if "-d" in call.options else rest.pop(0)
    if rest and (call.store.refs.get(ref) or ZERO) != rest[0]:
        return 128, b"", b"fatal: cannot lock ref"
    call.store.set_ref(ref, new)
    return 0, b"", b""


def _rev_list(call: Call) -> Answer:
    store = call.store
    if "--no-walk" in call.options:
        return _line(" ".join([call.words[0], *store.parents(call.words[0])]))
    found = _walk(store, call.words, call.paths)
    if "--count" in call.options:
        return _line(str(len(found)))
    limits = dict(option[2:].split("=") for option in call.options if "=" in option)
    skip = int(limits.get("skip", "0"))
    shown = found[skip : skip + int(limits.get("max-count", "1000000"))]
    if "--reverse" in call.options:
        shown.reverse()
    return 0, "".join(f"{oid}\n" for oid in shown).encode(), b""


def _walk(store: Store, revisions: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Commits newest first, children before their parents."""
    wanted: set[str] = set()
    left_out: set[str] = set()
    for revision in revisions:
        old, dots, new = revision.rpartition("..")
        for name, into in ((new.removeprefix("^"), left_out if new.startswith("^") else wanted), (old, left_out)):
            if name:
                into |= store.history(store.resolve(name) or name)
        assert dots or not old
    found = sorted(wanted - left_out, key=lambda oid: (len(store.history(oid)), oid), reverse=True)
    return [oid for oid in found if not paths or _touches(store, oid, paths)]


def _touches(store: Store, commit: str, paths: Sequence[str]) -> bool:
    before: Tree = store.tree(store.parents(commit)[0]) if store.parents(commit) else {}
    changed = (path for path, _, _ in _changes(before, store.tree(commit)))
    return any(path == wanted or path.startswith(f"{wanted.rstrip('/')}/") for path in changed for wanted in paths)


def _ls_tree(call: Call) -> Answer:
    tree, store = call.store.tree(call.words[0]), call.store
    paths = [path.removeprefix(":(literal)") for path in call.paths]
    recursive = "-r" in call.options
    shown: dict[str, tuple[str, str, str]] = {}
    for path, oid in tree.items():
        for place in _places(path, paths[0] if paths else None, recursive=recursive, trees="-t" in call.options):
            shown[place] = (MODE, "blob", oid) if place == path else ("040000", "tree", _folder_id(store, tree, place))
    lines = [
        _entry(store, call.options, place, *shown[place])
        for place in sorted(shown, key=lambda place: _sorted_as(place, shown[place][1]))
    ]
    return 0, b"".join(lines), b""


def _places(path: str, wanted: str | None, *, recursive: bool, trees: bool) -> Iterator[str]:
    """Which entries `ls-tree` shows because of the file at `path`: itself, or a folder above it."""
    start = ""
    if wanted is not None:
        folder = wanted.rstrip("/")
        if path != wanted and not path.startswith(f"{folder}/"):
            return
        start = f"{folder}/" if wanted.endswith("/") or (recursive and path != wanted) else ""
        if not start:
            yield wanted
            return
    parts = path.removeprefix(start).split("/")
    if not recursive:
        yield start + parts[0]
        return
    yield path
    if trees:
        yield from (start + "/".join(parts[:depth]) for depth in range(1, len(parts)))


def _sorted_as(path: str, kind: str) -> str:
    """Git sorts a folder as if its name ended with a slash."""
    return f"{path}/" if kind == "tree" else path


def _folder_id(store: Store, tree: Tree, folder: str) -> str:
    inner = [
        (path.removeprefix(f"{folder}/"), oid) for path, oid in sorted(tree.items()) if path.startswith(f"{folder}/")
    ]
    return store._write_folder(inner)


def _entry(store: Store, options: frozenset[str], path: str, mode: str, kind: str, oid: str) -> bytes:
    if "--name-only" in options:
        return f"{path}\0".encode()
    size = f" {len(store.objects[oid][1]) if kind == 'blob' else '-':>7}" if "-l" in options else ""
    return f"{mode} {kind} {oid}{size}\t{path}\0".encode()


def _hash_object(call: Call) -> Answer:
    return _line(call.store.write("blob", call.stdin))


def _merge_base(call: Call) -> Answer:
    one, other = call.words
    if "--is-ancestor" in call.options:
        return (0 if one in call.store.history(other) else 1), b"", b""
    bases = call.store.merge_bases(one, other)
    shown = bases if "--all" in call.options else bases[:1]
    return (0 if bases else 1), "".join(f"{base}\n" for base in shown).encode(), b""


def _merge_tree(call: Call) -> Answer:
    """By whole files. With several merge bases the first one is taken; the gate does not ask then."""
    store, (ours, theirs) = call.store, call.words
    bases = store.merge_bases(ours, theirs)
    base = store.tree(bases[0]) if bases else {}
    left, right = store.tree(ours), store.tree(theirs)
    merged: Tree = {}
    for path in {*base, *left, *right}:
        was, one, other = base.get(path), left.get(path), right.get(path)
        if one != other and was not in (one, other):
            return 1, b"", b""
        kept = other if one == was else one
        if kept is not None:
            merged[path] = kept
    end = b"\0" if "-z" in call.options else b"\n"
    return 0, store.write_tree(merged).encode() + end, b""


def _commit_tree(call: Call) -> Answer:
    who = {role: _identity(call.environment, role) for role in ("AUTHOR", "COMMITTER")}
    tree, parents = call.words[0], list(dict.fromkeys(call.parents))
    return _line(call.store.write_commit(tree, parents, who["AUTHOR"], who["COMMITTER"], call.stdin))


def _identity(environment: Mapping[str, str], role: str) -> str:
    name, email, date = (environment[f"GIT_{role}_{part}"] for part in ("NAME", "EMAIL", "DATE"))
    return f"{name} <{email}> {date.removeprefix('@')}"


def _changes(before: Tree, after: Tree) -> list[tuple[str, str | None, str | None]]:
    return [
        (path, before.get(path), after.get(path))
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    ]


def _diff_tree(call: Call) -> Answer:
    if "--stdin" in call.options:
        return 0, "".join(_of_commit(call.store, oid) for oid in call.stdin.decode().split()).encode(), b""
    store, (old, new) = call.store, call.words
    changes = _changes(store.tree(old), store.tree(new))
    out = [_raw(*change) for change in changes] if "--raw" in call.options else []
    if "--numstat" in call.options:
        out += [_numstat(store, *change) for change in changes]
    if "-p" in call.options:
        out += ["\0"] if changes and out else []
        out += [_patch(store, *change) for change in changes]
    return 0, "".join(out).encode(), b""


def _of_commit(store: Store, oid: str) -> str:
    """`--stdin -z -c --raw --root`: of a merge what differs from all that it merges, with a side for each."""
    before = [store.tree(parent) for parent in store.parents(oid)] or [{}]
    after = store.tree(oid)
    paths = sorted({*after, *(path for tree in before for path in tree)})
    changed = [path for path in paths if all(tree.get(path) != after.get(path) for tree in before)]
    if len(before) > 1:  # named also where nothing differs
        sides = [_combined(path, [tree.get(path) for tree in before], after.get(path)) for path in changed]
        return f"{oid}\0{''.join(sides)}"
    raw = "".join(_raw(path, before[0].get(path), after.get(path)) for path in changed)
    return f"{oid}\0{raw}" if raw else ""


def _combined(path: str, before: Sequence[str | None], after: str | None) -> str:
    letters = "".join("A" if old is None else "D" if after is None else "M" for old in before)
    sides = (*before, after)
    modes = " ".join(NO_ENTRY if oid is None else MODE for oid in sides)
    return f"{':' * len(before)}{modes} {' '.join(oid or ZERO for oid in sides)} {letters}\0{path}\0"


def _raw(path: str, old: str | None, new: str | None) -> str:
    letter = "A" if old is None else "D" if new is None else "M"
    old_mode, new_mode = (NO_ENTRY if oid is None else MODE for oid in (old, new))
    return f":{old_mode} {new_mode} {old or ZERO} {new or ZERO} {letter}\0{path}\0"


def _hunks(store: Store, old: str | None, new: str | None) -> list[str]:
    before, after = (store.objects[oid][1].decode().splitlines() if oid else [] for oid in (old, new))
    return list(difflib.unified_diff(before, after, lineterm=""))[2:]


def _numstat(store: Store, path: str, old: str | None, new: str | None) -> str:
    signs = [line[0] for line in _hunks(store, old, new)]
    return f"{signs.count('+')}\t{signs.count('-')}\t{path}\0"


def _patch(store: Store, path: str, old: str | None, new: str | None) -> str:
    return "".join(f"{line}\n" for line in [f"diff --git a/{path} b/{path}", *_hunks(store, old, new)])


def _init(call: Call) -> Answer:
    folder = call.store.folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    return 0, b"", b""


COMMANDS: Mapping[str, Callable[[Call], Answer]] = {
    "cat-file": _cat_file,
    "commit-tree": _commit_tree,
    "diff-tree": _diff_tree,
    "for-each-ref": _for_each_ref,
    "hash-object": _hash_object,
    "init": _init,
    "ls-tree": _ls_tree,
    "merge-base": _merge_base,
    "merge-tree": _merge_tree,
    "rev-list": _rev_list,
    "rev-parse": _rev_parse,
    "update-ref": _update_ref,
}


class NothingLoose(LooseObjects):
    """Of objects in memory there are no files."""

    def _file(self, sha: str) -> bytes:
        raise NotLoose(sha)


class SimulatorGit(Git):
    """The simulated GitHub's side."""

    reader = NothingLoose
    memory: MemoryGit  # set by whoever puts this class in place

    async def attempt(
        self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> tuple[int, bytes, bytes]:
        return self.memory.run(self.path, arguments, stdin, env or {})

    async def commit_files(
        self,
        files: Files,
        message: str,
        author: Person,
        *,
        at: datetime,
        parents: Sequence[str] = (),
        committer: Person | None = None,
    ) -> str:
        store = self.memory.store(self.path)
        tree = dict(store.tree(parents[0])) if parents else {}
        for path, content in files.items():
            if content is None:
                tree.pop(path, None)
                continue
            assert isinstance(content, str)
            tree[path] = store.write("blob", content.encode())
        when = f"{int(at.timestamp())} +0000"
        who = [f"{person.name} <{person.email}> {when}" for person in (author, committer or author)]
        return store.write_commit(store.write_tree(tree), parents, who[0], who[1], message.encode())


def gate_git(memory: MemoryGit) -> Callable[..., object]:
    """A stand-in for `app.gate.git.run_git`."""

    async def run_git(
        folder: Path,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        time_limit: float = 0.0,
        good: frozenset[int] = frozenset({0}),
    ) -> Answer:
        await asyncio.sleep(0)
        answer = memory.run(folder, arguments, stdin, environment or {})
        if answer[0] not in good:
            raise GitFailed(f"git {arguments[0]} ended with {answer[0]}: {answer[2].decode()}")
        return answer

    return run_git
