"""What commands read: a race file, a saved posterior, or recorded runs, to which a posterior is fitted first."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.cli import terminal
from polarbear.cli.open_file import (
    candidates_of,
    decided_result,
    is_posterior_file,
    is_race_file,
    load_posterior,
    typed_race,
)
from polarbear.cli.recorded_runs import Reading, RecordedRuns, read_recorded_runs
from polarbear.wording import format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.magnitude.collection import RunCollection
    from polarbear.observe import Choices, Grid
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.result import RaceResult
    from polarbear.verdict import Remark


@dataclass(frozen=True)
class Source:
    """A posterior and where it comes from.

    Attributes
    ----------
    posterior, candidates
        The posterior, and the algorithms to choose from: the candidates of a race, the Pareto set of recorded runs, or all
        algorithms of a saved posterior.
    unit
        The unit of time; empty if it is not known.
    result, recorded
        The result of the race, or the recorded runs, if the posterior comes from one of these.
    choices, remarks
        The choices in the recorded runs, and remarks on the runs.
    """

    posterior: "Posterior"
    candidates: tuple[str, ...]
    unit: str = ""
    result: "RaceResult | None" = None
    recorded: RecordedRuns | None = None
    choices: "Choices | None" = None
    remarks: "tuple[Remark, ...]" = ()

    @property
    def has_values(self) -> bool:
        """Whether the values of the runs are known; a saved posterior holds none."""
        return self.result is not None or self.recorded is not None


def open_source(
    path: Path,
    reading: Reading,
    *,
    by: str | None = None,
    quiet: bool = False,
    confidence: float = 0.95,
    most_draws: int | None = None,
) -> Source:
    """Return the posterior of a file or folder.

    A race with options of recorded runs, such as --only, is read as recorded runs. These can be split `by` a column later,
    and their algorithms are eliminated with this confidence. A posterior that is inferred here has at most `most_draws`
    draws, if this is given.
    """
    is_file = path.is_file() or not path.exists()
    if is_file and is_race_file(path) and not reading.given:
        result = decided_result(path, most_draws=most_draws)
        remarks = _remarks_on_algorithms(result, path)
        unit = result.state.settings.clock
        return Source(result.posterior, candidates_of(result), unit, result=result, remarks=remarks)
    if is_file and is_posterior_file(path):
        if reading.given:
            raise ValueError(
                f"expected recorded runs or a race file for {reading.given[0]}, got the saved posterior {path}, which holds "
                "no runs; give the file that it was fitted to"
            )
        posterior = load_posterior(path)
        return Source(posterior, posterior.names)
    recorded = read_recorded_runs(path, reading, by=by)
    grid, remarks = grid_of(recorded, reading)
    print_remarks(remarks, quiet=quiet)
    choices, posterior = fit_runs(recorded, grid, **({} if most_draws is None else {"draws": most_draws}))
    candidates = pareto_set(posterior, confidence=confidence)
    return Source(posterior, candidates, recorded.unit, recorded=recorded, choices=choices, remarks=remarks)


def _remarks_on_algorithms(result: "RaceResult", path: Path) -> "tuple[Remark, ...]":
    """Return remarks on algorithms that failed or were removed."""
    if not (result.failures or result.state.removed):
        return ()
    from polarbear.race.remarks import remarks_on_algorithms
    from polarbear.verdict import Advice

    return tuple(remarks_on_algorithms(result, Advice("race", typed_race(path))))


def runs_with_values(source: Source, *, pooled: bool = False) -> "RunCollection | None":
    """Return the runs behind a posterior, with their values; None for a saved posterior, which holds none.

    If the posterior is `pooled`, it also weights runs of other groups, and these have weights of their own.
    """
    from polarbear.magnitude.collection import collect_runs

    if source.result is not None:
        return collect_runs(source.result, posterior=source.posterior)
    if source.recorded is None:
        return None
    recorded = source.recorded
    weights: dict[str, Any] = {"grid": source.posterior.grid} if pooled else {"posterior": source.posterior}
    return collect_runs(
        recorded.runs,
        **weights,
        unit=source.unit,
        ends_planned=recorded.imported is None,  # the runs of a race
        **recorded.ranking,
    )


def print_remarks(remarks: "Sequence[Remark]", *, quiet: bool) -> None:
    """Print remarks on recorded runs to standard error, where the result itself does not show them."""
    for each in remarks:
        terminal.print_remark(each.sentence, quiet=quiet)


def grid_of(recorded: RecordedRuns, reading: Reading) -> "tuple[Grid, tuple[Remark, ...]]":
    """Return the times at which runs are compared, and all remarks on the runs, such as how many go on afterwards."""
    from polarbear.analysis import later_runs, suggest_grid
    from polarbear.verdict import Remark

    times = reading.start, reading.stop, reading.count
    if recorded.grid is not None and times == (None, None, None):
        return recorded.grid, recorded.remarks
    if reading.start is not None and reading.start == reading.stop:
        raise ValueError(
            f"expected --stop after --start, got {reading.start:g} for both; for the answer at one budget, leave both "
            f"out and use: polarbear select FILE --at {reading.start:.12g}"
        )
    grid = suggest_grid(recorded.runs, count=reading.count or 30, start=reading.start, stop=reading.stop)
    later, last = later_runs(recorded.runs, grid)
    if not later or reading.stop is not None:
        return grid, recorded.remarks
    text = (
        f"{later:,} of {len(recorded.runs):,} runs go on after {format_number(grid.times[-1])} {recorded.unit}, where "
        "others were cut off."
    )
    if last > grid.times[-1]:
        text += f" To compare those that remain until {format_number(last)}, add: --stop {last:.12g}"
    return grid, (*recorded.remarks, Remark("solid", text))


def fit_runs(recorded: RecordedRuns, grid: "Grid", **inference: Any) -> "tuple[Choices, Posterior]":
    """Return the choices in recorded runs, and the posterior that is fitted to them.

    More than 30 algorithms get fewer draws and, with enough instances, outcomes without a Plackett-Luce fit.
    """
    from polarbear.inference.fitting import fit
    from polarbear.observe import Choices

    names = list(dict.fromkeys(run.algorithm for run in recorded.runs))
    if len(names) < 2:
        raise ValueError(f"expected runs of two algorithms or more, got {f'those of {names[0]}' if names else 'none'}")
    choices = Choices.from_trajectories(recorded.runs, grid=grid, per_instance=True, **recorded.ranking)
    return choices, fit(choices, **inference)


def pareto_set(posterior: "Posterior", **rule: Any) -> tuple[str, ...]:
    """Return the algorithms that no other one dominates, by a rule of elimination."""
    from polarbear.posterior.elimination import dominated

    losers = {each.name for each in dominated(posterior, **rule)}
    return tuple(name for name in posterior.names if name not in losers)
