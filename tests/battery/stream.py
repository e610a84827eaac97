"""Writes the raw words of a generator to standard output, without end, for a battery of statistical tests.

python tests/battery/stream.py --seed 1 | dieharder -a -g 200
"""

import argparse
import contextlib
import sys

import cuproxide as cp
import numpy as np


def main() -> None:
    """Parses the arguments and writes until nobody reads."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--generator", choices=["Philox4x3210", "XORWOW", "MRG32k3a"], default="Philox4x3210")
    options = parser.parse_args()
    if options.generator == "Philox4x3210":
        bits, word, count = cp.random.Philox4x3210(options.seed), "<u8", 1 << 20
    else:
        # Wide draws cost few launches; the numbers are words of 32 bits.
        bits, word, count = getattr(cp.random, options.generator)(options.seed, size=1 << 20), "<u4", 1 << 20
    with contextlib.suppress(BrokenPipeError):
        while True:
            sys.stdout.buffer.write(cp.asnumpy(bits.random_raw(count)).astype(np.dtype(word)).tobytes())


if __name__ == "__main__":
    main()
