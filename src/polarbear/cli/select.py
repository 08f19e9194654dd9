"""Command `select`: choose what to deploy."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.features import parse_given, read_table_for
from polarbear.cli.given import FeatureQuery, choose_for_instance, print_choice
from polarbear.cli.group_selections import group_selections_as_data, print_group_selections, select_for_groups
from polarbear.cli.groups import compare_groups
from polarbear.cli.recorded_runs import Reading
from polarbear.cli.selections import selection_as_data
from polarbear.cli.source import open_source
from polarbear.wording import find_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.posterior.posterior import Posterior
    from polarbear.selection import DecisionMap, Selection


def select(
    file: options.AnySource,
    budgets: options.Budgets,
    attitude: options.Attitude,
    comparison: options.Comparison,
    among: Annotated[list[str] | None, typer.Option(help="Consider only this algorithm; repeatable.")] = None,
    include_all: Annotated[bool, typer.Option("--all", help="Include eliminated algorithms.")] = False,
    by: options.By = None,
    features: options.Features = None,
    given: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE=VALUE", help="Choose for an instance with this feature; repeatable."),
    ] = None,
    show_map: Annotated[bool, typer.Option("--map", help="Also print which algorithm leads at which budget.")] = False,
    save: Annotated[
        Path | None,
        typer.Option(
            help=f"Write 1,000 draws of the posterior to this small file, to select from later. {options.NO_DECISIONS}"
        ),
    ] = None,
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    reading: Reading,
) -> None:
    """Choose what to deploy, given a preference over budgets and an attitude to risk. Nothing is run."""
    from polarbear import selection as library
    from polarbear.selection.observed_budgets import unobserved_sentence

    options.require_writable(save, inputs=[file, features, budgets.samples], force=force)
    preference, risk = budgets.preference(), attitude.risk()
    comparison.criterion()  # reports options that exclude each other before anything is read
    if given or (features is not None and by is None):
        others = {"--portfolio": attitude.portfolio > 1, "--top": comparison.top is not None}
        others |= {"--mean-rank": comparison.mean_rank, "--against": bool(comparison.against), "--by": bool(by)}
        others |= {"--map": show_map, "--save": save is not None, "--all": include_all}
        _refuse_together("--given" if given else "--features", [name for name, is_given in others.items() if is_given])
        choice = choose_for_instance(
            file, reading, features, FeatureQuery(preference, risk, among, parse_given(given)), quiet=quiet
        )
        print_choice(choice, as_json=as_json, quiet=quiet)
        return
    source = open_source(file, reading, by=by, quiet=quiet)
    table = None if features is None else read_table_for(source, file, features)
    posterior, candidates = source.posterior, source.candidates
    among = None if among is None else find_names("--among", among, posterior.names)
    criterion = comparison.criterion(posterior.names)
    considered = tuple(among) if among else posterior.names if include_all else candidates
    # Of recorded runs every algorithm may be in a portfolio; dropped ones may be the best where the others fail.
    every = attitude.portfolio > 1 and not among and source.result is None

    def query(posterior: "Posterior", among: "Sequence[str]") -> "Selection":
        return library.select(
            posterior,
            preference,
            risk,
            among=among,
            portfolio=attitude.portfolio,
            copies=attitude.copies,
            criterion=criterion,
        )

    selection = query(posterior, posterior.names if every else considered)
    divided = compare_groups(source, by, table=table)
    groups = select_for_groups(divided, query, among=among, include_all=include_all)
    overview = library.decision_map(posterior, among=considered) if show_map else None
    if save is not None:
        posterior.save(save, draws=1000, force=force)
    if as_json:
        from polarbear.exports import comparisons_by_name

        counts: dict[str, Any] = {"budgets": posterior.grid.budgets, "comparisons": comparisons_by_name(posterior)}
        overview_data = {} if overview is None else {"map": _map_as_data(overview)}
        group_data: dict[str, Any] = {}
        if by is not None:
            group_data = {"by": by, "group_remarks": divided.remarks, "groups": group_selections_as_data(groups)}
        counts |= {"findings": [each.to_dict() for each in source.remarks]}
        terminal.print_json(selection_as_data(selection) | counts | overview_data | group_data)
        return
    terminal.print_result(selection.sentence)
    if len(selection.candidates) > 1:
        terminal.print_result("")
        _print_candidates(selection)
    if overview is not None:
        terminal.print_result(f"\n{overview}")
        if sentence := unobserved_sentence(posterior, among=overview.names):
            terminal.print_result(sentence)
    doubts = [each for each in source.remarks if each.severity != "note"] if source.result is not None else []
    if doubts:
        from polarbear.show.wording import text_of
    for doubt in doubts:  # those on recorded runs have been printed already
        terminal.print_result(f"\n{text_of(doubt)}")
    if source.result is not None:
        terminal.print_remark(
            f"How far to trust the race itself: polarbear show {terminal.shell_path(file)}", quiet=quiet
        )
    if by is not None:
        print_group_selections(groups, by, selection)
        for remark in divided.remarks:
            terminal.print_remark(remark, quiet=quiet)


def _refuse_together(option: str, names: "Sequence[str]") -> None:
    if names:
        raise ValueError(f"expected no {names[0]} with {option}, got both; leave one of them out")


def _map_as_data(overview: "DecisionMap") -> list[dict[str, Any]]:
    """Return the leader and P(best) at each budget; null where an algorithm was not observed."""
    rows = zip(overview.grid.budgets.tolist(), overview.best, overview.probability_best, overview.observed, strict=True)
    return [
        {
            "budget": budget,
            "best": best,
            "probability_best": {
                name: float(each) if known else None
                for name, each, known in zip(overview.names, probabilities, observed, strict=True)
            },
        }
        for budget, best, probabilities, observed in rows
    ]


def _print_candidates(selection: "Selection") -> None:
    """Print the best candidates as a table."""
    from polarbear.selection.recommendation import SHOWN

    terminal.print_table(*selection.shown_table(SHOWN))
    if len(selection.candidates) > SHOWN:
        terminal.print_result(f"... and {len(selection.candidates) - SHOWN} more")
