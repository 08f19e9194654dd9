"""The wording that messages of all rooms share: plurals, numbers, durations, and suggestions for mistyped names.

This module imports nothing from PolarBear, so that every room may use it.
"""

from __future__ import annotations

import math
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DROPPED_BY_USER = "dropped by you"  # the reason for which users remove an algorithm from a race
_SHOWN = 20  # names that a message lists


def plural(noun: str) -> str:
    """Return the plural of a noun, which " on", " of" or " per" may follow.

    Examples
    --------
    >>> plural("data set"), plural("run on this instance"), plural("category"), plural("class")
    ('data sets', 'runs on this instance', 'categories', 'classes')
    """
    head, rest = _divide(noun)
    if re.search(r"\w[b-df-hj-np-tv-z]y$", head):
        return f"{head[:-1]}ies{rest}"
    ending = "es" if re.search(r"\w\w([sxz]|[cs]h)$", head) else "s"
    return head + ending + rest


def singular(nouns: str) -> str:
    """Return the singular of a noun in the plural; abbreviations such as "ms" stay.

    Examples
    --------
    >>> singular("evaluations per dimension"), singular("queries"), singular("batches"), singular("ms")
    ('evaluation per dimension', 'query', 'batch', 'ms')
    """
    head, rest = _divide(nouns)
    for ending, one in ((r"ies$", "y"), (r"(?<=ss|ch|sh|\wx)es$", ""), (r"(?<=\w{3})s$", "")):
        if re.search(ending, head):
            return re.sub(ending, one, head) + rest
    return nouns


def _divide(noun: str) -> tuple[str, str]:
    """Return a noun without and with what follows it."""
    head = re.split(r" (?:on|of|per) ", noun, maxsplit=1)[0]
    return head, noun[len(head) :]


def with_noun(number: int, noun: str) -> str:
    """Return a count with its noun, which is in the plural unless the count is one.

    Examples
    --------
    >>> with_noun(1, "round"), with_noun(1234, "run")
    ('1 round', '1,234 runs')
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def join_names(names: Sequence[str], conjunction: str = "and") -> str:
    """Join names for a sentence, with a conjunction before the last one.

    Examples
    --------
    >>> join_names(["a", "b", "c"]), join_names(["a", "b"], "or")
    ('a, b and c', 'a or b')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {conjunction} {names[-1]}"


def as_sentence(text: str) -> str:
    """Return text with a capital letter and a full stop.

    Examples
    --------
    >>> as_sentence("two files are empty"), as_sentence("runs.csv is empty.")
    ('Two files are empty.', 'runs.csv is empty.')
    """
    first, *rest = text.split(" ", 1)
    capital = first if "." in first or "/" in first or not first.islower() else first.capitalize()
    whole = " ".join([capital, *rest])
    return whole if whole.endswith((".", "!", "?")) else f"{whole}."


def format_percent(probability: float) -> str:
    """Return a probability that was estimated from draws as a whole percentage; it is never certain.

    Examples
    --------
    >>> [format_percent(each) for each in (0.0, 0.005, 0.456, 0.994, 0.995, 1.0)]
    ['below 1 %', 'below 1 %', '46 %', '99 %', 'over 99 %', 'over 99 %']
    """
    if probability >= 0.995:
        return "over 99 %"
    return "below 1 %" if probability <= 0.005 else f"{100 * probability:.0f} %"


def format_below(probability: float, limit: float) -> str:
    """Return a probability as `format_percent` does, but rounded down where rounding would hide that it is below a limit.

    Examples
    --------
    >>> [format_below(each, 0.8) for each in (0.794, 0.797, 0.8)]
    ['79 %', '79 %', '80 %']
    """
    hidden = probability < limit and round(100 * probability) >= 100 * limit
    return format_percent(math.floor(100 * probability) / 100 if hidden else probability)


def format_error_bound(bound: float | None) -> str:
    """Return the error bound of an elimination as a percentage, rounded up so that it stays a bound.

    A bound of one half or more is no proof: the elimination then rests on the posterior alone.

    Examples
    --------
    >>> [format_error_bound(bound) for bound in (1e-9, 0.0123, 0.201, 0.8, None)]
    ['0.1 %', '1.3 %', '21 %', 'not proven', 'unknown']
    """
    if bound is None:
        return "unknown"
    if bound >= 0.5:
        return "not proven"
    tenths = math.ceil(1000 * bound - 1e-9)  # rounding: 1000 * 0.07 exceeds 70, and 0.07 must give 7.0 %
    return f"{max(tenths, 1) / 10:.1f} %" if tenths < 100 else f"{math.ceil(100 * bound - 1e-9)} %"


def format_number(value: float) -> str:
    """Return a number with three significant digits, or with all digits if it is whole.

    Examples
    --------
    >>> [format_number(each) for each in (93.5061, 2500.0, 1234.56, 0.000123456, 1e12)]
    ['93.5', '2,500', '1,230', '0.000123', '1e+12']
    """
    if abs(value) < 1e9 and value == int(value):
        return f"{int(value):,}"
    return f"{float(f'{value:.3g}'):,.10g}"


def with_unit(value: float, unit: str) -> str:
    """Return a number with its unit, an empty text or a noun in the plural, which is in the singular after 1.

    Examples
    --------
    >>> with_unit(1.0, "evaluations"), with_unit(93.5061, "seconds"), with_unit(2500, "")
    ('1 evaluation', '93.5 seconds', '2,500')
    """
    number = format_number(value)
    return f"{number} {singular(unit) if number == '1' else unit}".rstrip()


