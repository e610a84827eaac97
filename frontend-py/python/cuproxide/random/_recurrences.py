"""Generators by recurrence: XORWOW and MRG32k3a.

A recurrence gives one number after another, so each of these generators runs many of them side by side, in lanes that
the seed sequence starts: number i of a long draw is the next one of lane i modulo the number of lanes. Distributions
draw from the counter-based stream, with one number of a lane of the host as the key of each draw.

With `library=True` the raw numbers are instead those of the device's own library of random numbers for one seed, in the
order that it documents for all devices.
"""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_shape
from .._typing import ShapeLike
from ._bit_generator import Philox4x3210, Seed

LANES = 4096


class Recurrence(Philox4x3210):
    """The base of generators that draw their keys from a recurrence."""

    _WORDS: int
    """Numbers of the state of a lane."""
    _SEQUENCE: str
    """What the libraries' sequence of the name is called below."""

    def __init__(self, seed: Seed = None, *, size: int = -1, library: bool = False) -> None:
        """A generator seeded like NumPy's: by entropy of the system, integers or a `SeedSequence`.

        `size` is the number of lanes of `random_raw`, by default 4096. With `library` the raw numbers are those of the
        device's library for this integer below 2**64 as the seed (for other seeds, for a number made of them).
        """
        self._seed_seq = seed if isinstance(seed, SeedSequence) else SeedSequence(seed)
        self._library: list[int] | None = None
        if library:
            if size != -1:
                raise ValueError("the library has its own number of lanes: size and library exclude each other")
            plain = isinstance(seed, (int, np.integer))
            if plain and not 0 <= seed < 2**64:
                raise ValueError(f"the library takes seeds from 0 to below 2**64 (got {seed})")
            # The seed, and the number of the next word.
            self._library = [int(seed) if plain else int(self._seed_seq.generate_state(1, np.uint64)[0]), 0]
        self._lanes = LANES if size == -1 else int(size)
        if self._lanes < 1:
            raise ValueError(f"size must be positive, or -1 for the default (got {size})")
        words = self._seed_seq.generate_state((self._lanes + 1) * self._WORDS, np.uint32).astype(np.int64)
        table = self._valid(words.reshape(self._lanes + 1, self._WORDS))
        # The lane of the host comes first, so that it does not depend on the number of lanes.
        self._host = [int(word) for word in table[0]]
        self._start = table[1:].T.copy()
        self._device: list[ndarray] | None = None
        self._rest = _Rest()
        self.lock = threading.RLock()

    @staticmethod
    def _valid(table: np.ndarray) -> np.ndarray:
        """States that the recurrence does not get stuck in."""
        raise NotImplementedError("a recurrence knows its states")

    @staticmethod
    def _step(state: list[Any]) -> tuple[list[Any], Any]:
        """The next state and number: of Python's integers or of arrays of int64."""
        raise NotImplementedError("a recurrence has a step")

    @property
    def state(self) -> dict[str, Any]:
        """The states of the host's lane and of the others, as they are now."""
        with self.lock:
            lanes = self._start if self._device is None else np.stack([_core.asnumpy(word) for word in self._device])
            return {
                "bit_generator": type(self).__name__,
                "state": {
                    "host": list(self._host),
                    "lanes": lanes.copy(),
                    "rest": self._rest.values(),
                    **({} if self._library is None else {"library": list(self._library)}),
                },
            }

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        if value.get("bit_generator") != type(self).__name__:
            raise ValueError(f"state must be for a {type(self).__name__} RNG")
        inner = value["state"]
        host, lanes = [int(word) for word in inner["host"]], np.asarray(inner["lanes"], np.int64)
        if len(host) != self._WORDS or lanes.ndim != 2 or len(lanes) != self._WORDS:
            raise ValueError(f"a state has {self._WORDS} numbers for each lane")
        with self.lock:
            self._host, self._start, self._lanes, self._device = host, lanes.copy(), lanes.shape[1], None
            self._rest = _Rest(np.asarray(inner["rest"], np.int64))
            self._library = [int(number) for number in inner["library"]] if "library" in inner else None

    def advance(self, delta: int) -> Recurrence:
        """Moves the key of draws on by `delta` draws."""
        with self.lock:
            for _ in range(2 * delta):
                self._host, _ = self._step(self._host)
        return self

    def random_raw(self, size: ShapeLike | None = None, output: bool = True) -> ndarray | None:
        """The numbers of the recurrences, below 2**32, as uint64; or nothing if `output` is false."""
        shape = () if size is None else tuple(as_shape(size))
        with self.lock:
            numbers = self._numbers(math.prod(shape))
        return numbers.astype(np.uint64).reshape(shape) if output else None

    def _numbers(self, count: int) -> ndarray:
        if self._library is not None:
            words = _core.empty(count, np.uint32)
            _core.random_sequence(self._SEQUENCE, self._library[0], 1, self._library[1], words)
            self._library[1] += count
            return words
        if self._device is None:
            self._device = [_core.array(word) for word in self._start]
        parts, missing = [self._rest.take(count)], count
        missing -= parts[0].size
        while missing > 0:
            self._device, made = self._step(self._device)
            if missing < made.size:
                self._rest = _Rest(made[missing:])
                made = made[:missing]
            parts.append(made)
            missing -= made.size
        return _core.concatenate(parts) if len(parts) > 1 else parts[0]

    def draw(self, name: str, parameters: list[ndarray | float | int], out: ndarray) -> ndarray:
        """Fills `out` with a draw of one of the kernels, with a key of its own.

        Returns
        -------
        ndarray
            `out`.
        """
        with self.lock:
            self._host, high = self._step(self._host)
            self._host, low = self._step(self._host)
            _core.random_draw(name, high << 32 | low, 0, parameters, out)
        return out


