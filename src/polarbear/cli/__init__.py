"""Command line: parse arguments, call the library, print the results.

In: arguments, `race.toml`, race files, saved posteriors and recorded runs. Out: results on standard output as text or JSON,
progress and remarks on standard error, and files. Heavy imports wait until a command needs them.

`main` is the entry point, and `commands` registers the commands. Each has a module of its own name, except that `start`
holds `demo` and `init`, and `membership` holds `add`, `readmit` and `remove`. They share these modules:

- `options`, `option_groups`: options of several commands, and dataclasses of options that a command takes as one parameter.
- `open_file`: opens race files and posteriors.
- `run_race`, `account`: run a race until it stops, and print where it stands.
- `recorded_runs`, `comparison`: read recorded runs for `analyse`, and print how the algorithms compare.
- `terminal`, `sparklines`: print text, tables and JSON, and curves of one line.
"""
