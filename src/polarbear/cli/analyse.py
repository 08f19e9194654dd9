"""Command `analyse`: compare algorithms on recorded runs."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.comparison import compare, comparison_as_data, print_comparison
from polarbear.cli.features import own_tables, read_table
from polarbear.cli.groups import compare_groups, groups_as_data, print_group_remarks, print_groups
from polarbear.cli.recorded_runs import Reading, read_recorded_runs
from polarbear.cli.source import Source, fit_runs, grid_of, pareto_set, print_remarks, runs_with_values
from polarbear.literals import Elimination, FileFormat

_MOST = 20  # rows of each table, unless --all is given


def analyse(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A folder, a file, an archive, or a race file.")],
    as_race: Annotated[
        bool, typer.Option("--race", help="Replay the runs as a race, and print what it saves.")
    ] = False,
    by: options.By = None,
    features: options.Features = None,
    form: Annotated[FileFormat | None, typer.Option("--format", help="Read only files of this format.")] = None,
    old_columns: Annotated[
        list[str] | None, typer.Option("--map", hidden=True, metavar="NAME=COLUMN", help="The same as --column.")
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
    save: Annotated[
        Path | None,
        typer.Option(help=f"Write the posterior to this file, to select from later. {options.NO_DECISIONS}"),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report to this file.")] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Print all rows of each table; by default 20.")] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare algorithms on recorded runs: the anytime Pareto set, all pairs, and what to deploy.

    A race file is compared at its own times, unless you give --start, --stop or --count.
    """
    from polarbear.analysis import replay
    from polarbear.configuration import parse_prior
    from polarbear.magnitude.summary import how_much_better
    from polarbear.verdict import Advice

    if guarantee is not None and not as_race:
        raise ValueError(
            f"expected --race with --guarantee {guarantee:g}, got no --race; a guarantee is a setting of a race: add --race"
        )
    if features is not None and by is None and report is None:
        raise ValueError(
            f"expected --by or --report with --features {features}, got neither; add --by with a column of the table, or "
            f"use: polarbear explain {terminal.shell_path(path)} --features {terminal.shell_path(features)}"
        )
    options.require_writable(save, report)
    reading = replace(reading, columns=[*(reading.columns or ()), *(old_columns or ())])
    inference: dict[str, Any] = {"prior": parse_prior(prior), "method": method, "seed": seed}
    recorded = read_recorded_runs(path, reading, form=form, by=by)
    table = None if features is None else read_table(features, path if recorded.imported is None else None)
    grid, remarks = grid_of(recorded, reading)
    try:
        choices, posterior = fit_runs(recorded, grid, **inference)
    except ValueError:
        print_remarks(remarks, quiet=quiet)  # they may explain the error, and no result will show them
        raise
    rule: dict[str, Any] = {"confidence": confidence, "elimination": elimination}
    if save is not None:
        posterior.save(save)
    source = Source(posterior, pareto_set(posterior, **rule), recorded.unit, recorded=recorded)
    groups = compare_groups(source, by, table=table, rule=rule, **inference)
    print_group_remarks(groups, quiet=quiet)
    values = runs_with_values(source)
    advice = Advice("runs", terminal.shell_path(path) + reading.as_typed())
    comparison = compare(
        posterior,
        choices,
        recorded.runs,
        clock=recorded.unit,
        advice=advice,
        remarks=remarks,
        optimum=optimum,
        optimum_known=recorded.optimum_known,
        replay=replay(
            recorded.runs, grid, clock=recorded.clock, guarantee=guarantee, **inference, **rule, **recorded.ranking
        )
        if as_race
        else None,
        how_much_better=() if values is None else how_much_better(values, posterior, among=source.candidates),
        skipped=recorded.skipped,
        **rule,
    )
    if report is not None:
        from polarbear.reporting import report as write
        from polarbear.reporting.title import title_of

        page: dict[str, Any] = {"title": title_of(path), "unit": recorded.unit, **groups.for_report}
        page |= {"own_features": own_tables(recorded), "features": table}
        write(posterior, report, advice=advice, summary=comparison.summary, runs=values, **page, **rule)
    if as_json:
        data = comparison_as_data(comparison)
        terminal.print_json(data if by is None else {**data, **groups_as_data(groups, by)})
    else:
        most = None if show_all else _MOST
        with terminal.short_names(posterior.names):
            print_comparison(comparison, most=most)
            print_groups(groups, by, most=most)
