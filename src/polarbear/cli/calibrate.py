"""Command `calibrate`: simulate a setting like yours, and measure how often statements with a given probability are true."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.help import MORE
from polarbear.cli.study_progress import show_progress
from polarbear.literals import Dominance, Until
from polarbear.wording import format_duration, percent, with_noun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polarbear.calibration.coverage import CoverageCell
    from polarbear.calibration.races import RaceCell


def calibrate(
    file: Annotated[
        Path | None, typer.Argument(metavar="RACE", help="A race file whose setting is simulated; options override it.")
    ] = None,
    data_sets: Annotated[int, typer.Option(min=1, help="Data sets, and races, for each kind of truth.")] = 30,
    truth: Annotated[list[str] | None, typer.Option(help="Simulate only this kind of truth; repeatable.")] = None,
    algorithms: Annotated[int | None, typer.Option(min=2, help="Number of algorithms.")] = None,
    budgets: Annotated[int | None, typer.Option(min=2, help="Number of budgets.")] = None,
    instances: Annotated[
        int | None, typer.Option(min=1, help="Instances of a data set, and at most of a race.")
    ] = None,
    autocorrelation: Annotated[
        float | None, typer.Option(min=0, max=1, help="Of the noise of a run at neighbouring budgets.")
    ] = None,
    spread: Annotated[float | None, typer.Option(min=0, help="Standard deviation of the utilities.")] = None,
    prior: Annotated[str | None, typer.Option(rich_help_panel=MORE, help="The prior to fit, by name.")] = None,
    dominance: Annotated[Dominance | None, typer.Option(rich_help_panel=MORE, help=options.SETTINGS)] = None,
    until: Annotated[Until | None, typer.Option(rich_help_panel=MORE, help=options.SETTINGS)] = None,
    guarantee: Annotated[float | None, typer.Option(rich_help_panel=MORE, help=options.SETTINGS)] = None,
    confidence: Annotated[float | None, typer.Option(rich_help_panel=MORE, help=options.SETTINGS)] = None,
    margin: Annotated[float | None, typer.Option(rich_help_panel=MORE, help=options.SETTINGS)] = None,
    draws: Annotated[int, typer.Option(min=200, rich_help_panel=MORE, help=options.SETTINGS)] = 1000,
    workers: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    results: Annotated[Path | None, typer.Option(help="Store outcomes in this file, and reuse them next time.")] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Simulate data sets and races whose truth is known, and print how often the answers are right.

    Before it begins, it times a few simulations and prints how long all of them will take. The truths do not come from the
    fitted prior: constant, smooth, crossing, near-equal, two kinds of instances and others.
    The last line names the worst case.
    """
    from polarbear.calibration import coverage
    from polarbear.calibration import races as races_
    from polarbear.calibration.truths import TRUTHS

    given = {
        "algorithms": algorithms,
        "budgets": budgets,
        "most_instances": instances,
        "autocorrelation": autocorrelation,
        "spread": spread,
        "belief": prior,
        "dominance": dominance,
        "until": until,
        "guarantee": guarantee,
        "confidence": confidence,
        "margin": margin,
    }
    setting = {} if file is None else _setting_of(file, quiet=quiet)
    recorded = setting.pop("instances", 30)
    size = instances or recorded
    setting |= {name: value for name, value in given.items() if value is not None} | {"draws": draws}
    if unknown := sorted(set(truth or ()).difference(TRUTHS)):
        raise ValueError(f"expected a truth among {', '.join(map(repr, TRUTHS))}, got {unknown[0]!r}")
    chosen = [each for each in TRUTHS if not truth or each in truth]
    cells = [races_.RaceCell(truth=each, **setting) for each in chosen]
    cells[0].settings(0)  # raises an error for settings that contradict each other

    single = [_as_data_set(cell, size) for cell in cells]
    if not quiet:
        studies: dict[str, tuple[Any, Sequence[Any]]] = {
            "data set": (coverage.measure_coverage, single),
            "race": (races_.simulate_race, cells),
        }
        _print_duration(studies, data_sets, results, workers)
    coverages = _simulate(
        coverage.measure_coverage,
        single,
        data_sets,
        results,
        workers,
        "data sets",
        quiet,
    )
    raced = _simulate(races_.simulate_race, cells, data_sets, results, workers, "races", quiet)
    summary = {
        "setting": {name: value for name, value in asdict(cells[0]).items() if name != "truth"},
        "instances": size,
        "posteriors": [coverage.summarise(cell, each) for cell, each in coverages],
        "races": [races_.summarise(cell, each) for cell, each in raced],
    }
    if as_json:
        terminal.print_json(summary)
    else:
        _print_summary(summary)


def _as_data_set(cell: "RaceCell", instances: int) -> "CoverageCell":
    """Return the setting of a race as that of a single data set."""
    from polarbear.calibration.coverage import CoverageCell

    shared = ("belief", "truth", "spread", "autocorrelation", "algorithms", "budgets", "draws")
    return CoverageCell(instances=instances, **{name: getattr(cell, name) for name in shared})


