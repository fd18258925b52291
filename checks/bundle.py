"""The evidence bundle: where it stands in the pull request, and what it says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pydantic import ValidationError

from checks.accounts import Comment
from checks.agents import fold_login
from checks.bundle_schema import Bundle, Statement, bundle_schema
from checks.document import Document, DocumentError, Fault, digest_of, read_document
from checks.faults import faults_of
from checks.snapshot import Snapshot
from checks.unread import Unread

__all__ = [
    "Bundle",
    "BundleFaults",
    "BundleReading",
    "BundleSource",
    "bundle_digest",
    "bundle_schema",
    "find_blocks",
    "find_bundle",
    "parse_bundle",
    "read_bundle",
    "read_given",
]

_INFO_STRINGS = frozenset({"mergegate", "yaml mergegate", "json mergegate"})
_RAW_TAGS = ("pre", "script", "style", "textarea")
_STATEMENT_KEYS = frozenset({"_type", "subject", "predicateType", "predicate"})


@dataclass(frozen=True, slots=True)
class Block:
    """The content of a fenced code block. `first_line` is the 1-based line of its first line of content."""

    text: str
    first_line: int
    closed: bool


@dataclass(frozen=True, slots=True)
class BundleSource:
    """A block in the pull request's body, in a comment of its author, or in a file that was handed over (`given`).

    `others` are the opening lines of further blocks in the same place; with them it cannot be told which is meant.
    """

    text: str
    first_line: int
    closed: bool = True
    comment_id: int | None = None  # None: the body
    others: tuple[int, ...] = ()
    given: bool = False

    @property
    def place(self) -> str:
        if self.given:
            return "the given file"
        return "the pull request's body" if self.comment_id is None else f"comment {self.comment_id}"


@dataclass(frozen=True, slots=True)
class BundleFaults:
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class BundleReading:
    """The pull request's bundle as far as there is one. `digest` is given also where it cannot be read."""

    source: BundleSource | None = None
    bundle: Bundle | None = None
    faults: tuple[Fault, ...] = ()
    digest: str | None = None


def read_bundle(snapshot: Snapshot) -> BundleReading:
    """Find the bundle, read it, and take its digest."""
    if snapshot.number is None:
        return read_given(snapshot.body) if snapshot.body else BundleReading()
    source = find_bundle(snapshot)
    return BundleReading() if source is None else _read(source)


def read_given(text: str) -> BundleReading:
    """Read a bundle that was handed over: a Markdown text with a block, or the content of a block by itself."""
    source = _source(text, None) or BundleSource(text, first_line=1)
    return _read(replace(source, given=True))


def _read(source: BundleSource) -> BundleReading:
    digest = bundle_digest(source)
    faults = _faults_of_place(source)
    if faults:
        return BundleReading(source, None, faults, digest)
    result = parse_bundle(source.text, source.first_line)
    if isinstance(result, BundleFaults):
        return BundleReading(source, None, result.faults, digest)
    return BundleReading(source, result, (), digest)


def _faults_of_place(source: BundleSource) -> tuple[Fault, ...]:
    if source.others:
        lines = ", ".join(str(line) for line in (source.first_line - 1, *source.others))
        hint = "keep one block and remove the others"
        return (Fault(f"several mergegate blocks stand in {source.place} (lines {lines})", hint=hint),)
    if not source.closed:
        return (Fault("the block is not closed", source.first_line - 1, hint="end it with a line of ```"),)
    return ()


def find_bundle(snapshot: Snapshot) -> BundleSource | None:
    """The block that counts: in the newest comment of the author that has one, else in the body, else None."""
    for comment in sorted(snapshot.comments, key=lambda comment: (comment.created_at, comment.id), reverse=True):
        source = _source(comment.body, comment.id) if _is_authors(comment, snapshot) else None
        if source is not None:
            return source
    return _source(snapshot.body, None)


def _is_authors(comment: Comment, snapshot: Snapshot) -> bool:
    """Whether the pull request's own author wrote it; nobody else speaks for the change."""
    author, writer = snapshot.author, comment.author
    if isinstance(author, Unread) or author.is_bot is not writer.is_bot:
        return False
    same_id = None in (author.id, writer.id) or author.id == writer.id
    return same_id and fold_login(author.login) == fold_login(writer.login)


