"""Command `analyse`: compare algorithms on recorded runs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.comparison import compare, comparison_as_data, print_comparison
from polarbear.cli.recorded_runs import Reading, read_recorded_runs
from polarbear.literals import Elimination


def analyse(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A folder, a file, an archive, or a race file.")],
    as_race: Annotated[
        bool, typer.Option("--race", help="Replay the runs as a race, and print what it saves.")
    ] = False,
    start: Annotated[float | None, typer.Option(help="The first time at which to compare.")] = None,
    stop: Annotated[float | None, typer.Option(help="The last time at which to compare.")] = None,
    count: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="The number of times at which to compare; 30 by default.")
    ] = None,
    *,
    reading: Reading,
    prior: Annotated[str, typer.Option(help="The prior, as in race.toml.")] = "BayesianBootstrap",
    method: Annotated[str, typer.Option(help="How the posterior is computed, as in race.toml.")] = "auto",
    elimination: Annotated[Elimination, options.ELIMINATION] = "pointwise",
    confidence: Annotated[float, typer.Option(help="The probability that an elimination needs.")] = 0.95,
    guarantee: Annotated[
        float | None,
        typer.Option(help="With --race: the largest probability of any wrong elimination, whatever the model."),
    ] = None,
    optimum: Annotated[
        float | None,
        typer.Option(
            help="The optimum of every instance, to compare with AOCC; known for COCO's data and IOHprofiler's BBOB suites."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the posterior, and of the order of a replayed race.")] = 0,
    save: Annotated[Path | None, typer.Option(help="Write the posterior to this file, to select from later.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report to this file.")] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare algorithms on recorded runs: the anytime Pareto set, all pairs, and what to deploy.

    A race file is compared at its own times, unless you give --start, --stop or --count.
    """
    from polarbear.analysis import later_runs, replay, suggest_grid
    from polarbear.configuration import parse_prior
    from polarbear.inference.fitting import fit
    from polarbear.observe import Choices

    if guarantee is not None and not as_race:
        raise ValueError(
            f"expected --race with --guarantee {guarantee:g}, got no --race; a guarantee is a setting of a race: add --race"
        )
    options.require_writable(save, report)
    inference: dict[str, Any] = {"prior": parse_prior(prior), "method": method, "seed": seed}
    recorded = read_recorded_runs(path, reading, quiet=quiet)
    names = list(dict.fromkeys(run.algorithm for run in recorded.runs))
    if len(names) < 2:
        raise ValueError(
            f"expected runs of two algorithms or more in {path}, got {f'those of {names[0]}' if names else 'none'}"
        )
    grid = recorded.grid
    if grid is None or (start, stop, count) != (None, None, None):
        grid = suggest_grid(recorded.runs, count=count or 30, start=start, stop=stop)
    later, last = later_runs(recorded.runs, grid)
    if later and stop is None:
        terminal.print_remark(
            f"{later:,} of {len(recorded.runs):,} runs go on after {grid.times[-1]:,.6g} {recorded.clock}, where others "
            f"were cut off; to compare those that remain until {last:,.6g}, add: --stop {last:.12g}",
            quiet=quiet,
        )
    choices = Choices.from_trajectories(recorded.runs, grid=grid, per_instance=True, **recorded.ranking)
    posterior = fit(choices, **inference)
    rule: dict[str, Any] = {"confidence": confidence, "elimination": elimination}
    if save is not None:
        posterior.save(save)
    if report is not None:
        from polarbear.reporting import report as write

        write(posterior, report, title=path.stem, unit=recorded.clock, **rule)
    comparison = compare(
        posterior,
        choices,
        recorded.runs,
        clock=recorded.clock,
        optimum=optimum,
        optimum_known=recorded.optimum_known,
        replay=replay(
            recorded.runs, grid, clock=recorded.clock, guarantee=guarantee, **inference, **rule, **recorded.ranking
        )
        if as_race
        else None,
        skipped=recorded.skipped,
        **rule,
    )
    if as_json:
        terminal.print_json(comparison_as_data(comparison))
    else:
        print_comparison(comparison)
