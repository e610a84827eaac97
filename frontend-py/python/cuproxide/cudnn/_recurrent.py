"""Recurrent networks with their gradients: plain ones, LSTM and GRU, in layers and in both directions."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from . import _recurrent_steps as steps
from ._constants import CUDNN_BIDIRECTIONAL, CUDNN_LSTM
from ._descriptors import Descriptor
from ._dropout import DropoutStates
from ._recurrent_layout import GATES, Network, Packing, batch_sizes, network
from ._tensors import by_library, check, dense, has_library, wide


class _LibraryReserve:
    """A library's reserve, and the results that it asks for again."""

    def __init__(self, memory: ndarray, ratio: float, states: ndarray | None) -> None:
        self.memory, self.ratio, self.states = memory, ratio, states
        self.has_data = False


@functools.lru_cache(maxsize=64)
def _fits(net: Network, dtype: str, device: int) -> bool:
    """Whether the library keeps the weights of a network where `Network` says."""
    places = _core.dnn_rnn_places(_facts(net, dtype))
    if places is None:
        return False
    own = [
        (net.matrix(layer, number)[0], net.bias(layer, number))
        for layer in range(net.pseudo_layers)
        for number in range(2 * net.gates)
    ]
    return list(places) == own


def _facts(net: Network, dtype: str) -> dict[str, Any]:
    return {
        "mode": net.mode,
        "directions": net.directions,
        "layers": net.layers,
        "inputs": net.inputs,
        "units": net.units,
        "dtype": dtype,
    }


def _library_options(net: Network, xs: ndarray, sizes: Sequence[int], states: DropoutStates) -> dict[str, Any] | None:
    """What a library is told, if it computes this network."""
    if not has_library() or not _fits(net, xs.dtype.name, xs.device.id):
        return None
    if states.library_states() is None:
        return None
    return {**_facts(net, xs.dtype.name), "sizes": list(sizes), "ratio": states._ratio}


class _Call:
    """The arguments that all calls have in common, checked."""

    def __init__(
        self,
        direction_mode: int,
        rnn_mode: int,
        hx: ndarray,
        cx: ndarray | None,
        w: ndarray,
        xs: ndarray,
        lengths: Sequence[int],
    ) -> None:
        self.dtype = check(hx=hx, cx=cx, w=w, xs=xs)
        if xs.ndim != 2:
            raise ValueError(f"xs must have shape (rows of all steps, inputs), got {xs.shape}")
        self.net = network(direction_mode, rnn_mode, hx, xs.shape[1])
        if w.size != self.net.size:
            raise ValueError(f"w must have {self.net.size} elements for this network, got shape {w.shape}")
        if cx is not None and cx.shape != hx.shape:
            raise ValueError(f"cx must have the shape of hx, {hx.shape}, got {cx.shape}")
        self.sizes = batch_sizes(lengths, xs.shape[0], hx.shape[1])
        self.hx, self.w, self.xs = dense(hx), dense(w.reshape(-1)), dense(xs)
        self.cx = None if cx is None or rnn_mode != CUDNN_LSTM else dense(cx)

    @property
    def cells(self) -> ndarray:
        """The first cells, or what stands for them where there are none."""
        if self.net.mode == CUDNN_LSTM and self.cx is None:
            return _core.zeros(self.hx.shape, self.dtype)
        return self.hx if self.cx is None else self.cx

    def own(self, array: ndarray | None) -> ndarray | None:
        """An array in the dtype that own kernels compute in."""
        return None if array is None else array.astype(wide(self.dtype), copy=False)

    def results(self, *arrays: ndarray) -> list[ndarray]:
        """Results of own kernels in the dtype of the arguments."""
        return [array.astype(self.dtype, copy=False) for array in arrays]


