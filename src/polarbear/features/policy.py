"""Policies: maps from budget and features of an instance to the algorithm to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polarbear.features.policy_file import read_fields, write_fields
from polarbear.features.policy_tree import Branch, KnownFeature, Leaf, walk
from polarbear.features.python_source import source_of
from polarbear.features.splits import describe_conditions
from polarbear.features.table import level_name, parse_cell
from polarbear.table import as_frame, as_html
from polarbear.wording import format_number, join_names, percent, suggest, with_noun, with_unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from polarbear.features.splits import Split
    from polarbear.literals import FrameLibrary
    from polarbear.table import Table
    from polarbear.verdict import Remark

_SHOWN = 10  # levels that an error lists
_SAME = 1e-9  # relative distance within which a budget is at the end of the grid


@dataclass(frozen=True)
class Policy:
    """A map from budget and features to an algorithm.

    Attributes
    ----------
    root
        The first question, or what to choose for all instances.
    names
        The candidates.
    features
        The features that were examined; the policy asks for `used` only.
    first, last
        The shortest and the longest budget.
    unit
        The unit of time; may be empty.
    preference, risk
        How budgets are weighted and the attitude to risk, as text.
    borrowed
        The weight of all other instances in a group, in instances or clusters; infinity for all of them.
    remarks
        Remarks on the features; they are not saved.
    """

    root: Branch | Leaf
    names: tuple[str, ...]
    features: tuple[KnownFeature, ...]
    first: float
    last: float
    unit: str
    preference: str
    risk: str
    borrowed: float
    remarks: tuple[Remark, ...] = ()

    @property
    def used(self) -> tuple[str, ...]:
        """The features that the policy asks for."""
        return tuple(dict.fromkeys(each.split.feature for _, each in walk(self.root) if isinstance(each, Branch)))

    def choose(self, budget: float | None = None, /, **given: Any) -> str:
        """Return the algorithm to run.

        Parameters
        ----------
        budget
            The budget, within the budgets of the data; if it is None, the budget is as uncertain as the preference of the
            policy says.
        **given
            The features of the instance by name; those that are missing or None count as unknown. A name or a level that the
            policy does not know is an error.
        """
        leaf, _ = self.find_leaf(given)
        return leaf.whole if budget is None else leaf.at(self._check_budget(budget)).name

    def find_leaf(self, given: Mapping[str, Any]) -> tuple[Leaf, tuple[str, ...]]:
        """Return the group of an instance with these features, and its conditions."""
        cells = {name: self._check_feature(name, value) for name, value in given.items()}
        node, conditions = self.root, []
        while isinstance(node, Branch):
            left = _goes_left(node.split, cells.get(node.split.feature))
            conditions.append(node.split.left if left else node.split.right)
            node = node.left if left else node.right
        return node, tuple(conditions)

    def explain_choice(self, budget: float | None = None, /, **given: Any) -> str:
        """Return the choice and its reason in a sentence; see `choose`."""
        leaf, conditions = self.find_leaf(given)
        group = describe_conditions(conditions)
        unknown = [name for name in self.used if parse_cell(given.get(name)) is None]
        missing = f" Not given: {', '.join(unknown)}; the answer is that of the larger group." if unknown else ""
        unused = f" {sentence}" if (sentence := self.describe_unused(given)) else ""
        where, name, share, during = f"For {self.preference}", leaf.whole, leaf.share, ""
        if budget is not None:
            stretch = leaf.at(self._check_budget(budget))
            where, name, share = f"At {with_unit(budget, self.unit)}", stretch.name, stretch.share
            if stretch.start < stretch.stop:  # the share is a mean over the stretch
                during = f"from {format_number(stretch.start)} to {format_number(stretch.stop)} "
        return (
            f"{where}, the policy chooses {name}: {during}it comes first on {percent(share)} of instances like this "
            f"({group}; {with_noun(leaf.instances, 'instance')} in the data).{missing}{unused}"
        )

    def describe_unused(self, given: Mapping[str, Any]) -> str:
        """Return a sentence on given features that the policy does not ask for; empty if there are none."""
        unused = [name for name in given if name not in self.used]
        if not unused:
            return ""
        verb = "has" if len(unused) == 1 else "have"
        why = f"the policy asks for {join_names(self.used)} only" if self.used else "no feature matters for this choice"
        return f"{join_names(unused)} {verb} no effect: {why}."

    def _check_budget(self, budget: float) -> float:
        if not self.first * (1 - _SAME) <= budget <= self.last * (1 + _SAME):
            raise ValueError(
                f"expected the budget within the grid, from {self.first:g} to {self.last:g}, got {budget:g}; nothing was "
                "observed there: ask within the grid, or race on a longer one"
            )
        return float(budget)

    def _check_feature(self, name: str, value: Any) -> float | str | None:
        """Return the value of a feature in the form of its kind; None if it is missing."""
        known = {each.name: each for each in self.features}
        if name not in known:
            hint = suggest(name, known) or f"the policy asks for {', '.join(self.used) or 'none'}"
            raise ValueError(f"expected features that the policy knows, got {name!r}; {hint}")
        cell, feature = parse_cell(value), known[name]
        if cell is None:
            return None
        if feature.kind == "category":
            level = level_name(cell)
            if level not in feature.levels:
                hint = suggest(level, feature.levels) or "leave it out if it is none of these"
                raise ValueError(f"expected {name} to be one of {_list(feature.levels)}, got {value!r}; {hint}")
            return level
        if isinstance(cell, str):
            raise ValueError(f"expected {name} to be a number, got {value!r}; give a number, or leave it out")
        return float(cell)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the policy to a small JSON file; `load_policy` reads it."""
        names = ("root", "names", "features", "first", "last", "unit", "preference", "risk", "borrowed")
        write_fields(path, {name: getattr(self, name) for name in names})

    def to_python(self) -> str:
        """Return the source text of a Python module without dependencies whose function `choose` is this policy."""
        return source_of(
            self.root, self.first, self.last, features=self.features, asks=self.used, preference=self.preference
        )

    def to_table(self) -> Table:
        """Return one row per group and stretch of budgets."""
        rows = [
            (describe_conditions(conditions), leaf, stretch)
            for conditions, leaf in walk(self.root)
            if isinstance(leaf, Leaf)
            for stretch in leaf.stretches
        ]
        return {
            "group": [group for group, _, _ in rows],
            "instances": [leaf.instances for _, leaf, _ in rows],
            "start": [stretch.start for _, _, stretch in rows],
            "stop": [stretch.stop for _, _, stretch in rows],
            "choice": [stretch.name for _, _, stretch in rows],
            "first_share": [stretch.share for _, _, stretch in rows],
        }

    def to_frame(self, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(), backend)

    def _repr_html_(self) -> str:
        return as_html(self.to_table(), title=repr(self), notes=tuple(each.sentence for each in self.remarks))

    def __repr__(self) -> str:
        asks = f"asks for {', '.join(self.used)}" if self.used else "asks for no feature"
        return f"Policy({with_noun(len(self.names), 'algorithm')}, {asks}, budgets {self.first:g} to {self.last:g})"


def load_policy(path: str | PathLike[str]) -> Policy:
    """Read a policy from a file that `Policy.save` wrote."""
    return Policy(**read_fields(path))


def _list(levels: Sequence[str]) -> str:
    more = f" and {len(levels) - _SHOWN} more" if len(levels) > _SHOWN else ""
    return ", ".join(levels[:_SHOWN]) + more


def _goes_left(split: Split, cell: float | str | None) -> bool:
    if cell is None:
        return split.missing_left
    return cell == split.level if split.threshold is None else float(cell) <= split.threshold
