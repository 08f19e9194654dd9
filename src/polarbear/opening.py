"""Open what users have: a race file, recorded runs in any supported format, or a saved posterior. Out: a `Result`.

`load` recognises a file. `analyse` reads and compares recorded runs, with options of reading, of the grid and of the
posterior.
"""

from __future__ import annotations

import math
import os
import shlex
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from polarbear.analysis import choose_grid, later_runs, sparse_algorithms
from polarbear.defaults import CONFIDENCE
from polarbear.file_kinds import CREATES_RACES, is_posterior_file, is_race_file, refuse_other_kinds, require_exists
from polarbear.findings import Code, Finding, Include, StopAt
from polarbear.importers import Imported, read_runs
from polarbear.importers.presets import PRESETS
from polarbear.literals import Ended
from polarbear.observe.trajectory import Trajectory
from polarbear.posterior.e_values import error_bounds
from polarbear.posterior.elimination import Drop, dominated
from polarbear.posterior.keyed_numbers import keys_of_instances
from polarbear.posterior.posterior import Posterior
from polarbear.result import Result, choices_of, result_of_race
from polarbear.saved_result import read_runs_of_result
from polarbear.wording import find_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from polarbear.analysis import BudgetRange
    from polarbear.literals import Clock, Dominance, Method
    from polarbear.models import Prior
    from polarbear.observe import Choices, Grid


def load(path: str | os.PathLike[str], **options: Any) -> Result:
    """Return the result of a race file, a saved result, or recorded runs.

    Parameters
    ----------
    path
        The file, or a folder with recorded runs.
    **options
        Options of `analyse`. With options, the runs of a race file are compared as recorded runs.
    """
    file = Path(path)
    require_exists(file)
    if file.is_dir() and (file / "race.toml").is_file():  # the folder of a race, as in `polarbear race FOLDER`
        file = _only_race(file)
    if is_race_file(file):
        return _analyse_race(file, options)
    if not is_posterior_file(file):
        refuse_other_kinds(file)
        return analyse(file, **options)
    if options:
        raise ValueError(
            f"expected recorded runs or a race file for {next(iter(options))}, got the saved result {file}; "
            "give the file of its runs, or leave it out"
        )
    return _load_saved(file)


def analyse(
    source: str | os.PathLike[str] | Imported | Iterable[Trajectory],
    *,
    include: Sequence[str] = (),
    budgets: BudgetRange = None,
    tolerance: float | str | None = None,
    prior: Prior | None = None,
    method: Method = "auto",
    draws: int = 4000,
    seed: int = 0,
    confidence: float = CONFIDENCE,
    dominance: Dominance = "pointwise",
    margin: float = 0.05,
    clock: Clock | None = None,
    **reading: Any,
) -> Result:
    """Compare algorithms on recorded runs.

    Parameters
    ----------
    source
        A file, a folder or an archive in any format that `read_runs` reads; what `read_runs` returned; or trajectories. A
        race file is loaded as it is; with further options its runs are compared as recorded runs, by the settings of the
        race.
    include
        Algorithms to compare although they ran on few of the instances.
    budgets
        The budgets at which to compare: "10..500", "..500", "10..500:40" with their number, or "10,100,500"; two numbers for
        the first and the last budget; or all budgets as a list or `Grid`. By default the runs determine 30 budgets.
    tolerance
        Values that differ by no more than this are tied: an amount such as 0.5, or a share of the values such as "0.1%". By
        default by the rules of the format.
    prior
        The prior; `BayesianBootstrap` by default.
    method
        How the posterior is computed; see `fit`.
    draws
        The number of draws of the posterior.
    seed
        The seed of the posterior.
    confidence
        The probability that dropping an algorithm needs.
    dominance
        Whether an algorithm is dropped if it is beaten at each budget (pointwise), or at all budgets at once (joint).
    margin
        Win rates within this distance of one half are equal.
    clock
        The unit of budgets: evaluations or seconds.
    **reading
        Options of `read_runs`, such as columns, maximise, cluster, where, only, without and per.

    Examples
    --------
    >>> import numpy as np, polarbear as pb
    >>> rng = np.random.default_rng(0)
    >>> runs = [
    ...     pb.Trajectory(name, i, [10, 100], [5.0, gap + rng.random()], end=1000)
    ...     for i in range(40)
    ...     for name, gap in {"cma": 0.0, "de": 0.7, "random search": 1.5}.items()
    ... ]
    >>> result = pb.analyse(runs, clock="evaluations", budgets="100..1000:5")
    >>> result.kept
    ('cma',)
    """
    inference: dict[str, Any] = {"prior": prior, "method": method, "draws": draws, "seed": seed}
    rule: dict[str, Any] = {"confidence": confidence, "dominance": dominance}
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        require_exists(path)
        if not path.is_dir() and (is_race_file(path) or is_posterior_file(path)):
            given = {**inference, **rule, "margin": margin, "include": include, "tolerance": tolerance, **reading}
            given |= {"budgets": budgets, "clock": clock}
            return load(path, **{name: each for name, each in given.items() if not _is_default(name, each)})
        source = read_runs(path, clock=clock, **reading)
        reading = {"reader": reading.get("reader"), "per": reading.get("per")}
    elif reading:
        raise TypeError(f"analyse has no option {next(iter(reading))!r} for runs in memory; read them with it instead")
    imported = source if isinstance(source, Imported) else None
    runs = list(source.runs if isinstance(source, Imported) else source)
    for run in runs:
        if not isinstance(run, Trajectory):
            raise ValueError(
                f"expected a path, what read_runs returns, or Trajectory values, got {run!r}; read files with read_runs"
            )
    tool = PRESETS.get(reading["reader"]) if reading.get("reader") else None
    unit: str = clock or (tool.clock if tool else "evaluations" if imported is not None else "")
    compared = _Comparison(
        budgets=budgets,
        include=include,
        inference={name: each for name, each in inference.items() if each is not None},
        rule=rule,
        rules={**(imported.ranking if imported is not None else {}), **as_tolerances(tolerance)},
        clock=f"{unit} per {reading['per']}" if reading.get("per") else unit,
        margin=margin,
    )
    found = compared.result(runs, [] if imported is None else imported.findings)
    path_as_typed = "" if imported is None else shlex.quote(imported.about.path)
    return replace(found, imported=imported and _confine(imported, found.runs), path=path_as_typed)