def _forward(call: _Call, states: DropoutStates, training: bool) -> tuple[Any, ndarray, ndarray, ndarray]:
    net, options = call.net, _library_options(call.net, call.xs, call.sizes, states)
    size = None if options is None else _core.dnn_sizes("rnn", [], {**options, "training": training})
    if options is not None and size is not None and call.xs.size:
        made = [_core.empty(call.hx.shape, call.dtype) for _ in range(2)]
        ys = _core.empty((call.xs.shape[0], net.directions * net.units), call.dtype)
        memory = _core.empty(max(size[1], 1), "uint8")
        random = states.library_states()
        assert random is not None
        arrays = [call.xs, call.hx, call.cells, call.w, random, ys, *made, memory]
        if by_library("rnn", *arrays, training=training, **options):
            cy = made[1] if net.mode == CUDNN_LSTM else _core.empty(0, call.dtype)
            return _LibraryReserve(memory, states._ratio, random), made[0], cy, ys
    w, xs, hx, cx = (call.own(array) for array in (call.w, call.xs, call.hx, call.cx))
    reserve, *made = steps.forward(net, hx, cx, w, xs, call.sizes, states if training else None)  # type: ignore[arg-type]
    hy, cy, ys = call.results(*made)
    return reserve, hy, cy, ys


def rnn_forward_training(
    states: DropoutStates,
    direction_mode: int,
    rnn_mode: int,
    hx: ndarray,
    cx: ndarray | None,
    w: ndarray,
    xs: ndarray,
    lengths: Sequence[int],
) -> tuple[Any, ndarray, ndarray, ndarray]:
    """A recurrent network over packed sequences, keeping what the gradients need.

    Parameters
    ----------
    states : DropoutStates
        With the ratio of its last use, elements between layers are dropped.
    hx, cx : cuproxide.ndarray
        First states (layers * directions, batch, units) and, for LSTM, cells; None stands for cells of zeros.

    Returns
    -------
    tuple
        The reserve for the gradients, the last states, the last cells (empty without LSTM), the results of all steps.

    Raises
    ------
    ValueError
        For shapes and lengths that do not fit.

    >>> states, w = cudnn.DropoutStates(None, 0), cp.array([1.0, 0.5, 0.0, 0.0])
    >>> xs, hx = cp.ones((3, 1)), cp.zeros((1, 1, 1))
    >>> cudnn.rnn_forward_training(states, 0, cudnn.CUDNN_RNN_RELU, hx, None, w, xs, [1, 1, 1])[3].ravel()
    array([1.  , 1.5 , 1.75])
    """
    return _forward(_Call(direction_mode, rnn_mode, hx, cx, w, xs, lengths), states, training=True)


def rnn_forward_inference(
    states: DropoutStates,
    direction_mode: int,
    rnn_mode: int,
    hx: ndarray,
    cx: ndarray | None,
    w: ndarray,
    xs: ndarray,
    lengths: Sequence[int],
) -> tuple[ndarray, ndarray, ndarray]:
    """`rnn_forward_training` without dropout and without a reserve.

    Parameters
    ----------
    states : DropoutStates
        Has no effect on the results: nothing is dropped.
    hx, cx : cuproxide.ndarray
        First states (layers * directions, batch, units) and, for LSTM, cells; None stands for cells of zeros.
        float16, float32 or float64, as all arrays of the call.

    Returns
    -------
    hy, cy : cuproxide.ndarray
        The last states, and the last cells (empty without LSTM), of the shape of `hx`.
    ys : cuproxide.ndarray
        The results of all steps (rows, directions * units).

    >>> states, w = cudnn.DropoutStates(None, 0), cp.array([1.0, 0.5, 0.0, 0.0])
    >>> xs, hx, modes = cp.ones((3, 1)), cp.zeros((1, 1, 1)), (cudnn.CUDNN_UNIDIRECTIONAL, cudnn.CUDNN_RNN_RELU)
    >>> cudnn.rnn_forward_inference(states, *modes, hx, None, w, xs, [1, 1, 1])[2].ravel()
    array([1.  , 1.5 , 1.75])
    """
    made = _forward(_Call(direction_mode, rnn_mode, hx, cx, w, xs, lengths), states, training=False)
    return made[1:]


