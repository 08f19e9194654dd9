"""Tables of configurations as irace reads them: a header with the parameters, one row each, NA where not active."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from polarbear.irace.forbidden import Forbidden
    from polarbear.irace.parameters import Parameter

MISSING = "NA"
_MISSING = (MISSING, "<NA>")


def read_configurations(
    path: Path, parameters: Sequence[Parameter], forbidden: Sequence[Forbidden] = ()
) -> list[dict[str, str]]:
    """Return the configurations in a file, as texts by parameter, "NA" for parameters that are not active.

    Raises
    ------
    ValueError
        A configuration is not one of the parameters, or is forbidden; irace would refuse it, too.
    """
    lines = [words for line in path.read_text(encoding="utf-8").splitlines() if (words := _split(line, path))]
    if len(lines) < 2:
        raise ValueError(f"expected a header and configurations in {path}, got {len(lines)} lines; add some")
    header, rows = lines[0], lines[1:]
    names = [parameter.name for parameter in parameters]
    if sorted(header) != sorted(names):
        raise ValueError(f"expected the parameters {', '.join(names)} as header of {path}, got {', '.join(header)}")
    found = []
    for number, row in enumerate(rows, start=1):
        cells = row[1:] if len(row) == len(header) + 1 else row  # R writes the names of rows first
        if len(cells) != len(header):
            raise ValueError(f"{path}, configuration {number}: expected {len(header)} values, got {len(cells)}")
        texts = {name: MISSING if text in _MISSING else text for name, text in zip(header, cells, strict=True)}
        configuration = {name: texts[name] for name in names}
        _check(configuration, parameters, forbidden, f"{path}, configuration {number}")
        if configuration in found:
            raise ValueError(f"{path}: expected different configurations, got number {number} twice; remove one")
        found.append(configuration)
    return found


def _split(line: str, path: Path) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError as error:
        raise ValueError(f"expected a table in {path}, got {line!r}: {error}") from None


def _check(
    configuration: Mapping[str, str], parameters: Sequence[Parameter], forbidden: Sequence[Forbidden], where: str
) -> None:
    """Raise a ValueError unless values lie in their domains, only active parameters have one, and none is forbidden."""
    values: dict[str, str | float | None] = {}
    for parameter in parameters:
        text = configuration[parameter.name]
        try:
            values[parameter.name] = None if text == MISSING else parameter.read(text)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    for parameter in parameters:
        active = parameter.is_active(values)
        if active != (values[parameter.name] is not None):
            verb = "a value" if active else f"{MISSING}, as {parameter.condition_text} does not hold"
            raise ValueError(f"{where}: expected {verb} for {parameter.name}, got {configuration[parameter.name]}")
    for each in forbidden:
        if each.condition(values):
            raise ValueError(
                f"{where}: expected none that is forbidden by {each.where}, got {each.text}; remove one of the two"
            )


def format_configurations(configurations: Iterable[Mapping[str, str]]) -> str:
    """Return a table of configurations that irace reads with `configurationsFile`.

    Examples
    --------
    >>> print(format_configurations([{"mode": "x y", "alpha": "0.5"}, {"mode": "z", "alpha": "NA"}]), end="")
    "mode" "alpha"
    "x y" "0.5"
    "z" NA
    """
    rows = list(configurations)
    lines = [" ".join(f'"{name}"' for name in rows[0])]
    lines += [" ".join(text if text == MISSING else f'"{text}"' for text in row.values()) for row in rows]
    return "".join(f"{line}\n" for line in lines)