def _confine(imported: Imported, compared: Sequence[Trajectory]) -> Imported:
    """Return an import without the runs that are not compared."""
    kept = set(map(id, compared))
    places = [place for place, run in enumerate(imported.runs) if id(run) in kept]
    cells = {name: tuple(each[place] for place in places) for name, each in imported.cells.items()}
    return replace(imported, runs=tuple(imported.runs[place] for place in places), cells=cells)


def _is_default(name: str, value: Any) -> bool:
    """Return whether an option of `analyse` has its default; options of reading have none."""
    default = (analyse.__kwdefaults__ or {}).get(name)
    return value is default or (isinstance(value, int | float | str | tuple | list) and value == default)


@dataclass(frozen=True)
class _Comparison:
    """How recorded runs are compared: the options of `analyse` without those of reading."""

    budgets: BudgetRange
    include: Sequence[str]
    inference: Mapping[str, Any]
    rule: Mapping[str, Any]
    rules: Mapping[str, Any]
    clock: str
    margin: float

    def result(self, runs: list[Trajectory], noticed: Iterable[Finding]) -> Result:
        from polarbear.inference.fitting import fit

        runs, sparse = without_sparse(runs, self.include)
        names = list(dict.fromkeys(run.algorithm for run in runs))
        if len(names) < 2:
            found = f"runs of {names[0]}" if names else "none"
            raise ValueError(f"expected runs of two algorithms or more, got {found}; add runs of another algorithm")
        grid, has_end = choose_grid(runs, self.budgets)
        choices = choices_of(runs, grid, self.rules)
        posterior = fit(choices, **self.inference)
        return replace(
            result_of_posterior(posterior, **self.rule, choices=choices),
            clock=self.clock,
            maximise=runs[0].maximise,
            margin=self.margin,
            runs=tuple(runs),
            noticed=(
                *noticed,
                *sparse,
                *([] if has_end else runs_that_go_on(runs, grid, self.clock)),
                *_run_ends(runs, posterior),
            ),
            rules=self.rules,
        )


