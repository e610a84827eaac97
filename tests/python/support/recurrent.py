"""Recurrent networks by NumPy in float64, one sequence and one step after another."""

import numpy as np
import scipy.special
from cuproxide import cudnn

GATES = {cudnn.CUDNN_RNN_RELU: 1, cudnn.CUDNN_RNN_TANH: 1, cudnn.CUDNN_LSTM: 4, cudnn.CUDNN_GRU: 3}
sigmoid = scipy.special.expit


def parts(w, mode, directions, layers, inputs, units):
    """The matrices and biases of each layer and direction, as the library lays them out: matrices first."""
    count, made, at = GATES[mode], [], 0
    for number in range(layers * directions):
        width = inputs if number < directions else units * directions
        matrices = []
        for columns in [width] * count + [units] * count:
            matrices.append(w[at : at + units * columns].reshape(units, columns))
            at += units * columns
        made.append(matrices)
    biases = []
    for _ in range(layers * directions):
        biases.append([w[at + k * units : at + (k + 1) * units] for k in range(2 * count)])
        at += 2 * count * units
    return list(zip(made, biases, strict=True)), at


def step(mode, matrices, biases, x, h, c):
    """The next state and cell."""
    count = GATES[mode]
    into = [matrices[k] @ x + biases[k] for k in range(count)]
    back = [matrices[count + k] @ h + biases[count + k] for k in range(count)]
    if mode == cudnn.CUDNN_RNN_RELU:
        return np.maximum(into[0] + back[0], 0), c
    if mode == cudnn.CUDNN_RNN_TANH:
        return np.tanh(into[0] + back[0]), c
    if mode == cudnn.CUDNN_LSTM:
        enter, forget, new, leave = (a + b for a, b in zip(into, back, strict=True))
        c = sigmoid(forget) * c + sigmoid(enter) * np.tanh(new)
        return sigmoid(leave) * np.tanh(c), c
    reset, update = (sigmoid(into[k] + back[k]) for k in range(2))
    new = np.tanh(into[2] + reset * back[2])
    return (1 - update) * new + update * h, c


def run(mode, directions, layers, w, hx, cx, sequences):
    """The last states, the last cells, and the results of each sequence."""
    units = hx.shape[2]
    layout, _ = parts(w, mode, directions, layers, sequences[0].shape[1], units)
    hy, cy, results = hx.astype(float).copy(), cx.astype(float).copy(), []
    for number, sequence in enumerate(sequences):
        x = sequence.astype(float)
        for layer in range(layers):
            y = np.empty((len(x), directions * units))
            for direction in range(directions):
                at = layer * directions + direction
                h, c = hy[at, number], cy[at, number]
                for t in range(len(x)) if direction == 0 else range(len(x) - 1, -1, -1):
                    h, c = step(mode, *layout[at], x[t], h, c)
                    y[t, direction * units : (direction + 1) * units] = h
                hy[at, number], cy[at, number] = h, c
            x = y
        results.append(x)
    return hy, cy, results


def pack(sequences):
    """Sequences, the longest first, step by step; and how many reach each step."""
    sizes = [sum(len(s) > t for s in sequences) for t in range(len(sequences[0]))]
    return np.concatenate([[s[t] for s in sequences[:size]] for t, size in enumerate(sizes)]), sizes
