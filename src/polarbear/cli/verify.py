"""Command `verify`: find damage in a race file, and save what is intact."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from polarbear.driver.rescue import Recoverable
    from polarbear.storage.inspection import Inspection

_MOST_LINES = 20  # damaged parts to print without --details


def verify(
    file: options.RaceFileName,
    save: Annotated[
        Path | None,
        typer.Option(metavar="NEW", help="Save what is intact to this new race file, if the file is damaged."),
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Print everything that is damaged.")] = False,
    as_json: options.Json = False,
) -> None:
    """Compare every stored run and decision with its checksum, and report damage. The file itself is not changed.

    With --save, all intact runs go to a new file, with the rounds before the first one that is damaged. A race that
    continues from it makes only the damaged runs again. The exit code is 1 if the file is damaged.
    """
    from polarbear.driver.rescue import find_recoverable
    from polarbear.opening import require_race_file
    from polarbear.storage.errors import DamagedRaceFile
    from polarbear.storage.inspection import inspect_file

    require_race_file(file)
    found, rest = None, None
    damage: list[str] = []
    try:
        found = inspect_file(file)
        damage += found.damage
        rest = find_recoverable(found)
        if rest.reason and not damage:
            damage.append(rest.reason)
    except DamagedRaceFile as error:
        if not damage:
            damage.append(str(error.__cause__ or error))
    if damage and rest is not None and save is not None:
        rest.save(save)
    if as_json:
        terminal.print_json(_as_data(file, found, rest, damage, save))
    elif not damage:
        _print_intact(file, found, rest)
    else:
        _print_damage(file, damage, rest, save, most=None if details else _MOST_LINES)
    if damage:
        raise typer.Exit(1)


def _as_data(
    file: Path, found: "Inspection | None", rest: "Recoverable | None", damage: list[str], save: Path | None
) -> dict[str, Any]:
    return {
        "file": str(file),
        "format": None if found is None else found.format,
        "intact": not damage,
        "damage": damage,
        "intact_runs": 0 if found is None else len(found.tables["run"]),
        "intact_rounds": 0 if rest is None else len(rest.state.rounds),
        "saved": str(save) if damage and rest is not None and save is not None else None,
    }


def _print_intact(file: Path, found: "Inspection | None", rest: "Recoverable | None") -> None:
    assert found is not None
    assert rest is not None
    runs, rounds = len(found.tables["run"]), len(rest.state.rounds)
    terminal.print_result(f"{file} is intact: {with_noun(runs, 'run')}, {with_noun(rounds, 'round')}.")


def _print_damage(
    file: Path, damage: list[str], rest: "Recoverable | None", saved: Path | None, *, most: int | None
) -> None:
    terminal.print_result(f"{file} is damaged:")
    terminal.print_lines([f"  {each}" for each in damage], most=most)
    if rest is None:
        terminal.print_result("No race can be saved without its settings and algorithms: restore the file from a copy.")
        return
    runs, rounds = len(rest.inspection.tables["run"]), len(rest.state.rounds)
    terminal.print_result(f"Intact: {with_noun(runs, 'run')}, and the decisions of {with_noun(rounds, 'round')}.")
    if saved is None:
        example = file.with_stem(f"{file.stem}-saved")
        terminal.print_result(
            f"Restore it from a copy, or save what is intact with: polarbear verify {terminal.shell_path(file)} "
            f"--save {terminal.shell_path(example)}"
        )
    else:
        terminal.print_result(
            f"Saved in {saved}. A race that continues from it makes the damaged runs again, and repeats the decisions of "
            "later rounds with the stored ones."
        )
