"""The groups of `--by` for `select` and `plot`: the posterior and the kept algorithms of each group of instances.

Groups borrow from each other within each pair, see `fit_groups`. A group with too few instances takes the answer for all.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from polarbear.cli import terminal
from polarbear.cli.recorded_runs import runs_of_result
from polarbear.cli.source import Source, pareto_set

if TYPE_CHECKING:
    from polarbear.cli.recorded_runs import RecordedRuns
    from polarbear.features.table import FeatureTable
    from polarbear.findings import Finding
    from polarbear.inference.group_fitting import GroupPosterior
    from polarbear.posterior.posterior import Posterior


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
    findings
        What was noticed about the column that defines the groups, and about groups that are too small.
    """

    pooled: "dict[str, GroupPosterior]" = field(default_factory=dict)
    fitted: "dict[str, tuple[Posterior, tuple[str, ...]]]" = field(default_factory=dict)
    recorded: "dict[str, RecordedRuns]" = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    findings: "list[Finding]" = field(default_factory=list)

    @property
    def remarks(self) -> list[str]:
        """The texts of the findings."""
        from polarbear.show.wording import text_of

        return [text_of(each) for each in self.findings]

    @property
    def posteriors(self) -> "dict[str, Posterior]":
        """The posterior of each group that has an answer of its own."""
        return {name: group.posterior for name, group in self.pooled.items() if not group.is_too_small}


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
    from polarbear.groups import Divisible, fit_by

    groups = Groups()
    if by is None:
        return groups
    recorded = source.recorded if source.result is None else runs_of_result(source.result)
    if recorded is None:
        raise ValueError(f"expected recorded runs or a race with --by {by}, got a saved posterior, which holds neither")
    divisible = Divisible(recorded.runs, recorded.ranking, recorded.imported, recorded.features)
    found = fit_by(divisible, by, source.posterior, table=table, **inference)
    for name, group in found.posteriors.items():
        part, whole = found.parts[name], f"{by} {name}"
        groups.pooled[whole] = group
        groups.recorded[whole] = replace(recorded, runs=part.runs, ranking=dict(part.rules))
        groups.fitted[whole] = source.posterior, source.candidates
        if not group.is_too_small:
            groups.fitted[whole] = group.posterior, pareto_set(group.posterior, **(rule or {}))
    groups.failed.update({f"{by} {name}": reason for name, reason in found.failed.items()})
    groups.findings.extend(found.findings)
    return groups


def print_group_remarks(groups: Groups, *, quiet: bool = False) -> None:
    """Print the remarks on the groups, and one for each group that cannot be compared."""
    for remark in groups.remarks:
        terminal.print_remark(remark, quiet=quiet)
    for name, reason in groups.failed.items():
        terminal.print_remark(f"left out: {name}: {reason}", quiet=quiet)
