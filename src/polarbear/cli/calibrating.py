"""`calibrate`: how honest the probabilities are, by simulation, for a setting like yours."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from polarbear.cli import options, printing
from polarbear.cli.beliefs import opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.calibration.coverage import CoverageCell
    from polarbear.calibration.races import RaceCell

Calibrated = Literal["auto", "trajectory", "none"]


def calibrate(
    file: Annotated[
        Path | None, typer.Argument(metavar="[RACE]", help="A race file to resemble; what is given below goes first.")
    ] = None,
    races: Annotated[
        int, typer.Option(min=1, help="How many races to simulate, and how many single posteriors.")
    ] = 100,
    algorithms: Annotated[int | None, typer.Option(min=2, help="How many algorithms.")] = None,
    times: Annotated[int | None, typer.Option(min=2, help="How many times on the grid.")] = None,
    instances: Annotated[int | None, typer.Option(min=1, help="Of a single posterior, and at most of a race.")] = None,
    autocorrelation: Annotated[
        float | None, typer.Option(min=0, max=1, help="Of a run's noise at neighbouring times.")
    ] = None,
    solved: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of runs that end at the optimum, tied.")
    ] = None,
    spread: Annotated[
        float | None,
        typer.Option(min=0, help="How far apart the algorithms lie, as a multiple of what the prior expects."),
    ] = None,
    dependence: Annotated[
        Literal["copula", "renewal"], typer.Option(help="Noise that drifts, or stays and is drawn anew.")
    ] = "copula",
    noise: Annotated[Literal["gumbel", "gaussian"], typer.Option(help="As Plackett-Luce has it, or not.")] = "gumbel",
    prior: Annotated[str | None, typer.Option(help="Belief before, by name.")] = None,
    calibration: Annotated[Calibrated | None, typer.Option(help="How rankings at different times count.")] = None,
    elimination: Annotated[Literal["joint", "pointwise"] | None, typer.Option(help="When one is out.")] = None,
    resolution: Annotated[Literal["crossing", "strict"] | None, typer.Option(help="When a pair is decided.")] = None,
    confidence: options.Confidence = None,
    rope: options.Rope = None,
    draws: Annotated[int, typer.Option(min=200, help="Of each posterior.")] = 1000,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    results: Annotated[Path | None, typer.Option(help="Keep outcomes here, and go on from them the next time.")] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Simulate posteriors and races with a known truth, and count how often they hold it and how often they are wrong."""
    from polarbear.calibration import coverage
    from polarbear.calibration import races as races_

    given = {
        "algorithms": algorithms,
        "times": times,
        "most_instances": instances,
        "autocorrelation": autocorrelation,
        "solved": solved,
        "spread": spread,
        "prior": prior,
        "calibration": calibration,
        "elimination": elimination,
        "resolution": resolution,
        "confidence": confidence,
        "rope": rope,
    }
    like: dict[str, Any] = {"prior": "BSpline"} if file is None else _resembled(file, quiet=quiet)
    seen = like.pop("instances", 30)
    asked = {**like, **{name: value for name, value in given.items() if value is not None}}
    race_cell = races_.RaceCell(**{"dependence": dependence, "noise": noise, "draws": draws, **asked})
    if race_cell.prior not in races_.PRIORS:
        raise ValueError(f"prior must be one of {', '.join(races_.PRIORS)}; got {race_cell.prior!r}")
    race_cell.settings(0)  # refuses what does not go together
    posterior_cell = _single(race_cell, instances or seen)

    found: dict[str, Any] = {"simulated": asdict(race_cell)}
    if posterior_cell is not None:
        outcomes = _replicated(coverage.covered, posterior_cell, races, results, workers, "posteriors", quiet=quiet)
        found["posterior"] = coverage.summary(posterior_cell, outcomes)
    outcomes = _replicated(races_.raced, race_cell, races, results, workers, "races", quiet=quiet)
    found["race"] = races_.summary(race_cell, outcomes)
    if as_json:
        printing.say_json(found)
    else:
        _say(found)


def _single(cell: "RaceCell", instances: int) -> "CoverageCell | None":
    """The same setting for one posterior, without ties.

    None for a prior that no truth over time can be drawn from, and for noise under which there are no true ratings.
    """
    from polarbear.calibration.coverage import TEMPORAL, CoverageCell

    if cell.prior not in TEMPORAL or cell.noise != "gumbel":
        return None
    return CoverageCell(
        prior=cell.prior,
        treatment="none" if cell.calibration == "none" else "trajectory",
        autocorrelation=cell.autocorrelation,
        algorithms=cell.algorithms,
        instances=instances,
        times=cell.times,
        draws=cell.draws,
        dependence=cell.dependence,
        spread=cell.spread,
    )


