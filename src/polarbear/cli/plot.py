"""Command `plot`: draw figures for papers and slides."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from polarbear.cli import options, select, terminal
from polarbear.cli.open_file import is_race_file, load_posterior, no_decisions_error, open_race

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from polarbear.posterior.posterior import Posterior
    from polarbear.race.result import RaceResult

Name = Literal[
    "ratings", "decision-map", "values", "dominance", "pair", "evolution", "allocation", "rounds", "forecast"
]
Format = Literal["pdf", "svg", "png"]
_OF_A_RACE = ("evolution", "allocation", "rounds", "forecast")


def plot(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A race file, or a posterior that was saved.")],
    figure: Annotated[
        Name | None, typer.Option("--figure", "-f", help="Which one; by default all, pair only with --pair.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file, ending in .pdf, .svg or .png; of all figures the folder."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="Where no file name says.")] = "pdf",
    log: Annotated[
        bool | None, typer.Option("--log/--linear", help="The time axis; by default as the grid is.")
    ] = None,
    width: Annotated[
        float | None, typer.Option(max=100, help="In inches; by default as wide as the text of a page.")
    ] = None,
    among: Annotated[list[str] | None, typer.Option(help="Show only this one, and others so named.")] = None,
    pair: Annotated[tuple[str, str] | None, typer.Option(help="Two names, for the figure of that name.")] = None,
    at: select.At = None,
    final: select.Final = False,
    uniform: select.Uniform = False,
    log_uniform: select.LogUniform = False,
    between: select.Between = None,
    samples: select.Samples = None,
) -> None:
    """Draw a race or a posterior, for papers and slides.

    Of a posterior: ratings (over time), values (under a preference), dominance (of all pairs), pair (two over time),
    decision-map (who is best at which budget). Of a race also: evolution (of dominance over rounds), allocation (of runs),
    rounds (the posterior after the rounds that decided something), forecast (of what is still open).
    """
    from polarbear import plots

    preference = select.preference_of(at, final, uniform, log_uniform, between, samples)
    wish = _Wish(None if log is None else "log" if log else "linear", width, among, pair, preference)
    if figure is not None:
        path = output or Path(f"{file.stem}-{figure}.{form}")
        options.require_writable(path)
        plots.save(_drawn(figure, _scene(file), wish), path)
        terminal.print_result(str(path))
        return
    folder = output or Path(f"{file.stem}-figures")
    if folder.suffix in (".pdf", ".svg", ".png") or folder.is_file():
        raise ValueError(f"{folder} is one file, and all figures go into a folder; say which one with --figure")
    scene = _scene(file)
    for name in get_args(Name):
        if (name in _OF_A_RACE and scene.result is None) or (name == "pair" and pair is None):
            continue
        path, drawn = folder / f"{name}.{form}", _drawn(name, scene, wish)
        folder.mkdir(parents=True, exist_ok=True)
        plots.save(drawn, path)
        terminal.print_result(str(path))


@dataclass(frozen=True)
class _Scene:
    """The data to draw: a posterior, and the result of the race if the file holds one."""

    file: Path
    posterior: "Posterior"
    candidates: tuple[str, ...]
    unit: str
    result: "RaceResult | None"


@dataclass(frozen=True)
class _Wish:
    """The options of the figures."""

    axis: Any
    width: float | None
    among: list[str] | None
    pair: tuple[str, str] | None
    preference: Any


def _scene(file: Path) -> _Scene:
    if not is_race_file(file):
        posterior = load_posterior(file)
        return _Scene(file, posterior, posterior.names, "time", None)
    with open_race(file) as race:
        result = race.result
    if not result.rounds:
        raise no_decisions_error(file)
    known = result.posterior.names  # an added algorithm may not have run yet
    inside = tuple(name for name in result.pareto_set if name in known)
    return _Scene(file, result.posterior, inside, result.state.settings.clock, result)


def _drawn(name: str, scene: _Scene, wish: _Wish) -> "Figure":
    from polarbear import plots

    if scene.result is None and name in _OF_A_RACE:
        raise ValueError(f"{name} is a figure of a race, and {scene.file} holds a posterior alone")
    posterior = scene.posterior
    over_time: dict[str, Any] = {"axis": wish.axis, "unit": scene.unit, "width": wish.width}
    if name == "ratings":
        return plots.ratings(posterior, among=wish.among, **over_time)
    if name == "decision-map":
        return plots.decision_map(posterior, among=wish.among or scene.candidates, **over_time)
    if name == "values":
        return plots.values(posterior, wish.preference, among=wish.among, width=wish.width)
    if name == "dominance":
        rule = "pointwise" if scene.result is None else scene.result.state.settings.elimination
        return plots.dominance(posterior, elimination=rule, width=wish.width)
    if name == "pair":
        if wish.pair is None:
            raise ValueError(f"say which two: --pair {' '.join(map(shlex.quote, posterior.names[:2]))}")
        return plots.pair(posterior, *wish.pair, **over_time)
    assert scene.result is not None
    if name == "allocation":
        return plots.allocation(scene.result, axis=wish.axis, width=wish.width)
    if name == "rounds":
        return plots.rounds(scene.result, axis=wish.axis, width=wish.width)
    return {"evolution": plots.evolution, "forecast": plots.forecast}[name](scene.result, width=wish.width)