def as_tolerances(tolerance: float | str | None) -> dict[str, float]:
    """Return the tolerances that a number, or text such as "0.5", "0.1%" or "0.5,0.1%", stands for.

    Examples
    --------
    >>> as_tolerances(0.5), as_tolerances("0.1%"), as_tolerances(None)
    ({'absolute_tolerance': 0.5}, {'relative_tolerance': 0.001}, {})
    """
    found: dict[str, float] = {}
    for each in [] if tolerance is None else str(tolerance).split(","):
        number, is_share = each.strip().removesuffix("%"), each.strip().endswith("%")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not 0 <= value < math.inf:
            raise ValueError(f"expected a tolerance such as 0.5, or a share such as 0.1%, got {tolerance!r}")
        found["relative_tolerance" if is_share else "absolute_tolerance"] = value / (100 if is_share else 1)
    return found


@dataclass(frozen=True)
class RecordedRuns:
    """Recorded runs that are not compared yet: their clock, how values are ranked, and a grid if one is known."""

    runs: tuple[Trajectory, ...]
    clock: str
    ranking: Mapping[str, Any]
    grid: Grid | None = None


def read_recorded(path: Path) -> RecordedRuns:
    """Return the runs of a race file, of a saved result or of recorded runs, which may be of a single algorithm."""
    require_exists(path)
    if is_race_file(path) or is_posterior_file(path):
        result = load(path)
        grid = result.race.state.settings.grid if result.race is not None else result.posterior.grid
        return RecordedRuns(result.runs, result.clock, result.rules, grid)
    imported = read_runs(path)
    return RecordedRuns(imported.runs, "evaluations", imported.ranking)


def _only_race(folder: Path) -> Path:
    """Return the race file in the folder of a configuration; raise an error unless there is one."""
    races = sorted(folder.glob("*.race"))
    if len(races) != 1:
        found = f"{', '.join(each.name for each in races)}; name one of them" if races else "none; start it first"
        raise ValueError(f"expected one race file in the folder {folder}, got {found}")
    return races[0]


def require_race_file(path: Path) -> None:
    """Raise an error unless the file is a race file."""
    require_exists(path)
    if path.is_dir():
        raise ValueError(f"expected a race file, got the folder {path}; name a file in it")
    if not is_race_file(path):
        raise ValueError(f"expected a race file, got another file in {path}; {CREATES_RACES}")


def load_race(path: Path) -> Result:
    """Return the result of a race file, also while another process writes it."""
    from polarbear.driver.race import Race
    from polarbear.storage import find_writer

    with Race.open(path) as race:
        outcome, configuration = race.outcome, race.about.get("configuration")
    found = result_of_race(outcome, path=shlex.quote(str(path)), continues=configuration is not None)
    listed = configuration.get("instances", ()) if isinstance(configuration, dict) else ()
    return replace(found, writer=find_writer(path) or "", listed=tuple(map(str, listed)))


def _load_saved(path: Path) -> Result:
    """Return the result that a file holds, as it was when it was saved."""
    posterior, saved = Posterior.load(path), read_runs_of_result(path)
    if saved is None:
        return replace(result_of_posterior(posterior), path=shlex.quote(str(path)))
    own = {each.name: getattr(saved, each.name) for each in fields(saved)}
    try:
        own["dropped"] = {name: Drop(**each) for name, each in saved.dropped.items()}
    except TypeError as error:
        raise ValueError(f"{path} is a damaged file of a result: {error}") from error
    posterior = _with_runs(posterior, choices_of(saved.runs, posterior.grid, saved.rules, posterior.names))
    return Result(posterior, **own, maximise=saved.runs[0].maximise, path=shlex.quote(str(path)))


def _with_runs(posterior: Posterior, choices: Choices) -> Posterior:
    """Return a loaded posterior that ranks its runs at budgets between those of its grid, as before it was saved."""
    beliefs, known = posterior.beliefs, choices.rankings
    if beliefs is None or known is None or beliefs.others is not None:
        return posterior
    stored = beliefs.sample.rankings
    if beliefs.sample.keys != keys_of_instances(known.instances) or not np.array_equal(stored.ranks, known.ranks):
        return posterior
    rankings = replace(stored, instances=known.instances, ranked_at=known.ranked_at)
    sample = replace(beliefs.sample, rankings=rankings)
    changed: dict[str, Any] = {"ratings": None, "beliefs": replace(beliefs, sample=sample, _beliefs={}, _rates={})}
    return replace(posterior, **changed)


