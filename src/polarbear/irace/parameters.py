"""Read the parameters of an irace scenario, `parameters.txt`: name, switch, type, domain and condition on each line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Literal

from polarbear.irace.conditions import equals, find_comparisons, read_condition

if TYPE_CHECKING:
    from pathlib import Path

    from polarbear.irace.conditions import Condition, Values

Kind = Literal["i", "r", "c", "o"]
_KINDS: dict[str, Kind] = {"i": "i", "r": "r", "c": "c", "o": "o", "i,log": "i", "r,log": "r"}
_LINE = re.compile(r'([._A-Za-z0-9]+)\s+"([^"]*)"\s+(\S+)\s+\(([^|]+)\)\s*(?:\|(.*))?$')
_WORD = re.compile(r'\s*(?:"([^"]*)"|([^,"]+?))\s*(?:,|$)')


@dataclass(frozen=True)
class Parameter:
    """A parameter of the algorithm that irace configures.

    Attributes
    ----------
    name, switch
        Its name, and the text in front of its value on the command line.
    kind
        "i" integer, "r" real, "c" categorical or "o" ordinal.
    domain
        The lower and upper bound of a number; the values of the others.
    log
        Whether irace samples it on a logarithmic scale.
    condition, condition_text
        When it is active; None if always.
    line
        The number of its line in the file.
    """

    name: str
    switch: str
    kind: Kind
    domain: tuple[str, ...] | tuple[float, float]
    log: bool = False
    condition: Condition | None = None
    condition_text: str = ""
    line: int = 0

    def is_active(self, values: Values) -> bool:
        """Return whether the parameter is active, given the values of the others: its condition must be known to hold."""
        return self.condition is None or self.condition(values) is True

    def read(self, text: str) -> str | float:
        """Return a value from its text; raise a ValueError unless it lies in the domain."""
        if self.kind in ("c", "o"):
            if text not in self.domain:
                raise ValueError(f"expected {self.name} to be one of {', '.join(map(str, self.domain))}, got {text!r}")
            return text
        lower, upper = self.domain
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not (float(lower) <= value <= float(upper)) or (self.kind == "i" and value != int(value)):
            whole = "a whole number" if self.kind == "i" else "a number"
            raise ValueError(f"expected {self.name} to be {whole} from {lower:g} to {upper:g}, got {text!r}")
        return value


def read_parameters(path: Path) -> tuple[Parameter, ...]:
    """Return the parameters in a file, in its order.

    Raises
    ------
    ValueError
        A line is not understood, for example because its domain depends on other parameters; or irace would refuse its
        domain; or its condition cannot hold.
    """
    found: dict[str, Parameter] = {}
    for number, text in read_sections(path)[""]:
        parameter = _read_line(text, path.name, number)
        if parameter.name in found:
            raise ValueError(f"{path.name}, line {number}: expected each parameter once, got {parameter.name} again")
        found[parameter.name] = parameter
    if not found:
        raise ValueError(f'expected parameters in {path}, got none; add a line such as: alpha "--alpha " r (0, 1)')
    for parameter in found.values():
        _check_condition(parameter, found, path.name)
    _check_circles(found, path.name)
    return tuple(found.values())


def read_sections(path: Path) -> dict[str, list[tuple[int, str]]]:
    """Return the lines of a file that hold something, each with its number, by section; "" is before the first one.

    Section `[global]` has `digits`, and `[forbidden]` configurations that irace does not sample. Others are refused.
    """
    sections: dict[str, list[tuple[int, str]]] = {"": []}
    section = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.partition("#")[0].strip()
        if text.startswith("["):
            section = text.strip("[]").strip().lower()
            if section not in ("global", "forbidden"):
                raise ValueError(
                    f"{path.name}, line {number}: expected the section [global] or [forbidden], got {text}"
                )
            sections.setdefault(section, [])
        elif text:
            sections[section].append((number, text))
    return sections


def read_global_digits(path: Path) -> int | None:
    """Return `digits` of the section `[global]`, the decimal places of real parameters; None if it is not given.

    Raises
    ------
    ValueError
        The file has other settings, or forbidden configurations, which are not supported.
    """
    sections, digits = read_sections(path), None
    for number, text in sections.get("forbidden", []):
        raise ValueError(
            f"{path.name}, line {number}: expected no forbidden configurations, as they are not supported, got {text!r}; "
            "add them to the ConfigSpace in Python"
        )
    for number, text in sections.get("global", []):
        match = re.fullmatch(r"digits\s*=\s*(\d+)", text)
        if match is None:
            raise ValueError(f"{path.name}, line {number}: expected a line such as digits = 4, got {text!r}")
        digits = int(match[1])
    return digits


def _read_line(text: str, source: str, number: int) -> Parameter:
    match = _LINE.match(text)
    kind = _KINDS.get(match[3]) if match else None
    if match is None or kind is None:
        raise ValueError(
            f'{source}, line {number}: expected name "switch" type (domain) with the type i, r, c, o, i,log or r,log, and '
            f"perhaps | condition, got {text!r}"
        )
    domain = _read_domain(match[4], match[1], kind, match[3].endswith(",log"), f"{source}, line {number}")
    condition = None if match[5] is None else read_condition(match[5], source, number)
    log, condition_text = match[3].endswith(",log"), (match[5] or "").strip()
    return Parameter(match[1], match[2], kind, domain, log, condition, condition_text, number)


def _read_domain(text: str, name: str, kind: Kind, log: bool, where: str) -> tuple[str, ...] | tuple[float, float]:
    """Return the domain of a parameter; raise a ValueError if irace would refuse it."""
    words = [quoted or plain for quoted, plain in _WORD.findall(text) if quoted or plain]
    if kind in ("c", "o"):
        if twice := [word for position, word in enumerate(words) if word in words[:position]]:
            raise ValueError(f"{where}: expected each value of {name} once, got {twice[0]!r} twice; remove one")
        return tuple(words)
    try:
        lower, upper = map(float, words)
    except ValueError:
        raise ValueError(
            f"{where}: expected two numbers as the domain of {name}, got ({text}); domains that depend on other parameters "
            "are not supported"
        ) from None
    if not lower < upper:
        raise ValueError(f"{where}: expected the lower bound of {name} below the upper one, got ({text}); change them")
    if log and lower <= 0:
        raise ValueError(
            f"{where}: expected a domain of {name} above zero, as its scale is logarithmic, got ({text}); raise the lower "
            "bound"
        )
    if kind == "i" and not (lower.is_integer() and upper.is_integer()):
        raise ValueError(f"{where}: expected whole numbers as the domain of {name}, got ({text}); round them")
    return lower, upper


def _check_condition(parameter: Parameter, known: dict[str, Parameter], source: str) -> None:
    """Raise a ValueError if a condition names a parameter that does not exist, or a value that its parameter never has."""
    if parameter.condition is None:
        return
    where = f"{source}, line {parameter.line}"
    for each in find_comparisons(parameter.condition):
        if each.name not in known:
            raise ValueError(
                f"{where}: expected the condition of {parameter.name} to name parameters of the file, got {each.name!r}"
            )
        parent = known[each.name]
        if parent.kind in ("i", "r") or each.sign not in ("==", "!=", "%in%"):
            continue
        for constant in each.constants:
            if not any(equals(value, constant) for value in parent.domain):
                raise ValueError(
                    f"{where}: expected the condition of {parameter.name} to compare {parent.name} with "
                    f"{', '.join(map(str, parent.domain))}, got {constant!r}; correct it"
                )


def _check_circles(known: dict[str, Parameter], source: str) -> None:
    """Raise a ValueError if conditions depend on each other in a circle."""
    parents = {
        name: {other.name for other in find_comparisons(each.condition)} if each.condition else set()
        for name, each in known.items()
    }
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        circle = sorted({known[name].line: name for name in error.args[1]}.items())
        raise ValueError(
            f"{source}, line {circle[-1][0]}: expected conditions that do not depend on each other in a circle, got "
            f"those of {', '.join(name for _, name in circle)}; remove one of them"
        ) from None