def rnn_backward_data(
    states: DropoutStates,
    direction_mode: int,
    rnn_mode: int,
    hx: ndarray,
    cx: ndarray | None,
    w: ndarray,
    xs: ndarray,
    ys: ndarray,
    reserve_space: Any,
    dhy: ndarray | None,
    dcy: ndarray | None,
    dys: ndarray,
    lengths: Sequence[int],
) -> tuple[ndarray, ndarray, ndarray]:
    """The gradients of `rnn_forward_training` for `hx`, `cx` and `xs`.

    Parameters
    ----------
    hx, cx : cuproxide.ndarray
        First states (layers * directions, batch, units) and, for LSTM, cells; None stands for cells of zeros.
        float16, float32 or float64, as all arrays of the call.
    dhy, dcy : cuproxide.ndarray or None
        The gradients for the last states and, for LSTM, the last cells, of the shape of `hx`; None stands for zeros.

    Returns
    -------
    dhx, dcx : cuproxide.ndarray
        The gradients for the first states, and for the first cells (empty without LSTM).
    dxs : cuproxide.ndarray
        The gradient for `xs`, of its shape.

    Raises
    ------
    TypeError
        For arrays of other dtypes, or of different ones, and for a reserve that `rnn_forward_training` did not return.
    ValueError
        For modes, shapes and lengths that do not fit, and for a reserve of another network or other lengths.

    >>> states, w = cudnn.DropoutStates(None, 0), cp.array([1.0, 0.5, 0.0, 0.0])
    >>> xs, hx, modes = cp.ones((3, 1)), cp.zeros((1, 1, 1)), (cudnn.CUDNN_UNIDIRECTIONAL, cudnn.CUDNN_RNN_RELU)
    >>> reserve, _, _, ys = cudnn.rnn_forward_training(states, *modes, hx, None, w, xs, [1, 1, 1])
    >>> arguments = hx, None, w, xs, ys, reserve, None, None, cp.ones((3, 1)), [1, 1, 1]
    >>> cudnn.rnn_backward_data(states, *modes, *arguments)[2].ravel()
    array([1.75, 1.5 , 1.  ])
    """
    call = _Call(direction_mode, rnn_mode, hx, cx, w, xs, lengths)
    check(xs=xs, ys=ys, dhy=dhy, dcy=dcy if rnn_mode == CUDNN_LSTM else None, dys=dys)
    if dys.shape != ys.shape:
        raise ValueError(f"dys must have the shape of ys, {ys.shape}, got {dys.shape}")
    if rnn_mode != CUDNN_LSTM:
        dcy = None
    for name, array in (("dhy", dhy), ("dcy", dcy)):
        if array is not None and array.shape != hx.shape:
            raise ValueError(f"{name} must have the shape of hx, {hx.shape}, got {array.shape}")
    if isinstance(reserve_space, _LibraryReserve):
        return _library_data(call, states, ys, reserve_space, dhy, dcy, dys)
    slopes = [call.own(array) for array in (call.w, dhy, dcy, dys)]
    return tuple(call.results(*steps.backward_data(_own_reserve(reserve_space, call), *slopes)))  # type: ignore[arg-type, return-value]


def _own_reserve(reserve: Any, call: _Call) -> steps.Reserve:
    if not isinstance(reserve, steps.Reserve):
        raise TypeError(f"reserve_space must be what rnn_forward_training returned, got {type(reserve).__name__}")
    if reserve.network != call.net or reserve.sizes != call.sizes:
        raise ValueError("reserve_space is of another network or of other lengths")
    return reserve


def _library_data(
    call: _Call,
    states: DropoutStates,
    ys: ndarray,
    reserve: _LibraryReserve,
    dhy: ndarray | None,
    dcy: ndarray | None,
    dys: ndarray,
) -> tuple[ndarray, ndarray, ndarray]:
    zeros = _core.zeros(call.hx.shape, call.dtype)
    inputs = [call.hx, call.cells, call.w, dense(ys), dense(dys)]
    inputs += [zeros if array is None else dense(array) for array in (dhy, dcy)]
    dhx, dcx = (_core.empty(call.hx.shape, call.dtype) for _ in range(2))
    dxs = _core.empty(call.xs.shape, call.dtype)
    options = {**_facts(call.net, call.dtype.name), "sizes": call.sizes, "ratio": reserve.ratio}
    if not by_library("rnn_data", *inputs, reserve.states, dxs, dhx, dcx, reserve.memory, **options):
        raise ValueError("reserve_space is of a library that does not compute now")
    reserve.has_data = True
    return dhx, dcx if call.net.mode == CUDNN_LSTM else _core.empty(0, call.dtype), dxs


