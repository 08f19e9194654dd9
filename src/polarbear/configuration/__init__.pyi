from .errors import ConfigurationError, Fault
from .reading import Prepared, parse_prior, parse_value, prepare
from .stored import StoredConfiguration, load_stored, to_store

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
