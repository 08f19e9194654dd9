"""The configuration of a race, `race.toml`.

In: a TOML file, and values from the command line that override it. Out: the settings, algorithms and instances that `Race`
takes, or an error that lists every fault of the file.

`schema` defines the tables and keys, `reading` parses and validates a file, `building` builds what its tables describe,
`imports` imports the functions that it names, and `errors` describes faults. `stored` keeps the configuration in the race
file. `example` holds the files that `polarbear init` writes.

The public names are listed in `__init__.pyi`. Each is imported when it is first used, so that an error message does not wait
for the schema.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
