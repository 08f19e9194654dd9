"""The options of one import, as the readers of all formats need them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from polarbear.importers.objectives import Objectives
from polarbear.importers.part import Part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polarbear.importers.presets import Preset
    from polarbear.literals import EndedRule, FileFormat


@dataclass(frozen=True)
class Request:
    """The checked options of `read_runs`.

    Parameters
    ----------
    format
        The only format to read; None reads all.
    columns
        Mapping from IOHprofiler's column names to those of the data. None for "algorithm_name" takes the name of the
        file as that of the algorithm.
    maximise
        The direction that the user set; None takes it from the data.
    seconds
        Whether budgets are wall-clock seconds rather than evaluations.
    cluster
        The fields or columns that define clusters: None for the automatic rule, () for no clusters.
    part
        The part of the runs to return.
    repeated
        Whether tables without a run_id hold several runs of an algorithm on an instance; None refuses those that may.
    keep
        Further fields or columns whose values are kept, to split the runs by later.
    ended
        Whether runs keep their value after their end ("stays"), are unknown afterwards ("censored"), or do as the rules
        of their format say ("auto").
    objectives
        The objectives, and the indicator that replaces several ones.
    preset
        The preset, whose other options have been merged into the ones above; None if there is none.
    """

    format: FileFormat | None = None
    columns: Mapping[str, str | None] = field(default_factory=dict)
    maximise: bool | None = None
    seconds: bool = False
    cluster: tuple[str, ...] | None = None
    part: Part = field(default_factory=Part)
    keep: tuple[str, ...] = ()
    repeated: bool | None = None
    ended: EndedRule = "auto"
    objectives: Objectives = field(default_factory=Objectives)
    preset: Preset | None = None

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns whose values are kept for each run, if tables have them."""
        return tuple(dict.fromkeys([*(self.cluster or ()), *self.part.fields, *self.keep]))

    def accepts(self, format: FileFormat) -> bool:  # noqa: A002  (the public word for it)
        """Return whether data of this format are to be read."""
        return self.format in (None, format)

    def direction(self, stated: bool | None) -> bool | None:
        """Return whether to maximise: as the user set it, or else as the data state it."""
        return stated if self.maximise is None else self.maximise

    def finished(self, by_format: bool) -> bool:
        """Return whether a run finished: as the user set it, or else by the rules of its format."""
        return by_format if self.ended == "auto" else self.ended == "stays"
