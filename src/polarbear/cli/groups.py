"""The answers of `--by`: for each group of instances, the Pareto set and which algorithm leads at which budget.

Groups borrow from each other within each pair, see `fit_groups`. A group with too few instances takes the answer for all.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from polarbear.cli import terminal
from polarbear.cli.recorded_runs import runs_of_result
from polarbear.cli.selections import list_names, select_or_explain, sentence_of
from polarbear.cli.source import Source, fit_runs, pareto_set
from polarbear.cli.splitting import split_by
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from polarbear.cli.recorded_runs import RecordedRuns
    from polarbear.features.table import FeatureTable
    from polarbear.inference.group_fitting import GroupPosterior
    from polarbear.observe import Choices, Grid
    from polarbear.posterior.posterior import Posterior

_DRAWS = 1000  # per group, of which there may be many


@dataclass(frozen=True)
class Groups:
    """Runs in groups of instances, by names such as "function 8".

    Attributes
    ----------
    pooled
        The posterior of each group.
    fitted, recorded
        The posterior and the Pareto set of each group, or those of all runs for a group that is too small; and its runs.
    failed
        For each group that cannot be compared, for example since no instance compares two algorithms, the reason.
    remarks
        Remarks on the column that defines the groups, and on groups that are too small.
    """

    pooled: "dict[str, GroupPosterior]" = field(default_factory=dict)
    fitted: "dict[str, tuple[Posterior, tuple[str, ...]]]" = field(default_factory=dict)
    recorded: "dict[str, RecordedRuns]" = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def posteriors(self) -> "dict[str, Posterior]":
        """The posterior of each group that has an answer of its own."""
        return {name: group.posterior for name, group in self.pooled.items() if not group.is_too_small}

    @property
    def for_report(self) -> "dict[str, Any]":
        """Options of the report: the posterior of each group, and remarks on the groups."""
        return {"groups": self.pooled, "group_remarks": self.remarks}


def compare_groups(
    source: Source,
    by: str | None,
    *,
    table: "FeatureTable | None" = None,
    rule: dict[str, Any] | None = None,
    **inference: Any,
) -> Groups:
    """Return the posterior and the Pareto set of each group, at the same times as for all runs; no groups without `by`.

    Parameters
    ----------
    source
        All runs.
    by
        The column that defines the groups.
    table
        A table of features of the instances, which may have this column.
    rule, inference
        The rule of elimination, see `dominated`; and how the posterior is computed, see `fit`.
    """
    from polarbear.inference.group_fitting import FEWEST_INSTANCES

    groups = Groups()
    if by is None:
        return groups
    recorded = source.recorded if source.result is None else runs_of_result(source.result)
    if recorded is None:
        raise ValueError(f"expected recorded runs or a race with --by {by}, got a saved posterior, which holds neither")
    divided = split_by(recorded, by, table)
    parts = divided.runs
    groups.remarks.extend(divided.remarks)
    groups.pooled.update(_fit_parts(parts, source.posterior, groups.failed, inference))
    for name, group in groups.pooled.items():
        groups.recorded[name] = parts[name]
        groups.fitted[name] = source.posterior, source.candidates
        if not group.is_too_small:
            groups.fitted[name] = group.posterior, pareto_set(group.posterior, **(rule or {}))
        if group.posterior.beliefs is not None:
            group.posterior.beliefs.free_memory()  # there may be many groups, and selections read few win rates
    if small := [name for name, group in groups.pooled.items() if group.is_too_small]:
        few = f"{list_names(small, 5)}: fewer than {FEWEST_INSTANCES} independent instances"
        groups.remarks.append(f"{few}, so the answer for all runs stands for {'it' if len(small) == 1 else 'them'}.")
    return groups


def _fit_parts(
    parts: "dict[str, RecordedRuns]", whole: "Posterior", failed: dict[str, str], inference: dict[str, Any]
) -> "dict[str, GroupPosterior]":
    """Return the posterior of each group, at the times of the whole; note in `failed` why there is none."""
    from polarbear.inference.group_fitting import GroupPosterior, fit_groups
    from polarbear.models import BayesianBootstrap

    inference = {"draws": _DRAWS, **inference}
    if isinstance(inference.get("prior", BayesianBootstrap()), BayesianBootstrap):
        inference.pop("method", None)
        choices = {name: _choices(part, whole.grid, whole.names) for name, part in parts.items()}
        try:
            return fit_groups(choices, **inference)
        except ValueError as error:
            failed.update(dict.fromkeys(parts, str(error)))
            return {}
    found = {}
    for name, part in parts.items():
        try:
            own, posterior = fit_runs(part, whole.grid, **inference)
            found[name] = GroupPosterior(own.instances, own.instances, posterior)
        except ValueError as error:
            failed[name] = str(error)
    return found


def _choices(part: "RecordedRuns", grid: "Grid", names: tuple[str, ...]) -> "Choices":
    """Return the rankings of a group's runs; if they compare nothing, a single ranking in which all are absent."""
    import numpy as np

    from polarbear.observe import ABSENT, Choices, Rankings

    try:
        return Choices.from_trajectories(part.runs, grid=grid, **part.ranking)
    except ValueError:
        return Choices.from_rankings(Rankings(np.full((1, len(grid), len(names)), ABSENT), names, grid))


