"""Where the weights of a recurrent network lie, and how batches of sequences are packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from ._constants import CUDNN_BIDIRECTIONAL, CUDNN_GRU, CUDNN_LSTM

GATES = {0: 1, 1: 1, CUDNN_LSTM: 4, CUDNN_GRU: 3}
"""Matrices for the input, and as many for the state before, by the kind of network."""


@dataclass(frozen=True)
class Network:
    """A recurrent network without its numbers."""

    mode: int
    directions: int
    layers: int
    inputs: int
    units: int

    @property
    def gates(self) -> int:
        """Matrices for the input of a layer."""
        return GATES[self.mode]

    @property
    def pseudo_layers(self) -> int:
        """Layers times directions."""
        return self.layers * self.directions

    def width(self, pseudo_layer: int) -> int:
        """Elements of an input of a layer."""
        return self.inputs if pseudo_layer < self.directions else self.units * self.directions

    def matrix(self, pseudo_layer: int, number: int) -> tuple[int, tuple[int, int]]:
        """Where a matrix begins, and its shape: those for the input first, then those for the state."""
        start = sum(self.gates * self.units * (self.width(each) + self.units) for each in range(pseudo_layer))
        width = self.width(pseudo_layer)
        before = min(number, self.gates) * self.units * width + max(number - self.gates, 0) * self.units**2
        return start + before, (self.units, width if number < self.gates else self.units)

    def bias(self, pseudo_layer: int, number: int) -> int:
        """Where a bias begins: all of them lie behind all matrices."""
        return self.matrix(self.pseudo_layers, 0)[0] + (pseudo_layer * 2 * self.gates + number) * self.units

    @property
    def size(self) -> int:
        """Elements of all weights."""
        return self.bias(self.pseudo_layers, 0)

    def weights(self, w: ndarray, pseudo_layer: int) -> tuple[ndarray, ndarray, ndarray, ndarray]:
        """Views of the matrices of a layer for its input and its state, of all gates, and the biases of both."""
        rows = self.gates * self.units
        start, (_, width) = self.matrix(pseudo_layer, 0)
        middle, end = start + rows * width, start + rows * (width + self.units)
        offset = self.bias(pseudo_layer, 0)
        matrices = w[start:middle].reshape(rows, width), w[middle:end].reshape(rows, self.units)
        return (*matrices, w[offset : offset + rows], w[offset + rows : offset + 2 * rows])


def network(direction_mode: int, rnn_mode: int, hx: ndarray, inputs: int) -> Network:
    """The network that a call is about."""
    if rnn_mode not in GATES:
        raise ValueError(
            f"rnn_mode must be CUDNN_RNN_RELU, CUDNN_RNN_TANH, CUDNN_LSTM or CUDNN_GRU (0 to 3), got {rnn_mode}"
        )
    if direction_mode not in (0, CUDNN_BIDIRECTIONAL):
        raise ValueError(
            f"direction_mode must be CUDNN_UNIDIRECTIONAL (0) or CUDNN_BIDIRECTIONAL (1), got {direction_mode}"
        )
    directions = 2 if direction_mode == CUDNN_BIDIRECTIONAL else 1
    if hx.ndim != 3 or hx.shape[0] % directions or hx.shape[0] == 0:
        raise ValueError(f"hx must have shape (layers * directions, batch, units), got {hx.shape}")
    return Network(int(rnn_mode), directions, hx.shape[0] // directions, inputs, hx.shape[2])


def batch_sizes(lengths: Sequence[int], rows: int, batch: int) -> list[int]:
    """How many sequences reach each step; they must not become more."""
    sizes = [int(size) for size in lengths]
    if not sizes or sum(sizes) != rows or min(sizes) < 1 or sizes != sorted(sizes, reverse=True):
        raise ValueError(
            f"lengths must be sizes of batches that do not grow and add up to {rows} rows of xs, got {sizes}"
        )
    if sizes[0] != batch:
        raise ValueError(f"lengths begin with {sizes[0]} sequences, and hx is of {batch}")
    return sizes


class Packing:
    """Padded sequences (steps, batch, width) as packed ones, the longest first."""

    def __init__(self, lengths: Any, steps: int, batch: int) -> None:
        counts = np.asarray(lengths, np.int64).ravel()
        if counts.size != batch or (batch and (counts.min() < 1 or counts.max() > steps)):
            raise ValueError(f"lengths must be {batch} numbers from 1 to {steps}, got {counts.tolist()}")
        self.order = np.argsort(-counts, kind="stable")
        self.sizes = [int((counts > step).sum()) for step in range(int(counts.max(initial=0)))]
        rows = [step * batch + self.order[:size] for step, size in enumerate(self.sizes)]
        self._rows = _core.array(np.concatenate(rows) if rows else np.empty(0, np.int64))
        self._order, self._inverse = _core.array(self.order), _core.array(np.argsort(self.order))
        self._shape = steps, batch

    def pack(self, xs: ndarray) -> ndarray:
        """The rows of steps that exist."""
        return xs.reshape(self._shape[0] * self._shape[1], xs.shape[2])[self._rows]

    def unpack(self, packed: ndarray) -> ndarray:
        """The padded form, with zeros where a sequence has ended."""
        full = _core.zeros((self._shape[0] * self._shape[1], packed.shape[1]), packed.dtype)
        full[self._rows] = packed
        return full.reshape(*self._shape, packed.shape[1])

    def sort(self, state: ndarray | None) -> ndarray | None:
        """States (layers, batch, units) in the order of the packed sequences."""
        return None if state is None or state.size == 0 else state[:, self._order]

    def unsort(self, state: ndarray) -> ndarray:
        """States in the order of the program."""
        return state if state.size == 0 else state[:, self._inverse]
