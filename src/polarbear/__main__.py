"""Run the command line as `python -m polarbear`, where the command `polarbear` is not on the path."""

from polarbear.cli.main import run

if __name__ == "__main__":
    run()