def print_group_remarks(groups: Groups, *, quiet: bool = False) -> None:
    """Print the remarks on the groups, and one for each group that cannot be compared."""
    for remark in groups.remarks:
        terminal.print_remark(remark, quiet=quiet)
    for name, reason in groups.failed.items():
        terminal.print_remark(f"left out: {name}: {reason}", quiet=quiet)


def groups_as_data(groups: Groups, by: str) -> dict[str, Any]:
    """Return the groups, what defines them, and remarks on that, as plain data for JSON."""
    from polarbear.selection import Uniform, decision_map

    data = {
        name: {
            "instances": groups.pooled[name].instances,
            "note": groups.pooled[name].note,
            "scope": posterior.scope,
            "grid": posterior.grid.times.tolist(),
            "pareto_set": list(candidates),
            "map": str(decision_map(posterior, among=candidates)).splitlines(),
            "choice": sentence_of(select_or_explain(posterior, Uniform(), candidates)),
        }
        for name, (posterior, candidates) in groups.fitted.items()
    }
    return {"by": by, "group_remarks": groups.remarks, "groups": data}


def _choice(posterior: "Posterior", candidates: tuple[str, ...]) -> str:
    from polarbear.selection import Uniform

    selection = select_or_explain(posterior, Uniform(), candidates)
    if isinstance(selection, str):
        return "nothing, for lack of data,"
    return selection.candidates[0].name if selection.is_sure else "too close to call"


def print_groups(groups: Groups, by: str | None, *, most: int | None) -> None:
    """Print the Pareto set and the leaders of each group, or of the first `most` of them."""
    from polarbear.selection import decision_map

    if by is None:
        return
    terminal.print_result(f"\nBy {by}, from the posterior of each group")
    own = [each for name, each in groups.fitted.items() if name in groups.posteriors]
    choices = Counter(_choice(posterior, candidates) for posterior, candidates in own)
    counted = ", ".join(f"{name} in {number}" for name, number in choices.most_common(most))
    if own:
        terminal.print_result(
            f"The best choice for any budget, all equally likely: {counted} of {with_noun(len(own), 'group')}."
        )
    lines = []
    for name, (posterior, candidates) in groups.fitted.items():
        group = groups.pooled[name]
        if group.is_too_small:
            lines.append(f"{name} ({group.size}): as for all runs")
            continue
        leaders = "\n  ".join(str(decision_map(posterior, among=candidates)).splitlines())
        missing = f"; no comparisons of {list_names(group.unobserved, 5)}" if group.unobserved else ""
        lines.append(f"{name} ({group.size}{missing}; Pareto set: {list_names(candidates, most)})\n  {leaders}")
    terminal.print_lines(lines, most=most)
