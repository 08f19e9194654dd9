"""Remarks on the data and the computation behind a posterior."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.selection.observed_times import thin_data_sentence, unobserved_sentence
from polarbear.verdict.remark import Remark

if TYPE_CHECKING:
    from polarbear.posterior.posterior import Posterior

_FEW_INSTANCES = 8  # below this number, intervals depend on the pseudo-instances as much as on the data


def data_remarks(posterior: Posterior, *, by_design: bool) -> list[Remark]:
    """Return remarks on an unreliable computation, on few data, and on budgets without data.

    `by_design` says that few data at some budgets are intended, as in a race, which ends runs once they decide nothing.
    """
    remarks = []
    diagnostics = posterior.diagnostics
    if not diagnostics.reliable:
        remarks.append(Remark("do not rely on it", f"The posterior is not reliable: {diagnostics.message}"))
    number = _independent_units(posterior)
    if number == 1:
        remarks.append(
            Remark(
                "do not rely on it",
                f"The answer generalises {posterior.scope}: a single one shows nothing about others.",
            )
        )
    elif number < _FEW_INSTANCES:
        remarks.append(Remark("provisional", f"Few data: the answer generalises {posterior.scope}."))
    if not by_design and (sentence := thin_data_sentence(posterior)):
        remarks.append(Remark("provisional", sentence))
    if sentence := unobserved_sentence(posterior):
        remarks.append(Remark("provisional", f"{sentence} Nothing is claimed about them there."))
    return remarks


def _independent_units(posterior: Posterior) -> int:
    """Return the number of instances, or of clusters if the answer generalises to new ones."""
    outcomes = posterior.outcomes
    return posterior.instances if outcomes is None else round(float(outcomes.sizes[: outcomes.observed].sum()))
