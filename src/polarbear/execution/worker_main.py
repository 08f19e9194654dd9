"""The worker: a process that has every run of one driver's thread made in a process of its own.

Four kinds of processes take part, each the parent of the next:

- The *driver* (`worker_client`) sends a job, watches the time, and has the worker kill everything when it is over.
- The *worker*, this file, runs no user code. It keeps one template per payload, passes messages between the driver and
  the template of the current job, and kills what a run has left behind.
- A *template* (`template`) imports and unpickles a payload once, then forks itself for each run.
- The *run* (`make_run`) creates the instance and executes the algorithm in a fresh copy of its template. What it changes
  in its process (NumPy's error state, signal handlers, timers, limits, modules, its problem) ends with it.

Who waits for whom: the driver waits for the worker, with time limits; the worker for the template; the template for the
run. Each run replies on a pipe of its own, so a run has no access to the pipes of its driver. Every message carries the
random token of its run (`frames`). Anything else ends only that run. Improvements go to a log in shared memory, so that
they survive the death of the run.

Who kills: a template kills its run when it has replied, so that it ends at once. The worker then kills the run's orphans,
which the kernel makes children of the worker (`descendants`). The driver stops a worker by SIGTERM, or by closing its
pipe, which the kernel does however the driver ends. The worker then kills all its descendants and exits. No run can prevent
this: a worker waits for messages only. If the worker itself is killed, the kernel kills its templates, and these their
runs. The driver then searches for other descendants by the token in their environment.

What is imported where: before it forks a template, a worker imports what earlier payloads needed of the standard library,
NumPy, SciPy and PolarBear, so that templates share it; of other installed packages only if loading the payload has neither
started threads nor changed the state of the process (`process_state`). After a run, its template imports the installed
packages that the run has imported. None of this is the user's own code.

Forking is not safe everywhere; see `template` for what happens where it is not.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import importlib
import os
import random
import select
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field
from typing import Any, NoReturn

from polarbear.execution import template
from polarbear.execution.descendants import (
    adopt_orphans,
    await_exit,
    die_with_parent,
    end_children,
    kill_child,
    kill_group,
)
from polarbear.execution.frames import NO_RUN, Frame, Inbox, InvalidFrame, Kind, write_frame
from polarbear.execution.make_run import warm_up

# Templates that a worker keeps. Each holds what its payload imports, with SciPy about 40 MB. If a race has more
# algorithms than this, some of their runs load their payload again.
_TEMPLATES = 16
_CHECK_MILLISECONDS = 500  # between checks of a silent template whose descendants may keep its pipe open
_END_SECONDS = 0.5  # for idle templates to do what their payloads have registered with `atexit`


def main() -> None:
    """Serve requests until the driver closes the pipe or sends SIGTERM; then kill all descendants."""
    log_file = int(sys.argv.pop())
    # The user's code may print to streams 0, 1 and 2, and close them; requests and replies use descriptors of their own.
    requests, replies, errors = os.dup(0), os.dup(1), os.dup(2)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream, source in ((0, nothing), (1, errors), (2, errors)):
        os.dup2(source, stream)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    faulthandler.enable(errors)
    adopt_orphans()
    warm_up()
    worker = _Worker(requests, replies, log_file, (nothing, errors))
    try:
        signal.signal(signal.SIGTERM, _stop)
        write_frame(replies, Kind.READY, NO_RUN)
        worker.serve()
        worker.dismiss_templates()
    finally:
        try:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        finally:
            worker.end_templates()
            os._exit(0)


def _stop(number: int, frame: object) -> NoReturn:
    raise SystemExit


class _DriverEnded(Exception):  # noqa: N818
    """The driver has closed its pipe."""


@dataclass
class _Template:
    """The worker's side of a template."""

    process: int
    requests: int
    replies: int
    inbox: Inbox = field(default_factory=Inbox)
    code: int | None = None

    def has_ended(self, seconds: float = 0.0) -> bool:
        """Return whether the template has ended, or ends within some seconds; `code` is then its exit code."""
        if self.code is None:
            self.code = await_exit(self.process, seconds)
        return self.code is not None

    def close(self) -> None:
        """Close the pipes; an idle template then ends by itself."""
        os.close(self.requests)
        os.close(self.replies)

    def end(self) -> None:
        """Kill the template and its process group."""
        kill_group(self.process)  # it leads one if it makes the runs itself
        if not self.has_ended():
            kill_child(self.process)


