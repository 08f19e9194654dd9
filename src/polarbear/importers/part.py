"""Choose a part of recorded runs by the values of their fields, and divide budgets by a field.

A field of a run is its algorithm, a part of its block (suite, function, dimension, instance, run), or any other column of
a table whose value is the same in all rows of the run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from polarbear.findings import ReadWith
from polarbear.importers.clustering import label_clusters
from polarbear.importers.foreign_text import Identifier, identifier, quote
from polarbear.importers.imported import Block, assumed, describe_block
from polarbear.wording import find_names, suggest, with_noun

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from polarbear.importers.imported import Imported

_ALGORITHM = ("algorithm", "algorithm_name")
_ALIASES = {"function_id": "function", "function_name": "function", "run_id": "run"}
_RANGE = re.compile(r"(?P<low>[^,]*)\.\.(?P<high>[^,]*)")
_SHOWN = 20  # values or names that a message lists


class Condition(NamedTuple):
    """A condition on one field: one of some values, or a number in a range with inclusive ends."""

    name: str
    values: tuple[Identifier, ...] = ()
    low: float = -math.inf
    high: float = math.inf

    def __str__(self) -> str:
        if self.values:
            return f"{self.name}={','.join(map(str, self.values))}"
        low, high = ("" if math.isinf(end) else f"{end:g}" for end in (self.low, self.high))
        return f"{self.name}={low}..{high}"

    def allows(self, value: Identifier) -> bool:
        """Return whether a field may have this value; a missing value meets no condition."""
        if self.values or value is None:
            return value is not None and value in self.values
        try:
            return self.low <= float(value) <= self.high
        except ValueError:
            return False


@dataclass(frozen=True)
class Part:
    """The part of the runs that an import returns, see `read_runs`.

    Parameters
    ----------
    where
        Conditions; those on one field are alternatives, those on different fields must all hold.
    only, without
        The algorithms to read, if any are named, and those to leave out.
    per
        The field by which budgets are divided.
    """

    where: tuple[Condition, ...] = ()
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    per: str | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the part depends on."""
        return tuple(dict.fromkeys([*(each.name for each in self.where), *([self.per] if self.per else [])]))


def parse_condition(text: str) -> Condition:
    """Parse a condition such as dimension=5, function=1,2,8 or dimension=2..10.

    Examples
    --------
    >>> parse_condition("function=1,2"), str(parse_condition("noise=..0.5"))
    (Condition(name='function', values=(1, 2), low=-inf, high=inf), 'noise=..0.5')
    """
    name, separator, allowed = text.partition("=")
    if not separator or not name.strip() or not allowed.strip():
        raise ValueError(
            f"expected a condition such as dimension=5, function=1,2 or dimension=2..10, got {quote(text)}"
        )
    if (ends := _RANGE.fullmatch(allowed.strip())) is not None:
        low, high = ends["low"].strip() or -math.inf, ends["high"].strip() or math.inf
        return _range(name.strip(), low, high)
    return Condition(name.strip(), tuple(identifier(each) for each in allowed.split(",")))


def check_part(
    where: Mapping[str, object] | Iterable[Condition] | None,
    only: Iterable[str] | None,
    without: Iterable[str] | None,
    per: str | None,
) -> Part:
    """Check the options of `read_runs` that choose a part of the runs."""
    conditions = _conditions(where) if isinstance(where, Mapping) else tuple(where or ())
    for name, algorithms in (("only", only), ("without", without)):
        if isinstance(algorithms, str):
            raise ValueError(f"expected {name} as a list of names, got {quote(algorithms)}; write [{algorithms!r}]")
    return Part(conditions, tuple(only or ()), tuple(without or ()), per)


def choose_part(imported: Imported, part: Part) -> Imported:
    """Return the runs of a part, still without clusters; their budgets are divided by the field `per`.

    Raises
    ------
    ValueError
        If a field or an algorithm does not exist, or if no run remains.
    """
    chosen = _by_algorithm(imported, part)
    for name, alternatives in groupby(sorted(part.where, key=lambda each: each.name), key=lambda each: each.name):
        conditions = list(alternatives)
        values = field_values(chosen, name)
        kept = [any(each.allows(value) for each in conditions) for value in values]
        if not any(kept):
            asked = " or ".join(map(str, conditions))
            raise ValueError(f"expected runs with {asked}, got none: {name} has {_listed(values)}; choose among these")
        chosen = chosen.take([position for position, keep in enumerate(kept) if keep])
    return _note_dimensions(chosen) if part.per is None else _divide_budgets(chosen, part.per)


def split_runs(imported: Imported, name: str) -> dict[Identifier, Imported]:
    r"""Return the runs for each value of a field, in the order of the values; runs without a value are left out.

    Clusters are determined again within each group, since the instances of one function, for example, are no cluster
    among themselves.

    Parameters
    ----------
    imported
        The runs.
    name
        "suite", "function", "dimension", "instance", "run", or a table column that `read_runs` was told to `keep`.

    Returns
    -------
    dict

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from polarbear.importers import read_runs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "runs.csv")
    ...     _ = file.write_text("algorithm_name,dimension,evaluations,raw_y\ncma,5,1,3.0\ncma,2,1,4.0\nde,5,1,2.0\n")
    ...     imported = read_runs(file)
    >>> {dimension: len(group.runs) for dimension, group in split_runs(imported, "dimension").items()}
    {2: 1, 5: 2}
    """
    if name in _ALGORITHM:
        raise ValueError(
            f"expected a field that describes instances, got {quote(name)}, of which each group would have a single "
            "algorithm; choose another field"
        )
    values = field_values(imported, name)
    groups: dict[Identifier, list[int]] = {}
    for position, value in enumerate(values):
        if value is not None:
            groups.setdefault(value, []).append(position)
    if not groups:
        raise ValueError(f"expected runs with a value of {quote(name)}, got none; choose another field")
    return {value: label_clusters(imported.take(groups[value])) for value in sorted(groups, key=_order)}


