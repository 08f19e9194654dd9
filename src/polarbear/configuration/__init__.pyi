from .errors import ConfigurationError, Fault
from .reading import Prepared, algorithm_tables, parse_prior, parse_value, prepare
from .stored import StoredConfiguration, load_stored, to_store

__all__ = [
    "ConfigurationError",
    "Fault",
    "Prepared",
    "StoredConfiguration",
    "algorithm_tables",
    "load_stored",
    "parse_prior",
    "parse_value",
    "prepare",
    "to_store",
]