def _setting_of(file: Path, *, quiet: bool) -> dict[str, Any]:
    """Return the setting of a race, with the estimated autocorrelation of its runs and spread of its algorithms."""
    from polarbear.calibration.beliefs import STUDIED
    from polarbear.calibration.matching import estimate_autocorrelation, estimate_spread
    from polarbear.calibration.races import RaceCell
    from polarbear.driver.race import Race
    from polarbear.opening import require_race_file
    from polarbear.race.batching import FixedBatch
    from polarbear.race.inference import choices_of_runs

    require_race_file(file)
    with Race.open(file) as race:
        result = race.outcome
        if not result.instances:
            raise ValueError(
                f"expected runs in {file}, got none yet; leave it out, and give --autocorrelation and --algorithms"
            )
        settings, instances = result.state.settings, result.instances
        rankings = choices_of_runs(result.state).rankings
        assert rankings is not None
        autocorrelation = round(estimate_autocorrelation(rankings), 3)
        spread = round(estimate_spread(result.posterior), 3)
        names, batch = result.posterior.names, settings.batch
    kind = type(settings.prior).__name__
    sizes = (batch.size,) * 3 if isinstance(batch, FixedBatch) else (batch.first, batch.smallest, batch.largest)
    terminal.print_note(
        f"runs like those of {terminal.shell_path(file)}: autocorrelation {autocorrelation:g}, spread {spread:g}"
        + ("" if settings.prior == STUDIED[kind] else f", {kind} with its default parameters"),
        quiet=quiet,
    )
    return {
        "algorithms": len(names),
        "instances": instances,
        "budgets": len(settings.grid),
        "autocorrelation": autocorrelation,
        "spread": spread,
        "belief": kind,
        "dominance": settings.dominance,
        "until": settings.until,
        "specialists": settings.specialists,
        "guarantee": settings.guarantee,
        "confidence": settings.confidence,
        "margin": settings.margin,
        "batch": sizes,
        "most_instances": max(instances, RaceCell.most_instances),
    }


def _simulate(
    task: "Callable[[Any, int], dict[str, Any]]",
    cells: "Sequence[Any]",
    replicates: int,
    results: Path | None,
    workers: int,
    name: str,
    quiet: bool,
) -> list[tuple[Any, list[dict[str, Any]]]]:
    """Return all outcomes of each cell; show progress on standard error."""
    from polarbear.calibration.study import key, run_study

    with show_progress(name, replicates * len(cells), quiet=quiet) as progress:
        outcomes = run_study(task, cells, replicates=replicates, path=results, workers=workers, progress=progress)
    return [(cell, outcomes[key(cell)]) for cell in cells]


def _print_duration(
    studies: "dict[str, tuple[Any, Sequence[Any]]]",
    replicates: int,
    results: Path | None,
    workers: int,
) -> None:
    """Time a few simulations of each study, and print how long all of them will take."""
    from polarbear.calibration.study import count_open, seconds_per_replicate

    seconds, parts = 0.0, []
    for name, (task, cells) in studies.items():
        number = count_open(cells, replicates=replicates, path=results)
        if number:
            seconds += number * seconds_per_replicate(task, cells) / min(workers, number)
            parts.append(with_noun(number, name))
    if parts:
        processes = f" on {workers} processes" if workers > 1 else ""
        terminal.print_note(f"{' and '.join(parts)}{processes}: about {format_duration(seconds)}")


def _print_summary(summary: dict[str, Any]) -> None:
    setting, posteriors, races = summary["setting"], summary["posteriors"], summary["races"]
    sets = with_noun(posteriors[0]["data_sets"], "data set")
    terminal.print_result(
        f"{setting['belief']}, {setting['algorithms']} algorithms, {setting['budgets']} budgets, "
        f"{summary['instances']} instances, autocorrelation {setting['autocorrelation']:g}, spread {setting['spread']:g}; "
        f"{setting['dominance']} dominance, confidence {setting['confidence']:g}, races of at most "
        f"{setting['most_instances']} instances; {sets} and as many races for each kind of truth\n"
    )
    rows = [
        [
            posterior["truth"],
            _coverage(posterior),
            _claims(posterior, posterior["data_sets"]),
            _claims(posterior["ratings"], posterior["data_sets"]),
            _share(race["any_wrong"]),
            _share(race["any_clearly_wrong"]),
            _share(race["right_set"]),
            f"{race['instances']:.0f}",
        ]
        for posterior, race in zip(posteriors, races, strict=True)
    ]
    head = (
        "truth",
        "95 % intervals cover",
        "claims on pairs true",
        "claims on ratings true",
        "any wrong drop",
        "clear member lost",
        "right set",
        "instances",
    )
    terminal.print_table(head, rows)
    worst = min(posteriors, key=lambda each: each["coverage"])
    most_wrong = max(races, key=lambda each: each["any_wrong"][0])
    terminal.print_result(
        f"\nWorst case: intervals cover the truth in {_coverage(worst)} of cases ({worst['truth']}); "
        f"{_share(most_wrong['any_wrong'])} of races have a wrong drop ({most_wrong['truth']})."
    )


def _coverage(posterior: dict[str, Any]) -> str:
    error = posterior["standard_error"]
    return f"{100 * posterior['coverage']:.1f} %" + ("" if error is None else f" ± {200 * error:.1f} %")


def _claims(compared: dict[str, Any], data_sets: int) -> str:
    """Format the share of claims that came true, their number, and their mean posterior probability."""
    if compared["came_true"] is None:
        return "no claims"
    number = round(compared["claims"] * data_sets)
    return f"{percent(compared['came_true'])} of {number:,} ({percent(compared['promised'])} promised)"


def _share(rate: tuple[float, float, float] | None) -> str:
    return "none" if rate is None else f"{percent(rate[0])} ({percent(rate[1])} to {percent(rate[2])})"
