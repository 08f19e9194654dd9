"""Command line: parse arguments, call the library, print the results.

In: arguments, `race.toml`, race files, saved posteriors and recorded runs. Out: results on standard output as text or JSON,
progress and remarks on standard error, and files. Heavy imports wait until a command needs them.

`main` is the entry point, and `commands` registers the commands. Each has a module of its own name, except that `start`
holds `demo` and `init`, `irace` the part of `init` that reads a scenario of irace, and `listing` holds `list`.
They share these modules:

- `options`, `option_groups`: options of several commands, and dataclasses of options that a command takes as one parameter.
- `help`: the short and the long help of a command.
- `run_race`, `continuing`: run a race until it stops, continue it from its file, and print its result.
- `study_progress`: the progress of a long study.
- `terminal`: prints text, tables and JSON.
"""
