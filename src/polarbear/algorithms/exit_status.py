"""The end of a process in words."""

from __future__ import annotations

import signal


def describe_exit(code: int) -> str:
    """Describe a return code of `subprocess`, in which a signal is a negative number.

    Examples
    --------
    >>> describe_exit(3), describe_exit(-11)
    ('ended with exit status 3', 'died by SIGSEGV')
    """
    if code >= 0:
        return f"ended with exit status {code}"
    try:
        return f"died by {signal.Signals(-code).name}"
    except ValueError:  # a real-time signal has no name
        return f"died by signal {-code}"