def result_of_posterior(
    posterior: Posterior,
    *,
    confidence: float = CONFIDENCE,
    dominance: Dominance = "pointwise",
    choices: Choices | None = None,
) -> Result:
    """Return the result of a posterior, whose algorithms are dropped by this rule."""
    decisions = dominated(posterior, confidence=confidence, dominance=dominance)
    bounds = _bounds(decisions, choices)
    drops = {each.name: replace(each, error_bound=bounds[each.name]) for each in decisions}
    return Result(
        fitted=posterior,
        kept=tuple(name for name in posterior.names if name not in drops),
        dropped=drops,
        confidence=confidence,
        dominance=dominance,
    )


def _analyse_race(path: Path, given: dict[str, Any]) -> Result:
    """Return the result of a race file; with options, of its runs as recorded runs, by the settings of the race."""
    whole = load_race(path)
    if not given:
        return whole
    assert whole.race is not None
    settings, clock = whole.race.state.settings, given.pop("clock", whole.clock)
    if clock != whole.clock:
        raise ValueError(f"expected the clock {whole.clock} of the race file {path}, got {clock}; leave it out")
    names = list(dict.fromkeys(run.algorithm for run in whole.runs))
    only, without = (find_names(name, given.pop(name, None) or (), names) for name in ("only", "without"))
    inference = {name: given.pop(name, getattr(settings, name)) for name in ("prior", "method", "draws", "seed")}
    rule = {name: given.pop(name, getattr(settings, name)) for name in ("confidence", "dominance")}
    compared = _Comparison(
        budgets=given.pop("budgets", settings.grid),
        include=given.pop("include", ()),
        inference=inference,
        rule=rule,
        rules={**whole.rules, **as_tolerances(given.pop("tolerance", None))},
        clock=whole.clock,
        margin=given.pop("margin", settings.margin),
    )
    if given:
        name = next(iter(given))
        raise ValueError(f"expected recorded runs for {name}, got the race file {path}, which states it; leave it out")
    runs = [run for run in whole.runs if (not only or run.algorithm in only) and run.algorithm not in without]
    return replace(compared.result(runs, ()), features=whole.features, path=shlex.quote(str(path)))


def _bounds(decisions: Sequence[Drop], choices: Choices | None) -> dict[str, float | None]:
    """Return an upper bound on the probability that each drop is wrong, whatever the model, by its algorithm."""
    if choices is None:
        return {each.name: None for each in decisions}
    pairs = [(choices.names.index(each.by), choices.names.index(each.name)) for each in decisions]
    where = np.zeros((len(choices.names),) * 2, dtype=bool)
    for pair in pairs:
        where[pair] = True
    bounds = error_bounds(choices, where=where)
    return {each.name: float(bounds[pair]) for each, pair in zip(decisions, pairs, strict=True)}


def without_sparse(runs: list[Trajectory], include: Sequence[str]) -> tuple[list[Trajectory], list[Finding]]:
    """Return runs without algorithms that ran on few instances and are not included, and the finding that names these."""
    kept = find_names("include", include, list(dict.fromkeys(run.algorithm for run in runs)))
    found, usual = sparse_algorithms(runs)
    sparse = {name: count for name, count in found.items() if name not in kept}
    if not sparse:
        return runs, []
    numbers = {"usual": usual, "counts": sparse}
    finding = Finding(Code.SPARSE_ALGORITHMS, "note", tuple(sparse), numbers, Include(tuple(sparse)))
    return [run for run in runs if run.algorithm not in sparse], [finding]


def runs_that_go_on(runs: Sequence[Trajectory], grid: Grid, clock: str) -> list[Finding]:
    """Return the finding that runs go on after a grid, with the budget until which half of the runs of two remain."""
    later, last = later_runs(runs, grid)
    if not later:
        return []
    stop = float(grid.budgets[-1])
    numbers = {"later": later, "runs": len(runs), "stop": stop, "clock": clock}
    return [Finding(Code.RUNS_GO_ON, "note", numbers=numbers, remedy=StopAt(last) if last > stop else None)]


def _run_ends(runs: Sequence[Trajectory], posterior: Posterior) -> list[Finding]:
    """Return how runs ended before the last budget; nothing if all lasted."""
    ends = {kind: sum(run.ended == kind for run in runs) for kind in get_args(Ended)}
    stop = float(posterior.grid.budgets[-1])
    cut = sum(run.ended == "cut off" and run.end < stop for run in runs)
    if not (ends["finished"] or cut or ends["failed"]):
        return []
    numbers = {"finished": ends["finished"], "cut": cut, "failed": ends["failed"], "stop": stop}
    return [Finding(Code.RUN_ENDS, "note", numbers=numbers)]
