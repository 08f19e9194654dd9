"""The entry point. The rest is imported inside it, so that Ctrl-C ends the program quietly from the first moment."""


def run() -> None:
    """Run the command that the arguments name."""
    try:
        from polarbear.cli import commands

        commands.run()
    except KeyboardInterrupt:
        raise SystemExit(2) from None
