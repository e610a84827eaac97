"""Reference values that take mpmath or SciPy seconds, looked up in `kept.json`; `CUPROXIDE_TEST_FULL=1` computes them.

`CUPROXIDE_KEEP_REFERENCES=1 python -m pytest FILE` writes those of a file that is new or has changed.
"""

import functools
import hashlib
import inspect
import json
import os
from pathlib import Path

import mpmath as mp
from effort import FULL

TABLE = Path(__file__).with_suffix(".json")
DIGITS = 40
KEEPS = os.environ.get("CUPROXIDE_KEEP_REFERENCES", "0") != "0"


@functools.cache
def table():
    return json.loads(TABLE.read_text()) if TABLE.exists() else {}


def text(value):
    """A value as JSON has it: numbers of mpmath as texts, the parts of complex ones apart."""
    if isinstance(value, dict):
        return {name: text(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [text(part) for part in value]
    if isinstance(value, mp.mpc):
        return f"{text(value.real)} {text(value.imag)}"
    return mp.nstr(value, DIGITS) if isinstance(value, mp.mpf) else value


def number(value):
    """What `text` has written."""
    if isinstance(value, dict):
        return {name: number(part) for name, part in value.items()}
    if isinstance(value, list):
        return tuple(map(number, value))
    if isinstance(value, str):
        parts = [mp.mpf(part) for part in value.split()]
        return mp.mpc(*parts) if len(parts) > 1 else parts[0]
    return value


def close(mine, other, bound):
    """Whether two texts say the same within a relative error."""
    if isinstance(mine, dict):
        return mine.keys() == other.keys() and all(close(mine[name], other[name], bound) for name in mine)
    if isinstance(mine, list):
        return len(mine) == len(other) and all(close(*pair, bound) for pair in zip(mine, other, strict=True))
    if isinstance(mine, (str, float)) and mp.isfinite(number(mine)):
        mine, other = number(mine), number(other)
        return abs(mine - other) <= bound * abs(other)
    return repr(mine) == repr(other)


def shown(argument):
    """An argument as a key has it. Most numbers of mpmath are those of float64."""
    if isinstance(argument, mp.mpf):
        return repr(float(argument)) if argument == float(argument) else mp.nstr(argument, DIGITS)
    return repr(argument)


def kept(*helpers, bound=1e-15):
    """Makes a function of a module look up what it returns. Its text and that of the helpers belong to the values.

    Computed again, they are the same within `bound`.
    """

    def decorate(function):
        name = f"{Path(inspect.getfile(function)).stem}.{function.__name__}"
        source = "".join(map(inspect.getsource, (function, *helpers)))
        mark = hashlib.sha256(source.encode()).hexdigest()[:16]

        @functools.cache
        def value(*arguments):
            key = ", ".join(map(shown, arguments))
            entry = table().get(name, {"source": mark, "values": {}})
            if entry["source"] != mark and not KEEPS:
                raise AssertionError(f"{name} has changed: run its tests with CUPROXIDE_KEEP_REFERENCES=1")
            known = entry["values"] if entry["source"] == mark else {}
            if key in known and not FULL:
                return number(known[key])
            computed = text(function(*arguments))
            assert key not in known or close(computed, known[key], bound), (
                f"{name}({key}) is {computed}, not {known[key]}"
            )
            if KEEPS:
                # Several processes would write over each other's values.
                assert "PYTEST_XDIST_WORKER" not in os.environ, "references are written by one process: no -n"
                table()[name] = {"source": mark, "values": {**known, key: computed}}
                TABLE.write_text(json.dumps(table(), indent=0, sort_keys=True) + "\n")
            return number(computed)

        return value

    return decorate
