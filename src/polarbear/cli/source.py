"""What commands read: a race file, a saved posterior, or recorded runs, to which a posterior is fitted first."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.cli import terminal
from polarbear.cli.open_file import candidates_of, decided_result, is_posterior_file, is_race_file, load_posterior
from polarbear.cli.recorded_runs import Reading, RecordedRuns, read_recorded_runs

if TYPE_CHECKING:
    from polarbear.observe import Choices, Grid
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.result import RaceResult

_MANY = 30  # algorithms, from which the draws of all pairs take much time and memory
_FEWEST_DRAWS = 500
_ENOUGH = 100  # instances from which outcomes alone are nearly as good as their blend with a fit that takes minutes


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
    """

    posterior: "Posterior"
    candidates: tuple[str, ...]
    unit: str = ""
    result: "RaceResult | None" = None
    recorded: RecordedRuns | None = None


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
        return Source(result.posterior, candidates_of(result), result.state.settings.clock, result=result)
    if is_file and is_posterior_file(path):
        if reading.given:
            raise ValueError(
                f"expected recorded runs or a race file for {reading.given[0]}, got the saved posterior {path}, which holds "
                "no runs; give the file that it was fitted to"
            )
        posterior = load_posterior(path)
        return Source(posterior, posterior.names)
    recorded = read_recorded_runs(path, reading, by=by, quiet=quiet)
    inference = {} if most_draws is None else {"draws": most_draws}
    _, posterior = fit_runs(recorded, grid_of(recorded, reading, quiet=quiet), **inference)
    return Source(posterior, pareto_set(posterior, confidence=confidence), recorded.unit, recorded=recorded)


def grid_of(recorded: RecordedRuns, reading: Reading, *, quiet: bool) -> "Grid":
    """Return the times at which runs are compared, and print how many runs go on after the last of them."""
    from polarbear.analysis import later_runs, suggest_grid

    times = reading.start, reading.stop, reading.count
    if recorded.grid is not None and times == (None, None, None):
        return recorded.grid
    grid = suggest_grid(recorded.runs, count=reading.count or 30, start=reading.start, stop=reading.stop)
    later, last = later_runs(recorded.runs, grid)
    if later and reading.stop is None:
        terminal.print_remark(
            f"{later:,} of {len(recorded.runs):,} runs go on after {grid.times[-1]:,.6g} {recorded.unit}, where others "
            f"were cut off; to compare those that remain until {last:,.6g}, add: --stop {last:.12g}",
            quiet=quiet,
        )
    return grid


def fit_runs(recorded: RecordedRuns, grid: "Grid", **inference: Any) -> "tuple[Choices, Posterior]":
    """Return the choices in recorded runs, and the posterior that is fitted to them.

    More than 30 algorithms get fewer draws and, with enough instances, outcomes without a Plackett-Luce fit.
    """
    from polarbear.inference.fitting import fit
    from polarbear.models import BayesianBootstrap
    from polarbear.observe import Choices

    names = list(dict.fromkeys(run.algorithm for run in recorded.runs))
    if len(names) < 2:
        raise ValueError(f"expected runs of two algorithms or more, got {f'those of {names[0]}' if names else 'none'}")
    choices = Choices.from_trajectories(recorded.runs, grid=grid, per_instance=True, **recorded.ranking)
    if len(names) > _MANY:
        fewer = max(_FEWEST_DRAWS, 4000 * _MANY**2 // len(names) ** 2)
        inference["draws"] = min(inference.get("draws", fewer), fewer)
        if choices.instances >= _ENOUGH and inference.get("prior", BayesianBootstrap()) == BayesianBootstrap():
            inference["prior"] = BayesianBootstrap(plackett_luce=0)
    return choices, fit(choices, **inference)


def pareto_set(posterior: "Posterior", **rule: Any) -> tuple[str, ...]:
    """Return the algorithms that no other one dominates, by a rule of elimination."""
    from polarbear.posterior.elimination import dominated

    losers = {each.name for each in dominated(posterior, **rule)}
    return tuple(name for name in posterior.names if name not in losers)
