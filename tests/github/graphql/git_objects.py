"""Git's objects and what they share: trees, blobs, annotated tags; commits are in `commits.py`."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from tests.github import node_ids
from tests.github.git import TreeEntry
from tests.github.graphql.view import InRepository

TEXT_LIMIT = 512_000  # bytes; GitHub cuts the text of larger blobs


class GitObjectView(InRepository):
    """`record` is the object id."""

    record: str

    def id(self) -> str:
        return node_ids.encode(self.typename, self.home.id, self.record)

    def oid(self) -> str:
        return self.record

    def abbreviated_oid(self) -> str:
        return self.record[:7]

    def address(self) -> str:
        return f"/{self.home.full_name}/{self.typename.lower()}/{self.record}"

    def commit_resource_path(self) -> str:
        return f"/{self.home.full_name}/commit/{self.record}"

    def commit_url(self) -> str:
        return self.graph.world.base_url.rstrip("/") + self.commit_resource_path()


class TreeView(GitObjectView):
    typename = "Tree"

    async def entries(self) -> list[Any]:
        return self.views("TreeEntry", await self.git.tree(self.record))


class TreeEntryView(InRepository):
    typename = "TreeEntry"
    record: TreeEntry
    record_type = TreeEntry
    is_generated = False

    def name(self) -> str:
        return PurePosixPath(self.record.path).name

    def extension(self) -> str:
        return PurePosixPath(self.record.path).suffix

    def mode(self) -> int:
        return int(self.record.mode, 8)

    def oid(self) -> str:
        return self.record.sha

    def size(self) -> int:
        return self.record.size or 0

    def object(self) -> Any:
        """Null for a submodule, whose commit is another repository's."""
        return None if self.record.type == "commit" else self.view(self.record.type.capitalize(), self.record.sha)


class BlobView(GitObjectView):
    typename = "Blob"

    async def _data(self) -> bytes:
        return await self.git.blob(self.record)

    async def byte_size(self) -> int:
        return len(await self._data())

    async def is_binary(self) -> bool:
        data = await self._data()
        return b"\0" in data[:8000]

    async def is_truncated(self) -> bool:
        return len(await self._data()) > TEXT_LIMIT

    async def text(self) -> str | None:
        data = await self._data()
        return None if b"\0" in data[:8000] else data[:TEXT_LIMIT].decode(errors="replace")


class TagView(GitObjectView):
    """An annotated tag."""

    typename = "Tag"

    async def _lines(self) -> tuple[dict[str, str], str]:
        raw = (await self.git.run("cat-file", "tag", self.record)).decode(errors="replace")
        head, _, message = raw.partition("\n\n")
        pairs = (line.partition(" ") for line in head.splitlines())
        return {key: value for key, _, value in pairs}, message

    async def name(self) -> str:
        return (await self._lines())[0]["tag"]

    async def message(self) -> str:
        return (await self._lines())[1]

    async def tagger(self) -> None:
        return None

    async def target(self) -> Any:
        head, _ = await self._lines()
        return self.view(head["type"].capitalize(), head["object"])
