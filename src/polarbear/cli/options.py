"""Arguments and options shared by several commands."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from polarbear.literals import Until, View
from polarbear.output_file import check_output
from polarbear.wording import find_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.selection import Criterion, Preference, Risk

RiskName = Literal["expected", "best", "quantile", "loss"]
# Part of the help of options that save a posterior.
NO_DECISIONS = "It holds no eliminations: select then compares all algorithms, or those of --among."

Config = Annotated[Path, typer.Argument(help="The configuration, or the folder of a race.toml.", show_default=True)]
RaceFileName = Annotated[Path, typer.Argument(metavar="RACE", help="The race file.")]
AnyFile = Annotated[Path, typer.Argument(metavar="FILE", help="A race file, or a saved posterior.")]
AnySource = Annotated[Path, typer.Argument(metavar="FILE", help="A race file, a saved posterior, or recorded runs.")]
RunsSource = Annotated[Path, typer.Argument(metavar="FILE", help="A race file, or recorded runs.")]
Features = Annotated[
    Path | None,
    typer.Option(metavar="TABLE", help="A table of features of the instances: CSV, Parquet, or ARFF of ASlib."),
]
Tolerance = Annotated[
    str | None,
    typer.Option(
        metavar="AMOUNT",
        help="For gap: the smallest difference that matters to you, in units of the values (0.5), or as a share of the "
        "second algorithm's value (10%). By default every difference counts.",
    ),
]
OtherConfig = Annotated[Path | None, typer.Option("--config", help="The configuration, if it has moved.")]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="Also an answer for each value of this column of recorded runs or --features, or feature that a race stores.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def _silence(quiet: bool) -> bool:
    """Silence the log of the package, such as the expected duration of a long fit, as well."""
    logging.getLogger("polarbear").setLevel(logging.ERROR if quiet else logging.NOTSET)
    return quiet


Force = Annotated[bool, typer.Option("--force", help="Replace an existing file that PolarBear did not write.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", callback=_silence, help="Print no progress and no remarks.")]

Confidence = Annotated[float | None, typer.Option(help="The probability that a decision needs, such as 0.99.")]
Guarantee = Annotated[
    float | None, typer.Option(help="The largest probability of any wrong elimination, whatever the model.")
]
Margin = Annotated[
    float | None, typer.Option(help="Win rates within this distance of 0.5 count as equal: 0.05 for 45 to 55 %.")
]
ELIMINATION = typer.Option(help="Eliminate if beaten at all times at once (joint), or at each time (pointwise).")
Workers = Annotated[int | None, typer.Option(help="Number of simultaneous runs on this machine.")]
MaxInstances = Annotated[int | None, typer.Option(help="Stop at this total number of instances.")]
SetKeys = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Set a key of the file, such as race.prior=RandomWalk; repeatable."
    ),
]
RerunFailed = Annotated[
    bool, typer.Option("--rerun-failed", help="Make the failed runs of candidates again, and replace them.")
]


Groups = Annotated[
    str | None,
    typer.Option(
        metavar="FEATURE", help="Eliminate an algorithm only if it is beaten within every group by this feature, too."
    ),
]


@dataclass(frozen=True)
class Strictness:
    """Options that say when a pair is decided, and when an algorithm is eliminated."""

    confidence: Confidence = None
    guarantee: Guarantee = None
    margin: Margin = None
    until: Annotated[
        Until | None,
        typer.Option(
            help="Go on until no algorithm is likely to be dropped (set), each pair is decided (pairs), or each pair is "
            "decided at every budget."
        ),
    ] = None
    groups: Groups = None

    def keys(self) -> dict[str, Any]:
        """Return the keys of `race.toml` that these options set."""
        return {
            "race.confidence": self.confidence,
            "race.guarantee": self.guarantee,
            "race.margin": self.margin,
            "race.until": self.until,
            "race.groups": self.groups,
        }


@dataclass(frozen=True)
class Running:
    """Options of the commands that run a race: where, until when, and what they print."""

    workers: Workers = None
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on the Dask cluster with this scheduler.")
    ] = None
    max_instances: MaxInstances = None
    max_evaluations: Annotated[
        float | None, typer.Option(help="Stop at this total cost, in the race's unit of time.")
    ] = None
    max_seconds: Annotated[float | None, typer.Option(help="Stop after this many seconds of wall-clock time.")] = None
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML report here after each round; an open page reloads itself.")
    ] = None
    force: Force = False
    accept_failures: Annotated[
        bool,
        typer.Option(
            "--accept-failures", help="Judge an algorithm whose first runs all fail, instead of pausing the race."
        ),
    ] = False
    settings: SetKeys = None
    progress: Annotated[
        View, typer.Option(help="What to show meanwhile; auto: live in a terminal, elsewhere a line in 30 seconds.")
    ] = "auto"
    as_json: Json = False
    quiet: Quiet = False

    @property
    def view(self) -> View:
        """What to show of the progress: nothing if --quiet."""
        return "none" if self.quiet else self.progress

    def overrides(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the values that the command line sets instead of the file, by dotted key."""
        limits = {
            "execution.workers": self.workers,
            "execution.dask": self.dask,
            "limits.instances": self.max_instances,
            "limits.evaluations": self.max_evaluations,
            "limits.seconds": self.max_seconds,
        }
        return overrides({**given, **limits}, self.settings)


