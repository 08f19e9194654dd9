"""What commands read: a race file, a saved posterior, or recorded runs, to which a posterior is fitted first."""

import shlex
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
)
from polarbear.cli.recorded_runs import Reading, RecordedRuns, read_recorded_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.findings import Finding
    from polarbear.magnitude.collection import RunCollection
    from polarbear.observe import Choices, Grid
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.outcome import RaceOutcome
    from polarbear.show.remedies import Shell


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
    result: "RaceOutcome | None" = None
    recorded: RecordedRuns | None = None
    choices: "Choices | None" = None
    remarks: "tuple[Finding, ...]" = ()

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
        remarks = _findings_on_algorithms(result)
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
    print_remarks(remarks, quiet=quiet, voice=voice_of(recorded, reading))
    choices, posterior = fit_runs(recorded, grid, **({} if most_draws is None else {"draws": most_draws}))
    candidates = pareto_set(posterior, confidence=confidence)
    return Source(posterior, candidates, recorded.unit, recorded=recorded, choices=choices, remarks=remarks)


def _findings_on_algorithms(result: "RaceOutcome") -> "tuple[Finding, ...]":
    """Return findings on algorithms that failed or were dropped by the user."""
    from polarbear.race.findings import findings_on_algorithms

    return tuple(findings_on_algorithms(result))


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


def print_remarks(findings: "Sequence[Finding]", *, quiet: bool, voice: "Shell | None" = None) -> None:
    """Print findings on recorded runs to standard error, where the result itself does not show them, and remedies."""
    from polarbear.show.wording import text_of

    for each in findings:
        terminal.print_remark(text_of(each), quiet=quiet)
        if voice is not None and each.remedy is not None and (command := voice.say(each.remedy)):
            terminal.print_remark(f"  {command}", quiet=quiet)


def voice_of(recorded: RecordedRuns, reading: Reading) -> "Shell":
    """Return the voice in which remedies for recorded runs are commands."""
    from polarbear.show.remedies import Shell

    path = "" if recorded.imported is None else shlex.quote(recorded.imported.about.path) + reading.as_typed()
    return Shell("runs", path)


def grid_of(recorded: RecordedRuns, reading: Reading) -> "tuple[Grid, tuple[Finding, ...]]":
    """Return the times at which runs are compared, and all remarks on the runs, such as how many go on afterwards."""
    from polarbear.analysis import suggest_grid
    from polarbear.opening import runs_that_go_on

    budgets = reading.start, reading.stop, reading.count
    if recorded.grid is not None and budgets == (None, None, None):
        return recorded.grid, recorded.remarks
    if reading.start is not None and reading.start == reading.stop:
        raise ValueError(
            f"expected --stop after --start, got {reading.start:g} for both; for the answer at one budget, leave both "
            f"out and use: polarbear select FILE --at {reading.start:.12g}"
        )
    grid = suggest_grid(recorded.runs, count=reading.count or 30, start=reading.start, stop=reading.stop)
    if reading.stop is not None:
        return grid, recorded.remarks
    return grid, (*recorded.remarks, *runs_that_go_on(recorded.runs, grid, recorded.unit))


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