def _source(body: str, comment_id: int | None) -> BundleSource | None:
    blocks = find_blocks(body)
    if not blocks:
        return None
    first = blocks[0]
    others = tuple(block.first_line - 1 for block in blocks[1:])
    return BundleSource(first.text, first.first_line, first.closed, comment_id, others)


def find_blocks(body: str) -> tuple[Block, ...]:
    """Fenced blocks whose info string is `mergegate`, `yaml mergegate` or `json mergegate`.

    Fences as in https://spec.commonmark.org/0.31.2/#fenced-code-blocks; a block inside another fence or inside HTML
    of which GitHub shows nothing, or no block, is none.
    """
    return tuple(_blocks(body.replace("\r\n", "\n").replace("\r", "\n").split("\n")))


def _blocks(lines: list[str]) -> Iterator[Block]:
    at = 0
    while at < len(lines):
        opening = _opening_fence(lines[at])
        if opening is None:
            ends = _ends_of_html(lines[at])
            at = _after(lines, at, ends) if ends else at + 1
            continue
        fence, info = opening
        end = _closing_line(lines, at + 1, fence)
        if info in _INFO_STRINGS:
            yield Block("\n".join(lines[at + 1 : end]), at + 2, closed=end < len(lines))
        at = end + 1


def _opening_fence(line: str) -> tuple[str, str] | None:
    text = _indented_text(line)
    mark = text[:1]
    if mark not in ("`", "~") or not text.startswith(mark * 3):
        return None
    rest = text.lstrip(mark)
    if mark == "`" and "`" in rest:
        return None
    return text[: len(text) - len(rest)], " ".join(rest.lower().split())


def _closing_line(lines: list[str], start: int, fence: str) -> int:
    """Index of the line that closes `fence`, or the number of lines."""
    for at in range(start, len(lines)):
        text = _indented_text(lines[at]).rstrip()
        if text.startswith(fence) and not text.strip(fence[0]):
            return at
    return len(lines)


def _ends_of_html(line: str) -> tuple[str, ...]:
    """What ends the HTML that begins on this line, where it may run over blank lines; nothing where none begins.

    Kinds 1 to 5 of https://spec.commonmark.org/0.31.2/#html-blocks.
    """
    text = _indented_text(line).lower()
    if text.startswith("<!--"):
        return ("-->",)
    if text.startswith("<![cdata["):
        return ("]]>",)
    if text.startswith("<?"):
        return ("?>",)
    if text.startswith("<!"):
        return (">",)
    raw = any(text.startswith(f"<{tag}") and not text[len(tag) + 1 :][:1].isalnum() for tag in _RAW_TAGS)
    return tuple(f"</{tag}>" for tag in _RAW_TAGS) if raw else ()


def _after(lines: list[str], start: int, ends: tuple[str, ...]) -> int:
    for at in range(start, len(lines)):
        text = lines[at].lower()
        if any(end in text for end in ends):
            return at + 1
    return len(lines)


def _indented_text(line: str) -> str:
    """The line without its indentation, or nothing where four spaces or a tab make it indented code."""
    text = line.lstrip(" ")
    return text if len(line) - len(text) <= 3 else ""


def parse_bundle(text: str, first_line: int = 1) -> Bundle | BundleFaults:
    """Read the content of a block, or of a file, in the full or the short form.

    `first_line` is the line of `text` in its surroundings; the faults' lines count from there.
    """
    try:
        document = read_document(text, first_line)
    except DocumentError as error:
        return BundleFaults((error.fault,))
    if not isinstance(document.value, dict):
        return BundleFaults((Fault("a bundle is a mapping of fields", first_line, hint="begin with `reason: …`"),))
    if _STATEMENT_KEYS & document.value.keys():
        return _read_statement(document)
    return _read_short(document)


def _read_short(document: Document) -> Bundle | BundleFaults:
    try:
        return Bundle.model_validate(document.value)
    except ValidationError as error:
        return BundleFaults(faults_of(error, document, Bundle))


def _read_statement(document: Document) -> Bundle | BundleFaults:
    try:
        return Statement.model_validate(document.value).bundle()
    except ValidationError as error:
        return BundleFaults(faults_of(error, document, Statement))


def bundle_digest(source: BundleSource) -> str:
    """`sha256:…` of what the bundle says; of its text where it cannot be read.

    Comments, layout and the order of keys do not count, every value does.
    """
    try:
        return read_document(source.text).digest
    except DocumentError:
        return digest_of(source.text)