def rnn_backward_weights(
    states: DropoutStates,
    direction_mode: int,
    rnn_mode: int,
    xs: ndarray,
    hx: ndarray,
    ys: ndarray,
    w: ndarray,
    reserve_space: Any,
    lengths: Sequence[int],
) -> ndarray:
    """The gradient of `rnn_forward_training` for its weights, after `rnn_backward_data` with the same reserve.

    Parameters
    ----------
    reserve_space : object
        The reserve that `rnn_forward_training` returned and `rnn_backward_data` was called with.

    Raises
    ------
    TypeError
        For arrays of other dtypes, or of different ones, and for a reserve that `rnn_forward_training` did not return.
    ValueError
        For modes, shapes and lengths that do not fit, for a reserve of another network or other
        lengths, and before `rnn_backward_data` was called with it.

    >>> states, w = cudnn.DropoutStates(None, 0), cp.array([1.0, 0.5, 0.0, 0.0])
    >>> xs, hx, modes = cp.ones((3, 1)), cp.zeros((1, 1, 1)), (cudnn.CUDNN_UNIDIRECTIONAL, cudnn.CUDNN_RNN_RELU)
    >>> reserve, _, _, ys = cudnn.rnn_forward_training(states, *modes, hx, None, w, xs, [1, 1, 1])
    >>> arguments = hx, None, w, xs, ys, reserve, None, None, cp.ones((3, 1)), [1, 1, 1]
    >>> _ = cudnn.rnn_backward_data(states, *modes, *arguments)
    >>> cudnn.rnn_backward_weights(states, *modes, xs, hx, ys, w, reserve, [1, 1, 1])
    array([4.25, 3.  , 4.25, 4.25])
    """
    call = _Call(direction_mode, rnn_mode, hx, None, w, xs, lengths)
    if not isinstance(reserve_space, _LibraryReserve):
        made = steps.backward_weights(_own_reserve(reserve_space, call), wide(call.dtype))
        return made.astype(call.dtype, copy=False).reshape(w.shape)
    if not reserve_space.has_data:
        raise ValueError("rnn_backward_data must be called before rnn_backward_weights, with the same reserve_space")
    dw = _core.zeros(call.w.shape, call.dtype)
    options = {**_facts(call.net, call.dtype.name), "sizes": call.sizes, "ratio": reserve_space.ratio}
    arrays = [call.xs, call.hx, dense(ys), reserve_space.states, dw, reserve_space.memory]
    if not by_library("rnn_weights", *arrays, **options):
        raise ValueError("reserve_space is of a library that does not compute now")
    return dw.reshape(w.shape)


def _packing(xs: ndarray, lengths: Any, hx: ndarray) -> Packing:
    if xs.ndim != 3:
        raise ValueError(f"xs must have shape (steps, batch, inputs), got {xs.shape}")
    if hx.ndim != 3 or hx.shape[1] != xs.shape[1]:
        raise ValueError(f"hx must have shape (layers * directions, {xs.shape[1]}, units), got {hx.shape}")
    return Packing(lengths, xs.shape[0], xs.shape[1])


def rnn_forward_training_ex(
    states: DropoutStates,
    direction_mode: int,
    rnn_mode: int,
    hx: ndarray,
    cx: ndarray | None,
    w: ndarray,
    xs: ndarray,
    lengths: Any,
) -> tuple[Any, ndarray, ndarray, ndarray]:
    """`rnn_forward_training` for padded sequences (steps, batch, inputs) of the given `lengths`, in any order.

    Parameters
    ----------
    states : DropoutStates
        Drops elements between layers, with the ratio of its last use.
    hx, cx : cuproxide.ndarray
        First states (layers * directions, batch, units) and, for LSTM, cells; None stands for cells of zeros.
        float16, float32 or float64, as all arrays of the call.
    xs : cuproxide.ndarray
        The inputs (steps, batch, inputs); rows behind the end of a sequence are not read.

    Returns
    -------
    reserve_space : object
        What the gradients need.
    hy, cy : cuproxide.ndarray
        The states, and the cells (empty without LSTM), after the last step of each sequence, of the shape of `hx`.
    ys : cuproxide.ndarray
        The results (steps, batch, directions * units); those of steps behind the end of a sequence are zeros.

    >>> states, w = cudnn.DropoutStates(None, 0), cp.array([1.0, 0.5, 0.0, 0.0])
    >>> xs, hx, modes = cp.ones((3, 2, 1)), cp.zeros((1, 2, 1)), (cudnn.CUDNN_UNIDIRECTIONAL, cudnn.CUDNN_RNN_RELU)
    >>> cudnn.rnn_forward_training_ex(states, *modes, hx, None, w, xs, [1, 3])[3][:, :, 0]
    array([[1.  , 1.  ],
           [0.  , 1.5 ],
           [0.  , 1.75]])
    """
    packing = _packing(xs, lengths, hx)
    state, cell = packing.sort(hx), packing.sort(cx)
    call = _Call(direction_mode, rnn_mode, hx if state is None else state, cell, w, packing.pack(xs), packing.sizes)
    reserve, hy, cy, ys = _forward(call, states, training=True)
    return reserve, packing.unsort(hy), packing.unsort(cy), packing.unpack(ys)


