"""NumPy's bit generators, with NumPy's very words, made on the device.

PCG64, PCG64DXSM and Philox know their state after any number of steps, so the host keeps it and a draw is one kernel
whose threads each jump to a stretch of their own. SFC64 and MT19937 go on from their last words, which stay on the
device.

`random`, `uniform`, `integers` between numbers and `bytes` are NumPy's of these words, bit for bit. Every other
distribution takes one word as the key of a counter-based draw.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_shape
from .._typing import ShapeLike
from ._bit_generator import BitGenerator, Seed

_M32, _M64, _M128, _M256 = (2**bits - 1 for bits in (32, 64, 128, 256))


class NumpyStream(BitGenerator):
    """The base of the bit generators of NumPy."""

    def __init__(self, seed: Seed = None) -> None:
        """A generator seeded as NumPy's: by entropy of the system, integers or a `SeedSequence`."""
        super().__init__(seed)
        # The upper half of a word of which only the lower one was asked for.
        self._half: int | None = None
        self._start()

    def _start(self) -> None:
        """Sets the first state, from the seed sequence."""
        raise NotImplementedError("a generator has a first state")

    def _words(self, count: int) -> ndarray:
        """The next `count` words, uint64."""
        raise NotImplementedError("a generator makes words")

    def _word(self) -> int:
        """The next word, on the host."""
        return int(_core.asnumpy(self._words(1))[0])

    def _halves(self, count: int) -> ndarray:
        """The next `count` words of 32 bits: the lower half of a word, then its upper half."""
        if count == 0:
            return _core.empty(0, np.uint32)
        kept, self._half = self._half, None
        fresh = count - (kept is not None)
        halves = self._words((fresh + 1) // 2).view(np.uint32)
        if fresh % 2:
            self._half = int(_core.asnumpy(halves[-1:])[0])
            halves = halves[:-1]
        return halves if kept is None else _core.concatenate([_core.full(1, kept, np.uint32), halves])

    def _raw(self, count: int) -> ndarray:
        return self._words(count)

    def _doubles(self, count: int) -> ndarray:
        """Uniform over [0, 1)."""
        return (self._words(count) >> 11).astype(np.float64) * 2.0**-53

    def _get_state(self) -> dict[str, Any]:
        """The items of the state beside the name and the half of a word."""
        raise NotImplementedError("a generator has a state")

    def _set_state(self, value: dict[str, Any]) -> None:
        """Takes over the items of a state."""
        raise NotImplementedError("a generator has a state")

    @property
    def state(self) -> dict[str, Any]:
        """Everything that the next draw depends on, as NumPy has it: states can be exchanged with `numpy.random`."""
        with self.lock:
            half = {"has_uint32": int(self._half is not None), "uinteger": self._half or 0}
            return {"bit_generator": type(self).__name__, **self._get_state(), **half}

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        if value.get("bit_generator") != type(self).__name__:
            raise ValueError(f"state must be for a {type(self).__name__} PRNG")
        with self.lock:
            self._half = int(value["uinteger"]) if value.get("has_uint32") else None
            self._set_state(value)

    def random_raw(self, size: ShapeLike | None = None, output: bool = True) -> ndarray | None:
        """The generator's own numbers as uint64, or nothing if `output` is false."""
        shape = () if size is None else tuple(as_shape(size))
        with self.lock:
            numbers = self._raw(math.prod(shape))
        return numbers.reshape(shape) if output else None

    def draw(self, name: str, parameters: list[ndarray | float | int], out: ndarray) -> ndarray:
        """Fills `out`: by NumPy's steps where there are such, otherwise by a kernel with a word as its key.

        Returns
        -------
        ndarray
            `out`.
        """
        with self.lock, out.device:
            drawn = self._as_numpy(name, parameters, out)
            if drawn is None:
                _core.random_draw(name, self._word(), 0, parameters, out)
            else:
                _core.copyto(out, drawn.reshape(out.shape), "unsafe")
        return out

    def _as_numpy(self, name: str, parameters: list[ndarray | float | int], out: ndarray) -> ndarray | None:
        if name == "bits64":
            return self._words(out.size)
        if name == "bits32":
            return self._halves(out.size)
        if name == "uniform64":
            return self._doubles(out.size)
        if name == "uniform32":
            return (self._halves(out.size) >> 8).astype(np.float32) * np.float32(2.0**-24)
        if name.startswith("integers") and not any(isinstance(bound, ndarray) for bound in parameters):
            low, span = (operator.index(bound) for bound in parameters)  # type: ignore[arg-type]
            return self._between(low, span, out.size, out.dtype)
        return None

    def _between(self, low: int, span: int, count: int, dtype: np.dtype[Any]) -> ndarray:
        """Integers from `low` to `low + span`, modulo 2**64."""
        if span == 0 or count == 0:
            return _core.full(count, low, np.uint64)
        bits = 1 if dtype.kind == "b" else dtype.itemsize * 8
        if bits == 64 and span <= _M32:
            bits = 32
        return self._below(count, span + 1, bits).astype(np.uint64) + np.uint64(low)

    def _below(self, count: int, bound: int, bits: int) -> ndarray:
        """Numbers below `bound` without bias, by Lemire's multiplication with rejection (2019).

        Where `bound` is no power of two it waits for the device, to know how many numbers were rejected.
        """
        threshold = 2**bits % bound
        parts, missing = [], count
        while missing > 0:
            # All that is left of these words would be needed before another one.
            pieces = self._pieces(missing, bits)
            high, low = (pieces, pieces) if bound == 2**bits else _product(pieces, bound, bits)
            if threshold:
                high = high[low >= low.dtype.type(threshold)]
            parts.append(high[:missing])
            missing -= parts[-1].size
        return parts[0] if len(parts) == 1 else _core.concatenate(parts)

    def _pieces(self, count: int, bits: int) -> ndarray:
        """At least `count` numbers of some bits: words of 32 bits are used up from below."""
        if bits == 64:
            return self._words(count)
        per_word = 32 // bits
        words = self._halves(-(-count // per_word))
        if per_word == 1:
            return words
        shifts = _core.array(np.arange(per_word, dtype=np.uint32) * np.uint32(bits))
        return ((words[:, None] >> shifts) & np.uint32(2**bits - 1)).reshape(-1)


def _product(numbers: ndarray, factor: int, bits: int) -> tuple[ndarray, ndarray]:
    """The upper and the lower half of the products, as uint64."""
    if bits < 64:
        product = numbers.astype(np.uint64) * np.uint64(factor)
        return product >> bits, product & np.uint64(2**bits - 1)
    low, high = numbers & np.uint64(_M32), numbers >> 32
    factor_low, factor_high = np.uint64(factor & _M32), np.uint64(factor >> 32)
    cross = high * factor_low + (low * factor_low >> 32)
    middle = low * factor_high + (cross & np.uint64(_M32))
    return high * factor_high + (cross >> 32) + (middle >> 32), numbers * np.uint64(factor & _M64)


class PCG64(NumpyStream):
    """O'Neill's PCG XSL RR 128/64, a linear recurrence of 128 bits. See `numpy.random.PCG64`.

    >>> cp.random.PCG64(1).random_raw(2)
    array([ 9441442522235856127, 17532960557476522086], dtype=uint64)
    """

    _kernel = "pcg64"
    _factor = 0x2360ED051FC65DA44385DF649FCCF645

    def _start(self) -> None:
        first, second, third, fourth = (int(word) for word in self._seed_seq.generate_state(4, np.uint64))
        self._increment = ((third << 64 | fourth) << 1 | 1) & _M128
        # The first step of either kind is one of PCG64.
        start = (first << 64 | second) + self._increment
        self._position = (start * PCG64._factor + self._increment) & _M128

    def _step(self) -> None:
        self._position = (self._position * self._factor + self._increment) & _M128

    def _word(self) -> int:
        self._step()
        high, low = self._position >> 64, self._position & _M64
        turn = high >> 58
        mixed = high ^ low
        return (mixed >> turn | mixed << (64 - turn)) & _M64

    def _words(self, count: int) -> ndarray:
        state = (self._position & _M64, self._position >> 64, self._increment & _M64, self._increment >> 64)
        out = _core.empty(count, np.uint64)
        _core.random_words(self._kernel, state, out)
        self._jump(count)
        return out

    def _jump(self, steps: int) -> None:
        product, total = 1, 0
        factor, increment = self._factor, self._increment
        while steps:
            if steps & 1:
                product, total = product * factor & _M128, (total * factor + increment) & _M128
            increment, factor = (factor + 1) * increment & _M128, factor * factor & _M128
            steps >>= 1
        self._position = (self._position * product + total) & _M128

    def advance(self, delta: int) -> PCG64:
        """Moves on by `delta` words; a negative number moves back."""
        with self.lock:
            self._jump(operator.index(delta) % 2**128)
            self._half = None
        return self

    def jumped(self, jumps: int = 1) -> PCG64:
        """A new generator, `jumps` times 2**128 / phi words ahead."""
        other = type(self)(self._seed_seq)
        other.state = self.state
        return other.advance(0x9E3779B97F4A7C15F39CC0605CEDC835 * jumps)

    def _get_state(self) -> dict[str, Any]:
        return {"state": {"state": self._position, "inc": self._increment}}

    def _set_state(self, value: dict[str, Any]) -> None:
        position, increment = int(value["state"]["state"]), int(value["state"]["inc"])
        if not (0 <= position <= _M128 and 0 <= increment <= _M128):
            raise ValueError("state and inc are unsigned 128-bit integers")
        self._position, self._increment = position, increment


class PCG64DXSM(PCG64):
    """PCG64 with a cheaper multiplier and the output function DXSM. See `numpy.random.PCG64DXSM`.

    >>> cp.random.PCG64DXSM(1).random_raw(2)
    array([5001773312344742047, 5153105853343410367], dtype=uint64)
    """

    _kernel = "pcg64dxsm"
    _factor = 0xDA942042E4DD58B5

    def _word(self) -> int:
        high, low = self._position >> 64, self._position & _M64 | 1
        self._step()
        high = (high ^ high >> 32) * self._factor & _M64
        return (high ^ high >> 48) * low & _M64


class Philox(NumpyStream):
    """Philox4x64-10, which scrambles a counter of 256 bits by a key.

    Parameters
    ----------
    seed : int, sequence of int or SeedSequence, optional
        Where the numbers begin; without one, the system's randomness. Not together with `key`.
    counter : int or sequence of int, optional
        The number of the block before the first, as one number or as four words of 64 bits; 0 by default.
    key : int or sequence of int, optional
        The key of 128 bits itself, as one number or as two words.

    See Also
    --------
    numpy.random.Philox : The class that this one follows.

    >>> cp.random.Philox(1).random_raw(2)
    array([1232279569898196538, 1457532264001425278], dtype=uint64)
    """

    def __init__(self, seed: Seed = None, counter: Any = None, key: Any = None) -> None:
        """A generator from a seed, or from a key of 128 bits; `counter` is the block before the first."""
        if seed is not None and key is not None:
            raise ValueError("seed and key cannot be both used")
        super().__init__(seed)
        if key is not None:
            self._key = _as_words(key, 2, "key")
        self._block = sum(word << 64 * place for place, word in enumerate(_as_words(counter or 0, 4, "counter")))

    def _start(self) -> None:
        self._key = [int(word) for word in self._seed_seq.generate_state(2, np.uint64)]
        # The number of the present block, and how many of its four words were taken.
        self._block, self._taken = 0, 4

    def _words(self, count: int) -> ndarray:
        out = self._at(self._taken, count)
        if count:
            end = self._taken + count
            self._block = (self._block + (end - 1) // 4) & _M256
            self._taken = end - (end - 1) // 4 * 4
        return out

    def _at(self, start: int, count: int) -> ndarray:
        """`count` words from the `start`-th of the present block on."""
        out = _core.empty(count, np.uint64)
        state = [*_split((self._block + start // 4) & _M256, 4), *self._key, start % 4]
        _core.random_words("philox", state, out)
        return out

    def advance(self, delta: int) -> Philox:
        """Moves on by `delta` blocks of four words; what is left of the present one is skipped."""
        with self.lock:
            self._block = (self._block + operator.index(delta)) & _M256
            self._taken, self._half = 4, None
        return self

    def jumped(self, jumps: int = 1) -> Philox:
        """A new generator, `jumps` times 2**128 blocks ahead."""
        other = type(self)(self._seed_seq)
        other.state = self.state
        return other.advance(jumps << 128)

    def _get_state(self) -> dict[str, Any]:
        fresh = self._block == 0 and self._taken == 4
        buffer = np.zeros(4, np.uint64) if fresh else _core.asnumpy(self._at(0, 4))
        counter, key = (np.array(words, np.uint64) for words in (_split(self._block, 4), self._key))
        return {"state": {"counter": counter, "key": key}, "buffer": buffer, "buffer_pos": self._taken}

    def _set_state(self, value: dict[str, Any]) -> None:
        inner = value["state"]
        self._key = _as_words(inner["key"], 2, "key")
        self._block = sum(word << 64 * place for place, word in enumerate(_as_words(inner["counter"], 4, "counter")))
        self._taken = int(value["buffer_pos"])


def _split(number: int, words: int) -> list[int]:
    return [number >> 64 * place & _M64 for place in range(words)]


def _as_words(value: Any, words: int, name: str) -> list[int]:
    """The 64-bit words of an integer or of an array of them, the lowest first."""
    if isinstance(value, (int, np.integer)):
        if not 0 <= int(value) < 2 ** (64 * words):
            raise ValueError(f"{name} must be positive and less than 2**{64 * words}.")
        return _split(int(value), words)
    found = np.asarray(value, np.uint64)
    if found.shape != (words,):
        raise ValueError(f"{name} must be an integer or {words} words of 64 bits")
    return [int(word) for word in found]


class _Held(NumpyStream):
    """The base of generators whose last words stay on the device."""

    _memory: ndarray

    def _here(self) -> ndarray:
        """The words on the device at hand."""
        self._memory = self._memory.to_device(_core.Device())
        return self._memory


class SFC64(_Held):
    """Doty-Humphrey's small fast chaotic generator, which one thread runs. See `numpy.random.SFC64`.

    >>> cp.random.SFC64(1).random_raw(2)
    array([18365948275979584072,  6864396556639111295], dtype=uint64)
    """

    def _start(self) -> None:
        seed = self._seed_seq.generate_state(3, np.uint64)
        self._memory = _core.array(np.array([*seed, 1], np.uint64))
        self._words(12)

    def _words(self, count: int) -> ndarray:
        out = _core.empty(count, np.uint64)
        _core.random_sequential(self._here(), out)
        return out

    def _get_state(self) -> dict[str, Any]:
        return {"state": {"state": _core.asnumpy(self._memory)}}

    def _set_state(self, value: dict[str, Any]) -> None:
        words = np.asarray(value["state"]["state"], np.uint64)
        if words.shape != (4,):
            raise ValueError("a state has 4 words of 64 bits")
        self._memory = _core.array(words)


class MT19937(_Held):
    """The Mersenne Twister of Matsumoto and Nishimura (1998), a launch for 227 numbers. See `numpy.random.MT19937`.

    >>> cp.random.MT19937(1).random_raw(2)
    array([1033693557, 3869576402], dtype=uint64)
    """

    _LENGTH = 624

    def _start(self) -> None:
        words = self._seed_seq.generate_state(self._LENGTH, np.uint32)
        words[0] = 0x80000000
        # `_taken` of these words were given out.
        self._memory, self._taken = _core.array(words), self._LENGTH - 1

    def _halves(self, count: int) -> ndarray:
        # What comes is in the words held from `_taken` on and in those that follow.
        total = self._taken + count
        fresh = max(-(-total // self._LENGTH) - 1, 0) * self._LENGTH
        line = _core.empty(self._LENGTH + fresh, np.uint32)
        line[: self._LENGTH] = self._here()
        _core.random_twist(line)
        taken = line[self._taken : total]
        self._memory, self._taken = line[fresh:].copy(), total - fresh
        taken = taken ^ (taken >> 11)
        taken = taken ^ ((taken << 7) & np.uint32(0x9D2C5680))
        taken = taken ^ ((taken << 15) & np.uint32(0xEFC60000))
        return taken ^ (taken >> 18)

    def _words(self, count: int) -> ndarray:
        pairs = self._halves(2 * count).astype(np.uint64).reshape(count, 2)
        return pairs[:, 0] << 32 | pairs[:, 1]

    def _raw(self, count: int) -> ndarray:
        return self._halves(count).astype(np.uint64)

    def _doubles(self, count: int) -> ndarray:
        pairs = self._halves(2 * count).reshape(count, 2)
        high, low = (pairs[:, 0] >> 5).astype(np.float64), (pairs[:, 1] >> 6).astype(np.float64)
        return (high * 2.0**26 + low) / 2.0**53

    @property
    def state(self) -> dict[str, Any]:
        """Everything that the next draw depends on, as NumPy has it: states can be exchanged with `numpy.random`."""
        with self.lock:
            key = {"key": _core.asnumpy(self._memory), "pos": self._taken}
            return {"bit_generator": type(self).__name__, "state": key}

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        if value.get("bit_generator") != type(self).__name__:
            raise ValueError(f"state must be for a {type(self).__name__} PRNG")
        words, taken = np.asarray(value["state"]["key"], np.uint32), int(value["state"]["pos"])
        if words.shape != (self._LENGTH,) or not 0 <= taken <= self._LENGTH:
            raise ValueError(f"a state has {self._LENGTH} words of 32 bits and a position among them")
        with self.lock:
            self._memory, self._taken = _core.array(words), taken
