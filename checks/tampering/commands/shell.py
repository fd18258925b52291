"""Shell text as commands with the operators around them; no expansion, no execution, linear in the size of the text.

It reads what people write in build files (https://www.gnu.org/software/bash/manual/bash.html), not all that a shell
accepts. What it does not understand stays a word, so that nothing is lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

LONGEST_SCRIPT = 64 * 1024  # characters; of a longer one only the beginning is read
LONGEST_QUOTE = 300
# Words that end a compound command, whose exit code is that of what stands in it.
CLOSERS = frozenset({"}", "fi", "done", "esac"})

# Each alternative takes at least one character without looking back, so the whole is linear.
_TOKEN = re.compile(
    r"(?P<blank>[ \t\r]+|\\\r?\n)"
    r"|(?P<end>\n)"
    r"|(?P<expression>\$\{\{[^{}\n]{0,300}\}\})"  # of GitHub, which is no shell
    r"|(?P<document><<-?[ \t]*(?P<quote>['\"]?)(?P<delimiter>\w+)(?P=quote))"
    r"|(?P<redirect>[0-9]{0,2}[<>]&[0-9-]|&>>?|[0-9]{0,2}(?:<<<|>>|>\||<>|[<>])(?!\())"
    r"|(?P<operator>&&|\|\||;;|\|&|[;|&()])"
    r"|(?P<single>'[^']*(?:'|\Z))"
    r'|(?P<double>"(?:[^"\\]|\\.|\\\Z)*(?:"|\Z))'
    r"|(?P<escape>\\.)"
    r"|(?P<plain>[^\s'\"\\;|&()<>$#]+|.)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command. `words` are without quotes; redirections and comments are left out.

    `before` and `after` are the operators around it: `&&`, `||`, `|`, `&`, `;`, `(`, `)`, a line end, or nothing at
    the ends of the text. `line` is 1-based in the text; `text` is the source, at most LONGEST_QUOTE characters.
    """

    words: tuple[str, ...]
    line: int
    text: str
    before: str
    after: str


def split_commands(script: str) -> tuple[Command, ...]:
    """The commands of a script in order; never raises."""
    return _Reader(script[:LONGEST_SCRIPT]).read()


def split_words(text: str) -> tuple[str, ...]:
    """Words of an option string, as a shell takes them apart; operators only part them."""
    return tuple(word for command in split_commands(text) for word in command.words)


class _Reader:
    """One pass over the text."""

    def __init__(self, script: str) -> None:
        self._script = script
        self._commands: list[Command] = []
        self._words: list[str] = []
        self._word: str | None = None  # the one that is being read
        self._start: int | None = None  # offset of the command's first character
        self._stop = 0  # offset behind its last one
        self._line = self._first_line = 1
        self._before = ""
        self._to_redirection = False  # the next word belongs to a redirection
        self._documents: list[str] = []  # delimiters of the here-documents that begin after this line

    def read(self) -> tuple[Command, ...]:
        at = 0
        while (match := _TOKEN.match(self._script, at)) is not None:
            if match[0] == "#" and self._word is None:
                at = self._line_end(at)
                continue
            self._take(match)
            self._line += match[0].count("\n")
            at = match.end()
            if match.lastgroup == "end":
                at = self._after_documents(at)
        self._end_command("")
        return tuple(self._commands)

    def _line_end(self, at: int) -> int:
        end = self._script.find("\n", at)
        return len(self._script) if end < 0 else end

    def _take(self, match: re.Match[str]) -> None:
        kind, text = match.lastgroup, match[0]
        if kind == "blank":
            self._end_word()
        elif kind in ("operator", "end"):
            self._end_command(text)
        elif kind == "redirect":
            self._end_word()
            self._to_redirection = not text.endswith(_DESCRIPTORS)
        elif kind == "document":
            self._end_word()
            self._documents.append(match["delimiter"])
        else:
            self._add(match.start(), _unquoted(kind, text))
        if kind not in ("blank", "operator", "end"):
            self._stop = match.end()

    def _add(self, start: int, text: str) -> None:
        if self._start is None:
            self._start, self._first_line = start, self._line
        self._word = (self._word or "") + text

    def _end_word(self) -> None:
        if self._word is None:
            return
        if not self._to_redirection:
            self._words.append(self._word)
        self._word, self._to_redirection = None, False

    def _end_command(self, operator: str) -> None:
        """A line end after another operator ends nothing; behind a command the last of several operators counts."""
        self._end_word()
        if self._words:
            text = self._script[self._start : self._stop][:LONGEST_QUOTE]
            self._commands.append(Command(tuple(self._words), self._first_line, text, self._before, operator))
            self._before = operator
        elif operator not in ("", "\n"):
            self._before = operator
            if self._commands and operator != "(":
                self._commands[-1] = replace(self._commands[-1], after=operator)
        self._words, self._start, self._to_redirection = [], None, False

    def _after_documents(self, at: int) -> int:
        """The offset behind the here-documents that began on the line before."""
        for delimiter in self._documents:
            end = re.compile(rf"^\t*{delimiter}[ \t]*$", re.MULTILINE).search(self._script, at)
            stop = len(self._script) if end is None else end.end()
            self._line += self._script.count("\n", at, stop)
            at = stop
        self._documents.clear()
        return at


def _unquoted(kind: str | None, text: str) -> str:
    if kind == "single":
        return text[1:].removesuffix("'")
    if kind == "double":
        return _ESCAPED.sub(r"\1", text[1:].removesuffix('"'))
    return text[1:] if kind == "escape" else text


_DESCRIPTORS = tuple("0123456789-")
_ESCAPED = re.compile(r'\\(["\\$`])')