@dataclass(frozen=True)
class Budgets:
    """Options that name a preference over budgets: at most one, uniform by default."""

    at: Annotated[float | None, typer.Option(help="Choose for this budget.")] = None
    final: Annotated[bool, typer.Option("--final", help="Choose for the longest budget.")] = False
    uniform: Annotated[bool, typer.Option("--uniform", help="Choose for any budget, all equally likely (default).")] = (
        False
    )
    log_uniform: Annotated[
        bool, typer.Option("--log-uniform", help="Choose for any budget, all orders of magnitude equally likely.")
    ] = False
    between: Annotated[
        tuple[float, float] | None, typer.Option(help="Choose for a budget between these two, all equally likely.")
    ] = None
    samples: Annotated[Path | None, typer.Option(help="Choose for budgets like those in this file, one per line.")] = (
        None
    )

    @property
    def given(self) -> bool:
        """Whether one of the options was given."""
        return self != type(self)()

    def preference(self) -> "Preference":
        """Return the preference that the options name."""
        from polarbear import selection

        given: dict[str, Any] = {}
        if self.at is not None:
            given["--at"] = selection.At(self.at)
        if self.final:
            given["--final"] = selection.Final()
        if self.uniform:
            given["--uniform"] = selection.Uniform()
        if self.log_uniform:
            given["--log-uniform"] = selection.LogUniform()
        if self.between is not None:
            given["--between"] = selection.Between(*self.between)
        if self.samples is not None:
            given["--samples"] = selection.BudgetDistribution(_read_numbers(self.samples))
        preference: Preference = only_one("preference", given) or selection.Uniform()
        return preference


@dataclass(frozen=True)
class Attitude:
    """Options that name an attitude to risk, and the size of a portfolio."""

    risk_name: Annotated[
        RiskName | None,
        typer.Option(
            "--risk",
            help="Rank by the expected value, the probability of being best, a low quantile, or the regret. By default by "
            "the probability of being best, and by the expected value under the paper's priors or another criterion.",
        ),
    ] = None
    quantile: Annotated[
        float | None, typer.Option(help="The level for --risk quantile, 0.05 by default; lower is more cautious.")
    ] = None
    portfolio: Annotated[
        int, typer.Option(min=1, max=1000, help="Choose this many algorithms, to run side by side.")
    ] = 1
    copies: Annotated[
        bool, typer.Option("--copies/--no-copies", help="Whether one algorithm may run on several machines.")
    ] = True

    def risk(self) -> "Risk | None":
        """Return the risk attitude that the options name; None for the default of `polarbear.select`."""
        from polarbear import selection

        if self.risk_name == "quantile":
            return selection.Quantile(0.05 if self.quantile is None else self.quantile)
        if self.quantile is not None:
            got = "no --risk" if self.risk_name is None else f"--risk {self.risk_name}"
            raise ValueError(
                f"expected --risk quantile with --quantile {self.quantile:g}, got {got}; add --risk quantile, or leave "
                "--quantile out"
            )
        risks: dict[str, Risk] = {
            "expected": selection.Expected(),
            "best": selection.ProbabilityBest(),
            "loss": selection.ExpectedLoss(),
        }
        return None if self.risk_name is None else risks[self.risk_name]


