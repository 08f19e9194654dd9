"""Write `docs/start/transcript.md`: run every command of the page below in an empty folder, and insert its output.

Takes some minutes on an idle machine: `.venv/bin/python docs/make_transcript.py`.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WRITTEN = Path(__file__).parent / "start" / "transcript.md"
HOME = "/home/you"  # stands for the folder in which the commands ran
BLOCK = re.compile(r"```(?P<language>console|toml)\n(?P<text>.*?)```", re.DOTALL)

PAGE = """\
# The first race, complete output

[A first race](first-race.md) with its complete output, standard output and standard error. `docs/make_transcript.py` runs
the commands and writes this page.

## Begin

```console
$ polarbear init my-race
$ cd my-race
$ polarbear check
```

## Race until a kill

In the middle of the sixth round `kill -9` ends the process without warning.

```console
$ polarbear race --progress lines  # kill -9 after round 5
$ polarbear show my.race
```

The stored rounds are a valid result, and the race can continue from there.

## Continue

```console
$ polarbear race my.race
$ polarbear select my.race --budget 50
```

No run was repeated, and the result is the one that the race would have had without the kill. It stopped since further
instances, up to the limit of 400 that `race.toml` sets, are unlikely to drop another algorithm.

## Add an algorithm

These lines are added at the end of `race.toml`:

```toml
[algorithms."timid (1+1)-ES"]
function = "optimisers:one_plus_one"
arguments = {step = 0.1}
```

```console
$ polarbear race my.race --add new
```

## What to deploy

These answers need no further runs. Which algorithm for 50 evaluations? And if any budget is possible, and you avoid risk?
For the full budget, on two machines, of the three that ran on most instances?

```console
$ polarbear select my.race --budget 50
$ polarbear select my.race --budget log-uniform --risk quantile:0.1 --details
$ polarbear select my.race --budget final --machines 2 --only '(1+1)-ES' --only 'differential evolution' --only Nelder-Mead
```

Outside the grid nothing was observed, and there is no answer:

```console
$ polarbear select my.race --budget 5000
```

## Share the result

```console
$ polarbear show my.race --details
$ polarbear plot my.race --format svg
$ polarbear report my.race
$ polarbear select my.race --budget 50 --output choice.tex
$ cat choice.tex
$ polarbear show my.race --save study.npz
$ polarbear select study.npz --budget 50
```

[What the answer means](what-the-answer-means.md) explains these lines.
"""


def main() -> None:
    """Run the page and write it."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder).resolve()
        page = BLOCK.sub(lambda block: run_block(block["language"], block["text"], here), PAGE)
    WRITTEN.write_text(page.replace(str(here), HOME), encoding="utf-8")


def run_block(language: str, text: str, folder: Path) -> str:
    """Return a block of the page with the output of its commands."""
    place = folder / "my-race"
    if language == "toml":
        with (place / "race.toml").open("a", encoding="utf-8") as file:
            file.write(f"\n{text}")
        return f"```toml\n{text}```"
    printed = ""
    for line in text.splitlines():
        command = line.removeprefix("$ ")
        printed += f"{line}\n"
        if not command.startswith("cd "):
            printed += output(command, place if place.exists() else folder)
    return f"```console\n{printed}```"


def output(command: str, folder: Path) -> str:
    """Return the output of a command, and its exit code if it is not 0."""
    print(command, file=sys.stderr)
    words, _, last = command.partition("  # kill -9 after ")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    process = subprocess.Popen(
        shlex.split(words),
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    assert process.stdout is not None
    printed = ""
    for line in process.stdout:
        printed += line
        if last and line.startswith(f"{last} "):
            time.sleep(1.0)  # it is in the middle of the next round
            process.kill()
    code = process.wait()
    if last:
        if code != -signal.SIGKILL:
            raise SystemExit(f"expected to kill the race after round 5, but it ended before:\n{printed}")
        return f"{printed}Killed\n"  # as a shell prints
    return printed + (f"$ echo $?\n{code}\n" if code else "")


if __name__ == "__main__":
    main()