def _resembled(file: Path, *, quiet: bool) -> dict[str, Any]:
    """The setting of a race, and what its runs show: how far apart they lie, how alike they are over time, how many tie."""
    import numpy as np

    from polarbear.calibration.coverage import TEMPORAL
    from polarbear.calibration.races import RaceCell
    from polarbear.calibration.resembling import resembling, spread_of
    from polarbear.race.batching import FixedBatch
    from polarbear.race.loop import believed_choices

    with opened(file) as race:
        result = race.result
        if not result.instances:
            raise ValueError(f"nothing has been run in {file} yet; say --autocorrelation instead")
        settings, instances = result.state.settings, result.instances
        simulator = resembling(result.posterior, believed_choices(result.state), rng=np.random.default_rng(0))
        names, batch = result.posterior.names, settings.batch
        kind = type(settings.prior).__name__
        truths = TEMPORAL.get(
            kind, TEMPORAL[RaceCell.prior]
        )()  # what they will be drawn from: with its usual arguments
        spread = round(spread_of(result.posterior, truths, rng=np.random.default_rng(0)), 3)
    sizes = (batch.size,) * 3 if isinstance(batch, FixedBatch) else (batch.first, batch.smallest, batch.largest)
    simulator = replace(
        simulator, autocorrelation=round(simulator.autocorrelation, 4), solved=round(simulator.solved, 4)
    )
    printing.tell(
        f"runs like those of {printing.shown(file)}: autocorrelation {simulator.autocorrelation:g}, "
        f"{simulator.solved:.0%} at the optimum in the end, {spread:.2g} times as far apart as the prior expects",
        quiet=quiet,
    )
    return {
        "algorithms": len(names),
        "instances": instances,
        "times": len(settings.grid),
        "autocorrelation": simulator.autocorrelation,
        "solved": simulator.solved,
        "spread": spread,
        "prior": kind,
        "calibration": settings.calibration,
        "elimination": settings.elimination,
        "resolution": settings.resolution,
        "confidence": settings.confidence,
        "rope": settings.rope,
        "batch": sizes,
        "most_instances": max(instances, RaceCell.most_instances),
    }


def _replicated(
    task: "Callable[[Any, int], dict[str, Any]]",
    cell: Any,
    replicates: int,
    results: Path | None,
    workers: int,
    name: str,
    *,
    quiet: bool,
) -> list[dict[str, Any]]:
    """All outcomes of one cell, with a bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from polarbear.calibration.study import key, run_study

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=quiet) as bar:
        shown = bar.add_task(name, total=replicates)
        return run_study(
            task,
            [cell],
            replicates=replicates,
            path=results,
            workers=workers,
            tell=lambda done, of: bar.update(shown, completed=done, total=of),
        )[key(cell)]


def _say(found: dict[str, Any]) -> None:
    told, posterior, race = found["simulated"], found.get("posterior"), found["race"]
    printing.say(
        f"Simulated: {told['algorithms']} algorithms at {told['times']} times, {told['spread']:g} times as far apart as the "
        f"prior expects, {told['noise']} noise ({told['dependence']}, autocorrelation {told['autocorrelation']:g}), "
        f"{told['solved']:.0%} of runs at the optimum in the end, {told['prior']}, calibration {told['calibration']}, "
        f"{told['elimination']} elimination, {told['resolution']} resolution, confidence {told['confidence']:g}"
    )
    if posterior is not None:
        error = posterior["standard_error"]
        worth = posterior["effective_times"]
        printing.say(
            f"\nPosteriors of {printing.counted(posterior['instances'], 'instance')}: {posterior['coverage']:.1%}"
            + (f" ± {1.96 * error:.1%}" if error is not None else "")
            + f" of the 95 % intervals hold the truth ({printing.counted(posterior['data_sets'], 'data set')}"
            + (", without ties)" if told["solved"] else ")")
            + (f"; {posterior['times']} times count as {worth:.1f}" if worth is not None else "")
        )
    rows = [
        ["a true member of the Pareto set was eliminated, outside the rope", *_rate(race["any_clearly_wrong"])],
        ["some elimination of the race was wrong", *_rate(race["any_wrong"])],
        ["an elimination was wrong, of all eliminations", *_rate(race["wrong_per_elimination"])],
        ["the Pareto set was found, up to the rope", *_rate(race["right_set"])],
    ]
    most = printing.counted(told["most_instances"], "instance")
    printing.say(f"\n{printing.counted(race['races'], 'race')} of at most {most}")
    printing.say_table(("how often", "share", "95 % interval"), rows)
    # Pointwise, what is promised is the probability at the least certain time: of all times, it is more.
    promise = f"{'at least ' if told['elimination'] == 'pointwise' else ''}{race['promised']:.1f}"
    printing.say(
        f"\n{race['instances']:,.0f} instances on average, {race['resolved']:.0%} of races decided everything; "
        f"the posteriors promised {promise} wrong of {printing.counted(race['eliminated'], 'elimination')}"
    )


def _rate(rate: tuple[float, float, float] | None) -> tuple[str, str]:
    return ("no case", "") if rate is None else (f"{rate[0]:.1%}", f"{rate[1]:.1%} to {rate[2]:.1%}")