@dataclass(frozen=True)
class Comparison:
    """Options that name a criterion by which algorithms are compared: at most one."""

    top: Annotated[
        int | None,
        typer.Option(min=1, metavar="K", help="Compare by how often each is among the first K; 1 is the first place."),
    ] = None
    mean_rank: Annotated[bool, typer.Option("--mean-rank", help="Compare by the mean rank.")] = False
    against: Annotated[
        str | None, typer.Option(metavar="NAME", help="Compare by the win rate against this algorithm.")
    ] = None

    def criterion(self, names: "Sequence[str] | None" = None) -> "Criterion | None":
        """Return the criterion that the options name, or None, after checking --against if the names are known."""
        from polarbear import selection

        given: dict[str, Criterion] = {}
        if self.top is not None:
            given["--top"] = selection.TopK(self.top)
        if self.mean_rank:
            given["--mean-rank"] = selection.MeanRank()
        if self.against is not None:
            (baseline,) = [self.against] if names is None else find_names("--against", [self.against], names)
            given["--against"] = selection.WinRateAgainst(baseline)
        criterion: Criterion | None = only_one("criterion", given)
        return criterion


def only_one(kind: str, given: dict[str, Any]) -> Any:
    """Return the only value among options that exclude each other, or None; raise an error if several are given."""
    if len(given) > 1:
        raise ValueError(f"expected one {kind}, got {' and '.join(given)}; leave all but one out")
    return next(iter(given.values()), None)


def require_writable(*paths: Path | None, inputs: "Sequence[Path | None]" = (), force: bool = False) -> None:
    """Raise an error, before any work is done, if one of these files could or should not be written at the end."""
    for number, path in enumerate(paths):
        if path is not None:
            check_output(path, inputs=(*inputs, *paths[:number]), force=force)


def overrides(given: dict[str, Any], settings: list[str] | None) -> dict[str, Any]:
    """Return the values that the command line sets instead of the file, by dotted key."""
    from polarbear.configuration import parse_value

    changes = {key: value for key, value in given.items() if value is not None}
    for each in settings or ():
        key, value = split_pair("--set", each, "race.margin=0.1")
        changes[key] = parse_value(value)
    for here, there in (("workers", "dask"), ("dask", "workers")):
        if f"execution.{here}" in changes:  # None removes a key of the file
            changes.setdefault(f"execution.{there}", None)
    return changes


def split_pair(option: str, text: str, example: str) -> tuple[str, str]:
    """Return the two sides of a `name=value` that was given with an option."""
    name, separator, value = text.partition("=")
    if not separator or not name.strip():
        raise ValueError(f"expected {option} name=value, such as {option} {example}, got {text!r}")
    return name.strip(), value.strip()


def _read_numbers(path: Path) -> list[float]:
    try:
        numbers = [float(word) for word in path.read_text(encoding="utf-8").split()]
    except ValueError as error:
        raise ValueError(f"expected numbers in {path}, one per line: {error}") from None
    if not numbers:
        raise ValueError(f"expected numbers in {path}, one per line, got none")
    return numbers


def read_tolerance(text: str | None) -> dict[str, Any]:
    """Return the tolerance of `gap_exceeds` that was typed, and whether it is a share; nothing if none was.

    Examples
    --------
    >>> read_tolerance("0.5"), read_tolerance("10%"), read_tolerance(None)
    ({'tolerance': 0.5, 'relative': False}, {'tolerance': 0.1, 'relative': True}, {})
    """
    if text is None:
        return {}
    number, relative = text.removesuffix("%").rstrip(), text.endswith("%")
    try:
        return {"tolerance": float(number) / (100 if relative else 1), "relative": relative}
    except ValueError as error:
        raise ValueError(f"expected --tolerance with an amount such as 0.5 or 10%, got {text!r}") from error