class _Rest:
    """Numbers of the last step that were not asked for yet."""

    def __init__(self, numbers: ndarray | np.ndarray | None = None) -> None:
        self._numbers = np.empty(0, np.int64) if numbers is None else numbers

    def take(self, count: int) -> ndarray:
        if isinstance(self._numbers, np.ndarray):
            self._numbers = _core.array(self._numbers)
        taken, self._numbers = self._numbers[:count], self._numbers[count:]
        return taken

    def values(self) -> np.ndarray:
        return self._numbers.copy() if isinstance(self._numbers, np.ndarray) else _core.asnumpy(self._numbers)


_MASK = 0xFFFFFFFF


class XORWOW(Recurrence):
    """Marsaglia's xorwow (2003): shifts of five words and a counter, with a period of 2**192 - 2**32.

    Parameters
    ----------
    seed : int, sequence of int or SeedSequence, optional
        Where the numbers begin; without one, the system's randomness.
    size : int
        How many recurrences `random_raw` runs side by side, 4096 by default. Not together with `library`.
    library : bool
        Whether `random_raw` gives the numbers of the device's own library for this seed.

    >>> cp.random.XORWOW(1).random_raw(2).shape
    (2,)
    """

    _WORDS = 6
    _SEQUENCE = "xorwow"

    @staticmethod
    def _valid(table: np.ndarray) -> np.ndarray:
        # Five zeros would stay zeros.
        table[(table[:, :5] == 0).all(axis=1), 0] = 1
        return table

    @staticmethod
    def _step(state: list[Any]) -> tuple[list[Any], Any]:
        x, y, z, w, v, d = state
        t = x ^ (x >> 2)
        new = (v ^ (v << 4) ^ (t ^ (t << 1))) & _MASK
        d = (d + 362437) & _MASK
        return [y, z, w, v, new, d], (d + new) & _MASK


_M1, _M2 = 4294967087, 4294944443


class MRG32k3a(Recurrence):
    """L'Ecuyer's MRG32k3a (1999): two recurrences of order three modulo primes, with a period near 2**191.

    Its numbers are below 4294967087.

    Parameters
    ----------
    seed : int, sequence of int or SeedSequence, optional
        Where the numbers begin; without one, the system's randomness.
    size : int
        How many recurrences `random_raw` runs side by side, 4096 by default. Not together with `library`.
    library : bool
        Whether `random_raw` gives the numbers of the device's own library for this seed.

    >>> cp.random.MRG32k3a(1).random_raw(2).shape
    (2,)
    """

    _WORDS = 6
    _SEQUENCE = "mrg32k3a"

    @staticmethod
    def _valid(table: np.ndarray) -> np.ndarray:
        table[:, :3] %= _M1
        table[:, 3:] %= _M2
        for part in (table[:, :3], table[:, 3:]):
            part[(part == 0).all(axis=1), 0] = 1
        return table

    @staticmethod
    def _step(state: list[Any]) -> tuple[list[Any], Any]:
        a0, a1, a2, b0, b1, b2 = state
        a = (1403580 * a1 - 810728 * a0) % _M1
        b = (527612 * b2 - 1370589 * b0) % _M2
        return [a1, a2, a, b1, b2, b], (a - b) % _M1
