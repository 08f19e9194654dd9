"""The recorder of a run: counts evaluations or seconds, keeps improvements, and ends the run at its budget."""

from __future__ import annotations

import math
import reprlib
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, get_args

from polarbear.algorithms.event_log import OUR_CLOCK, REACHED, STARTED, EventLog
from polarbear.defaults import is_sentinel
from polarbear.literals import Clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from polarbear.algorithms.hypervolume import Measure


_CLOCKS = get_args(Clock)
_NOWHERE = EventLog()

_SUSPICIOUS = 5e19  # smaller values are no sentinels of "no solution"
# Calls after the end of the budget: an algorithm that has caught `BudgetReached` this often will not stop by itself.
_PATIENCE = 10_000


class BudgetReached(BaseException):
    """Ends a run at its budget; not an `Exception`, so that an optimiser's `except Exception` does not catch it."""


class Recorder:
    """Records one run up to `budget`, and keeps only strict improvements.

    Parameters
    ----------
    until
        The budget up to which to record, in evaluations or seconds.
    clock
        "evaluations": budgets are the number of counted evaluations, or what the algorithm reports. "seconds": budgets are
        the seconds since `start`, or what the algorithm reports.
    maximise
        Higher values are better.
    log
        Where to store improvements; by default in the memory of this process.
    give_up
        Called when the algorithm keeps running long after its budget is used up.

    Examples
    --------
    >>> recorder = Recorder(budget=3)
    >>> for value in [5.0, 7.0, 2.0, 1.0]:
    ...     recorder.count()
    ...     recorder.report(value)
    Traceback (most recent call last):
    polarbear.algorithms.recorder.BudgetReached
    >>> recorder.events()
    [(1.0, 5.0), (3.0, 2.0)]
    """

    def __init__(
        self,
        budget: float,
        clock: Clock = "evaluations",
        maximise: bool = False,
        log: EventLog | None = None,
        give_up: Callable[[], object] | None = None,
    ) -> None:
        if clock not in _CLOCKS:
            raise ValueError(f"expected clock='evaluations' or 'seconds', got {clock!r}")
        if not budget > 0:
            raise ValueError(f"expected a budget above zero, got {budget!r}")
        self.clock, self.maximise = clock, bool(maximise)
        self.evaluations = 0
        self.reached = 0.0
        self.measure: Measure | None = None  # turns several objectives into one value
        self.found = False  # whether any number was reported, even the worst value, for "no solution yet"
        self.not_a_number = 0
        self.first_late: float | None = None
        self._until = float(budget)
        self._seconds = clock == "seconds"
        self._log = EventLog() if log is None else log
        self._give_up = give_up
        self._refused = 0
        self._best = math.inf
        self._sign = -1.0 if maximise else 1.0
        # Objectives may be called from several threads at once.
        self._lock = threading.RLock()
        self.start()

    def start(self) -> None:
        """Start the clock."""
        self._start = time.monotonic()
        self._log.cells[STARTED] = self._start

    @property
    def budget(self) -> float:
        """The budget at which the run is stopped; an int if evaluations are counted, since these are whole."""
        return self._until if self._seconds or math.isinf(self._until) else math.floor(self._until)

    @property
    def allowed(self) -> int | None:
        """The number of evaluations allowed; None if seconds are counted or the number is unlimited."""
        return None if self._seconds or math.isinf(self._until) else math.floor(self._until)

    @property
    def exhausted(self) -> bool:
        """Whether the run has reached `budget`."""
        return (self.now() if self._seconds else self.reached) >= self.budget

    def now(self) -> float:
        """Return the budget used so far: the number of counted evaluations, or the seconds since the start."""
        return time.monotonic() - self._start if self._seconds else float(self.evaluations)

    def events(self) -> list[tuple[float, float]]:
        """Return the improvements (budget, value)."""
        return self._log.events()

    def keep_time(self) -> None:
        """Let the recorder time this run, which may then be ended from outside when its budget is spent."""
        self._log.cells[OUR_CLOCK] = 1.0

    def count(self) -> None:
        """Count a new evaluation, or end the run if its budget is used up."""
        with self._lock:
            if self._seconds:
                if self.now() > self._until:
                    self._refuse()
                self.evaluations += 1
                return
            if self.evaluations + 1 > self._until:
                self._refuse()
            self.evaluations += 1
            self.reached = self._log.cells[REACHED] = float(self.evaluations)

    def report(self, value: object) -> None:
        """Record a value found now."""
        with self._lock:
            if self._seconds:
                self.keep_time()
            self._record(self.now(), value)

    def report_at(self, at: object, value: object) -> None:
        """Record a value found at a budget that the algorithm reports."""
        when = number(at, "a budget")
        if math.isnan(when) or when < 0:
            raise ValueError(
                f"expected a budget that is not negative, got {when}; budgets count from the start of the run"
            )
        with self._lock:
            if when < self.reached:
                raise ValueError(
                    f"expected budgets that do not go back, got {when:g} after {self.reached:g}; "
                    f"report {self.clock} since the start of the run"
                )
            self._record(when, value)

    def take(self, event: object) -> None:
        """Record an item from an algorithm: a pair (budget, value), or a bare value if seconds are counted."""
        if _is_pair(event):
            self.report_at(*event)  # type: ignore[misc]
        elif self._seconds:
            self.report(event)
        else:
            raise ValueError(
                f"expected a pair (evaluations, value) from the algorithm, got {reprlib.repr(event)}; "
                "a value alone is enough only with clock='seconds'"
            )

    @contextmanager
    def limited_to(self, budget: float) -> Iterator[None]:
        """Stop the run at `budget`, if that is earlier, within the context (see `family`)."""
        whole = self._until
        self._until = min(whole, float(budget))
        try:
            yield
        finally:
            self._until = whole

    def close(self) -> None:
        """Detach from the log, so that threads left behind by this run do not write into the log of the next run."""
        with self._lock:
            self._log, self._until, self._give_up = _NOWHERE, 0.0, None

    def _record(self, when: float, value: object) -> None:
        if when > self._until:
            if not self.found and self.first_late is None:
                self.first_late = when
            self.reached = self._log.cells[REACHED] = max(self.reached, self._until)
            self._refuse()
        self.reached = self._log.cells[REACHED] = when
        if self.measure is not None:
            value = self.measure(when, value)
        loss = self._sign * (value if type(value) is float else number(value, "a value"))
        if loss != loss:
            self.not_a_number += 1
            return
        self.found = True
        if loss < self._best:
            if loss == -math.inf:
                raise ValueError(
                    f"expected values worse than {-self._sign * math.inf:+}, got it at {self.clock} {when:g}: nothing "
                    f"could ever be better; return the value found, or {self._sign * math.inf:+} for 'no solution'"
                )
            if loss < -_SUSPICIOUS and is_sentinel(loss):
                return  # what solvers report without a solution, whatever its sign
            self._best = loss
            self._log.add(when, self._sign * loss)

    def _refuse(self) -> NoReturn:
        self._refused += 1
        if self._refused > _PATIENCE and self._give_up is not None:
            self._give_up()
        raise BudgetReached


def number(value: object, what: str) -> float:
    """Return a number as a float, also from an array of one element or a complex number on the real line."""
    given = value
    if not isinstance(value, float):
        item = getattr(value, "item", None)  # of NumPy, PyTorch, pandas, ...
        if callable(item):
            try:
                value = item()
            except (TypeError, ValueError, RuntimeError):
                value = None
        if isinstance(value, complex) and value.imag == 0:
            value = value.real
    if hasattr(value, "__float__") or hasattr(value, "__index__"):
        try:
            return float(value)  # type: ignore[arg-type]
        except OverflowError:  # an integer beyond 1e308
            return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    raise ValueError(f"expected {what} that is one number, got {reprlib.repr(given)}{_advice(given)}")


def _advice(value: object) -> str:
    if value is None:
        return "; does the function return its result?"
    if isinstance(value, str):
        return "; convert it to a number"
    return "; give one number for each point"


def _is_pair(event: object) -> bool:
    if isinstance(event, (tuple, list)):
        return len(event) == 2
    return getattr(event, "shape", None) == (2,)