def field_values(imported: Imported, name: str) -> list[Identifier]:
    """Return the value of a field for each run.

    Raises
    ------
    ValueError
        If there is no such field, or if it has several values within one run.
    """
    field = _ALIASES.get(name, name)
    blocks = [run.instance for run in imported.runs if isinstance(run.instance, Block)]
    if field in Block._fields and any(getattr(block, field) is not None for block in blocks):
        return [getattr(block, field) for block in blocks]
    if name in _ALGORITHM:
        return [run.algorithm for run in imported.runs]
    if name not in imported.cells:
        known = [each for each in Block._fields if any(getattr(block, each) is not None for block in blocks)]
        existing = list(dict.fromkeys([*known, *imported.columns]))
        advice = f"read with keep=[{name!r}]" if name in imported.columns else suggest(name, existing)
        shown = ", ".join(map(quote, existing[:_SHOWN])) + (", ..." if len(existing) > _SHOWN else "")
        raise ValueError(f"expected one of the fields {shown}, got {quote(name)}; {advice or 'choose one of these'}")
    values: list[Identifier] = []
    for run, cells in zip(imported.runs, imported.cells[name], strict=True):
        if len(cells) > 1:
            first, second = sorted(cells, key=_order)[:2]
            raise ValueError(
                f"expected one value of {quote(name)} in all rows of a run, got {quote(first)} and {quote(second)} in "
                f"that of {quote(run.algorithm)} on {_describe(run.instance)}; choose a column that is the same within a run"
            )
        values.append(next(iter(cells), None))
    return values


def _describe(instance: Hashable) -> str:
    """Return the name of a block without its empty fields, such as "function 8, instance 1, run 2"."""
    return describe_block(instance) if isinstance(instance, Block) else str(instance)


def _by_algorithm(imported: Imported, part: Part) -> Imported:
    names = list(imported.algorithms)
    only, without = find_names("only", part.only, names), find_names("without", part.without, names)
    left = [name for name in only or names if name not in without]
    if not left:
        raise ValueError("expected at least one algorithm, got none; name fewer with without (--without)")
    if len(left) == len(names):
        return imported
    return imported.take([position for position, run in enumerate(imported.runs) if run.algorithm in left])


def _note_dimensions(imported: Imported) -> Imported:
    """Note if runs in several dimensions are compared at the same budgets."""
    blocks = (run.instance for run in imported.runs if isinstance(run.instance, Block))
    dimensions = sorted({block.dimension for block in blocks if isinstance(block.dimension, int)})
    if len(dimensions) < 2:
        return imported
    remedy = ReadWith("per", "dimension", ReadWith("where", {"dimension": dimensions[0]}))
    note = assumed("SEVERAL_DIMENSIONS", remedy, dimensions=dimensions)
    return replace(imported, about=replace(imported.about, notes=(*imported.about.notes, note)))


def _divide_budgets(imported: Imported, name: str) -> Imported:
    runs = []
    for run, value in zip(imported.runs, field_values(imported, name), strict=True):
        try:
            divisor = float(value)  # type: ignore[arg-type]  # None raises TypeError
        except (TypeError, ValueError):
            divisor = math.nan
        if not 0 < divisor < math.inf:
            raise ValueError(
                f"expected a positive number as {quote(name)} of every run, to divide budgets by, got {quote(value)} for "
                f"{run.algorithm!r} on {_describe(run.instance)}; choose another field"
            )
        runs.append(run.divide_budgets(divisor))
    return replace(imported, runs=tuple(runs))


def _conditions(where: Mapping[str, object]) -> tuple[Condition, ...]:
    conditions = []
    for name, allowed in where.items():
        if isinstance(allowed, tuple) and len(allowed) == 2:
            low, high = allowed
            conditions.append(_range(name, -math.inf if low is None else low, math.inf if high is None else high))
        else:
            values = allowed if isinstance(allowed, Collection) and not isinstance(allowed, str) else [allowed]
            conditions.append(Condition(name, tuple(map(identifier, values))))
        if not conditions[-1].values and math.isinf(conditions[-1].low) and math.isinf(conditions[-1].high):
            raise ValueError(f"expected values of {quote(name)}, got {quote(allowed)}; name at least one")
    return tuple(conditions)


def _range(name: str, low: object, high: object) -> Condition:
    try:
        ends = float(low), float(high)  # type: ignore[arg-type]  # checked here
    except (TypeError, ValueError):
        ends = math.nan, math.nan
    if not ends[0] <= ends[1]:
        raise ValueError(f"expected a range of numbers such as 2..10 for {quote(name)}, got {quote(f'{low}..{high}')}")
    return Condition(name, low=ends[0], high=ends[1])


def _listed(values: Sequence[Identifier]) -> str:
    distinct = sorted({value for value in values if value is not None}, key=_order)
    more = f", and {with_noun(len(distinct) - _SHOWN, 'other')}" if len(distinct) > _SHOWN else ""
    return (", ".join(map(str, distinct[:_SHOWN])) or "no values") + more


def _order(value: Identifier) -> tuple[bool, float, str]:
    """Return a key that sorts numbers before names."""
    return (False, float(value), "") if isinstance(value, int) else (True, 0.0, str(value))
