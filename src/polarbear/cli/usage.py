"""Errors in the usage of a command in PolarBear's voice: what was expected, what was found, what to do."""

from __future__ import annotations

import re
from typing import Any

from polarbear.wording import join_names, suggest

_CHOICE = re.compile(r"(?P<given>'.*') is not one of (?P<known>.*)")
_KINDS = {"integer": "a whole number", "number": "a number"}
_NUMBER = re.compile(r"Input should be (?P<wanted>[^,]*)")


def usage_message(error: Any) -> str:
    """Return the message of an error that typer found in the arguments."""
    context = error.ctx
    path = context.command_path if context is not None else "polarbear"
    help_ = f"see {path} --help"
    found = error.format_message().rstrip(".")
    if (option := getattr(error, "option_name", None)) and "No such option" in found:
        known = (
            [name for each in context.command.params for name in (*each.opts, *each.secondary_opts)] if context else []
        )
        return f"expected an option of {path}, got {option}; {suggest(option, known) or help_}"
    if match := re.match(r"No such command '(.*?)'", found):
        known = list(context.command.commands) if context is not None else []
        return f"expected a command, got {match[1]!r}; {suggest(match[1], known) or help_}"
    if match := re.match(r"Missing (?:argument|option|parameter) '(.*?)'", found):
        return f"expected {match[1]}, got none; {help_}"
    if match := re.match(r"Invalid value for '(.*?)'(?: / '.*')?: (?:Value error, )?(.*)", found, re.DOTALL):
        wanted = _wanted(match[1], match[2])
        return wanted if wanted.endswith("?") else f"{wanted}; {help_}"
    return f"{found[0].lower()}{found[1:]}; {help_}"


def _wanted(name: str, reason: str) -> str:
    """Return what was expected as the value of an option or argument, from the reason of its refusal."""
    if match := _CHOICE.match(reason):
        known, given = re.findall(r"'(.*?)'", match["known"]), match["given"].strip("'")
        hint = suggest(given, known)
        return f"expected {join_names(known, 'or')} for {name}, got {given}" + (f"; {hint}" if hint else "")
    if match := _NUMBER.match(reason):
        wanted = match["wanted"].removeprefix("a valid ")
        return f"expected {_KINDS.get(wanted, f'a number {wanted}')} for {name}"
    return f"{name}: {reason}"
