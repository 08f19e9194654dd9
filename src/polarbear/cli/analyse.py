"""Command `analyse`: compare algorithms on recorded runs."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.open_file import is_race_file, open_race
from polarbear.cli.select import as_data
from polarbear.literals import Clock, Elimination, FileFormat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.analysis import Replay
    from polarbear.observe import Choices, Grid, Trajectory
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection import Selection


def analyse(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A folder, a file, an archive, or a race file.")],
    replayed: Annotated[bool, typer.Option("--race", help="Replay the runs as a race and say what it saves.")] = False,
    start: Annotated[float | None, typer.Option(help="The first time to compare at.")] = None,
    stop: Annotated[float | None, typer.Option(help="The last time to compare at.")] = None,
    count: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="At how many times to compare; 30 by default.")
    ] = None,
    form: Annotated[FileFormat | None, typer.Option("--format", help="Read only this.")] = None,
    columns: Annotated[
        list[str] | None, typer.Option("--map", metavar="NAME=COLUMN", help="A column by another name: raw_y=loss.")
    ] = None,
    clock: Annotated[
        Clock | None, typer.Option(help="The time axis; evaluations by default, and of a race file its own.")
    ] = None,
    maximise: Annotated[
        bool | None, typer.Option("--maximise/--minimise", help="Which values are better; by default as the data say.")
    ] = None,
    renumber: Annotated[bool, typer.Option("--renumber", help="Number repeated runs as they come.")] = False,
    cluster: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help='Instances with the same value here are not independent; "none": all are. Default: auto.',
        ),
    ] = None,
    prior: Annotated[str, typer.Option(help="Belief before, as in race.toml.")] = "BayesianBootstrap",
    method: Annotated[str, typer.Option(help="How the posterior is inferred.")] = "auto",
    elimination: Annotated[
        Elimination,
        typer.Option(help="Out when beaten at each single time, or at all times at once."),
    ] = "pointwise",
    confidence: Annotated[float, typer.Option(help="How sure a decision must be.")] = 0.95,
    guarantee: Annotated[
        float | None,
        typer.Option(help="With --race: the largest probability of any wrong elimination, whatever the model."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the posterior, and of the replayed race's order.")] = 0,
    save: Annotated[Path | None, typer.Option(help="Write the posterior here, to select from later.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page about it here.")] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """From recorded runs to the anytime Pareto set, the pairwise table and selections.

    A race file is compared at its own times, unless --start, --stop or --count say otherwise.
    """
    from polarbear.analysis import replay, suggest_grid
    from polarbear.configuration import parse_prior
    from polarbear.inference.fitting import fit
    from polarbear.observe import Choices

    if guarantee is not None and not replayed:
        raise ValueError(
            f"expected --race with --guarantee {guarantee:g}, got no --race; a guarantee is a setting of a race: add --race"
        )
    options.require_writable(save, report)
    belief_before = parse_prior(prior)
    recorded = _recorded(path, form, columns, clock, maximise, renumber, cluster, quiet)
    runs, unit = recorded.runs, recorded.clock
    names = list(dict.fromkeys(run.algorithm for run in runs))
    if len(names) < 2:
        raise ValueError(
            f"expected runs of two algorithms or more in {path}, got {f'those of {names[0]}' if names else 'none'}"
        )
    grid = recorded.grid
    if grid is None or (start, stop, count) != (None, None, None):
        grid = suggest_grid(runs, count=count or 30, start=start, stop=stop)
    asked: dict[str, Any] = {"prior": belief_before, "method": method}
    choices = Choices.from_trajectories(runs, grid=grid, per_instance=True, **recorded.ranked)
    posterior = fit(choices, seed=seed, **asked)
    if save is not None:
        posterior.save(save)
    if report is not None:
        from polarbear.reporting import report as write

        write(posterior, report, title=path.stem, confidence=confidence, elimination=elimination, unit=unit)
    found = _found(posterior, choices, confidence, elimination, runs)
    if replayed:
        asked |= {
            "confidence": confidence,
            "elimination": elimination,
            "clock": unit,
            "guarantee": guarantee,
            **recorded.ranked,
        }
        found["race"] = _raced(replay(runs, grid, seed=seed, **asked))
    found["skipped"] = recorded.skipped
    if as_json:
        selections = {key: as_data(each) for key, each in found.pop("selections").items()}
        terminal.print_json({**found, "map": str(found["map"]).splitlines(), "selections": selections})
        return
    _say(found, posterior, unit)


@dataclass(frozen=True)
class _Recorded:
    """Recorded runs with their clock, the data that were skipped, and how to compare them."""

    runs: "Sequence[Trajectory]"
    clock: Clock
    skipped: list[str] = field(default_factory=list)
    grid: "Grid | None" = None
    ranked: dict[str, Any] = field(default_factory=dict)  # how ties, failures and clusters are treated


def _recorded(
    path: Path,
    form: Any,
    columns: list[str] | None,
    clock: Clock | None,
    maximise: bool | None,
    renumber: bool,
    cluster: list[str] | None,
    quiet: bool,
) -> _Recorded:
    if not path.exists():
        raise FileNotFoundError(f"there is no {path}")
    if path.is_file() and is_race_file(path):
        if cluster not in (None, ["none"], ["auto"]):
            raise ValueError(
                f"expected recorded runs for --cluster, got the race file {path}, which has no clusters; leave it out"
            )
        return _of_race(path, clock)
    from polarbear.importers import read_runs

    renamed = {}
    for each in columns or ():
        name, separator, column = each.partition("=")
        if not separator or not name:
            raise ValueError(f"expected --map name=column, such as --map raw_y=loss, got {each!r}")
        renamed[name] = column or None
    unit = clock or "evaluations"
    imported = read_runs(
        path,
        format=form,
        columns=renamed or None,
        maximise=maximise,
        clock=unit,
        renumber=renumber,
        cluster=cluster or "auto",
    )
    for note in imported.about.notes:
        terminal.print_remark(note, quiet=quiet)
    skipped = [str(each) for each in imported.skipped]
    for line in skipped[:10]:
        terminal.print_remark(f"skipped: {line}", quiet=quiet)
    if skipped[10:]:
        terminal.print_remark(f"... and {len(skipped) - 10} more", quiet=quiet)
    return _Recorded(imported.runs, unit, skipped, ranked=imported.clustering)


def _of_race(path: Path, clock: Clock | None) -> _Recorded:
    with open_race(path) as race:
        settings, runs = race.state.settings, [run.trajectory for run in race.result.runs]
    if clock not in (None, settings.clock):
        raise ValueError(f"the runs of {path} were timed in {settings.clock}, not in {clock}; leave --clock out")
    ranked = {name: getattr(settings, name) for name in ("failure", "absolute_tolerance", "relative_tolerance")}
    return _Recorded(runs, settings.clock, grid=settings.grid, ranked=ranked)


def _found(
    posterior: "Posterior", choices: "Choices", confidence: float, way: Any, runs: "Sequence[Trajectory]"
) -> dict[str, Any]:
    from dataclasses import asdict

    from polarbear import selection
    from polarbear.baselines import compare_with_aocc
    from polarbear.checks.model_check import model_check
    from polarbear.exports import pairwise_table
    from polarbear.posterior.elimination import dominated, find_specialists
    from polarbear.posterior.evidence import error_bounds

    out = dominated(posterior, confidence=confidence, elimination=way)
    place = {name: position for position, name in enumerate(posterior.names)}
    bounds = error_bounds(choices).tolist()
    check = model_check(posterior, choices)
    inside = [name for name in posterior.names if name not in {each.name for each in out}]
    wishes: dict[str, Any] = {"final": selection.Final(), "uniform": selection.Uniform()}
    if posterior.grid.axis == "log":
        wishes["log-uniform"] = selection.LogUniform()
    return {
        "algorithms": list(posterior.names),
        "runs": len(runs),
        "instances": posterior.instances,
        "scope": posterior.scope,
        "grid": posterior.grid.times.tolist(),
        "pareto_set": inside,
        "dominated": [{**asdict(each), "error_bound": bounds[place[each.by]][place[each.name]]} for each in out],
        "specialists": [
            asdict(each) for each in find_specialists(posterior, confidence=confidence, elimination=way, among=inside)
        ],
        "confidence": confidence,
        "elimination": way,
        "reliable": posterior.diagnostics.reliable,
        "diagnostics": posterior.diagnostics.message,
        "misfits": [asdict(each) for each in check.misfits],
        "disturbances": [asdict(each) for each in check.disturbances],
        "own_outcomes": [asdict(each) for each in check.judged(out)],
        "warnings": check.sentences(out),
        "pairwise": pairwise_table(posterior),
        "map": selection.decision_map(posterior, among=inside),
        "selections": {name: selection.select(posterior, wish, among=inside) for name, wish in wishes.items()},
        "aocc": asdict(compare_with_aocc(runs, posterior, among=inside)),
    }


def _raced(raced: "Replay") -> dict[str, Any]:
    from polarbear.exports import account

    return {
        **account(raced.result),
        "recorded": raced.recorded,
        "spent": raced.spent,
        "saved_of_recorded": raced.saved_share,
        "instances_recorded": raced.instances,
        "instances_left_out": raced.left_out,
    }


def _say(found: dict[str, Any], posterior: "Posterior", clock: str) -> None:
    from polarbear.exports import format_error_bound
    from polarbear.posterior.elimination import Specialist

    grid = posterior.grid
    terminal.print_result(
        f"{terminal.with_noun(found['runs'], 'run')} of {len(found['algorithms'])} algorithms on "
        f"{terminal.with_noun(found['instances'], 'instance')}, compared at {terminal.with_noun(len(grid), 'time')} "
        f"from {grid.times[0]:,.6g} to {grid.times[-1]:,.6g} {clock}"
    )
    terminal.print_result(f"The answer generalises {found['scope']}.")
    inside, number = found["pareto_set"], len(found["algorithms"])
    terminal.print_result(f"\nAnytime Pareto set: {', '.join(inside)} ({len(inside)} of {number})")
    if found["dominated"]:
        rows = [
            [each["name"], each["by"], each["probability"], format_error_bound(each["error_bound"]), opinion["own"]]
            for each, opinion in zip(found["dominated"], found["own_outcomes"], strict=True)
        ]
        terminal.print_result()
        terminal.print_table(("out", "beaten by", "probability", "wrong at most", "own outcomes"), rows)
    for each in found["specialists"]:
        terminal.print_result(f"\n{Specialist(**each).sentence(clock)}")
    if not found["reliable"]:
        terminal.print_result(f"\nThe posterior is not reliable: {found['diagnostics']}")
    if found["warnings"]:
        terminal.print_result("\n" + "\n".join(found["warnings"]))
    terminal.print_result("\nPairs")
    pairs = found["pairwise"]
    terminal.print_table([name.replace("_", " ") for name in pairs], zip(*map(_listed, pairs.values()), strict=True))
    terminal.print_result(f"\nWhich one, at which budget?\n{found['map']}\n\nWhat to deploy")
    selections: dict[str, Selection] = found["selections"]
    for selection in selections.values():
        terminal.print_result(f"- {selection.sentence}")
    terminal.print_result(f"\nWould AOCC have chosen differently? {found['aocc']['sentence']}")
    if "race" in found:
        raced = found["race"]
        terminal.print_result(
            f"\nAs a race: {', '.join(raced['pareto_set'])} would be left after {raced['instances']} of "
            f"{raced['instances_recorded']} instances and {raced['spent']:,.6g} of {raced['recorded']:,.6g} {clock}, "
            f"{raced['saved_of_recorded']:.0%} saved ({raced['stopped']})"
        )
        if raced["instances_left_out"]:
            terminal.print_result(
                f"{raced['instances_left_out']} instances could not be raced, since not all ran there to the end"
            )


def _listed(column: Any) -> Any:
    return column.tolist() if hasattr(column, "tolist") else column
