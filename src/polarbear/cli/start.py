"""Commands for the first steps: `demo` and `init`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polarbear.cli import options, terminal
from polarbear.cli.race import start_race
from polarbear.cli.run_race import print_outcome

if TYPE_CHECKING:
    from polarbear.literals import View


def demo(
    workers: options.Workers = None,
    max_instances: options.MaxInstances = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Race four optimisers on random problems, and print which one to use at which budget; takes about a minute."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="polarbear-demo-"))
    _write_example(folder)
    given = {"execution.workers": workers, "limits.instances": max_instances}
    view: View = "none" if quiet else "auto"
    prepared, result = start_race(folder / "race.toml", None, options.overrides(given, None), view=view)
    print_outcome(result, prepared.race_file, as_json=as_json, leave=False)
    terminal.print_remark(
        f"\nThe race and its files are in {folder}; try: polarbear select {terminal.shell_path(prepared.race_file)} --at 50",
        quiet=quiet,
    )


def init(
    folder: Annotated[Path, typer.Argument(help="Folder to write to; created if it is missing.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a commented race.toml with a working example, and its JSON schema for editors."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"expected a folder, got the file {folder}; choose another name")
    folder.mkdir(parents=True, exist_ok=True)
    for path in _write_example(folder, force=force):
        terminal.print_result(str(path))
    terminal.print_remark(f"Now try: polarbear check {terminal.shell_path(folder / 'race.toml')}", quiet=quiet)


def _write_example(folder: Path, *, force: bool = False) -> list[Path]:
    import json
    from importlib.resources import files

    from polarbear.configuration.schema import json_schema

    example = files("polarbear.configuration.example")
    texts = {name: example.joinpath(name).read_text(encoding="utf-8") for name in ("race.toml", "optimisers.py")}
    texts["race.schema.json"] = json.dumps(json_schema(), indent=2) + "\n"
    existing = [name for name in texts if (folder / name).exists()]
    if existing and not force:
        raise ValueError(
            f"{folder.resolve()} already has {', '.join(existing)}; choose another folder, or replace with --force"
        )
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]
