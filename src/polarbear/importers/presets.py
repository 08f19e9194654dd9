"""Presets: how to read the data of well-known tools, as one row of `PRESETS` per tool.

A row names the columns of the tool's tables and states its clock and how its runs end. Options that the user sets win
over those of a preset. To add a preset, add its name to `polarbear.literals.ReaderName` and a row here.

Some fields are not in one column. `joined` builds them from several: those that a table lacks are left out. `ALL_OTHERS`
stands for all columns that the preset does not use or ignore, and `FILE` for the name of the file.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from polarbear.defaults import RELATIVE_TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from polarbear.literals import Clock, EndedRule, FileFormat, ReaderName

ALL_OTHERS = "(all other columns)"
FILE = "(the file)"


@dataclass(frozen=True)
class Preset:
    """How to read the data of one tool.

    Parameters
    ----------
    about
        What it reads, in one sentence.
    format
        The only format to read; None for tables of any format.
    columns
        Mapping from IOHprofiler's column names to those of the tool.
    joined
        Fields that several columns identify together, by IOHprofiler's names.
    ignored
        Columns that `ALL_OTHERS` leaves out, and that do not distinguish repetitions.
    repeats
        Whether rows that agree in all columns but the value and the ignored ones are repetitions, numbered in their order.
    clock
        The unit of budgets.
    ended
        What happens to a run after its end, as in `read_runs`.
    relative_tolerance
        The share of a value within which values are tied.
    """

    about: str
    format: FileFormat | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    repeats: bool = False
    clock: Clock = "evaluations"
    ended: EndedRule = "auto"
    relative_tolerance: float = RELATIVE_TOLERANCE

    @property
    def mapping(self) -> dict[str, str | None]:
        """The columns of all fields, including those that `extend` adds."""
        return {**self.columns, **{name: _added(name) for name in self.joined}}

    def extend(
        self, names: Sequence[str], file: str, columns: Mapping[str, str | None]
    ) -> tuple[list[str], Callable[[Sequence[Any]], Sequence[Any]]]:
        """Return the columns of a table with those of joined fields, and a function that adds the cells to its rows.

        Parameters
        ----------
        names, file
            The columns of the table, and its file.
        columns
            The mapping of the import, in which options of the user have replaced those of the preset.
        """
        fields = [name for name in self.joined if columns.get(name) == _added(name)]
        cells = [_join(self._parts(name, names, set(columns.values())), names, file) for name in fields]
        run = fields.index("run_id") if self.repeats and "run_id" in fields else None
        ignored = {*self.ignored, columns.get("raw_y"), ""} - {"function_name"}
        keys = [place for place, name in enumerate(names) if name not in ignored]
        seen: Counter[tuple[Any, ...]] = Counter()

        def extend_row(row: Sequence[Any]) -> Sequence[Any]:
            if len(row) != len(names):
                return row
            added = [cell(row) for cell in cells]
            if run is not None:
                key = tuple(row[place] for place in keys)
                seen[key] += 1
                added[run] = f"{added[run]} {seen[key]}".strip()
            return [*row, *added]

        return [*names, *map(_added, fields)], extend_row

    def _parts(self, name: str, existing: Sequence[str], used: set[str | None]) -> list[str]:
        """Return the columns that identify a field."""
        parts: list[str] = []
        for part in self.joined[name]:
            others = [each for each in existing if each and each not in used and each not in self.ignored]
            parts += others if part == ALL_OTHERS else [part] if part in (*existing, FILE) else []
        return parts


def _added(name: str) -> str:
    """Return the name of the column that `Preset.extend` adds for a field."""
    return f"{name} (joined)"


def _join(parts: list[str], names: Sequence[str], file: str) -> Callable[[Sequence[Any]], str]:
    """Return a function that joins cells of a row; more than two are named by their columns."""
    places = [(f"{part}=" if len(parts) > 2 else "", None if part == FILE else names.index(part)) for part in parts]
    return lambda row: ", ".join(file if place is None else f"{name}{row[place]}" for name, place in places)


PRESETS: dict[ReaderName, Preset] = {
    "benchopt": Preset(
        "benchopt's CSV and Parquet files: each solver on each data set (the function) and objective (the instance). "
        "Runs of different files were made on different machines and are compared only within their file. benchopt does "
        "not record why a solver stopped; it is taken to have finished. Solvers that converge reach objective values that "
        "differ in their last digits, and are tied.",
        columns={"algorithm_name": "solver_name", "instance": "objective_name", "raw_y": "objective_value"},
        joined={"function_name": ("data_name", "dataset_name"), "run_id": ("idx_rep", FILE)},
        clock="seconds",
        ended="stays",
        relative_tolerance=1e-6,
    ),
    "nevergrad": Preset(
        "Nevergrad's CSV files, with one row per optimizer, problem and budget. The rows of all budgets form one curve: the "
        "best loss of the runs up to each budget. Seeds differ between all rows, so that rows of equal optimizer, problem "
        "and budget are numbered as repetitions in their order.",
        columns={"algorithm_name": "optimizer_name", "evaluations": "budget", "raw_y": "loss"},
        joined={"instance": (ALL_OTHERS,), "run_id": ()},
        ignored=("function_name", "seed", "elapsed_budget", "elapsed_time", "pseudotime", "error", "num_objectives"),
        repeats=True,
    ),
    "smac": Preset(
        "SMAC's folders NAME/SEED (SMAC 2) or NAME/run_SEED (SMAC 1) with runhistory.json, or else with a trajectory.",
        format="smac",
    ),
    "optuna": Preset("Optuna's studies in SQLite databases.", format="optuna"),
    "aslib": Preset("ASlib scenarios: the time that algorithms take to solve instances.", "aslib", clock="seconds"),
    "irace": Preset(
        "a CSV export of irace's experiments, whose log itself is an R file: columns configuration, instance, seed, cost, "
        "and time, the seconds after which the cost was known. Runs finished, since irace lets them end.",
        columns={"algorithm_name": "configuration", "run_id": "seed", "raw_y": "cost"},
        clock="seconds",
        ended="stays",
    ),
}