def rnn_forward_inference_ex(
    states: DropoutStates,
    direction_mode: int,
    rnn_mode: int,
    hx: ndarray,
    cx: ndarray | None,
    w: ndarray,
    xs: ndarray,
    lengths: Any,
) -> tuple[ndarray, ndarray, ndarray]:
    """`rnn_forward_inference` for padded sequences (steps, batch, inputs) of the given `lengths`, in any order.

    Parameters
    ----------
    states : DropoutStates
        Has no effect on the results: nothing is dropped.
    hx, cx : cuproxide.ndarray
        First states (layers * directions, batch, units) and, for LSTM, cells; None stands for cells of zeros.
        float16, float32 or float64, as all arrays of the call.
    xs : cuproxide.ndarray
        The inputs (steps, batch, inputs); rows behind the end of a sequence are not read.

    Returns
    -------
    hy, cy : cuproxide.ndarray
        The states, and the cells (empty without LSTM), after the last step of each sequence, of the shape of `hx`.
    ys : cuproxide.ndarray
        The results (steps, batch, directions * units); those of steps behind the end of a sequence are zeros.

    >>> states, w = cudnn.DropoutStates(None, 0), cp.array([1.0, 0.5, 0.0, 0.0])
    >>> xs, hx, modes = cp.ones((3, 2, 1)), cp.zeros((1, 2, 1)), (cudnn.CUDNN_UNIDIRECTIONAL, cudnn.CUDNN_RNN_RELU)
    >>> cudnn.rnn_forward_inference_ex(states, *modes, hx, None, w, xs, [1, 3])[0]
    array([[[1.  ],
            [1.75]]])
    """
    packing = _packing(xs, lengths, hx)
    state, cell = packing.sort(hx), packing.sort(cx)
    call = _Call(direction_mode, rnn_mode, hx if state is None else state, cell, w, packing.pack(xs), packing.sizes)
    _, hy, cy, ys = _forward(call, states, training=False)
    return packing.unsort(hy), packing.unsort(cy), packing.unpack(ys)


