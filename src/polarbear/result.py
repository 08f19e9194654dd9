"""The result of a race, of recorded runs, or of a saved posterior: one class for all of them.

`str(result)` is the answer on one screen, and `result.details()` the rest. Every question about budgets, pairs and values is
a method. Nothing is run.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from polarbear.analysis import replay
from polarbear.answer import Answer, find_answer, find_ranges
from polarbear.answer.doubts import find_doubts
from polarbear.answer.worst_case import WorstCase, exposures, simplest_set
from polarbear.exports.json_types import to_json_types
from polarbear.exports.pairwise import comparisons_by_name, pairwise_table
from polarbear.features.own_features import features_of, table_of_rows
from polarbear.findings import AddInstances, Continue, Decide, Finding, GoOnUntil, most_serious_first, trust
from polarbear.groups import Divisible, fit_by
from polarbear.magnitude.collection import collect_runs, label_instance
from polarbear.observe import Choices
from polarbear.observe.scope import count_instances, unit_noun
from polarbear.posterior.elimination import Drop, cycles, dominated
from polarbear.race.findings import before_first_round, race_findings
from polarbear.race.outcome import ranking_rules
from polarbear.race.serialisation import outcome_to_dict
from polarbear.race.tables import recorded_runs_table, rounds_table, runs_table
from polarbear.saved_result import SavedRuns, encode_runs
from polarbear.selection import At, Uniform, WinRateAgainst, decision_map, select
from polarbear.selection.candidates import merge_same
from polarbear.selection.query import as_criterion, as_preference, as_risk
from polarbear.show.answer import Facts, Words, word_answer, word_groups, word_nothing, word_running
from polarbear.show.details import finding_lines, word_details, word_notes
from polarbear.show.environment import wrap
from polarbear.show.remedies import Python, Shell
from polarbear.show.selection import Choice
from polarbear.table import as_frame
from polarbear.wording import find_names, format_percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike
    from pathlib import Path

    from matplotlib.figure import Figure

    from polarbear.analysis import Replay
    from polarbear.baselines import AoccComparison
    from polarbear.checks.model_check import ModelCheck
    from polarbear.features.explanation import Explanation
    from polarbear.features.policy import Policy
    from polarbear.features.table import FeatureTable
    from polarbear.findings import Remedy, Trust
    from polarbear.groups import Groups
    from polarbear.importers import Imported
    from polarbear.literals import Dominance, FrameLibrary
    from polarbear.magnitude.collection import RunCollection
    from polarbear.magnitude.speed_up import SpeedUp
    from polarbear.observe import Grid, Trajectory
    from polarbear.plots.registry import FigureName
    from polarbear.posterior.all_relations import Relations
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.instance_features import Features
    from polarbear.race.outcome import RaceOutcome
    from polarbear.selection import Criterion, DecisionMap, Preference, Risk
    from polarbear.selection.query import BudgetQuery
    from polarbear.show.remedies import Source
    from polarbear.table import Table

_FEW = 30  # algorithms, up to which JSON has all pairs, and not only those of kept algorithms

What = Literal["ranges", "probabilities", "pairs", "runs", "rounds", "drops"]


@dataclass(frozen=True, eq=False)
class Result:
    """What is known about some algorithms: which is best at which budget, how sure that is, and how much it matters.

    `Race.run`, `analyse` and `load` return it. Print it for the answer.

    Attributes
    ----------
    fitted
        The posterior; None before the first round of a race has ended, and `posterior` then raises an error.
    kept
        The algorithms that are not dropped: for each of them, there may be a budget at which it is the best choice.
    dropped
        The dropped algorithms by name.
    clock, maximise
        The unit of budgets, empty if it is not known; and whether higher values are better, None if that is not known.
    margin
        Win rates within this distance of one half are equal.
    runs
        The runs behind the posterior; empty if they are not known.
    race
        The rounds, costs and runs of a race; None for recorded runs and saved posteriors.
    imported, rules
        For recorded runs: the import that the runs come from, and how values are compared.
    features
        The features of the instances of a race, by index.
    noticed
        What was noticed when the runs were read; part of `findings`.
    path, reading, origin
        The file, and the options with which `show` read it, as typed in a shell; for a saved result, the file and the
        options with which its runs were read.
    raced
        Whether the runs are those of a race, also in a saved result, in which dropped algorithms ran on fewer instances.
    continues, only, writer, listed
        Whether commands can continue the race; the algorithms to which the race was confined; the process that runs the
        race now, if any; and the instances that its configuration lists.
    """

    fitted: Posterior | None
    kept: tuple[str, ...]
    dropped: Mapping[str, Drop]
    clock: str = ""
    maximise: bool | None = None
    margin: float = 0.05
    confidence: float = 0.95
    dominance: Dominance = "pointwise"
    runs: tuple[Trajectory, ...] = ()
    race: RaceOutcome | None = None
    imported: Imported | None = None
    noticed: tuple[Finding, ...] = ()
    rules: Mapping[str, Any] = field(default_factory=dict)
    features: Mapping[int, Features] = field(default_factory=dict)
    path: str = ""
    reading: str = ""
    origin: str = ""
    raced: bool = False
    continues: bool = False
    only: tuple[str, ...] = ()
    writer: str = ""
    listed: tuple[str, ...] = ()

    # What it says

    def __str__(self) -> str:
        return str(self.words())

    def __repr__(self) -> str:
        return f"Result({', '.join(self.kept)} of {len(self.candidates)} algorithms, {self.instances} instances)"

    def _repr_html_(self) -> str:
        return self.words().to_html()

    def words(self, *, shell: bool = False) -> Words:
        """Return the answer in words; next steps are commands for the `shell`, or calls in Python."""
        voice = self.voice(shell=shell)
        if self.fitted is None:
            return word_nothing(self.findings, voice, self.writer)
        running = "" if not self.writer or self.race is None else word_running(len(self.race.rounds), self.writer)
        return word_answer(
            self.answer,
            self._facts,
            dropped={each.name: each.by for each in self.dropped.values() if each.by},
            findings=self.findings,
            voice=voice,
            remedy=None if running else self._remedy_of_next_step(),
            running=running,
        )

    def _remedy_of_next_step(self) -> Remedy | None:
        """Return how to take the next step of the answer; None where nothing can run."""
        step, race = self.answer.step, self.race
        if step is None or race is None:
            return None
        if race.stopped == "instances ran out":
            return AddInstances(repeat=race.state.clusters is None)
        # The limit at which the race stopped would stop it again.
        limit = self.instances + step.instances if race.stopped == "max_instances" else None
        if step.contenders == 2:
            return Decide(*step.pair, limit)
        # To decide one pair would leave the other contenders behind.
        return GoOnUntil("pairs") if race.stopped == "no drop likely" else Continue(limit)

    def details(self, *, shell: bool = False) -> str:
        """Return what the answer leaves out: probabilities, changes, drops, pairs, the course of a race, all findings."""
        if self.fitted is None:
            return word_notes(self.findings, self.voice(shell=shell))
        return word_details(
            self.answer,
            self.map(),
            self.posterior,
            drops=tuple(self.dropped.values()),
            race=self.race,
            dominance=self.dominance,
            clock=self.clock,
            findings=self.findings,
            voice=self.voice(shell=shell),
        )

    @property
    def posterior(self) -> Posterior:
        """The posterior of all algorithms, including the dropped ones."""
        if self.fitted is None:
            voice = self.voice(shell=bool(self.path))
            step = f"it is running in {self.writer}" if self.writer else f"continue it with: {voice.say(Continue())}"
            raise ValueError(f"expected a race with at least one round, got one in which no round has ended; {step}")
        return self.fitted

    @cached_property
    def answer(self) -> Answer:
        """The answer as numbers and names."""
        return find_answer(self.posterior, self._known, margin=self.margin, runs=self.collection)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What was noticed about the data, the posterior and the race, the most serious first."""
        if self.fitted is None:
            return most_serious_first([] if self.race is None else before_first_round(self.race))
        found = find_doubts(
            self.posterior,
            decisions=[each for each in self.dropped.values() if each.by],
            circles=self.circles,
            check=self.check,
            same=merge_same(self.posterior, self._known)[1],
            is_race=self.race is not None,
        )
        found += [] if self.race is None else race_findings(self.race, self.only)
        return most_serious_first([*found, *self.noticed])

    @property
    def trust(self) -> Trust:
        """How far the answer can be trusted: "firm", "tentative" or "unreliable"."""
        return trust(self.findings)

    @property
    def source(self) -> Source:
        """Where the posterior comes from: "race", "runs" or "posterior"."""
        return "race" if self.race is not None else "runs" if self.runs else "posterior"

    @property
    def status(self) -> str:
        """Why a race stopped, "finished", or "running"; "recorded" for recorded runs, and "saved" for a saved posterior."""
        if self.race is None:
            return "recorded" if self.runs else "saved"
        if self.writer:
            return "running"
        return "finished" if self.race.finished else self.race.stopped

    @property
    def candidates(self) -> tuple[str, ...]:
        """All algorithms that are judged; those that you dropped are not."""
        by_user = {each.name for each in self.dropped.values() if not each.by}
        names = self.race.state.names if self.race is not None else self.posterior.names
        return tuple(name for name in names if name not in by_user)

    @property
    def instances(self) -> int:
        """The number of instances behind the posterior."""
        return 0 if self.fitted is None else self.fitted.instances

    @cached_property
    def circles(self) -> tuple[tuple[str, ...], ...]:
        """The groups of kept algorithms that beat each other in a circle at every budget."""
        if self.race is not None:
            return self.race.cycles
        return cycles(self.posterior, confidence=self.confidence, dominance=self.dominance)

    @cached_property
    def check(self) -> ModelCheck | None:
        """The check of the posterior against the outcomes of each pair; None if the runs are not known."""
        if self.race is not None:
            return self.race.check
        if not self.runs:
            return None
        from polarbear.checks.model_check import model_check  # imports inference, which only the check needs

        names = self.posterior.names
        return model_check(self.posterior, choices_of(self.runs, self.posterior.grid, self.rules, names))

    @cached_property
    def collection(self) -> RunCollection | None:
        """The runs with their values and weights, for what depends on values; None if they are not known."""
        if self.race is not None:
            return collect_runs(self.race, posterior=self.posterior)
        if not self.runs:
            return None
        # The posterior of a group also has weights of the instances of other groups.
        is_group = self.posterior.beliefs is not None and self.posterior.beliefs.others is not None
        given: dict[str, Any] = {"grid": self.posterior.grid} if is_group else {"posterior": self.posterior}
        return collect_runs(self.runs, **given, unit=self.clock, **self.rules)

    def voice(self, *, shell: bool = False) -> Shell | Python:
        """Return how remedies are worded: as commands for the `shell`, or as calls in Python."""
        return (
            Shell(self.source, self.path, self.reading, self.continues, self.origin) if shell else Python(self.source)
        )

    @property
    def _facts(self) -> Facts:
        budgets = self.posterior.grid.budgets
        beliefs = self.posterior.beliefs
        clusters = None
        if self.race is not None:
            clusters = self.race.state.clusters
        elif beliefs is not None:
            clusters = beliefs.sample.rankings.clusters
        tolerance = self.rules.get("absolute_tolerance", 0.0)
        return Facts(
            instances=count_instances(self.posterior.instances, clusters),
            unit=unit_noun(clusters),
            start=float(budgets[0]),
            stop=float(budgets[-1]),
            clock=self.clock,
            direction="" if self.maximise is None else "higher" if self.maximise else "lower",
            tolerance=f"{tolerance:g}" if tolerance else "",
            trust=self.trust,
        )

    # What can be asked

    def select(
        self,
        budget: BudgetQuery = None,
        *,
        machines: int = 1,
        risk: str | Risk | None = None,
        criterion: str | Criterion | None = None,
        only: Sequence[str] | None = None,
        distinct: bool = False,
    ) -> Choice:
        """Return what to deploy for a budget.

        Parameters
        ----------
        budget
            A number; a range such as (100, 1000) or "100..1000"; "uniform" (the default: every budget of the grid is equally
            likely), "log-uniform" or "final"; a file with one budget per line; or a preference such as `LogUniform()`.
        machines
            How many algorithms run side by side. The best result counts.
        risk
            "best" (the most probable best choice), "expected", "loss", "quantile:0.1", or a risk attitude.
        criterion
            "rival" (the win rate against the strongest rival), "first", "mean-rank", "top:3", "against:NAME", or a
            criterion.
        only
            The algorithms to choose from; by default the kept ones, and all of recorded runs for several machines.
        distinct
            Whether every machine runs another algorithm, even if repeated runs measure copies.
        """
        subject, preference = self.posterior, as_preference(budget)
        wanted = as_criterion(criterion)
        if isinstance(wanted, WinRateAgainst):
            (baseline,) = find_names("the criterion against", [wanted.baseline], subject.names)
            wanted = WinRateAgainst(baseline)
        if only is not None:
            among: Sequence[str] | None = find_names("only", only, subject.names)
        else:
            among = self._known if machines == 1 or self.raced else None
        found = select(
            subject, preference, as_risk(risk), among=among, portfolio=machines, criterion=wanted, copies=not distinct
        )
        plain = machines == 1 and risk is None and criterion is None and only is None
        return Choice.of(found, self._range_of(preference) if plain else None)

    def _range_of(self, preference: Preference | None) -> tuple[str, float, float] | None:
        """Return the algorithm that the answer names for the range of a budget, and the ends of the range; None if none."""
        if not isinstance(preference, At):
            return None
        for each in find_ranges(self.posterior, self._known, margin=self.margin, runs=self.collection):
            if each.kind == "best" and each.start <= preference.budget <= each.stop:
                return each.names[0], each.start, each.stop
        return None

    @property
    def _known(self) -> tuple[str, ...]:
        """The kept algorithms that have run."""
        return tuple(name for name in self.kept if name in self.posterior.names)

    def policy(self, *features: FeatureTable, budget: BudgetQuery = None, risk: str | Risk | None = None) -> Policy:
        """Return which algorithm to run for an instance with given features; see `polarbear.policy`.

        Tables of features add to those that the runs bring along.
        """
        from polarbear.features.policy_fit import policy_for_query

        source, tables = self._source_of_features(features)
        return policy_for_query(source, tables, as_preference(budget) or Uniform(), as_risk(risk))

    def map(self) -> DecisionMap:
        """Return the best choice at each budget of the grid, with probabilities and changes."""
        return decision_map(self.posterior, among=self._known)

    def pairs(self) -> Relations:
        """Return win rates of all pairs at all budgets, and how sure it is that one beats the other or both are equal."""
        from polarbear.posterior.all_relations import relations

        return relations(self.posterior, margin=self.margin)

    def simplest(self, tolerance: float = 0.1) -> WorstCase:
        """Return the smallest set of algorithms against which no rival wins on more than 50 % + `tolerance` of instances.

        All others may be deleted at this cost. If no set is shown to suffice, it is the algorithm that `select` names, and
        `suffices` is False.
        """
        if not 0 <= tolerance < 0.5:
            raise ValueError(f"expected a tolerance from 0 to below 0.5, got {tolerance!r}; use a share such as 0.1")
        found = exposures(self.posterior, self.answer.names)
        single = self.answer.single
        return simplest_set(found, self.answer.names[0] if single is None else single.names[0], tolerance=tolerance)

    def speed_up(self, first: str, second: str, at: float | None = None) -> SpeedUp:
        """Return what `first` needs of the budget of `second` for the same quality."""
        from polarbear.magnitude.speed_up import speed_up

        if self.collection is None:
            raise ValueError("expected runs for a speed-up, got a saved posterior, which holds none; load the runs")
        return speed_up(self.collection, first, second, at=at)

    def split(self, feature: str, features: FeatureTable | None = None) -> Split:
        """Return the answer for each group of instances by a feature.

        Parameters
        ----------
        feature
            A field or column of the runs, a feature that a race stores, or a column of the table.
        features
            A table of features; see `read_features`.
        """
        groups = fit_by(self._divisible(), feature, self.posterior, table=features)
        rule: dict[str, Any] = {"confidence": self.confidence, "dominance": self.dominance}
        results = {}
        for name, group in groups.posteriors.items():
            drops = {each.name: each for each in dominated(group.posterior, **rule)}
            results[name] = (
                self
                if group.is_too_small
                else replace(
                    self,
                    fitted=group.posterior,
                    kept=tuple(each for each in group.posterior.names if each not in drops),
                    dropped=drops,
                    runs=tuple(groups.parts[name].runs),
                    rules=groups.parts[name].rules,
                    race=None,
                )
            )
        return Split(self, groups, results)

    def _divisible(self) -> Divisible:
        if not self.runs:
            raise ValueError(
                "expected a race or recorded runs to split, got a saved posterior, which holds no instances; analyse the "
                "runs"
            )
        return Divisible(self.runs, self.rules, self.imported, self.features)

    def as_race(self, *, guarantee: float | None = None, seed: int = 0, **inference: Any) -> Replay:
        """Return what a race would have kept and saved on the recorded runs; for `inference`, see `fit`."""
        if not self.runs:
            raise ValueError(
                "expected recorded runs to replay as a race, got a saved posterior, which holds none; load them"
            )
        clock: Any = self.clock if self.clock in ("evaluations", "seconds") else "evaluations"
        return replay(
            self.runs,
            self.posterior.grid,
            clock=clock,
            guarantee=guarantee,
            seed=seed,
            margin=self.margin,
            confidence=self.confidence,
            dominance=self.dominance,
            **self.rules,
            **inference,
        )

    def compare_with_aocc(self, optimum: float = 0.0) -> AoccComparison:
        """Return which algorithm the area over the convergence curve would have chosen, for a known optimum."""
        from polarbear.baselines import compare_with_aocc

        return compare_with_aocc(self.runs, self.posterior, among=self.answer.names, optimum=optimum)

    def explain(
        self,
        *features: FeatureTable,
        budget: BudgetQuery = None,
        only: Sequence[str] | None = None,
        depth: int = 2,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> Explanation:
        """Return the features of instances that call for another algorithm; see `polarbear.explain`.

        Tables of features add to those that the runs bring along. For budgets, see `select`; by default all budgets count
        equally on the axis of the grid.
        """
        from polarbear.features.explanation import explain

        source, tables = self._source_of_features(features)
        among = (
            find_names("only", only, self.posterior.names) if only is not None else self._known if self.raced else None
        )
        options: dict[str, Any] = {"depth": depth, "confidence": confidence, "seed": seed}
        return explain(source, tables, preference=as_preference(budget), among=among, **options)

    def _source_of_features(self, features: Sequence[FeatureTable]) -> tuple[Any, list[FeatureTable] | None]:
        """Return the runs with the features that they bring along, and these tables."""
        self._divisible()  # raises an error without runs
        if self.race is not None:
            return self.race, list(features) or None
        return self.collection, self._tables(features)

    def _tables(self, features: Sequence[FeatureTable]) -> list[FeatureTable]:
        """Return the features that the runs bring along, and these tables."""
        own = [features_of(self.imported)] if self.imported is not None else []
        own += [table_of_rows(list(self.features), list(self.features.values()))] if self.features else []
        return [*own, *features]

    def plot(
        self,
        figure: FigureName,
        *pair: str,
        budget: BudgetQuery = None,
        only: Sequence[str] | None = None,
        features: Sequence[FeatureTable] = (),
        **style: Any,
    ) -> Figure:
        """Return a figure by its name, such as "decision-map", "quality" or "pair"; see `polarbear.plots.draw_figure`.

        Parameters
        ----------
        figure, pair
            The figure, and the two algorithms of a figure of a pair.
        budget, only
            The budgets and the algorithms that it shows, see `select`.
        features
            Tables of features, for the figure "tree".
        **style
            Options of the figure, such as axis="log" or width=5.
        """
        from polarbear.plots import draw_figure

        known = self.posterior.names
        style["pair"] = tuple(find_names("pair", pair, known)) if pair else None
        style["among"] = None if only is None else find_names("only", only, known)
        if figure == "tree":
            style |= {
                "features": self._tables(features),
                "among": style["among"] or (self._known if self.raced else None),
            }
        style |= {"preference": as_preference(budget), "unit": self.clock or None}
        return draw_figure(figure, self.posterior, self.race, runs=self.collection, **style)

    def report(
        self, path: str | PathLike[str], *, by: str | None = None, features: FeatureTable | None = None, **options: Any
    ) -> Path:
        """Write one self-contained page, and return its path; see `polarbear.report` for further options.

        With `by`, a section shows the groups of instances by this feature.
        """
        from importlib import import_module

        if by is not None:
            split = self.split(by, features)
            options["groups"] = {f"{by} {name}": each for name, each in split.groups.posteriors.items()}
            options["group_findings"] = split.groups.findings
        # The page lies above results.
        write: Callable[..., Path] = import_module("polarbear.reporting").report
        return write(self, path, features=features, **options)

    def save(self, path: str | PathLike[str], *, draws: int | None = None, force: bool = False) -> None:
        """Write the result to a file: the posterior, the runs, and how they were read and compared. `load` reads it.

        The rounds of a race stay in its race file.

        Parameters
        ----------
        path
            The file to write.
        draws
            For deployment: store at most this number of draws of ratings, to five digits, and no runs, in a file that loads
            quickly.
        force
            Whether to replace an existing file that is no saved result.
        """
        if draws is not None or not self.runs:
            self.posterior.save(path, draws=draws, force=force)
            return
        given = {each.name: getattr(self, each.name) for each in fields(SavedRuns)}
        given["dropped"] = {name: asdict(each) for name, each in self.dropped.items()}
        given["origin"] = self.origin or self.path + self.reading
        more = encode_runs(SavedRuns(**given))
        self.posterior.save(path, force=force, more=more)

    def to_table(self, what: What = "ranges") -> Table:
        """Return a part of the result as a table.

        Parameters
        ----------
        what
            "ranges": the ranges of the answer. "probabilities": each kept algorithm at each budget. "pairs": win rates of
            all pairs. "runs": the runs, one row per improvement. "rounds" and "drops": the course of a race.
        """
        match what:
            case "ranges":
                return _columns([{**asdict(each), "names": ", ".join(each.names)} for each in self.answer.ranges])
            case "probabilities":
                return self.map().to_table()
            case "pairs":
                return self.pairs().to_table()
            case "drops":
                drops = self.dropped.values()
                return {name.name: [getattr(each, name.name) for each in drops] for name in fields(Drop)}
            case "rounds" if self.race is not None:
                return rounds_table(self.race.rounds)
            case "runs" if self.race is not None:
                return runs_table(self.race.runs, clock=self.race.state.settings.clock)
            case "runs" if self.runs:
                table = recorded_runs_table(self.runs, self.clock)
                return {**table, "instance": [label_instance(each) for each in table["instance"]]}
            case "runs" | "rounds":
                known = {"race": "a race", "runs": "recorded runs", "posterior": "a saved posterior"}[self.source]
                needed = "load a race file" if what == "rounds" else "analyse the runs, or load a race file"
                raise ValueError(f"expected a result with {what}, got one of {known}, which has none; {needed}")
        raise ValueError(
            f"expected 'ranges', 'probabilities', 'pairs', 'runs', 'rounds' or 'drops', got {what!r}; choose one"
        )

    def to_frame(self, what: What = "ranges", *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(what), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer and all findings as plain values, for JSON."""
        if self.fitted is None:
            return {
                "status": self.status,
                "trust": self.trust,
                "candidates": list(self.candidates),
                "kept": list(self.kept),
                "findings": [each.to_dict() for each in self.findings],
                "race": None if self.race is None else outcome_to_dict(self.race),
            }
        return {**self._answer_to_dict(), "pairs": self._pairs_to_dict()}

    def _answer_to_dict(self) -> dict[str, Any]:
        """Return the answer and all findings as plain values, without the pairs."""
        answer = self.answer
        observed = answer.probability.any(axis=1, keepdims=True)
        probability = to_json_types(np.where(observed, answer.probability, np.nan).T.tolist())
        return {
            "status": self.status,
            "trust": self.trust,
            "candidates": list(self.candidates),
            "kept": list(self.kept),
            "dropped": {name: asdict(each) for name, each in self.dropped.items()},
            "circles": [list(each) for each in self.circles],
            "runs": len(self.runs) if self.runs else None,
            "instances": self.instances,
            "scope": None if self.posterior.scope is None else asdict(self.posterior.scope),
            "clock": self.clock,
            "maximise": self.maximise,
            "budgets": self.posterior.grid.budgets.tolist(),
            "comparisons": comparisons_by_name(self.posterior),
            "ranges": [asdict(each) for each in answer.ranges],
            "probability_best": dict(zip(answer.names, probability, strict=True)),
            "single": None if answer.single is None else asdict(answer.single),
            "team": None if answer.team is None else asdict(answer.team),
            "how_much_better": [asdict(each) for each in answer.needs],
            "best_at_no_budget": list(answer.elsewhere),
            "same": {name: list(others) for name, others in answer.same.items()},
            "next": None if answer.step is None else asdict(answer.step),
            "findings": [each.to_dict() for each in self.findings],
            "race": None if self.race is None else outcome_to_dict(self.race),
        }

    def _pairs_to_dict(self) -> dict[str, Any]:
        """Return the columns of the table of pairs: of all algorithms, or of the kept ones if there are many."""
        among = None if len(self.posterior.names) <= _FEW else self.answer.names
        pairs: dict[str, Any] = to_json_types(pairwise_table(self.posterior, margin=self.margin, among=among))
        return pairs


@dataclass(frozen=True, eq=False)
class Split:
    """The answer for each group of instances.

    Attributes
    ----------
    whole
        The result on all instances.
    groups
        The groups: their runs, posteriors, and findings.
    results
        The result of each group, by the value of the feature; the result on all instances for a group that is too small.
    """

    whole: Result
    groups: Groups
    results: Mapping[str, Result]

    @property
    def own_results(self) -> dict[str, Result]:
        """The results of the groups that are not too small."""
        return {name: each for name, each in self.results.items() if not self.groups.posteriors[name].is_too_small}

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, *, shell: bool = False) -> list[str]:
        """Return one line for each group whose answer differs from the answer for all instances, at most five.

        Findings on the groups follow; remedies are commands for the `shell`, or calls in Python.
        """
        differing = {name: each for name, each in self.results.items() if _named(each) != _named(self.whole)}
        lines = word_groups(
            self.groups.feature,
            {name: (self.groups.posteriors[name].size, each.answer.ranges) for name, each in differing.items()},
            same_as_whole=len(self.results) - len(differing),
            clock=self.whole.clock,
        )
        lines += [f"{self.groups.feature} {name}: not compared: {why}" for name, why in self.groups.failed.items()]
        voice = self.whole.voice(shell=shell)
        return [*lines, *(line for each in self.groups.findings for line in finding_lines(each, voice))]

    def to_dict(self) -> dict[str, Any]:
        """Return the groups as plain values, for JSON."""
        return {
            "by": self.groups.feature,
            "groups": {
                name: {
                    **each._answer_to_dict(),
                    "instances": self.groups.posteriors[name].instances,
                    "note": self.groups.posteriors[name].note,
                }
                for name, each in self.results.items()
            },
            "failed": dict(self.groups.failed),
            "group_findings": [each.to_dict() for each in self.groups.findings],
        }

    def select(self, budget: BudgetQuery = None, **query: Any) -> GroupChoices:
        """Return what to deploy in each group; see `Result.select`."""
        choices: dict[str, Choice | str] = {}
        for name, result in self.results.items():
            try:
                choices[name] = result.select(budget, **query)
            except ValueError as error:  # such as an algorithm that has no runs in this group
                choices[name] = str(error)
        return GroupChoices(self.groups, choices | dict(self.groups.failed))


@dataclass(frozen=True, eq=False)
class GroupChoices:
    """What to deploy in each group of instances, or why there is no choice for a group. Print it for one line per group."""

    groups: Groups
    choices: Mapping[str, Choice | str]

    def __str__(self) -> str:
        lines = []
        for name, choice in self.choices.items():
            group = self.groups.posteriors.get(name)
            size = f" ({group.size}{', as for all instances' if group.is_too_small else ''})" if group else ""
            said = choice if isinstance(choice, str) else _in_few_words(choice)
            lines.append(wrap(f"{self.groups.feature} {name}{size}: {said}", 2))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the choices as plain values, for JSON."""
        groups = {}
        for name, choice in self.choices.items():
            group = self.groups.posteriors.get(name)
            about = {"instances": group.instances if group else None, "note": group.note if group else ""}
            own = {"choice": None, "reason": choice} if isinstance(choice, str) else choice.to_dict()
            groups[name] = {**about, **own}
        return {
            "by": self.groups.feature,
            "groups": groups,
            "group_findings": [each.to_dict() for each in self.groups.findings],
        }


def _in_few_words(choice: Choice) -> str:
    return f"{choice.name}{'' if choice.is_sure else ', but unclear'} ({format_percent(choice.probability)})"


def _named(result: Result) -> list[tuple[str, tuple[str, ...]]]:
    """Return what the ranges of an answer name."""
    return [(each.kind, each.names if each.kind == "best" else ()) for each in result.answer.ranges]


def result_of_race(
    race: RaceOutcome, *, path: str = "", continues: bool = False, only: Sequence[str] = (), writer: str = ""
) -> Result:
    """Return the result of a race; see `Result` for its file, and for what commands can do with it."""
    settings = race.state.settings
    posterior = race.posterior if race.rounds else None
    drops = {each.name: each for each in race.drops}
    drops |= {name: Drop(name) for name in race.state.dropped_by_user}
    return Result(
        fitted=posterior,
        kept=race.kept,
        dropped=drops,
        clock=settings.clock,
        maximise=settings.maximise,
        margin=settings.margin,
        confidence=settings.confidence,
        dominance=settings.dominance,
        runs=tuple(run.trajectory for run in race.runs),
        race=race,
        raced=True,
        rules=ranking_rules(race),
        features=race.state.features,
        path=path,
        continues=continues,
        only=tuple(only),
        writer=writer,
    )


def choices_of(
    runs: Sequence[Trajectory], grid: Grid, rules: Mapping[str, Any], names: Sequence[str] | None = None
) -> Choices:
    """Return the rankings of recorded runs at the budgets of a grid, by the rules of comparison.

    The algorithms are those of the runs, or these names.
    """
    return Choices.from_trajectories(runs, grid=grid, names=names, per_instance=True, **rules)


def _columns(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return a table of rows with the same keys."""
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
