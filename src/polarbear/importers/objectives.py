"""Data with several objectives: which columns hold them, and the quality that replaces them.

Runs with further objectives are refused unless the user chooses one objective, or an indicator: the hypervolume of all
points that a run has evaluated so far.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import chain, count, takewhile
from typing import TYPE_CHECKING, get_args

import numpy as np

from polarbear.findings import ReadWith
from polarbear.importers.foreign_text import quote
from polarbear.importers.imported import Block, assumed, describe_block
from polarbear.importers.option_text import read_with
from polarbear.literals import Indicator
from polarbear.observe.hypervolume import measure_run, reference_point

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from polarbear.arrays import Array
    from polarbear.findings import Finding
    from polarbear.importers.imported import Imported, Problem
    from polarbear.observe import Trajectory

_STEMS = ("F", "f", "raw_y", "y", "objective")  # F2 is IOHprofiler's name for the second objective


@dataclass(frozen=True)
class Objectives:
    """The objectives of an import.

    Attributes
    ----------
    names
        The columns that the user named; the first is that of the value. Empty if none was named.
    indicator
        The quality that replaces several objectives; None for a single objective.
    reference
        The reference point of the hypervolume; None takes it from the data.
    """

    names: tuple[str, ...] = ()
    indicator: Indicator | None = None
    reference: tuple[float, ...] | None = None

    def further(self, columns: Sequence[str], value: str) -> list[str]:
        """Return the columns of the further objectives, besides that of the value.

        Without names from the user, these are F2, F3, ... as IOHprofiler calls them, or columns numbered in the same way
        with another usual name, or with that of the value.

        Examples
        --------
        >>> Objectives().further(["evaluations", "raw_y", "F2", "F3"], "raw_y")
        ['F2', 'F3']
        >>> Objectives().further(["loss_1", "loss_2"], "loss_1")
        ['loss_2']
        """
        if self.names:
            return list(self.names[1:])
        for stem in (value.removesuffix("1"), *chain.from_iterable((each, f"{each}_") for each in _STEMS)):
            numbered = (f"{stem}{number}" for number in count(2))
            if found := list(takewhile(columns.__contains__, numbered)):
                return found
        return []

    def refusal(self, file: str, value: str, further: Sequence[str]) -> ValueError | None:
        """Return the error for data with further objectives for which the user chose neither; None if there are none."""
        if not further or self.indicator:
            return None
        return ValueError(
            f"expected one objective, got {', '.join(map(quote, [value, *further]))} in {file}; to compare by the "
            f"hypervolume of all of them, {read_with('indicator', 'hypervolume')}; to compare by the first alone, "
            f"{read_with('objectives', [value])}"
        )


def check_objectives(
    objectives: Iterable[str] | None, indicator: Indicator | None, reference: Iterable[float] | None
) -> Objectives:
    """Check the options of `read_runs` that concern objectives.

    Examples
    --------
    >>> check_objectives(["raw_y", "F2"], None, None)
    Traceback (most recent call last):
    ...
    ValueError: expected indicator='hypervolume' (--indicator hypervolume) with 2 objectives, got None; ...
    """
    if isinstance(objectives, str):
        objectives = [objectives]
    names = tuple(objectives or ())
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError(f"expected objectives as different names of columns, got {quote(names)}")
    if indicator not in (None, *get_args(Indicator)):
        raise ValueError(f"expected indicator='hypervolume' or None, got {quote(indicator)}")
    if indicator is None and len(names) > 1:
        raise ValueError(
            f"expected indicator='hypervolume' (--indicator hypervolume) with {len(names)} objectives, got None; add it, "
            "or name one objective"
        )
    if indicator and len(names) == 1:
        raise ValueError(
            f"expected two or more objectives with an indicator, got {names[0]!r}; name the others, or none"
        )
    if reference is None:
        return Objectives(names, indicator)
    if indicator is None:
        raise ValueError("expected a reference point only with indicator='hypervolume', got one without; leave it out")
    try:
        point = tuple(map(float, reference))
    except (TypeError, ValueError):
        point = ()
    if len(point) < 2 or not all(map(math.isfinite, point)) or (names and len(point) != len(names)):
        number = len(names) or "two or more"
        raise ValueError(f"expected a reference point of {number} numbers, one per objective, got {quote(reference)}")
    return Objectives(names, indicator, point)


def measure_runs(imported: Imported, objectives: Objectives) -> Imported:
    """Return the runs with their hypervolumes as values, if that is the indicator.

    The reference point is that of the user, or one for each problem, from the runs of all algorithms on it.

    Raises
    ------
    ValueError
        If runs that are compared have different numbers of objectives.
    """
    if objectives.indicator is None:
        return imported
    by_problem: defaultdict[Problem, list[Trajectory]] = defaultdict(list)
    for run in imported.runs:
        assert isinstance(run.instance, Block)
        by_problem[run.instance.problem].append(run)
    references = {problem: _reference(problem, runs, objectives) for problem, runs in by_problem.items()}
    runs = []
    for run in imported.runs:
        assert isinstance(run.instance, Block)
        assert run.archive is not None
        archive = replace(run.archive, reference=references[run.instance.problem])
        runs.append(measure_run(run, archive))
    notes = (*imported.about.notes, *_notes(runs, objectives))
    return replace(imported, runs=tuple(runs), optimum_known=False, about=replace(imported.about, notes=notes))


def _reference(problem: Problem, runs: Sequence[Trajectory], objectives: Objectives) -> Array:
    """Return the reference point of one problem, for objectives that are minimised."""
    archives = [run.archive for run in runs if run.archive is not None]
    numbers = {each.points.shape[1] for each in archives}
    given = objectives.reference
    if given is not None:
        numbers.add(len(given))
    directions = {run.maximise for run in runs}
    if len(numbers) > 1 or len(directions) > 1:
        what = (
            f"{' and '.join(map(str, sorted(numbers)))} objectives"
            if len(numbers) > 1
            else "minimised and maximised ones"
        )
        raise ValueError(
            f"expected the same objectives in all runs on a problem, and in the reference point, got {what} on "
            f"{describe_block(problem)}; name the columns with objectives (--objective)"
        )
    if given is None:
        return reference_point(archives)
    return np.array(given) * (-1.0 if directions == {True} else 1.0)


def _notes(runs: Sequence[Trajectory], objectives: Objectives) -> list[Finding]:
    """Return notes about the reference points, and about runs in which no point is better than they are."""
    by_reference = {
        tuple(run.archive.reference.tolist()) for run in runs if run.archive and run.archive.reference is not None
    }
    notes = []
    if objectives.reference is None:
        notes.append(assumed("REFERENCE_POINTS", ReadWith("reference"), points=len(by_reference)))
    without = sum(run.values[-1] == 0 for run in runs)
    if without:
        notes.append(assumed("BEYOND_REFERENCE", without=without, runs=len(runs)))
    return notes
