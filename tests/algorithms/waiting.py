"""A recorder of seconds for tests that must not depend on how fast the machine is."""

import time

from polarbear.algorithms import Recorder

PATIENCE = 120.0  # real seconds, after which a test fails rather than hangs


class WaitingRecorder(Recorder):
    """A recorder whose clock stands at 0 until `enough(recorder)` holds; then the time of the run is over.

    A program may take as long as it needs to start and to report. `values` holds everything it has reported.
    """

    def __init__(self, enough):
        self.values = []
        self._enough, self._latest = enough, time.monotonic() + PATIENCE
        super().__init__(budget=1000, clock="seconds")

    def report(self, value):
        super().report(value)
        self.values.append(value)

    def now(self):
        return 2000.0 if self._enough(self) or time.monotonic() > self._latest else 0.0
