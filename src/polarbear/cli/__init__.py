"""Command line: parse arguments, call the library, print the results.

In: arguments, `race.toml`, race files, saved posteriors and recorded runs. Out: results on standard output as text or JSON,
progress and remarks on standard error, and files. Heavy imports wait until a command needs them.

`main` is the entry point, and `commands` registers the commands. Each has a module of its own name, except that `start`
holds `demo`, `init` and `check`, and `race` also holds `resume` and `add`. `options` defines shared options, `open_file`
opens race files and posteriors, `terminal` prints, and `sparklines` draws curves of one line.
"""