def rnn_backward_data_ex(
    states: DropoutStates,
    direction_mode: int,
    rnn_mode: int,
    hx: ndarray,
    cx: ndarray | None,
    w: ndarray,
    xs: ndarray,
    ys: ndarray,
    reserve_space: Any,
    dhy: ndarray | None,
    dcy: ndarray | None,
    dys: ndarray,
    lengths: Any,
) -> tuple[ndarray, ndarray, ndarray]:
    """`rnn_backward_data` for padded sequences.

    Parameters
    ----------
    states : DropoutStates
        Those of `rnn_forward_training_ex`.
    hx, cx : cuproxide.ndarray
        First states (layers * directions, batch, units) and, for LSTM, cells; None stands for cells of zeros.
        float16, float32 or float64, as all arrays of the call.
    xs : cuproxide.ndarray
        The inputs (steps, batch, inputs); rows behind the end of a sequence are not read.
    ys : cuproxide.ndarray
        The results of all steps, as `rnn_forward_training_ex` returned them.
    dhy, dcy : cuproxide.ndarray or None
        The gradients for the last states and, for LSTM, the last cells, of the shape of `hx`; None stands for zeros.

    Returns
    -------
    dhx, dcx : cuproxide.ndarray
        The gradients for the first states, and for the first cells (empty without LSTM).
    dxs : cuproxide.ndarray
        The gradient for `xs`, of its shape; zeros behind the end of a sequence.

    Raises
    ------
    TypeError
        For arrays of other dtypes, or of different ones, and for a reserve that `rnn_forward_training_ex` did not
        return.
    ValueError
        For modes, shapes and lengths that do not fit, and for a reserve of another network or other lengths.

    >>> states, w = cudnn.DropoutStates(None, 0), cp.array([1.0, 0.5, 0.0, 0.0])
    >>> xs, hx, modes = cp.ones((3, 2, 1)), cp.zeros((1, 2, 1)), (cudnn.CUDNN_UNIDIRECTIONAL, cudnn.CUDNN_RNN_RELU)
    >>> reserve, _, _, ys = cudnn.rnn_forward_training_ex(states, *modes, hx, None, w, xs, [1, 3])
    >>> arguments = hx, None, w, xs, ys, reserve, None, None, cp.ones((3, 2, 1)), [1, 3]
    >>> cudnn.rnn_backward_data_ex(states, *modes, *arguments)[2][:, :, 0]
    array([[1.  , 1.75],
           [0.  , 1.5 ],
           [0.  , 1.  ]])
    """
    packing = _packing(xs, lengths, hx)
    sort, pack = packing.sort, packing.pack
    made = rnn_backward_data(
        states, direction_mode, rnn_mode, hx if hx.size == 0 else sort(hx), sort(cx), w, pack(xs), pack(ys),  # type: ignore[arg-type]
        reserve_space, sort(dhy), sort(dcy), pack(dys), packing.sizes,
    )  # fmt: skip
    return packing.unsort(made[0]), packing.unsort(made[1]), packing.unpack(made[2])


def rnn_backward_weights_ex(
    states: DropoutStates,
    direction_mode: int,
    rnn_mode: int,
    xs: ndarray,
    hx: ndarray,
    ys: ndarray,
    w: ndarray,
    reserve_space: Any,
    lengths: Any,
) -> ndarray:
    """`rnn_backward_weights` for padded sequences, after `rnn_backward_data_ex` with the same reserve.

    Parameters
    ----------
    states : DropoutStates
        Those of `rnn_forward_training_ex`.
    xs : cuproxide.ndarray
        The inputs (steps, batch, inputs); rows behind the end of a sequence are not read.
    ys : cuproxide.ndarray
        The results of all steps, as `rnn_forward_training_ex` returned them.
    reserve_space : object
        The reserve that `rnn_forward_training_ex` returned and `rnn_backward_data_ex` was called with.

    Raises
    ------
    TypeError
        For arrays of other dtypes, or of different ones, and for a reserve that `rnn_forward_training_ex` did not
        return.
    ValueError
        For modes, shapes and lengths that do not fit, for a reserve of another network or other
        lengths, and before `rnn_backward_data_ex` was called with it.

    >>> states, w = cudnn.DropoutStates(None, 0), cp.array([1.0, 0.5, 0.0, 0.0])
    >>> xs, hx, modes = cp.ones((3, 2, 1)), cp.zeros((1, 2, 1)), (cudnn.CUDNN_UNIDIRECTIONAL, cudnn.CUDNN_RNN_RELU)
    >>> reserve, _, _, ys = cudnn.rnn_forward_training_ex(states, *modes, hx, None, w, xs, [1, 3])
    >>> arguments = hx, None, w, xs, ys, reserve, None, None, cp.ones((3, 2, 1)), [1, 3]
    >>> _ = cudnn.rnn_backward_data_ex(states, *modes, *arguments)
    >>> cudnn.rnn_backward_weights_ex(states, *modes, xs, hx, ys, w, reserve, [1, 3])
    array([5.25, 3.  , 5.25, 5.25])
    """
    packing = _packing(xs, lengths, hx)
    state = packing.sort(hx)
    return rnn_backward_weights(
        states, direction_mode, rnn_mode, packing.pack(xs), hx if state is None else state, packing.pack(ys), w,
        reserve_space, packing.sizes,
    )  # fmt: skip


