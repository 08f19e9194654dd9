"""Run scripts and commands in new processes in which the large packages of others are already imported.

SciPy, pandas and Matplotlib take a second or two to import. A server process imports them once and is forked for each
script. PolarBear itself is not imported there, so that every script imports as much of it as it would elsewhere.
"""

import os
import runpy
import sys
import tempfile
import warnings
from multiprocessing import get_context
from pathlib import Path

PACKAGES = [
    *("numpy", "scipy.stats", "scipy.optimize", "pandas", "arviz_stats.base", "pydantic", "typer"),
    *("matplotlib.figure", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_pdf"),
]


def run_script(script):
    """Run a Python script in its folder, with warnings as errors; return its exit code, output and error output."""
    return in_new_process(_script, (script.name,), script.parent)


def run_command(arguments, folder):
    """Run `polarbear` with arguments in a folder; return its exit code, output and error output."""
    return in_new_process(_command, (arguments,), folder)


def in_new_process(function, arguments, folder):
    """Call a function in a new process that works in a folder; return its exit code, output and error output."""
    context = get_context("forkserver")
    context.set_forkserver_preload(PACKAGES)
    with tempfile.TemporaryDirectory() as outputs:
        process = context.Process(target=_redirected, args=(function, arguments, folder, Path(outputs)))
        process.start()
        process.join()
        return process.exitcode, *((Path(outputs) / name).read_text() for name in ("stdout", "stderr"))


def _redirected(function, arguments, folder, outputs):
    """Call a function in a folder with its standard streams on files, as if the process had been started so."""
    for descriptor, path, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, outputs / "stdout", os.O_WRONLY | os.O_CREAT),
        (2, outputs / "stderr", os.O_WRONLY | os.O_CREAT),
    ):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(folder)
    function(*arguments)


def _script(name):
    warnings.simplefilter("error")
    # PyMC imports ArviZ, which announces its next version by a warning once a day.
    warnings.filterwarnings("ignore", category=FutureWarning, module="arviz")
    sys.argv, sys.path[0] = [name], str(Path.cwd())
    runpy.run_path(name, run_name="__main__")


def _command(arguments):
    from polarbear.cli.main import run

    sys.argv = ["polarbear", *arguments]
    run()
