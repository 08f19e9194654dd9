"""The configuration of a race, `race.toml`.

In: a TOML file, and values from the command line that override it. Out: the settings, algorithms and instances that `Race`
takes, or an error that lists every fault of the file.

`schema` defines the tables and keys, `reading` parses and validates a file, `building` builds what its tables describe,
`imports` imports the functions that it names, and `errors` describes faults. `stored` keeps the configuration in the race
file. `example` holds the files that `polarbear init` writes.
"""

from polarbear.configuration.errors import ConfigurationError, Fault
from polarbear.configuration.reading import Prepared, parse_prior, parse_value, prepare
from polarbear.configuration.stored import StoredConfiguration, load_stored, to_store

__all__ = [
    "ConfigurationError",
    "Fault",
    "Prepared",
    "StoredConfiguration",
    "load_stored",
    "parse_prior",
    "parse_value",
    "prepare",
    "to_store",
]
