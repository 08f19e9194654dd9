"""Entry point of the program. It imports the rest inside `run`, so that Ctrl-C ends the program quietly from the start."""


def run() -> None:
    """Run the command that the arguments name."""
    try:
        from polarbear.cli import commands

        commands.run()
    except KeyboardInterrupt:
        raise SystemExit(2) from None
