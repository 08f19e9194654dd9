"""Parser of the `.info` index that COCO and the older IOHprofiler share.

The index maps data files to their runs and instances. An entry has three lines. The first holds pairs that identify the
algorithm and the function, such as `suite = 'bbob', funcId = 8, DIM = 2, algId = 'CMA-ES'`. The second is a comment
that begins with "%". The third lists the data files with their runs, such as
`data_f8/f8_DIM2.dat, 1:1500|2.0e-03, 2:1500|9.9e-03` (instance, evaluations, final value), and may continue over
several lines.
"""

from __future__ import annotations

from dataclasses import dataclass

from polarbear.importers.foreign_text import amount
from polarbear.importers.reasons import Reason, UnreadableError


@dataclass(frozen=True)
class ListedRun:
    """One run as the index lists it; evaluations and final value are None if the logger did not close the run."""

    instance: str
    evaluations: float | None
    final: float | None


@dataclass(frozen=True)
class IndexEntry:
    """The entry of an algorithm, function and dimension: the pairs of its first line, and the runs of each file."""

    about: dict[str, str]
    files: dict[str, list[ListedRun]]


def parse_index(text: str) -> list[IndexEntry]:
    r"""Parse an index into its entries.

    Parameters
    ----------
    text
        The content of the file.

    Returns
    -------
    list of IndexEntry

    Raises
    ------
    UnreadableError
        If the text is not an index.

    Examples
    --------
    >>> [only] = parse_index("funcId = 4, DIM = 2, algId = 'a, b'\n%\nf4.dat, 1:100|1.8e+00, 2")
    >>> only.about["algId"], only.files["f4.dat"][0]
    ('a, b', ListedRun(instance='1', evaluations=100.0, final=1.8))
    """
    entries: list[IndexEntry] = []
    runs: list[ListedRun] | None = None
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        if "=" in line.split(",", 1)[0]:
            entries.append(IndexEntry(parse_pairs(line), {}))
            runs = None
            continue
        if not entries:
            raise UnreadableError(Reason.NOT_AN_INDEX)
        for part in filter(None, map(str.strip, line.split(","))):
            if part.endswith("dat"):
                runs = entries[-1].files.setdefault(part, [])
            elif runs is not None:
                runs.append(_parse_run(part))
    if not entries:
        raise UnreadableError(Reason.EMPTY)
    return entries


def parse_pairs(line: str) -> dict[str, str]:
    """Parse `key = value` pairs; quoted values may contain commas.

    Examples
    --------
    >>> parse_pairs('''funcId = 1, algId = "(1+1), fast", DIM = 2''')
    {'funcId': '1', 'algId': '(1+1), fast', 'DIM': '2'}
    """
    result: dict[str, str] = {}
    start = 0
    while (equals := line.find("=", start)) >= 0:
        key = line[start:equals].strip(" \t,")
        start = equals + 1
        while start < len(line) and line[start] in " \t":
            start += 1
        quote = line[start : start + 1]
        if quote and quote in "'\"":
            # A comma follows the closing quote; other quotes belong to the value.
            end = line.find(quote + ",", start + 1)
            if end < 0:
                end = line.rfind(quote, start + 1)
            end = len(line) if end < 0 else end
            result[key] = line[start + 1 : end]
            start = end + 1
        else:
            end = line.find(",", start)
            end = len(line) if end < 0 else end
            result[key] = line[start:end].strip()
            start = end
    return result


def _parse_run(part: str) -> ListedRun:
    instance, _, rest = part.partition(":")
    evaluations, _, final = rest.partition("|")
    try:
        value = float(final)
    except ValueError:
        value = None
    return ListedRun(instance.strip(), amount(evaluations), value)
