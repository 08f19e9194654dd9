"""Policies: maps from budget and features of an instance to the algorithm to run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

from polarbear.features.policy_file import read_fields, write_fields
from polarbear.features.policy_tree import Branch, FoundGroup, KnownFeature, Leaf, find_group, walk
from polarbear.features.python_source import source_of
from polarbear.features.splits import describe_conditions
from polarbear.race.instance_features import level_name, parse_value
from polarbear.selection.answers import SURE_ENOUGH
from polarbear.show.wording import text_of
from polarbear.table import as_frame, as_html
from polarbear.wording import format_number, format_percent, join_names, percent, suggest, with_noun, with_unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from polarbear.findings import Finding
    from polarbear.literals import FrameLibrary
    from polarbear.table import Table

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
        The unit of budgets; may be empty.
    preference, risk
        How budgets are weighted and the attitude to risk, as text.
    left_out
        Further columns of the data, such as constant ones; they have no effect.
    findings
        What was noticed about the features; it is not saved.
    """

    root: Branch | Leaf
    names: tuple[str, ...]
    features: tuple[KnownFeature, ...]
    first: float
    last: float
    unit: str
    preference: str
    risk: str
    left_out: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

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
            The features of the instance by name. If one that the policy asks for is not given, the choice is that for all
            instances of the group so far. One that is None or NaN counts as the missing values of the data do; if the data
            have none, as not given. Unknown names, and unknown levels of features that the policy asks for, are errors.
        """
        leaf = self.find_group(given).leaf
        return leaf.whole if budget is None else leaf.at(self._check_budget(budget)).name

    def find_group(self, given: Mapping[str, Any]) -> FoundGroup:
        """Return the group of an instance with these features; see `choose`."""
        known = {each.name: each for each in self.features}
        for name in given:
            if name not in known and name not in self.left_out:
                hint = suggest(name, known) or f"the policy asks for {', '.join(self.used) or 'none'}"
                raise ValueError(f"expected features that the policy knows, got {name!r}; {hint}")
        return find_group(self.root, {name: _parse(known[name], given[name]) for name in self.used if name in given})

    def explain_choice(self, budget: float | None = None, /, **given: Any) -> str:
        """Return the choice and its reason in a sentence; see `choose`."""
        found = self.find_group(given)
        leaf = found.leaf
        like_this, basis = "", f"{with_noun(leaf.instances, 'instance')} in the data"
        if found.conditions:
            like_this = "" if leaf.is_too_small else " like this"
            basis = f"{describe_conditions(found.conditions)}; {leaf.size}"
        notes = ""
        if found.not_given:
            whose = "all instances of this group" if found.conditions else "all instances"
            notes += f" Not given: {found.not_given}, so the answer is for {whose}."
        if unused := self.describe_unused(given):
            notes += f" {unused}"
        if budget is None and leaf.probability < SURE_ENOUGH:
            sure = f"{format_percent(leaf.probability)} sure that {leaf.whole} is the best choice of {len(self.names)}"
            notes += f" It is unclear: {sure}."
        where, name, share, during = f"For {self.preference}", leaf.whole, leaf.share, ""
        if budget is not None:
            span = leaf.at(self._check_budget(budget))
            where, name, share = f"At {with_unit(budget, self.unit)}", span.name, span.share
            if span.start < span.stop:  # the share is a mean over the range
                during = f"from {format_number(span.start)} to {format_number(span.stop)} "
        return (
            f"{where}, the policy chooses {name}: {during}it is expected to win on {percent(share)} of instances{like_this} "
            f"against its strongest rival ({basis}).{notes}"
        )

    def describe_unused(self, given: Mapping[str, Any]) -> str:
        """Return a sentence on given features that the policy does not ask for in this group; empty if there are none."""
        found = self.find_group(given)
        unused = [name for name in given if name not in found.asked]
        if not unused:
            return ""
        verb = "has" if len(unused) == 1 else "have"
        why = "no feature matters for this choice"
        if found.not_given:
            why = f"the policy asks for {found.not_given} first"
        elif self.used:
            here = "only" if set(found.asked) == set(self.used) else "in this group only"
            why = f"the policy asks for {join_names(found.asked)} {here}"
        return f"{join_names(unused)} {verb} no effect: {why}."

    def _check_budget(self, budget: object) -> float:
        if not isinstance(budget, Real):
            raise ValueError(f"expected a number as the budget, got {budget!r}")
        value = float(budget)
        if not self.first * (1 - _SAME) <= value <= self.last * (1 + _SAME):
            raise ValueError(
                f"expected a budget at which all candidates were observed, from {self.first:g} to {self.last:g}, got "
                f"{value:g}; choose another budget, or make longer runs"
            )
        return value

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write the policy to a small JSON file, which `load_policy` reads.

        An existing file that is no policy is replaced only by `force`.
        """
        write_fields(path, {name: value for name, value in asdict(self).items() if name != "findings"}, force=force)

    def to_python(self) -> str:
        """Return the source text of a Python module without dependencies whose function `choose` is this policy."""
        asked = [each for each in self.features if each.name in self.used]
        others = [*(each.name for each in self.features if each not in asked), *self.left_out]
        return source_of(self.root, self.first, self.last, asked=asked, others=others, preference=self.preference)

    def to_table(self) -> Table:
        """Return one row per group and range of budgets; `share` is the win rate against the strongest rival."""
        rows = [
            (describe_conditions(conditions), leaf, span)
            for conditions, leaf in walk(self.root)
            if isinstance(leaf, Leaf)
            for span in leaf.ranges
        ]
        return {
            "group": [group for group, _, _ in rows],
            "instances": [leaf.instances for _, leaf, _ in rows],
            "start": [span.start for _, _, span in rows],
            "stop": [span.stop for _, _, span in rows],
            "choice": [span.name for _, _, span in rows],
            "share": [span.share for _, _, span in rows],
        }

    def to_frame(self, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(), backend)

    def _repr_html_(self) -> str:
        return as_html(self.to_table(), title=repr(self), notes=tuple(text_of(each) for each in self.findings))

    def __repr__(self) -> str:
        asks = f"asks for {', '.join(self.used)}" if self.used else "asks for no feature"
        return f"Policy({with_noun(len(self.names), 'algorithm')}, {asks}, budgets {self.first:g} to {self.last:g})"


def load_policy(path: str | PathLike[str]) -> Policy:
    """Read a policy from a file that `Policy.save` wrote."""
    return Policy(**read_fields(path))


def _list(levels: Sequence[str]) -> str:
    more = f" and {len(levels) - _SHOWN} more" if len(levels) > _SHOWN else ""
    return ", ".join(levels[:_SHOWN]) + more


def _parse(feature: KnownFeature, value: Any) -> float | str | None:
    """Return the value of a feature in the form of its kind; None if it is missing."""
    cell, name = parse_value(value), feature.name
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
