"""Parser of the `.info` index that COCO and the older IOHprofiler share.

The index maps data files to their runs and instances. An entry has three lines. The first holds pairs that identify the
algorithm and the function, such as `suite = 'bbob', funcId = 8, DIM = 2, algId = 'CMA-ES'`. The second is a comment
that begins with "%". The third lists the data files with their runs, such as
`data_f8/f8_DIM2.dat, 1:1500|2.0e-03, 2:1500|9.9e-03` (instance, evaluations, final value), and may continue over
several lines.

The index of a bi-objective suite of COCO has one first line for the whole file, such as `suite = 'bbob-biobj',
algorithm = 'NSGA-II', indicator = 'hyp', folder = '1-separable_1-separable'`. Below it, each line is an entry:
`function = 1, dim = 2, bbob-biobj_f01_d02_hyp.dat, 1:40|6.4e-02`. Its data files lie in the folder. COCO 1.1 does not
state the suite; the names of the data files begin with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from polarbear.importers.foreign_text import amount
from polarbear.importers.reasons import Reason, UnreadableError


@dataclass(frozen=True)
class ListedRun:
    """One run as the index lists it; evaluations and final value are None if the logger did not close the run.

    The final value is rounded; `rounding` is half a unit of its last digit.
    """

    instance: str
    evaluations: float | None
    final: float | None
    rounding: float = 0.0


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
    ('a, b', ListedRun(instance='1', evaluations=100.0, final=1.8, rounding=0.05))
    """
    entries: list[IndexEntry] = []
    runs: list[ListedRun] | None = None
    common: dict[str, str] = {}  # the first line of a bi-objective index
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        if "=" in line.split(",", 1)[0]:
            pairs = parse_pairs(line)
            runs = None
            if "indicator" in pairs:
                common = pairs
                continue
            entries.append(_biobjective_entry(common, pairs, line) if common else IndexEntry(pairs, {}))
            if not common:
                continue
        if not entries:
            raise UnreadableError(Reason.NOT_AN_INDEX)
        for part in filter(None, map(str.strip, line.split(","))):
            if part.endswith("dat"):
                runs = entries[-1].files.setdefault(
                    f"{folder}/{part}" if (folder := common.get("folder")) else part, []
                )
            elif runs is not None:
                runs.append(_parse_run(part))
    if common and not entries:
        return [IndexEntry(common, {})]
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


def _biobjective_entry(common: dict[str, str], pairs: dict[str, str], line: str) -> IndexEntry:
    """Return the entry of one line of a bi-objective index, with the keys of a single-objective one."""
    about = dict(common)
    for key, old in (("algId", "algorithm"), ("funcId", "function"), ("DIM", "dim")):
        if old in common | pairs:
            about[key] = (common | pairs)[old]
    if "suite" not in about and (named := re.search(r"([\w-]+)_f\d+_d\d+\w*\.dat", line)):
        about["suite"] = named[1]
    return IndexEntry(about, {})


def _parse_run(part: str) -> ListedRun:
    instance, _, rest = part.partition(":")
    evaluations, _, final = rest.partition("|")
    try:
        value = float(final)
    except ValueError:
        return ListedRun(instance.strip(), amount(evaluations), None)
    mantissa, _, exponent = final.strip().lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return ListedRun(instance.strip(), amount(evaluations), value, float(f"0.5e{int(exponent or 0) - decimals}"))
