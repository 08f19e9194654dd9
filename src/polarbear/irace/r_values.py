"""Constants as R writes them: strings, numbers, TRUE and FALSE, NULL, NA, and c(...) of these. Nothing is evaluated."""

from __future__ import annotations

import re
from dataclasses import dataclass

Constant = str | float | bool | None
Value = Constant | tuple[Constant, ...]

_TOKEN = re.compile(
    r"""\s+ | \#[^\n]*
    | (?P<string>"(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*')
    | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?L?)
    | (?P<name>[A-Za-z.][A-Za-z0-9._]*)
    | (?P<operator>%in%|<-|<=|>=|==|!=|&&|\|\||[-=(),;<>!&|+*/^{}\[\]$:~%])""",
    re.VERBOSE,
)
_WORDS: dict[str, Constant] = {"TRUE": True, "T": True, "FALSE": False, "F": False, "NULL": None, "NA": None}
_ESCAPES = {"n": "\n", "t": "\t"}


@dataclass(frozen=True)
class Token:
    """A word of R code: its kind ("string", "number", "name" or "operator"), its text, and its line."""

    kind: str
    text: str
    line: int


class Tokens:
    """The words of R code, read one after the other; `source` names the code in messages."""

    def __init__(self, text: str, source: str, first_line: int = 1) -> None:
        self._source, self._tokens, position = source, list[Token](), 0
        while position < len(text):
            found = _TOKEN.match(text, position)
            line = first_line + text.count("\n", 0, position)
            if found is None:
                raise ValueError(f"{source}, line {line}: expected R code, got {text[position : position + 20]!r}")
            if found.lastgroup:
                self._tokens.append(Token(found.lastgroup, found.group(), line))
            position = found.end()
        self._next = 0

    def peek(self) -> str:
        """Return the text of the next word; empty at the end."""
        return self._tokens[self._next].text if self._next < len(self._tokens) else ""

    def kind(self) -> str:
        """Return the kind of the next word; empty at the end."""
        return self._tokens[self._next].kind if self._next < len(self._tokens) else ""

    def take(self) -> str:
        """Return the next word and go on to the one after it."""
        text = self.peek()
        self._next += 1
        return text

    def take_if(self, *texts: str) -> str:
        """Take the next word if it is one of these; return it, or an empty text."""
        return self.take() if self.kind() == "operator" and self.peek() in texts else ""

    def expect(self, text: str) -> None:
        """Take the next word, which must be this operator."""
        if not self.take_if(text):
            raise self.error(f"expected {text!r}")

    def error(self, expected: str) -> ValueError:
        """Return an error that says what was expected instead of the next word."""
        last = self._tokens[min(self._next, len(self._tokens) - 1)] if self._tokens else Token("", "", 1)
        found = repr(self.peek()) if self.peek() else "its end"
        return ValueError(f"{self._source}, line {last.line}: {expected}, got {found}")


def take_value(tokens: Tokens) -> Value:
    """Return the constant, or the c(...) of constants, that comes next.

    Examples
    --------
    >>> take_value(Tokens('c("a", -1.5, TRUE)', "example"))
    ('a', -1.5, True)
    """
    if tokens.peek() == "c" and tokens.kind() == "name":
        tokens.take()
        tokens.expect("(")
        values: list[Constant] = []
        while not tokens.take_if(")"):
            values.append(_take_constant(tokens))
            if tokens.peek() != ")":
                tokens.expect(",")
        return tuple(values)
    return _take_constant(tokens)


def _take_constant(tokens: Tokens) -> Constant:
    sign = -1.0 if tokens.take_if("-") else 1.0
    kind = tokens.kind()
    if kind == "number":
        return sign * float(tokens.take().removesuffix("L"))
    if sign > 0 and kind == "string":
        return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), tokens.take()[1:-1])
    if sign > 0 and kind == "name" and tokens.peek() in _WORDS:
        return _WORDS[tokens.take()]
    raise tokens.error(
        "expected a string, a number, TRUE, FALSE, NULL or c(...) of them, since R code is not evaluated"
    )
