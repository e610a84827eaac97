"""Recurrent networks by own kernels: a matrix product for the inputs of a layer, one and a kernel for each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib import kernel as k
from ._constants import CUDNN_GRU, CUDNN_LSTM, CUDNN_RNN_RELU
from ._recurrent_layout import Network


@k.function
def _sigmoid(v):
    return 1.0 / (1.0 + k.exp(-v))


@k.kernel
def _simple(pre: k.Array, rec: k.Array, bias: k.Array, h: k.Out[0], y: k.Out[0], *, relu: bool) -> None:
    i, j = k.coordinates()
    v = pre[i, j] + rec[i, j] + bias[j]
    v = k.maximum(v, 0.0) if relu else k.tanh(v)
    h[...] = v
    y[...] = v


@k.kernel
def _lstm(
    pre: k.Array, rec: k.Array, bias: k.Array, gates: k.Out, h: k.Out[0], c: k.Out[0], y: k.Out[0], before: k.Each
):
    i, j = k.coordinates()
    units = bias.shape[0] // 4
    enter = _sigmoid(pre[i, j] + rec[i, j] + bias[j])
    forget = _sigmoid(pre[i, j + units] + rec[i, j + units] + bias[j + units])
    new = k.tanh(pre[i, j + 2 * units] + rec[i, j + 2 * units] + bias[j + 2 * units])
    leave = _sigmoid(pre[i, j + 3 * units] + rec[i, j + 3 * units] + bias[j + 3 * units])
    cell = forget * before + enter * new
    value = leave * k.tanh(cell)
    gates[i, j] = enter
    gates[i, j + units] = forget
    gates[i, j + 2 * units] = new
    gates[i, j + 3 * units] = leave
    c[...] = cell
    h[...] = value
    y[...] = value


@k.kernel
def _gru(pre: k.Array, rec: k.Array, bias: k.Array, gates: k.Out, h: k.Out[0], y: k.Out[0], before: k.Each):
    i, j = k.coordinates()
    units = bias.shape[0] // 3
    reset = _sigmoid(pre[i, j] + rec[i, j] + bias[j])
    update = _sigmoid(pre[i, j + units] + rec[i, j + units] + bias[j + units])
    inner = rec[i, j + 2 * units] + bias[j + 2 * units]
    new = k.tanh(pre[i, j + 2 * units] + reset * inner)
    value = (1.0 - update) * new + update * before
    gates[i, j] = reset
    gates[i, j + units] = update
    gates[i, j + 2 * units] = new
    gates[i, j + 3 * units] = inner
    h[...] = value
    y[...] = value


@k.kernel
def _simple_back(y: k.Each, dy: k.Each, dh: k.Each, dgate: k.Out[0], *, relu: bool) -> None:
    d = dy + dh
    dgate[...] = k.where(y > 0.0, d, 0.0) if relu else d * (1.0 - y * y)


@k.kernel
def _lstm_back(
    gates: k.Array, dgates: k.Out, dc: k.Out[0], cell: k.Each, before: k.Each, dy: k.Each, dh: k.Each, after: k.Each
):
    i, j = k.coordinates()
    units = gates.shape[1] // 4
    enter, forget = gates[i, j], gates[i, j + units]
    new, leave = gates[i, j + 2 * units], gates[i, j + 3 * units]
    t, d = k.tanh(cell), dy + dh
    inner = after + d * leave * (1.0 - t * t)
    dgates[i, j] = inner * new * enter * (1.0 - enter)
    dgates[i, j + units] = inner * before * forget * (1.0 - forget)
    dgates[i, j + 2 * units] = inner * enter * (1.0 - new * new)
    dgates[i, j + 3 * units] = d * t * leave * (1.0 - leave)
    dc[...] = inner * forget


@k.kernel
def _gru_back(gates: k.Array, dpre: k.Out, drec: k.Out, direct: k.Out[0], before: k.Each, dy: k.Each, dh: k.Each):
    i, j = k.coordinates()
    units = gates.shape[1] // 4
    reset, update = gates[i, j], gates[i, j + units]
    new, inner = gates[i, j + 2 * units], gates[i, j + 3 * units]
    d = dy + dh
    dnew = d * (1.0 - update) * (1.0 - new * new)
    dreset = dnew * inner * reset * (1.0 - reset)
    dupdate = d * (before - new) * update * (1.0 - update)
    dpre[i, j] = dreset
    drec[i, j] = dreset
    dpre[i, j + units] = dupdate
    drec[i, j + units] = dupdate
    dpre[i, j + 2 * units] = dnew
    drec[i, j + 2 * units] = dnew * reset
    direct[...] = d * update


class Reserve:
    """What the gradients need of a forward pass, layer by layer."""

    def __init__(self, network: Network, sizes: Sequence[int]) -> None:
        self.network, self.sizes = network, list(sizes)
        self.inputs: list[ndarray] = []
        self.scales: list[ndarray | None] = []
        self.layers: list[dict[str, ndarray]] = []


def _steps(sizes: Sequence[int], backwards: bool) -> Iterator[tuple[slice, int]]:
    """The rows of each step in the order of a direction, and their number."""
    starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    order = range(len(sizes) - 1, -1, -1) if backwards else range(len(sizes))
    return ((slice(starts[t], starts[t + 1]), sizes[t]) for t in order)


def forward(
    network: Network,
    hx: ndarray,
    cx: ndarray | None,
    w: ndarray,
    xs: ndarray,
    sizes: Sequence[int],
    dropout: Any = None,
) -> tuple[Reserve, ndarray, ndarray, ndarray]:
    """The last states, the last cells and the results of all steps of packed sequences, with what gradients need."""
    dtype, units, rows = xs.dtype, network.units, xs.shape[0]
    hy = hx.copy()
    cy = (cx.copy() if cx is not None else _core.zeros(hx.shape, dtype)) if network.mode == CUDNN_LSTM else None
    reserve, x = Reserve(network, sizes), xs
    for layer in range(network.layers):
        scale = None
        if layer and dropout is not None and dropout._ratio > 0:
            scale = dropout.mask(x.shape).astype(dtype) / (1.0 - dropout._ratio)
            x = x * scale
        reserve.inputs.append(x)
        reserve.scales.append(scale)
        ys = _core.empty((rows, network.directions * units), dtype)
        for direction in range(network.directions):
            number = layer * network.directions + direction
            matrix, recurrent, bias, second = network.weights(w, number)
            pre = _core.matmul(x, matrix.T) + bias
            back, h = recurrent.T, hy[number]
            part = ys[:, direction * units : (direction + 1) * units]
            kept = {"h": _core.empty((rows, units), dtype), "y": part}
            if network.mode in (CUDNN_LSTM, CUDNN_GRU):
                kept["gates"] = _core.empty((rows, 4 * units), dtype)
            if network.mode == CUDNN_LSTM:
                assert cy is not None
                kept["before"], kept["cell"] = (_core.empty((rows, units), dtype) for _ in range(2))
                cells = cy[number]
            for at, count in _steps(sizes, direction == 1):
                now = kept["h"][at]
                now[...] = h[:count]
                rec = _core.matmul(now, back)
                if network.mode == CUDNN_LSTM:
                    kept["before"][at] = cells[:count]
                    made = h[:count], kept["cell"][at], part[at]
                    _lstm(pre[at], rec, second, kept["gates"][at], *made, kept["before"][at])
                    cells[:count] = kept["cell"][at]
                elif network.mode == CUDNN_GRU:
                    _gru(pre[at], rec, second, kept["gates"][at], h[:count], part[at], now)
                else:
                    _simple(pre[at], rec, second, h[:count], part[at], relu=network.mode == CUDNN_RNN_RELU)
            reserve.layers.append(kept)
        x = ys
    return reserve, hy, _core.empty(0, dtype) if cy is None else cy, x


def backward_data(
    reserve: Reserve, w: ndarray, dhy: ndarray | None, dcy: ndarray | None, dys: ndarray
) -> tuple[ndarray, ndarray, ndarray]:
    """The gradients for the first states, the first cells and the inputs. Those of the gates stay in the reserve."""
    network, units, dtype = reserve.network, reserve.network.units, dys.dtype
    shape = network.pseudo_layers, max(reserve.sizes, default=0), units
    dhx = dhy.copy() if dhy is not None else _core.zeros(shape, dtype)
    dcx = dcy.copy() if dcy is not None else _core.zeros(shape, dtype)
    slopes = dys
    for layer in range(network.layers - 1, -1, -1):
        dx = None
        for direction in range(network.directions):
            number = layer * network.directions + direction
            kept = reserve.layers[number]
            matrix, recurrent, _, _ = network.weights(w, number)
            part, dh, dc = slopes[:, direction * units : (direction + 1) * units], dhx[number], dcx[number]
            dpre = _core.empty((part.shape[0], network.gates * units), dtype)
            drec = _core.empty(dpre.shape, dtype) if network.mode == CUDNN_GRU else dpre
            for at, count in _steps(reserve.sizes, direction == 0):
                if network.mode == CUDNN_LSTM:
                    cells = dc[:count], kept["cell"][at], kept["before"][at]
                    _lstm_back(kept["gates"][at], dpre[at], *cells, part[at], dh[:count], dc[:count])
                    dh[:count] = _core.matmul(drec[at], recurrent)
                elif network.mode == CUDNN_GRU:
                    direct = _core.empty((count, units), dtype)
                    _gru_back(kept["gates"][at], dpre[at], drec[at], direct, kept["h"][at], part[at], dh[:count])
                    dh[:count] = _core.matmul(drec[at], recurrent) + direct
                else:
                    relu = network.mode == CUDNN_RNN_RELU
                    _simple_back(kept["y"][at], part[at], dh[:count], dpre[at], relu=relu)
                    dh[:count] = _core.matmul(drec[at], recurrent)
            kept["dpre"], kept["drec"] = dpre, drec
            made = _core.matmul(dpre, matrix)
            dx = made if dx is None else dx + made
        scale = reserve.scales[layer]
        assert dx is not None
        slopes = dx if scale is None else dx * scale
    return dhx, dcx if network.mode == CUDNN_LSTM else _core.empty(0, dtype), slopes


def backward_weights(reserve: Reserve, dtype: np.dtype[Any]) -> ndarray:
    """The gradient for the weights, after `backward_data`."""
    network = reserve.network
    dw = _core.empty(network.size, dtype)
    for number, kept in enumerate(reserve.layers):
        if "dpre" not in kept:
            raise ValueError(
                "rnn_backward_data must be called before rnn_backward_weights, with the same reserve_space"
            )
        matrix, recurrent, bias, second = network.weights(dw, number)
        matrix[...] = _core.matmul(kept["dpre"].T, reserve.inputs[number // network.directions])
        recurrent[...] = _core.matmul(kept["drec"].T, kept["h"])
        bias[...] = kept["dpre"].sum(axis=0)
        second[...] = kept["drec"].sum(axis=0)
    return dw