def _described(rnn_desc: Descriptor, x_desc: Descriptor, layer: int, lin_layer_id: int) -> Network:
    directions = 2 if rnn_desc.direction == CUDNN_BIDIRECTIONAL else 1
    net = Network(rnn_desc.mode, directions, rnn_desc.num_layers, x_desc.shape[1], rnn_desc.hidden_size)
    if not 0 <= layer < net.pseudo_layers or not 0 <= lin_layer_id < 2 * GATES[net.mode]:
        raise ValueError(
            f"layer={layer}, lin_layer_id={lin_layer_id}: there are {net.pseudo_layers} layers of {2 * net.gates}"
        )
    return net


def get_rnn_lin_layer_matrix_params(
    handle: Any, rnn_desc: Descriptor, layer: int, x_desc: Descriptor, w_desc: Any, w: ndarray, lin_layer_id: int
) -> ndarray:
    """A view of the elements of one matrix of the weights, in C order.

    Parameters
    ----------
    w : cuproxide.ndarray
        All weights, of any shape.
    lin_layer_id : int
        Which matrix: first those that go with the input, one a gate, then those that go with the state before. The
        gates of LSTM are input, forget, new and output; those of GRU are reset, update and new.

    Returns
    -------
    cuproxide.ndarray
        Its elements in one axis: (units, inputs of the layer) for the input, (units, units) for the state.

    Raises
    ------
    ValueError
        For a layer or matrix that the network does not have.

    >>> modes = cudnn.CUDNN_LINEAR_INPUT, cudnn.CUDNN_UNIDIRECTIONAL, cudnn.CUDNN_RNN_TANH
    >>> described = cudnn.create_rnn_descriptor(2, 1, None, *modes, cudnn.CUDNN_DATA_DOUBLE)
    >>> x_desc, w = cudnn.create_tensor_descriptor(cp.zeros((5, 3))), cp.arange(14.0)
    >>> cudnn.get_rnn_lin_layer_matrix_params(None, described, 0, x_desc, None, w, 1).reshape(2, 2)
    array([[6., 7.],
           [8., 9.]])
    """
    net = _described(rnn_desc, x_desc, layer, lin_layer_id)
    start, shape = net.matrix(layer, lin_layer_id)
    return w.reshape(-1)[start : start + int(np.prod(shape))]


def get_rnn_lin_layer_bias_params(
    handle: Any, rnn_desc: Descriptor, layer: int, x_desc: Descriptor, w_desc: Any, w: ndarray, lin_layer_id: int
) -> ndarray:
    """A view of the elements of one bias of the weights.

    Parameters
    ----------
    w : cuproxide.ndarray
        All weights, of any shape.
    lin_layer_id : int
        Which bias: first those that go with the input, one a gate, then those that go with the state before. The
        gates of LSTM are input, forget, new and output; those of GRU are reset, update and new.

    Returns
    -------
    cuproxide.ndarray
        Its elements (units,).

    Raises
    ------
    ValueError
        For a layer or bias that the network does not have.

    >>> modes = cudnn.CUDNN_LINEAR_INPUT, cudnn.CUDNN_UNIDIRECTIONAL, cudnn.CUDNN_RNN_TANH
    >>> described = cudnn.create_rnn_descriptor(2, 1, None, *modes, cudnn.CUDNN_DATA_DOUBLE)
    >>> x_desc, w = cudnn.create_tensor_descriptor(cp.zeros((5, 3))), cp.arange(14.0)
    >>> cudnn.get_rnn_lin_layer_bias_params(None, described, 0, x_desc, None, w, 0)
    array([10., 11.])
    """
    net = _described(rnn_desc, x_desc, layer, lin_layer_id)
    start = net.bias(layer, lin_layer_id)
    return w.reshape(-1)[start : start + net.units]


__all__ = [
    "get_rnn_lin_layer_bias_params",
    "get_rnn_lin_layer_matrix_params",
    "rnn_backward_data",
    "rnn_backward_data_ex",
    "rnn_backward_weights",
    "rnn_backward_weights_ex",
    "rnn_forward_inference",
    "rnn_forward_inference_ex",
    "rnn_forward_training",
    "rnn_forward_training_ex",
]
