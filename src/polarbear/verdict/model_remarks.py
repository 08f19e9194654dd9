"""Remarks on what the model check found: where Plackett-Luce fails, and what follows for eliminations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.verdict.remark import Remark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.checks.findings import Influence, Misfit, PairCheck
    from polarbear.checks.model_check import ModelCheck
    from polarbear.posterior.posterior import Posterior
    from polarbear.verdict.advice import Advice

_DEPENDENT = 0.5  # share of the budgets below which they are not nearly independent


def model_remarks(check: ModelCheck, pair_checks: Sequence[PairCheck], advice: Advice) -> list[Remark]:
    """Return remarks on the model and on each doubtful elimination; none if the model holds.

    Parameters
    ----------
    check
        The model check.
    pair_checks
        The eliminations checked against the outcomes of their pair alone; see `ModelCheck.check_eliminations`.
    advice
        The commands that settle them.
    """
    doubtful = bool(check.misfits or check.influences)
    remarks = [
        Remark(
            "do not rely on it",
            f"The outcomes of these two alone contradict an elimination: {each.sentence}.",
            advice.examine_elimination(each.by, each.name),
        )
        for each in pair_checks
        if each.contradicted
    ]
    remarks += [
        Remark(
            "provisional",
            f"The model supports an elimination, the outcomes of these two alone do not: {each.sentence}.",
            # Under a model that eliminates it, a readmitted algorithm would be eliminated again.
            advice.use_bootstrap(),
        )
        for each in pair_checks
        if each.unsupported
    ]
    if doubtful:
        remarks.append(_model_remark(check.misfits, check.influences, advice.use_bootstrap()))
    return remarks


def independence_remarks(posterior: Posterior, check: ModelCheck, advice: Advice) -> list[Remark]:
    """Return a remark if the prior counts correlated rankings of one instance at several times as independent."""
    times = len(posterior.grid)
    if posterior.beliefs is not None or check.independent_times > _DEPENDENT * times:
        return []
    text = (
        f"The prior {posterior.prior} counts the rankings of an instance at {times} budgets as independent. They resemble "
        f"each other, as if there were only {check.independent_times:.2g}, so that probabilities are too close to 0 and 1."
    )
    return [Remark("provisional", text, advice.use_bootstrap())]


def _model_remark(misfits: Sequence[Misfit], influences: Sequence[Influence], command: str) -> Remark:
    sentences = []
    if misfits:
        more = len(misfits) - 1
        also = ("", "; one more pair contradicts it", f"; {more} more pairs contradict it")[min(more, 2)]
        sentences.append(f"Rankings contradict the model (Plackett-Luce): {misfits[0].sentence}{also}.")
    if influences:
        most, *others = influences
        also = f"; leaving out {' or '.join(each.name for each in others)} changes win rates too" if others else ""
        sentences.append(
            "A pair's win rate depends on a third algorithm, which the model (Plackett-Luce) excludes: "
            f"{most.sentence}{also}."
        )
    return Remark("provisional", " ".join(sentences), command)
