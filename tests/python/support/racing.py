"""Sparse arrays that some threads compute with while others write to them.

What comes out is numbers or an exception, and which of both depends on the moment. The process must not die, and
nothing may panic. `python racing.py ROUNDS` does each operation of each format so many times and ends, with the status
1 after a panic; `python racing.py 0 SECONDS` goes on for so long.
"""

import faulthandler
import random
import sys
import threading
import time
import warnings

import cuproxide as cp
import numpy as np
from cuproxide.scipy import sparse
from spoiled import BAD, COMPRESSED, OPERATIONS

ORDER = 160
FORMATS = (*COMPRESSED, "coo", "dia")
SLOW = {
    "tolil",
    "todok",
    "rows one by one",
    "expm",
    "kron",
    "kron dense",
    "kronsum",
    "yen",
    "johnson",
    "inv",
    "__str__",
}
"""What takes long for arrays of this order, and does it by other operations of the list."""


def array(format):
    """An array whose rows hold enough for the threads of the device, with a diagonal."""
    made = sparse.random_array((ORDER, ORDER), density=0.3, rng=1) + ORDER * sparse.eye_array(ORDER)
    if format == "dia":
        return sparse.dia_array(sparse.diags_array([cp.ones(ORDER), cp.ones(ORDER - 1)], offsets=[0, 1]))
    return made.tobsr(blocksize=(2, 2)) if format == "bsr" else made.asformat(format)


def parts(a):
    """The index arrays of an array."""
    return a.coords if a.format == "coo" else (a.offsets,) if a.format == "dia" else (a.indices, a.indptr)


def write(a, stop, seed):
    """Writes wrong numbers to index arrays and right ones back, in place, until it is stopped."""
    draw = random.Random(seed)
    views = [np.from_dlpack(part) if part.device.backend == "cpu" else part for part in parts(a)]
    right = [part.copy() for part in views]
    while not stop.is_set():
        number = draw.randrange(len(views))
        view = views[number]
        at = slice(draw.randrange(view.size), None, draw.choice((1, 2, 7)))
        for _ in range(20):
            view[at] = draw.choice(BAD)
            view[...] = right[number]
        # So that some entries find valid indices, and others do not.
        time.sleep(0.0002)


def replace(a, stop, seed):
    """Puts other arrays in the place of parts, changes the shape and sets elements, until it is stopped."""
    draw = random.Random(seed)
    kept = dict(vars(a))
    names = [name for name in ("data", "indices", "indptr", "coords", "offsets") if name in kept]
    while not stop.is_set():
        name = draw.choice(names)
        part = kept[name]
        try:
            if draw.random() < 0.4:
                a[draw.randrange(ORDER), draw.randrange(ORDER)] = 2
            elif draw.random() < 0.3:
                a._shape = draw.choice(((ORDER // 2, ORDER), (ORDER, ORDER // 2), (1, 1)))
            elif name == "coords":
                a.coords = tuple(draw.choice((index, index[:-1], index + ORDER)) for index in part)
            else:
                setattr(a, name, draw.choice((part, part[: part.shape[0] // 2], part[:0])))
        except (ValueError, IndexError, TypeError, NotImplementedError, AttributeError):
            pass
        time.sleep(0.0002)
        vars(a).update(kept)


def read(a, rounds, until, seed, failures):
    """Does all operations in some order, so many times or until a moment."""
    draw = random.Random(seed)
    names = [name for name in OPERATIONS if name not in SLOW]
    while (rounds > 0 or time.monotonic() < until) and not failures:
        draw.shuffle(names)
        for name in names:
            try:
                OPERATIONS[name](a)
            except Exception:  # noqa: S110, BLE001 - any is right here, but for a panic, which is none
                pass
            except BaseException as error:  # noqa: BLE001
                failures.append(f"{a.format} {name}: {type(error).__name__}: {error}")
            if not rounds and time.monotonic() > until:
                break
        rounds = max(rounds - 1, 0)


def race(format, how, rounds, seconds, seed):
    """Two threads that compute with an array, and one that changes it."""
    a, stop, failures = array(format), threading.Event(), []
    until = time.monotonic() + seconds
    writer = threading.Thread(target=how, args=(a, stop, seed))
    readers = [threading.Thread(target=read, args=(a, rounds, until, seed + n, failures)) for n in range(2)]
    for thread in (writer, *readers):
        thread.start()
    for thread in readers:
        thread.join()
    stop.set()
    writer.join()
    return failures


def main(rounds, seconds=0.0):
    """Races of all formats; returns the exit status."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    threading.excepthook = lambda args: print(f"{args.exc_type.__name__}: {args.exc_value}", file=sys.stderr)
    cases = [(format, how) for format in FORMATS for how in (write, replace)]
    found = []
    for seed, (format, how) in enumerate(cases):
        print(f"{format} {how.__name__}", file=sys.stderr, flush=True)
        found += race(format, how, rounds, seconds / len(cases), seed)
    print("\n".join(found), file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *map(float, sys.argv[2:])))
