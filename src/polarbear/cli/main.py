"""Entry point of the program. It imports the rest inside `run`, so that Ctrl-C ends the program quietly from the start."""

import os


def run() -> None:
    """Run the command that the arguments name."""
    try:
        from polarbear.single_thread import THREAD_VARIABLES

        # Starting the threads of a linear algebra library, which reads these on import, takes longer than most commands.
        for name in THREAD_VARIABLES:
            os.environ.setdefault(name, "1")

        from polarbear.cli import commands

        commands.run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
