"""Fonts for names in scripts that the font of the figures lacks, such as Chinese."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.text import Text

_PREFERRED = "CJK"  # in the name of a font: the scripts that are most often missing
_LAST_RESORT = "Last Resort"  # in the name of Matplotlib's font that draws a box for each letter


def use_fallback_font(text: Text) -> None:
    """Let a text of which the font lacks letters use an installed font that has them, where there is one."""
    from matplotlib.font_manager import findfont

    if text.get_text().isascii():
        return
    missing = _letters_missing_from(findfont(text.get_fontproperties()), text.get_text())
    if missing and (name := _font_with(missing)) is not None:
        text.set_fontfamily([*text.get_fontfamily(), name])


def _letters_missing_from(path: str, letters: Iterable[str]) -> str:
    from matplotlib.font_manager import get_font

    font = get_font(path)
    return "".join(sorted({each for each in letters if each.isprintable() and not font.get_char_index(ord(each))}))


@cache
def _font_with(letters: str) -> str | None:
    """Return the name of an installed font that has these letters, if there is one."""
    from matplotlib.font_manager import fontManager

    entries = sorted(
        fontManager.ttflist, key=lambda each: (_PREFERRED not in each.name, each.style, each.weight != 400)
    )
    for entry in entries:
        try:
            if not _letters_missing_from(entry.fname, letters):
                return str(entry.name)
        except (OSError, RuntimeError):  # the file is gone or damaged
            continue
    return None
