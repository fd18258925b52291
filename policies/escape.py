"""Words from a pull request, made inert before they stand in our output.

GitHub turns mentions, references, addresses, emoji names and HTML in rendered Markdown into live things, also where
Markdown's own escapes were used, because that happens after Markdown is done. Only code is left alone
(https://github.github.com/gfm/#code-spans), so everything that is not a plain word is put into a code span.
"""

from __future__ import annotations

from checks.lookalikes import is_hidden

_PLAIN_MARKS = frozenset(".,;'’“”\"()?!%…–—=+-·")
_BEFORE = "(\"'“’"
_AFTER = ".,;:!?)\"'”’…"
_HEXADECIMAL = frozenset("0123456789abcdefABCDEF")
_URL_MARKS = frozenset("-._~:/?#@%=&+,;")


def clean(text: str, limit: int) -> str:
    """`text` on one line with every hidden character shown as `⟨U+202E⟩`, at most `limit` characters."""
    # Cut first as well: no work is done on what is not shown.
    line = " ".join(_visible(text[: 2 * limit]).split())
    return line if len(line) <= limit and len(text) <= 2 * limit else line[: limit - 1].rstrip() + "…"


def _visible(text: str) -> str:
    # Most texts hide nothing, and a look at each of their characters was a twentieth of the time of a pull request.
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in "\t\n\r\x0b\x0c":
        return " "
    return f"⟨U+{ord(character):04X}⟩" if is_hidden(character) else character


def code(text: str, limit: int = 200) -> str:
    """`text` as one Markdown code span."""
    line = clean(text, limit)
    fence = "`" * (_longest_run(line) + 1)
    padding = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{padding}{line}{padding}{fence}" if line else "`(empty)`"


def _longest_run(line: str) -> int:
    longest = run = 0
    for character in line:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest


def inert(text: str, limit: int = 600) -> str:
    """A sentence as Markdown text: plain words stay, what stands in backticks or is no plain word becomes code."""
    parts = clean(text, limit).split("`")
    pieces: list[str] = []
    for index, part in enumerate(parts):
        quoted = index % 2 == 1 and index < len(parts) - 1 and part.strip()
        pieces += [code(part, limit)] if quoted else _words(part)
    return _joined(pieces)


def _words(part: str) -> list[str]:
    pieces: list[str] = []
    for index, word in enumerate(part.split(" ")):
        pieces += ([" "] if index else []) + _word(word)
    return pieces


def _word(word: str) -> list[str]:
    """The word whole, or in three pieces: marks before, the word itself as code, marks after."""
    rest = word.lstrip(_BEFORE)
    core = rest.rstrip(_AFTER)
    if not core or _is_plain(core):
        return [word]
    return [word[: len(word) - len(rest)], code(core, len(core)), rest[len(core) :]]


def _is_plain(word: str) -> bool:
    if not (word.isalnum() or all(character in _PLAIN_MARKS or character.isalnum() for character in word)):
        return False
    lowered = word.lower()
    if "www" in lowered or "gh-" in lowered or lowered.startswith(("-", "+", "=")):
        return False
    return len(word) < 7 or not set(word) <= _HEXADECIMAL


def _joined(pieces: list[str]) -> str:
    """Two code spans that touch would become one; a space keeps them apart."""
    text = ""
    for piece in pieces:
        text += " " + piece if text.endswith("`") and piece.startswith("`") else piece
    return text


def link(label: str, url: str | None) -> str:
    """`label` as code, linked where the address is a plain https one."""
    address = plain_address(url)
    return code(label) if address is None else f"[{code(label)}]({address})"


def plain_address(url: str | None) -> str | None:
    """The address if it is an https one of at most 500 harmless characters, else None."""
    if url is None or not url.startswith("https://") or len(url) > 500:
        return None
    safe = all(character.isascii() and (character.isalnum() or character in _URL_MARKS) for character in url)
    return url if safe else None
