"""What the ending of a file's name says of it."""

from __future__ import annotations

from checks.tampering.places import extension

_CODE = frozenset(
    {
        *("py", "pyi", "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "go", "rs", "java", "kt"),
        *("kts", "scala", "groovy", "rb", "php", "cs", "fs", "vb", "c", "h", "cc", "cpp", "cxx", "hpp", "m", "mm"),
        *("swift", "dart", "ex", "exs", "erl", "hs", "ml", "clj", "lua", "pl", "pm", "r", "jl", "sh", "bash", "zsh"),
        *("ps1", "sql", "sol", "zig", "nim", "gradle", "cmake", "tf", "proto", "graphql"),
    }
)


def is_code(path: str) -> bool:
    """Whether a file of that name is written and read by people as source code."""
    return extension(path) in _CODE
