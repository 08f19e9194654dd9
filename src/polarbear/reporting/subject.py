"""What a page is about: a posterior, and the race that it comes from, if there is one."""

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
from polarbear.importers import Imported
from polarbear.magnitude.collection import collect_runs
from polarbear.plots import DecisionBands
from polarbear.posterior.elimination import cycles, dominated
from polarbear.reporting.draws import pack_draws
from polarbear.verdict import Advice, Remark
from polarbear.verdict.summary import collect, data_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from polarbear.features.dependence import Dependence
    from polarbear.features.reading import FeatureSource
    from polarbear.features.training_set import TrainingSet
    from polarbear.inference.group_fitting import GroupPosterior
    from polarbear.literals import Elimination
    from polarbear.magnitude.collection import RunCollection, Source
    from polarbear.posterior.elimination import Dominated
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.result import RaceResult
    from polarbear.verdict import Summary


@dataclass(frozen=True, eq=False)
class Subject:
    """What a page is about. Every section of the page collects its data from here.

    Attributes
    ----------
    posterior
        The posterior that the page shows.
    candidates
        The algorithms that have not been eliminated.
    algorithms
        All algorithms, in the order from which their colours follow; some of a race may not have run yet.
    dominated
        For a posterior without a race, the algorithms that it eliminates; empty for a race, whose result lists them.
    confidence, elimination
        The probability and the rule by which algorithms are eliminated.
    unit
        The unit of time; may be empty.
    environment
        Versions and machine with which the data were computed.
    result
        The result of the race, or None for a posterior without a race.
    live
        Seconds after which the page of a running race reloads itself; None if the race does not run.
    groups
        The posteriors of groups of the instances, by the name of the group, such as "function 8".
    group_remarks
        Remarks on what defines the groups, as sentences.
    optimum
        The optimum of every instance of the race; None if it is not known.
    advice
        Where the data come from, for the commands that remarks suggest.
    given_summary
        Of a posterior without a race: its summary, which may contain remarks on its data; by default the page makes one.
    runs
        The runs with their values; None for a posterior alone.
    features
        Tables of features of the instances; empty if there are none.
    features_given
        Whether the user named features, and not only the runs brought some along. The page then says why it shows none.
    """

    posterior: Posterior
    candidates: tuple[str, ...]
    algorithms: tuple[str, ...]
    dominated: tuple[Dominated, ...]
    confidence: float
    elimination: Elimination
    unit: str
    environment: Mapping[str, str]
    result: RaceResult | None
    live: float | None
    groups: Mapping[str, Posterior | GroupPosterior] = field(default_factory=dict)
    group_remarks: tuple[str, ...] = ()
    optimum: float | None = None
    advice: Advice = field(default_factory=Advice)
    given_summary: Summary | None = None
    runs: RunCollection | None = None
    features: tuple[FeatureTable, ...] = ()
    features_given: bool = False

    @classmethod
    def of_race(
        cls,
        result: RaceResult,
        *,
        environment: Mapping[str, str],
        live: float | None,
        optimum: float | None = None,
        advice: Advice | None = None,
        features: FeatureSource | Sequence[FeatureTable] | None = None,
        groups: Mapping[str, Posterior | GroupPosterior] | None = None,
        group_remarks: Sequence[str] = (),
    ) -> Self:
        """Return the subject of a page about a race."""
        posterior, settings = result.posterior, result.state.settings
        return cls(
            posterior=posterior,
            candidates=tuple(name for name in result.pareto_set if name in posterior.names),
            algorithms=tuple(result.state.names),
            dominated=(),
            confidence=settings.confidence,
            elimination=settings.elimination,
            unit=settings.clock,
            environment=environment,
            result=result,
            live=live,
            optimum=optimum,
            groups=groups or {},
            group_remarks=tuple(group_remarks),
            advice=advice or Advice("race"),
            runs=collect_runs(result, posterior=posterior) if len(posterior.names) > 1 else None,
            features=(*((features_of(result),) if result.state.features else ()), *_tables_of(features)),
            features_given=features is not None,
        )

    @classmethod
    def of_posterior(
        cls,
        posterior: Posterior,
        *,
        environment: Mapping[str, str],
        confidence: float = 0.95,
        elimination: Elimination = "pointwise",
        unit: str = "",
        groups: Mapping[str, Posterior | GroupPosterior] | None = None,
        group_remarks: Sequence[str] = (),
        advice: Advice | None = None,
        summary: Summary | None = None,
        runs: Source | None = None,
        features: FeatureSource | Sequence[FeatureTable] | None = None,
        own_features: Sequence[FeatureTable] = (),
    ) -> Self:
        """Return the subject of a page about a posterior without a race; its eliminations follow from the posterior.

        Imported runs bring features along. Collected runs do not, so that `own_features` are those of the import.
        """
        if features is not None and runs is None:
            raise ValueError(
                "expected runs with features, got a posterior alone, which holds no instances; pass the runs that it was "
                "fitted to as runs="
            )
        own = (features_of(runs),) if isinstance(runs, Imported) else tuple(own_features)
        eliminated = dominated(posterior, confidence=confidence, elimination=elimination)
        eliminated_names = {each.name for each in eliminated}
        candidates = tuple(name for name in posterior.names if name not in eliminated_names)
        return cls(
            posterior=posterior,
            candidates=candidates,
            algorithms=posterior.names,
            dominated=eliminated,
            confidence=confidence,
            elimination=elimination,
            unit=unit,
            environment=environment,
            result=None,
            live=None,
            groups=groups or {},
            group_remarks=tuple(group_remarks),
            advice=advice or Advice(),
            given_summary=summary,
            runs=None if runs is None else collect_runs(runs, grid=posterior.grid, unit=unit),
            features=(*own, *_tables_of(features)),
            features_given=features is not None,
        )

    @cached_property
    def summary(self) -> Summary:
        """The verdict that the page states first."""
        if self.result is not None:
            return self.result.summary(self.advice.file)
        if self.given_summary is not None:
            return self.given_summary
        return collect(
            self.posterior,
            candidates=self.candidates,
            decisions=self.dominated,
            cycles=cycles(self.posterior, confidence=self.confidence, elimination=self.elimination),
            check=None,
            unit=self.unit,
            advice=self.advice,
            remarks=(),
            effort=data_of(self.posterior),
        )

    @property
    def settled(self) -> bool:
        """Whether no further data will come: the race is finished, or there is none."""
        return self.result is None or self.result.finished

    @cached_property
    def leaders(self) -> DecisionBands:
        """The leaders over the budgets, among the candidates."""
        return DecisionBands.of(self.posterior, among=self.candidates)

    @cached_property
    def explorer_draws(self) -> dict[str, Any]:
        """The draws that the page holds for the explorer.

        Portfolios may have members that are dominated, as in `select`; a race has too few runs of those that it eliminated.
        """
        return pack_draws(self.posterior, self.candidates, members=self.candidates_in_groups)

    @property
    def candidates_in_groups(self) -> tuple[str, ...]:
        """The algorithms that may be the best choice in some group of instances, as for `explain`.

        In recorded runs these are all: one that is beaten on all instances together may lead in a group. A race has too few
        runs of those that it eliminated.
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
        """Return the training set of all algorithms or, if some ran on too few instances, of those not eliminated."""
        try:
            return make_training_set(runs, self.features, preference=None, among=self.candidates_in_groups)
        except TooFewRunsError:
            if not 2 <= len(self.candidates) < len(self.candidates_in_groups):
                raise
        training = make_training_set(runs, self.features, preference=None, among=self.candidates)
        text = "The algorithms did not all run on enough of the same instances; this section compares those not eliminated."
        return replace(training, remarks=(Remark("provisional", text), *training.remarks))


def _tables_of(features: FeatureSource | Sequence[FeatureTable] | None) -> tuple[FeatureTable, ...]:
    if features is None:
        return ()
    if isinstance(features, list | tuple) and all(isinstance(each, FeatureTable) for each in features):
        return tuple(features)
    return (read_features(features),)
