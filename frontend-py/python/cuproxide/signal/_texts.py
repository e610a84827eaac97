"""Entries of parameters that docstrings of `signal` share; `_lib.texts` fills them in."""

TEXTS = {
    "_cepstra.n": "int\n    The number of points of the transforms; by default the length of the signal.",
    "_channels -> ndarray": "ndarray\n    The sums.",
    "_channels.in1": "array_like\n    The signal, of one axis.",
    "_channels.method": "{'direct'}\n    How sums are computed.",
    "_fir.b": "array_like\n    The impulse response.",
    "_fir.x": "array_like\n    The signal.",
    "_radar.pfa": "float\n    The rate of false alarms.",
    "_radar.x": "array_like\n    The pulses (pulses, samples).",
    "axis": "int\n    The axis of time.",
    "mode": "{'valid', 'same', 'full'}\n"
    "    Where the filter lies: in the signal, or also beyond its ends, where the signal is zero.",
    "x": "array_like\n    The signal.",
}
