"""Remarks on the data and the computation behind a posterior."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.selection.observed_times import (
    few_data_sentence,
    independent_units,
    thin_data_sentence,
    unobserved_sentence,
)
from polarbear.verdict.remark import Remark

if TYPE_CHECKING:
    from polarbear.posterior.posterior import Posterior


def data_remarks(posterior: Posterior, *, by_design: bool) -> list[Remark]:
    """Return remarks on an unreliable computation, on few data, and on budgets without data.

    `by_design` says that few data at some budgets are intended, as in a race, which ends runs once they decide nothing.
    """
    remarks = []
    diagnostics = posterior.diagnostics
    if not diagnostics.reliable:
        remarks.append(Remark("do not rely on it", f"The posterior is not reliable: {diagnostics.message}"))
    if sentence := few_data_sentence(posterior):
        single = independent_units(posterior) == 1
        remarks.append(Remark("do not rely on it" if single else "provisional", sentence))
    if not by_design and (sentence := thin_data_sentence(posterior)):
        remarks.append(Remark("provisional", sentence))
    if sentence := unobserved_sentence(posterior):
        remarks.append(Remark("provisional", f"{sentence} Nothing is claimed there."))
    return remarks