def round_off(number: float) -> str:
    """Return a number with at most three significant digits, with commas between thousands.

    Examples
    --------
    >>> round_off(412.7), round_off(18432), round_off(0.012345), round_off(24.0)
    ('413', '18,400', '0.0123', '24')
    """
    rounded = float(f"{number:.3g}")
    return f"{rounded:,.0f}" if rounded.is_integer() else f"{rounded:,.12g}"


def percent(share: float) -> str:
    """Return a share as whole per cents; for a probability see `format_percent`.

    Examples
    --------
    >>> percent(0.484), percent(0.9999)
    ('48 %', '100 %')
    """
    return f"{100 * share:.0f} %"


def format_duration(seconds: float) -> str:
    """Return a duration in a suitable unit.

    Examples
    --------
    >>> format_duration(89.4), format_duration(90), format_duration(5400)
    ('89 s', '2 min', '1.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def shorten_names(names: Iterable[str], *, width: int = 32) -> dict[str, str]:
    """Return a short form of each name that is longer than `width`; all forms are distinct.

    Words that all names begin or end with are left out, and then the middle of what is still too long.

    Examples
    --------
    >>> shorten_names(["cma", "solver with 12 iterations, tol=1", "solver with 12 iterations, tol=2"], width=20).values()
    dict_values(['solver with ...tol=1', 'solver with ...tol=2'])
    """
    whole = list(dict.fromkeys(names))
    if max(map(len, whole), default=0) <= width:
        return {}
    bare = _without_common_words(whole)
    for allowed in range(width, max(map(len, bare)) + 1):
        short = [each if len(each) <= allowed else _without_middle(each, allowed) for each in bare]
        if len(set(short)) == len(whole):
            return {name: form for name, form in zip(whole, short, strict=True) if form != name}
    return {}


def _without_common_words(names: list[str]) -> list[str]:
    """Return names without the words that all of them begin or end with, as long as something remains of each."""
    words = [re.findall(r"\w+\W*|\W+", name) for name in names]
    if len(names) == 1:
        return names
    shortest = min(map(len, words)) - 1
    first = next((k for k in range(shortest) if len({tuple(each[: k + 1]) for each in words}) > 1), shortest)
    last = next(
        (k for k in range(shortest - first) if len({tuple(each[len(each) - k - 1 :]) for each in words}) > 1),
        shortest - first,
    )
    return ["".join(each[first : len(each) - last]).strip() for each in words]


def _without_middle(text: str, width: int) -> str:
    end = (width - 3) // 3
    start = len(text) - end
    word = re.search(r"\w*$", text[:start])
    whole = start - len(word[0]) if word and text[start].isalnum() else start  # BIPOP cut in two would read as IPOP
    tail = text[whole if len(text) - whole < width - 6 else start :]
    return f"{text[: width - 3 - len(tail)]}...{tail}"


def find_names(option: str, given: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the algorithms that were asked for, by whole names or as `shorten_names` prints them.

    A form with "..." stands for any name with this beginning and end, so that it may come from a table of fewer names.

    Parameters
    ----------
    option
        The option with the names, for the error.
    given, names
        The names that were given, and those that exist.

    Raises
    ------
    ValueError
        If a name does not exist, or if a shortened one fits several.

    Examples
    --------
    >>> names = ["cma", "solver with 12 iterations, tol=1", "solver with 12 iterations, tol=2"]
    >>> find_names("only", ["cma", "solver with ...tol=2"], names)
    ['cma', 'solver with 12 iterations, tol=2']
    """
    known = list(dict.fromkeys(names))
    whole = {short: name for name, short in shorten_names(known).items()}
    return [name if name in known else whole.get(name) or _by_ends(option, name, known) for name in given]


def _by_ends(option: str, given: str, known: list[str]) -> str:
    """Return the only name with the beginning and the end of a shortened one."""
    first, dots, last = given.replace("…", "...").partition("...")  # figures write the ellipsis as one character
    pattern = f"{re.escape(first)}.*{re.escape(last)}"
    fitting = [name for name in known if dots and re.search(pattern, name, re.DOTALL)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise ValueError(
            f"expected one algorithm for {option}, got {given!r}, which may be any of {_list(fitting)}; give a whole name"
        )
    part = [name for name in known if re.search(rf"\b{re.escape(given)}", name)]
    hint = suggest(given, known) if len(part) != 1 else f"did you mean {part[0]!r}?"
    raise ValueError(
        f"expected names of algorithms for {option}, got {given!r}; {hint or f'choose among {_list(part or known)}'}"
    )


def _list(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def closest(word: object, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the known word that is most similar to a mistyped one, or None if none is similar.

    Parameters
    ----------
    word
        The mistyped word.
    known
        The words that exist.
    cutoff
        The least similarity from 0 to 1; see `difflib.get_close_matches`.

    Returns
    -------
    str or None

    Examples
    --------
    >>> closest("confidense", ["confidence", "margin"])
    'confidence'
    """
    return next(iter(get_close_matches(str(word), list(known), n=1, cutoff=cutoff)), None)


def suggest(word: object, known: Iterable[str]) -> str:
    """Return a question that suggests the known word closest to a mistyped one, or "" if none is similar.

    Examples
    --------
    >>> suggest("confidense", ["confidence", "margin"])
    "did you mean 'confidence'?"
    >>> suggest("x", ["confidence", "margin"]) or "choose one of confidence, margin"
    'choose one of confidence, margin'
    """
    near = closest(word, known)
    return f"did you mean {near!r}?" if near else ""
