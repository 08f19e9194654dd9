"""Convert irace's parameters to a ConfigSpace, so that `design` can search them.

Categories stay texts, as irace passes them on. Conditions become ConfigSpace's: comparisons joined by & and |. A comparison
of a categorical or ordinal parameter is the set of its values for which the comparison holds.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.designing.parameter_space import ParameterSpace
from polarbear.irace.conditions import Comparison, Joined
from polarbear.irace.parameters import Parameter, read_global_digits, read_parameters
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from os import PathLike

    from polarbear.algorithms.record_run import Algorithm
    from polarbear.irace.conditions import Condition

DIGITS = 4  # decimal places of real parameters, irace's own default
_SIGNS = {"<": "<", ">": ">", "<=": "<=", ">=": ">=", "==": "=", "!=": "<>", "%in%": ""}  # any of these must hold


def read_irace_parameters(
    path: str | PathLike[str], build: Callable[..., Algorithm], *, sampled: int = 2, mutated: int = 4
) -> ParameterSpace:
    """Read irace's `parameters.txt` as a parameter space for `design`; nothing in it is evaluated.

    Needs ConfigSpace: `pip install 'polarbear-anytime[design]'`.

    Parameters
    ----------
    path
        The file. It may have real, integer, categorical and ordinal parameters, logarithmic scales, conditions that
        compare parameters with constants, and `digits` in a section `[global]`.
    build, sampled, mutated
        See `ParameterSpace`. Values of categorical and ordinal parameters are texts.

    Returns
    -------
    ParameterSpace

    Raises
    ------
    ValueError
        A line is not understood or not supported; the message names it.
    """
    file = Path(path)
    digits = read_global_digits(file)
    decimals = DIGITS if digits is None else digits
    space = config_space(read_parameters(file), file.name, decimals)
    return ParameterSpace(space, build, sampled, mutated, decimals)


def config_space(parameters: Sequence[Parameter], source: str, decimals: int) -> Any:
    """Return parameters as a `ConfigSpace.ConfigurationSpace`; `source` names their file in messages."""
    try:
        from ConfigSpace import ConfigurationSpace
    except ImportError:
        raise ImportError("expected ConfigSpace, got none; pip install 'polarbear-anytime[design]'") from None

    space, known = ConfigurationSpace(), {each.name: each for each in parameters}
    for each in parameters:
        with _naming_the_line(source, each):
            space.add(_hyperparameter(each, decimals))
    for each in parameters:
        if each.condition is not None:
            with _naming_the_line(source, each):
                space.add(_convert(each.condition, space[each.name], space, known))
    return space


@contextmanager
def _naming_the_line(source: str, parameter: Parameter) -> Iterator[None]:
    """Convert errors of the block, also those of ConfigSpace, to an error that names the line of a parameter."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise ValueError(f"{source}, line {parameter.line}: {error}") from None


def _hyperparameter(parameter: Parameter, decimals: int) -> Any:
    from ConfigSpace import Categorical, Float, Integer, OrdinalHyperparameter

    name, domain, log = parameter.name, parameter.domain, parameter.log
    if parameter.kind == "c":
        return Categorical(name, list(domain))
    if parameter.kind == "o":
        return OrdinalHyperparameter(name, list(domain))
    lower, upper = (round(float(each), decimals) for each in domain)  # as irace does
    places = with_noun(decimals, "decimal place")
    if not lower < upper:
        raise ValueError(
            f"expected the lower bound of {name} below the upper one with {places}, got ({lower:g}, "
            f"{upper:g}); change the domain or digits"
        )
    if log and lower <= 0:
        raise ValueError(
            f"expected a domain of {name} above zero, as its scale is logarithmic, got ({lower:g}, {upper:g}) with "
            f"{places}; change the domain or digits"
        )
    if parameter.kind == "r":
        return Float(name, (lower, upper), log=log)
    return Integer(name, (int(lower), int(upper)), log=log)


def _convert(condition: Condition, child: Any, space: Any, known: Mapping[str, Parameter]) -> Any:
    """Return a condition of a child as one of ConfigSpace."""
    from ConfigSpace import AndConjunction, InCondition, OrConjunction

    if isinstance(condition, Joined):
        sides = [_convert(each, child, space, known) for each in (condition.left, condition.right)]
        return (AndConjunction if condition.sign == "&" else OrConjunction)(*sides)
    if not isinstance(condition, Comparison):
        raise ValueError("expected a condition of comparisons joined by & and |, got one with !; write it without")
    parent = known[condition.name]
    if parent.kind in ("i", "r"):
        return _compare_number(condition, child, space[parent.name], parent.kind)
    holding = [value for value in parent.domain if condition({parent.name: value})]
    if not holding:
        raise ValueError(f"expected a condition that some value of {parent.name} fulfils, got one that none does")
    return InCondition(child, space[parent.name], holding)


def _compare_number(condition: Comparison, child: Any, parent: Any, kind: str) -> Any:
    """Return the comparison of a number as a condition of ConfigSpace, which has only <, > and equality."""
    from ConfigSpace import EqualsCondition, GreaterThanCondition, InCondition, LessThanCondition, OrConjunction

    signs, constants = _SIGNS[condition.sign], []
    for each in condition.constants:
        if not isinstance(each, float):
            raise ValueError(f"expected {parent.name} to be compared with numbers, got {each!r}; write a number")
        if kind == "i" and not each.is_integer():
            if "<" not in condition.sign and ">" not in condition.sign:
                raise ValueError(
                    f"expected {parent.name} to be compared with whole numbers, got {each!r}; write a whole number"
                )
            signs = condition.sign[0]  # a whole number is below 2.5 if it is below 3, and above it if it is above 2
            each = math.ceil(each) if signs == "<" else math.floor(each)
        constants.append(int(each) if kind == "i" else each)
    parts = {"<": LessThanCondition, ">": GreaterThanCondition, "=": EqualsCondition}
    if condition.sign == "%in%":
        return InCondition(child, parent, constants)
    made = [parts[sign](child, parent, constants[0]) for sign in signs]
    return made[0] if len(made) == 1 else OrConjunction(*made)