class _Worker:
    """The pipes of a worker, and its templates by the digest of their payload."""

    def __init__(self, requests: int, replies: int, log_file: int, streams: tuple[int, int]) -> None:
        self._requests, self._replies, self._log_file, self._streams = requests, replies, log_file, streams
        self._inbox = Inbox()
        self._templates: dict[str, _Template] = {}
        self._libraries: list[str] = []  # to import before the next template is forked
        self._not_ahead: set[str] = set()  # payloads whose templates must not import ahead

    def serve(self) -> None:
        """Make runs until the driver closes the pipe."""
        with contextlib.suppress(_DriverEnded, InvalidFrame, BrokenPipeError):
            while (job := self._inbox.read(self._requests)) is not None:
                digest = job.message["payload"]
                self._forget_ended(digest)
                if digest not in self._templates:
                    self._start_template(digest, job.token)
                kind, message = self._have_run_made(digest, job)
                end_children(keep={one.process for one in self._templates.values()})
                write_frame(self._replies, kind, job.token, message)

    def dismiss_templates(self) -> None:
        """Let idle templates end by themselves for a moment."""
        poll, deadline = select.poll(), time.monotonic() + _END_SECONDS
        waiting = {one.replies for one in self._templates.values()}
        for one in self._templates.values():
            os.close(one.requests)
            poll.register(one.replies, 0)  # the end of the pipe is always reported
        while waiting and (seconds := deadline - time.monotonic()) > 0:
            for file, _ in poll.poll(1000 * seconds):
                poll.unregister(file)
                waiting.discard(file)

    def end_templates(self) -> None:
        """Kill all descendants."""
        for one in self._templates.values():
            one.end()
        end_children()

    def _forget_ended(self, digest: str) -> None:
        current = self._templates.get(digest)
        if current is not None and current.has_ended():
            if current.code == template.THREADED:
                self._not_ahead.add(digest)
            self._templates.pop(digest).close()

    def _start_template(self, digest: str, token: bytes) -> None:
        """Fork the template of a payload, which the driver sends on demand."""
        write_frame(self._replies, Kind.NEED, token)
        payload = self._inbox.read(self._requests, token)
        if payload is None:
            raise _DriverEnded
        if len(self._templates) >= _TEMPLATES:
            # At random: the payload used longest ago is often the next one, since races go through their algorithms.
            self._templates.pop(random.choice(list(self._templates))).close()
        for name in self._libraries:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        self._libraries = []
        worker, inward, outward = os.getpid(), os.pipe(), os.pipe()
        process = os.fork()
        if process == 0:
            try:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                die_with_parent(worker)
                for file in (self._requests, self._replies, inward[1], outward[0]):
                    os.close(file)
                for one in self._templates.values():
                    one.close()
                self._become_template(inward[0], outward[1], payload.blob, ahead=digest not in self._not_ahead)
            finally:
                os._exit(1)
        os.close(inward[0])
        os.close(outward[1])
        self._templates[digest] = _Template(process, inward[1], outward[0])

    def _become_template(self, requests: int, replies: int, payload: bytes, *, ahead: bool) -> NoReturn:
        self._templates.clear()
        try:
            template.serve(requests, replies, payload, self._log_file, self._streams, ahead=ahead)
            atexit._run_exitfuncs()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)

    def _have_run_made(self, digest: str, job: Frame) -> tuple[Kind, dict[str, Any]]:
        """Pass a job to its template and return the outcome; end a template that cannot be used again."""
        current = self._templates[digest]
        try:
            with contextlib.suppress(BrokenPipeError):  # it has just died
                write_frame(current.requests, job.kind, job.token, job.message)
            outcome = self._await_outcome(current, job)
        except InvalidFrame:
            outcome, usable = (Kind.INVALID, {}), False
        else:
            usable = outcome is not None and not outcome[1].pop("leftovers", False)
        if outcome is None:
            current.has_ended(job.message["exit_seconds"])
            outcome = Kind.CRASHED, {"code": current.code}
        if not usable:
            current.end()
            self._templates.pop(digest).close()
        return outcome

    def _await_outcome(self, current: _Template, job: Frame) -> tuple[Kind, dict[str, Any]] | None:
        """Return the outcome of a run, or None if its template has ended; pass other messages on."""
        poll = select.poll()
        poll.register(current.replies, select.POLLIN)
        poll.register(self._requests, select.POLLIN)
        while True:
            ready = [file for file, _ in poll.poll(_CHECK_MILLISECONDS)]
            if self._requests in ready:
                raise _DriverEnded  # a driver does not send anything during a run
            if current.replies in ready and not current.inbox.receive(current.replies):
                return None
            if not ready and current.has_ended():
                return None
            while (message := current.inbox.take(job.token)) is not None:
                if message.kind in (Kind.REPLY, Kind.CRASHED, Kind.INVALID):
                    return message.kind, message.message
                if message.kind is Kind.STARTED:
                    write_frame(self._replies, Kind.STARTED, job.token, message.message)
                elif message.kind is Kind.LOADED:
                    self._libraries = message.message["libraries"]
                else:
                    raise InvalidFrame(f"expected an outcome of a run, got {message.kind.name}")
