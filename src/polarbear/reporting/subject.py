"""What a page is about: a result, with the features of its instances and the groups that the page shows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from polarbear.features.dependence import find_dependence
from polarbear.features.own_features import features_of
from polarbear.features.reading import read_features
from polarbear.features.scores import TooFewRunsError
from polarbear.features.table import FeatureTable
from polarbear.features.training_set import make_training_set
from polarbear.findings import Code, Finding
from polarbear.plots import DecisionBands
from polarbear.reporting.draws import pack_draws

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from polarbear.features.dependence import Dependence
    from polarbear.features.reading import FeatureSource
    from polarbear.features.training_set import TrainingSet
    from polarbear.inference.group_fitting import GroupPosterior
    from polarbear.literals import Dominance
    from polarbear.magnitude.collection import RunCollection
    from polarbear.posterior.elimination import Drop
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.outcome import RaceOutcome
    from polarbear.result import Result


@dataclass(frozen=True, eq=False)
class Subject:
    """What a page is about. Every section of the page collects its data from here.

    Attributes
    ----------
    source
        The result that the page shows.
    environment
        Versions and machine with which the data were computed.
    live
        Seconds after which the page of a running race reloads itself; None if the race does not run.
    groups
        The posteriors of groups of the instances, by the name of the group, such as "function 8".
    group_findings
        What was noticed about the groups.
    optimum
        The optimum of every instance; None if it is not known.
    features
        Tables of features of the instances; empty if there are none.
    features_given
        Whether the user named features, and not only the runs brought some along. The page then says why it shows none.
    """

    source: Result
    environment: Mapping[str, str]
    live: float | None = None
    groups: Mapping[str, Posterior | GroupPosterior] = field(default_factory=dict)
    group_findings: tuple[Finding, ...] = ()
    optimum: float | None = None
    features: tuple[FeatureTable, ...] = ()
    features_given: bool = False

    @property
    def posterior(self) -> Posterior:
        """The posterior that the page shows."""
        return self.source.posterior

    @property
    def result(self) -> RaceOutcome | None:
        """The race; None for recorded runs or a posterior."""
        return self.source.race

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """The kept algorithms that have run."""
        return tuple(name for name in self.source.kept if name in self.posterior.names)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """All algorithms, in the order from which their colours follow; some of a race may not have run yet."""
        return self.posterior.names if self.result is None else tuple(self.result.state.names)

    @property
    def dropped(self) -> tuple[Drop, ...]:
        """The algorithms that another one beats at every budget."""
        return tuple(each for each in self.source.dropped.values() if each.by)

    @property
    def confidence(self) -> float:
        """The probability at which algorithms are dropped."""
        return self.source.confidence

    @property
    def dominance(self) -> Dominance:
        """The rule by which algorithms are dropped."""
        return self.source.dominance

    @property
    def unit(self) -> str:
        """The unit of budgets; may be empty."""
        return self.source.clock

    @property
    def runs(self) -> RunCollection | None:
        """The runs with their values; None for a posterior alone, or with a single algorithm."""
        return self.source.collection if len(self.posterior.names) > 1 else None

    @property
    def finished(self) -> bool:
        """Whether no further data will come: the race is finished, or there is none."""
        return self.result is None or self.result.finished

    @cached_property
    def leaders(self) -> DecisionBands:
        """The leaders over the budgets, among the candidates."""
        return DecisionBands.of(self.posterior, among=self.candidates)

    @cached_property
    def explorer_draws(self) -> dict[str, Any]:
        """The draws that the page holds for the explorer.

        Portfolios may have members that are dominated, as in `select`; a race has too few runs of those that it dropped.
        """
        return pack_draws(self.posterior, self.candidates, members=self.candidates_in_groups)

    @property
    def candidates_in_groups(self) -> tuple[str, ...]:
        """The algorithms that may be the best choice in some group of instances, as for `explain`.

        In recorded runs these are all: one that is beaten on all instances together may lead in a group. A race has too few
        runs of those that it dropped.
        """
        return self.posterior.names if self.result is None else self.candidates

    @cached_property
    def dependence(self) -> Dependence | None:
        """How the best choice depends on the features of the instances; None without features or without a choice.

        Raises
        ------
        TooFewRunsError
            If the candidates did not run on enough of the same instances.
        """
        if self.runs is None or not self.features or len(self.candidates_in_groups) < 2:
            return None
        training = self._training_set(self.runs)
        return find_dependence(training) if training.features or self.features_given else None

    def _training_set(self, runs: RunCollection) -> TrainingSet:
        """Return the training set of all algorithms or, if some ran on too few instances, of those not dropped."""
        try:
            return make_training_set(runs, self.features, preference=None, among=self.candidates_in_groups)
        except TooFewRunsError:
            if not 2 <= len(self.candidates) < len(self.candidates_in_groups):
                raise
        training = make_training_set(runs, self.features, preference=None, among=self.candidates)
        return replace(training, findings=(Finding(Code.ONLY_KEPT, "tentative"), *training.findings))


def own_features(result: Result) -> tuple[FeatureTable, ...]:
    """Return the features that recorded runs, or the instances of a race, bring along."""
    if result.imported is not None:
        return (features_of(result.imported),)
    return (features_of(result.race),) if result.race is not None and result.race.state.features else ()


def tables_of(features: FeatureSource | Sequence[FeatureTable] | None) -> tuple[FeatureTable, ...]:
    """Return the tables of features that were given."""
    if features is None:
        return ()
    if isinstance(features, list | tuple) and all(isinstance(each, FeatureTable) for each in features):
        return tuple(features)
    return (read_features(features),)
