"""Command `select`: choose what to deploy."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from polarbear.cli import options, terminal
from polarbear.cli.open_file import posterior_and_candidates

if TYPE_CHECKING:
    from polarbear.selection import Criterion, Preference, Risk, Selection

RiskName = Literal["expected", "best", "quantile", "regret"]

At = Annotated[float | None, typer.Option(help="The budget is known.")]
Final = Annotated[bool, typer.Option("--final", help="Only the longest budget counts.")]
Uniform = Annotated[bool, typer.Option("--uniform", help="Every budget is as likely as any other (default).")]
LogUniform = Annotated[bool, typer.Option("--log-uniform", help="Every order of magnitude is as likely as any other.")]
Between = Annotated[tuple[float, float] | None, typer.Option(help="Every budget from the first to the second.")]
Samples = Annotated[Path | None, typer.Option(help="A file with budgets as they came, one on each line.")]
Risk_ = Annotated[RiskName, typer.Option("--risk", help="By what to judge.")]
Level = Annotated[
    float | None, typer.Option("--quantile", help="The level of --risk quantile, 0.05 by default; small is careful.")
]
Portfolio = Annotated[int, typer.Option(min=1, max=1000, help="How many machines run side by side.")]
Top = Annotated[
    int | None, typer.Option(min=1, metavar="K", help="Compare by how often each is among the first K, not first.")
]
MeanRank = Annotated[bool, typer.Option("--mean-rank", help="Compare by the mean rank.")]
Against = Annotated[str | None, typer.Option(metavar="NAME", help="Compare by the win rate against this algorithm.")]


def select(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A race file, or a posterior that was saved.")],
    at: At = None,
    final: Final = False,
    uniform: Uniform = False,
    log_uniform: LogUniform = False,
    between: Between = None,
    samples: Samples = None,
    risk: Risk_ = "expected",
    quantile: Level = None,
    portfolio: Portfolio = 1,
    top: Top = None,
    mean_rank: MeanRank = False,
    against: Against = None,
    among: Annotated[list[str] | None, typer.Option(help="Only this algorithm; may be given several times.")] = None,
    everybody: Annotated[bool, typer.Option("--all", help="Also algorithms that were eliminated.")] = False,
    show_map: Annotated[bool, typer.Option("--map", help="Also show which one leads at which budget.")] = False,
    save: Annotated[
        Path | None, typer.Option(help="Write the posterior to this small file, to select from later.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Choose what to deploy under a preference over budgets and an attitude to risk. Nothing is run."""
    from polarbear.selection import decision_map
    from polarbear.selection import select as chosen

    options.require_writable(save)
    preference, attitude = preference_of(at, final, uniform, log_uniform, between, samples), risk_of(risk, quantile)
    criterion = criterion_of(top, mean_rank, against)
    posterior, candidates = posterior_and_candidates(file)
    wanted = tuple(among) if among else posterior.names if everybody else candidates
    selection = chosen(posterior, preference, attitude, among=wanted, portfolio=portfolio, criterion=criterion)
    overview = decision_map(posterior, among=wanted) if show_map else None
    if save is not None:
        posterior.save(save, draws=1000)
    if as_json:
        data = as_data(selection)
        if overview is not None:
            data["map"] = [
                {"time": time, "best": best, "probability_best": dict(zip(overview.names, row, strict=True))}
                for time, best, row in zip(
                    overview.grid.times.tolist(), overview.best, overview.probability_best.tolist(), strict=True
                )
            ]
        terminal.print_json(data)
        return
    terminal.print_result(selection.sentence + "\n")
    print_selection(selection)
    if overview is not None:
        terminal.print_result(f"\n{overview}")


def preference_of(
    at: float | None,
    final: bool,
    uniform: bool,
    log_uniform: bool,
    between: tuple[float, float] | None,
    samples: Path | None,
) -> "Preference":
    """Return the preference that the options name: at most one, uniform by default."""
    from polarbear import selection

    given: list[tuple[str, Any]] = []
    if at is not None:
        given.append(("--at", selection.At(at)))
    if final:
        given.append(("--final", selection.Final()))
    if uniform:
        given.append(("--uniform", selection.Uniform()))
    if log_uniform:
        given.append(("--log-uniform", selection.LogUniform()))
    if between is not None:
        given.append(("--between", selection.Between(*between)))
    if samples is not None:
        given.append(("--samples", selection.BudgetDistribution(_numbers(samples))))
    if len(given) > 1:
        raise ValueError(f"expected one preference, got {' and '.join(name for name, _ in given)}")
    preference: Preference = given[0][1] if given else selection.Uniform()
    return preference


def risk_of(name: RiskName, level: float | None) -> "Risk":
    """Return the risk attitude of this name."""
    from polarbear import selection

    if name == "quantile":
        return selection.Quantile(0.05 if level is None else level)
    if level is not None:
        raise ValueError("--quantile is the level of --risk quantile; say that too, or leave it out")
    risks: dict[str, Risk] = {
        "expected": selection.Expected(),
        "best": selection.ProbabilityBest(),
        "regret": selection.Regret(),
    }
    return risks[name]


def criterion_of(top: int | None, mean_rank: bool, against: str | None) -> "Criterion":
    """Return the criterion that the options name: at most one, first places by default."""
    from polarbear import selection

    given: list[tuple[str, Criterion]] = []
    if top is not None:
        given.append(("--top", selection.TopK(top)))
    if mean_rank:
        given.append(("--mean-rank", selection.MeanRank()))
    if against is not None:
        given.append(("--against", selection.WinRateAgainst(against)))
    if len(given) > 1:
        raise ValueError(f"expected one criterion, got {' and '.join(name for name, _ in given)}; leave one out")
    return given[0][1] if given else selection.FirstPlace()


def _numbers(path: Path) -> list[float]:
    try:
        numbers = [float(word) for word in path.read_text(encoding="utf-8").split()]
    except ValueError as error:
        raise ValueError(f"expected numbers in {path}, one on each line: {error}") from None
    if not numbers:
        raise ValueError(f"expected numbers in {path}, one on each line, got none")
    return numbers


def as_data(selection: "Selection") -> dict[str, Any]:
    """Return a selection as plain data for JSON."""
    from dataclasses import asdict

    return {
        "choice": list(selection.candidates[0].members),
        "sentence": selection.sentence,
        "criterion": selection.criterion,
        "best_single": selection.best_single,
        "win_rate_against_best_single": selection.win_rate_against_best_single,
        "candidates": [asdict(each) for each in selection.candidates],
    }


def print_selection(selection: "Selection") -> None:
    """Print the best candidates as a table."""
    heads = ("choice", "value", "5 %", "95 %", "P(best)", "regret")
    rows = [
        (each.name, each.expected, each.lower, each.upper, each.probability_best, each.regret)
        for each in selection.candidates[:10]
    ]
    terminal.print_table(heads, rows)
    if len(selection.candidates) > 10:
        terminal.print_result(f"... and {len(selection.candidates) - 10} more")
