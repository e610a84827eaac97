"""Choosing how kernels run by trying: the state behind `optimizing.optimize`."""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from .._cuproxide import Device, Event, get_current_stream, get_elapsed_time

__all__ = ["Settings", "Tuning", "current", "set_current"]

_thread = threading.local()


@dataclass(frozen=True)
class Settings:
    """How long to try: trials of a kernel and seconds for all of them, and seconds of a trial wanted and at most."""

    max_trials: int = 100
    timeout: float = 1.0
    expected_total_time_per_trial: float = 100e-6
    max_total_time_per_trial: float = 0.1

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"{name}={value} is not positive")


def optuna() -> ModuleType:
    """The package that searches; ImportError with what to install without it."""
    try:
        return importlib.import_module("optuna")
    except ImportError as error:
        raise ImportError("optimize() needs the package optuna: pip install cuproxide[optimize]") from error


@dataclass
class Tuning:
    """What has been found: for each kernel on each device and kind of problem, the best choice."""

    settings: Settings
    readonly: bool = False
    best: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str | os.PathLike[str], settings: Settings, readonly: bool) -> Tuning:
        """With what a file holds, if it is there."""
        import json

        if not os.path.exists(path):
            return cls(settings, readonly)
        with open(path) as file:
            return cls(settings, readonly, json.load(file))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes what has been found, whole or not at all."""
        import json

        temporary = f"{os.fspath(path)}.{os.getpid()}.new"
        with open(temporary, "w") as file:
            json.dump(self.best, file, indent=1, sort_keys=True)
        os.replace(temporary, path)

    def choose(
        self,
        problem: str,
        space: dict[str, Sequence[Any]],
        default: dict[str, Any],
        run: Callable[[dict[str, Any]], None],
    ) -> dict[str, Any]:
        """The best choice for a problem: what was found earlier, else by trying; `run` must give the same each time."""
        name = f"{Device()} {Device().architecture} {problem}"
        found = self.best.get(name)
        if found is not None and all(found.get(key) in values for key, values in space.items()):
            return found
        if self.readonly:
            return default
        package = optuna()
        package.logging.set_verbosity(package.logging.WARNING)
        study = package.create_study(sampler=package.samplers.TPESampler(seed=0))
        study.enqueue_trial(default)

        def objective(trial: Any) -> float:
            choice = {key: trial.suggest_categorical(key, list(values)) for key, values in space.items()}
            return self._measure(lambda: run(choice))

        study.optimize(objective, n_trials=self.settings.max_trials, timeout=self.settings.timeout)
        self.best[name] = dict(study.best_params)
        return self.best[name]

    def _measure(self, run: Callable[[], None]) -> float:
        """Milliseconds of one run: the mean of as many as the settings allow."""
        run()
        once = _elapsed(run, 1)
        wanted = self.settings.expected_total_time_per_trial * 1e3 / max(once, 1e-6)
        most = self.settings.max_total_time_per_trial * 1e3 / max(once, 1e-6)
        return min(once, _elapsed(run, max(1, int(min(wanted, most, 1000)))))


def _elapsed(run: Callable[[], None], count: int) -> float:
    start, end = Event(), Event()
    start.record(get_current_stream())
    for _ in range(count):
        run()
    end.record(get_current_stream())
    end.synchronize()
    return get_elapsed_time(start, end) / count


def current() -> Tuning | None:
    """What the thread's kernels are tuned by, if they are."""
    return getattr(_thread, "tuning", None)


def set_current(tuning: Tuning | None) -> Tuning | None:
    """Sets that and returns what was before."""
    before = current()
    _thread.tuning = tuning
    return before
