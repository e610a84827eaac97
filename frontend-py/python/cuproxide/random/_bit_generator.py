"""The generator of bits below all distributions: Philox4x32-10 with a key and a position."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.random import SeedSequence

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._typing import ShapeLike

if TYPE_CHECKING:
    from typing import Self

Seed: TypeAlias = "None | int | Sequence[int] | SeedSequence"


class BitGenerator:
    """The base of the generators of bits."""

    lock: threading.RLock
    """Held during a draw."""

    def __init__(self, seed: Seed = None) -> None:
        """A generator from a seed like NumPy's; this class only holds the sequence that it stands for."""
        if type(self) is BitGenerator:
            raise NotImplementedError("BitGenerator is a base class and cannot be instantized")
        self._seed_seq = seed if isinstance(seed, SeedSequence) else SeedSequence(seed)
        self.lock = threading.RLock()

    @property
    def seed_seq(self) -> SeedSequence:
        """The sequence that the first state comes from."""
        return self._seed_seq

    @property
    def state(self) -> dict[str, Any]:
        """Everything that the next draw depends on."""
        raise NotImplementedError("a bit generator has a state")

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        raise NotImplementedError("a bit generator has a state")

    def spawn(self, n_children: int) -> list[Self]:
        """Independent generators, seeded by children of the seed sequence."""
        return [type(self)(child) for child in self._seed_seq.spawn(n_children)]

    def random_raw(self, size: ShapeLike | None = None, output: bool = True) -> ndarray | None:
        """The generator's own numbers as uint64, or nothing if `output` is false."""
        raise NotImplementedError("a bit generator has numbers")

    def draw(self, name: str, parameters: list[ndarray | float | int], out: ndarray) -> ndarray:
        """Fills `out` with a draw of one of the kernels and moves on."""
        raise NotImplementedError("a bit generator draws")

    def __getstate__(self) -> tuple[dict[str, Any], SeedSequence]:
        return self.state, self._seed_seq

    def __setstate__(self, saved: tuple[dict[str, Any], SeedSequence]) -> None:
        state, self._seed_seq = saved
        self.lock = threading.RLock()
        self.state = state


class Philox4x3210(BitGenerator):
    """Philox4x32-10: a counter-based generator with the same bits on every device.

    The key comes from `numpy.random.SeedSequence`, and `position` numbers the next unused block of four 32-bit words.
    A draw takes whole blocks, and its element i depends on the key, the position and i only.

    >>> cp.random.Philox4x3210(1).random_raw(2).shape
    (2,)
    """

    def __init__(self, seed: Seed = None) -> None:
        """A generator at position 0, seeded like NumPy's: by entropy of the system, integers or a `SeedSequence`."""
        super().__init__(seed)
        self._key = int(self._seed_seq.generate_state(1, np.uint64)[0])
        self._position = 0

    @property
    def state(self) -> dict[str, Any]:
        """Key and position; setting it makes the same numbers come again."""
        with self.lock:
            return {
                "bit_generator": type(self).__name__,
                "state": {"key": self._key, "position": self._position},
            }

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        if value.get("bit_generator") != type(self).__name__:
            raise ValueError(f"state must be for a {type(self).__name__} RNG")
        key, position = int(value["state"]["key"]), int(value["state"]["position"])
        if not (0 <= key < 2**64 and 0 <= position < 2**64):
            raise ValueError("key and position are unsigned 64-bit integers")
        with self.lock:
            self._key, self._position = key, position

    def advance(self, delta: int) -> Philox4x3210:
        """Moves on by `delta` blocks."""
        with self.lock:
            self._position = (self._position + delta) % 2**64
        return self

    def random_raw(self, size: ShapeLike | None = None, output: bool = True) -> ndarray | None:
        """Unsigned 64-bit integers, or nothing if `output` is false."""
        bits = self.draw("bits64", [], _core.empty(() if size is None else size, np.uint64))
        return bits if output else None

    def draw(self, name: str, parameters: list[ndarray | float | int], out: ndarray) -> ndarray:
        """Fills `out` with a draw of one of the kernels and moves on."""
        with self.lock:
            taken = _core.random_draw(name, self._key, self._position, parameters, out)
            self._position = (self._position + taken) % 2**64
        return out
