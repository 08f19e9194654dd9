"""Large JSON files, read value by value, so that memory does not grow with the file.

Python's objects take 25 times the memory of their JSON text. A `JsonStream` holds a window of the text. Its user walks
through the outer objects and lists with `members` and `elements`, and takes the small values in them with `value`, which
leaves the parsing to `json`.
"""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any, BinaryIO

from polarbear.importers.reasons import Reason, UnreadableError, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 2**22  # characters of one value that is taken as a whole; a point with 100,000 coordinates has half as many
_BLOCK = 2**16  # characters
_CPP_NUMBER = re.compile(r"(?<=[\s:,\[])(-?)(inf|nan)(?=[\s,}\]])")
_AFTER_VALUE = tuple(" \t\n\r,:]}")
_SPACE = re.compile(r"[ \t\n\r]*")


class JsonStream:
    r"""A JSON file, read from its beginning to its end.

    Parameters
    ----------
    stream
        The file.
    cpp_numbers
        Whether to read inf and nan as C++ prints them, which is not JSON.

    Examples
    --------
    >>> stream = JsonStream(io.BytesIO(b'{"name": "a", "runs": [{"x": 1}, {"x": -inf}]}'), cpp_numbers=True)
    >>> for key in stream.members():
    ...     print(key, list(stream.elements()) if stream.next() == "[" else stream.value())
    name a
    runs [{'x': 1}, {'x': -inf}]
    >>> stream.end()
    """

    def __init__(self, stream: BinaryIO, *, cpp_numbers: bool = False) -> None:
        self._file = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
        self._cpp_numbers = cpp_numbers
        self._text, self._at = "", 0  # the window, and the position in it
        self._before = 0  # the number of characters before the window
        self._rest, self._complete = "", False
        self._decode = json.JSONDecoder().raw_decode

    def next(self) -> str:
        """Return the next character that is no space, without taking it; it is empty at the end of the file."""
        while True:
            space = _SPACE.match(self._text, self._at)
            assert space is not None
            self._at = space.end()
            if self._at < len(self._text) or not self._read():
                return self._text[self._at : self._at + 1]

    def value(self) -> Any:
        """Take the next value, whatever it is."""
        self.next()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
                # A number may go on behind the window: of "-1e" and "-1." the decoder takes -1.
                followed = self._text[end : end + 1] in _AFTER_VALUE
                if followed or len(self._text) - self._at > LARGEST or not self._read():
                    self._at = end
                    return value
            except json.JSONDecodeError as error:  # perhaps only because the window ends within the value
                where = self._before + error.pos
                if len(self._text) - self._at > LARGEST or not self._read():
                    raise _not_json(f"{error.msg} at character {where:,}") from error

    def elements(self) -> Iterator[Any]:
        """Yield the values of the next list."""
        for _ in self.places():
            yield self.value()

    def places(self) -> Iterator[int]:
        """Yield the number of each element of the next list; the caller takes the element in some way."""
        self._take("[")
        number = 0
        while self.next() != "]":
            if number:
                self._take(",")
            yield number
            number += 1
        self._take("]")

    def members(self) -> Iterator[str]:
        """Yield the keys of the next object; the caller takes the value of each in some way."""
        self._take("{")
        first = True
        while self.next() != "}":
            if not first:
                self._take(",")
            first = False
            if self.next() != '"':
                raise _not_json(f"expected a key in quotes, got {self.next()!r}")
            key = self.value()
            self._take(":")
            yield key
        self._take("}")

    def end(self) -> None:
        """Check that nothing follows, and leave the file open for its owner."""
        if found := self.next():
            raise _not_json(f"expected the end of the file, got {found!r}")
        self._file.detach()

    def _take(self, character: str) -> None:
        if (found := self.next()) != character:
            raise _not_json(f"expected {character!r}, got {found!r}" if found else "the file ends early")
        self._at += 1

    def _read(self) -> bool:
        """Append a block to the window, and return whether there was one."""
        if self._complete:
            return False
        block = self._file.read(max(_BLOCK, len(self._text) - self._at))  # a value of n blocks takes log n attempts
        self._complete = not block
        if self._cpp_numbers:
            block = self._replace_cpp_numbers(block)
        self._before += self._at
        self._text, self._at = self._text[self._at :] + block, 0
        return bool(block) or not self._complete

    def _replace_cpp_numbers(self, block: str) -> str:
        """Return a block with the numbers of C++ in the words of `json`; what may be half a word waits for the next one."""
        text = self._rest + block
        cut = len(text) if self._complete else max(text.rfind(","), text.rfind(" "), text.rfind("\n")) + 1
        text, self._rest = text[:cut], text[cut:]
        if len(self._rest) > LARGEST:
            raise _not_json(f"no complete value in {LARGEST:,} characters")
        # The block before ended with one of the characters that may precede a number.
        return _CPP_NUMBER.sub(lambda m: m[1] + ("Infinity" if m[2] == "inf" else "NaN"), " " + text)[1:]


def _not_json(problem: object) -> UnreadableError:
    return UnreadableError(Reason.NOT_JSON, problem=shorten(problem))
