"""Open what users have: a race file, recorded runs in any supported format, or a saved posterior. Out: a `Result`.

`load` recognises a file. `analyse` reads and compares recorded runs, with options of reading, of the grid and of the
posterior.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from polarbear.analysis import later_runs, sparse_algorithms, suggest_grid
from polarbear.file_kinds import CREATES_RACES, is_posterior_file, is_race_file, require_exists
from polarbear.findings import Code, Finding, Include, StopAt
from polarbear.importers import Imported, read_runs
from polarbear.importers.presets import PRESETS
from polarbear.literals import Ended
from polarbear.observe import Choices, as_grid
from polarbear.observe.trajectory import Trajectory
from polarbear.posterior.e_values import error_bounds
from polarbear.posterior.elimination import dominated
from polarbear.posterior.posterior import Posterior
from polarbear.result import Drop, Result, result_of_race
from polarbear.wording import find_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike

    from polarbear.literals import Clock, Dominance, Method
    from polarbear.models import Prior
    from polarbear.observe import Grid
    from polarbear.posterior.elimination import Dominated


def load(path: str | os.PathLike[str], *, only_saved: bool = False) -> Result:
    """Return the result of a race file, a saved posterior, or recorded runs.

    Parameters
    ----------
    path
        The file, or a folder with recorded runs. For options of reading see `analyse`.
    only_saved
        Whether recorded runs are refused.
    """
    file = Path(path)
    require_exists(file)
    if is_race_file(file):
        return load_race(file)
    if is_posterior_file(file):
        return result_of_posterior(Posterior.load(file))
    if only_saved:
        raise ValueError(f"expected a race file or a saved posterior, got {file}, which is neither; {CREATES_RACES}")
    return analyse(file)


def analyse(
    source: str | os.PathLike[str] | Imported | Iterable[Trajectory],
    *,
    include: Sequence[str] = (),
    start: float | None = None,
    stop: float | None = None,
    count: int | None = None,
    grid: Grid | ArrayLike | None = None,
    prior: Prior | None = None,
    method: Method = "auto",
    draws: int | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    dominance: Dominance = "pointwise",
    margin: float = 0.05,
    absolute_tolerance: float | None = None,
    relative_tolerance: float | None = None,
    clock: Clock | None = None,
    **reading: Any,
) -> Result:
    """Compare algorithms on recorded runs.

    Parameters
    ----------
    source
        A file, a folder or an archive in any format that `read_runs` reads; what `read_runs` returned; or trajectories. A
        race file is loaded as it is; with further options its runs are compared as recorded runs.
    include
        Algorithms to compare although they ran on few of the instances.
    start, stop, count
        The first and the last budget at which to compare, and the number of budgets, 30 by default.
    grid
        All budgets at which to compare, instead.
    prior, method, draws, seed
        How the posterior is computed; see `fit`.
    confidence, dominance
        The probability and the rule by which algorithms are dropped; see `dominated`.
    margin
        Win rates within this distance of one half are equal.
    absolute_tolerance, relative_tolerance
        Within which values tie; by default by the rules of the format.
    clock
        The unit of budgets.
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
    >>> result = pb.analyse(runs, clock="evaluations", start=100, stop=1000, count=5)
    >>> result.kept
    ('cma',)
    """
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        require_exists(path)
        if path.is_file() and is_race_file(path):
            chosen = {"start": start, "stop": stop, "count": count, "grid": grid, "clock": clock, **reading}
            own: dict[str, Any] = {"prior": prior, "method": method, "draws": draws, "seed": seed, "margin": margin}
            own |= {"confidence": confidence, "dominance": dominance, "include": tuple(include)}
            own |= {"absolute_tolerance": absolute_tolerance, "relative_tolerance": relative_tolerance}
            chosen |= {name: value for name, value in own.items() if value != _defaults()[name]}
            return _analyse_race(path, {name: value for name, value in chosen.items() if value is not None})
        source = read_runs(path, clock=clock, **reading)
        reading = {"preset": reading.get("preset"), "per": reading.get("per")}
    elif reading:
        raise TypeError(f"analyse has no option {next(iter(reading))!r} for runs in memory; read them with it instead")
    imported = source if isinstance(source, Imported) else None
    runs = list(source.runs if isinstance(source, Imported) else source)
    for run in runs:
        if not isinstance(run, Trajectory):
            raise ValueError(
                f"expected a path, what read_runs returns, or Trajectory values, got {run!r}; read files with read_runs"
            )
    rules = dict(imported.ranking) if imported is not None else {}
    given = {"absolute_tolerance": absolute_tolerance, "relative_tolerance": relative_tolerance}
    rules |= {name: value for name, value in given.items() if value is not None}
    preset = reading.get("preset")
    unit: str = clock or (PRESETS[preset].clock if preset else "evaluations" if imported is not None else "")
    per = reading.get("per")
    unit = f"{unit} per {per}" if per else unit
    noticed = [] if imported is None else list(imported.findings)
    runs, sparse = without_sparse(runs, include)
    noticed += sparse
    if grid is None:
        budgets = suggest_grid(runs, count=count or 30, start=start, stop=stop)
        noticed += [] if stop is not None else runs_that_go_on(runs, budgets, unit)
    else:
        budgets = as_grid(grid)
    inference = {"prior": prior, "method": method, "draws": draws, "seed": seed}
    choices, posterior = _fit(
        runs, budgets, rules, {name: each for name, each in inference.items() if each is not None}
    )
    noticed += _run_ends(runs, posterior)
    rule: dict[str, Any] = {"confidence": confidence, "dominance": dominance}
    return replace(
        result_of_posterior(posterior, **rule, choices=choices),
        clock=unit,
        maximise=runs[0].maximise,
        margin=margin,
        runs=tuple(runs),
        imported=imported,
        noticed=tuple(noticed),
        rules=rules,
        path="" if imported is None else shlex.quote(imported.about.path),
    )


def load_race(path: Path) -> Result:
    """Return the result of a race file, also while another process writes it."""
    from polarbear.driver.race import Race
    from polarbear.storage import find_writer

    with Race.open(path) as race:
        outcome, by_command = race.outcome, "configuration" in race.about
    return result_of_race(outcome, path=shlex.quote(str(path)), continues=by_command, writer=find_writer(path) or "")


def result_of_posterior(
    posterior: Posterior,
    *,
    confidence: float = 0.95,
    dominance: Dominance = "pointwise",
    choices: Choices | None = None,
) -> Result:
    """Return the result of a posterior, whose algorithms are dropped by this rule."""
    decisions = dominated(posterior, confidence=confidence, dominance=dominance)
    bounds = _bounds(decisions, choices)
    drops = {each.name: Drop(each.name, each.by, each.probability, error_bound=bounds[each.name]) for each in decisions}
    return Result(
        fitted=posterior,
        kept=tuple(name for name in posterior.names if name not in drops),
        dropped=drops,
        confidence=confidence,
        dominance=dominance,
        choices=choices,
    )


def _analyse_race(path: Path, given: dict[str, Any]) -> Result:
    """Return the result of a race file; with options, of its runs as recorded runs."""
    whole = load_race(path)
    if not given:
        return whole
    assert whole.race is not None
    known = {"only", "without", *_defaults()}
    if wrong := next((name for name in given if name not in known), ""):
        raise ValueError(f"expected recorded runs for {wrong}, got the race file {path}, which states it; leave it out")
    if given.get("clock", whole.clock) != whole.clock:
        raise ValueError(
            f"expected the clock {whole.clock} of the race file {path}, got {given['clock']}; leave it out"
        )
    names = whole.posterior.names
    only = find_names("only", given.pop("only", ()), names)
    without = find_names("without", given.pop("without", ()), names)
    runs = [run for run in whole.runs if (not only or run.algorithm in only) and run.algorithm not in without]
    settings = whole.race.state.settings
    if not {"start", "stop", "count", "grid"} & set(given):
        given["grid"] = settings.grid
    same = ("confidence", "dominance", "absolute_tolerance", "relative_tolerance")
    stored = {"clock": whole.clock, "margin": settings.margin, **{name: getattr(settings, name) for name in same}}
    found = analyse(runs, **{**stored, **given})
    return replace(found, path=shlex.quote(str(path)))


def _defaults() -> dict[str, Any]:
    """Return the defaults of the options of `analyse`."""
    return dict(analyse.__kwdefaults__ or {})


def _fit(
    runs: Sequence[Trajectory], grid: Grid, rules: dict[str, Any], inference: dict[str, Any]
) -> tuple[Choices, Posterior]:
    from polarbear.inference.fitting import fit

    names = list(dict.fromkeys(run.algorithm for run in runs))
    if len(names) < 2:
        found = f"those of {names[0]}" if names else "none"
        raise ValueError(f"expected runs of two algorithms or more, got {found}; add runs of another one")
    choices = Choices.from_trajectories(runs, grid=grid, per_instance=True, **rules)
    return choices, fit(choices, **inference)


def _bounds(decisions: Sequence[Dominated], choices: Choices | None) -> dict[str, float | None]:
    """Return an upper bound on the probability that each drop is wrong, whatever the model, by its algorithm."""
    import numpy as np

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
