"""Kernels in Python that tests put together as text."""

import itertools
import linecache
import math

import cuproxide as cp
import numpy as np
from cuproxide import jit

COUNT = itertools.count()


def define(text, mode="cuda", **names):
    """A kernel from text, for texts that tests put together."""
    file = f"<kernel {next(COUNT)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)
    return jit.rawkernel(mode=mode)(names["kernel"])


def expressions(texts, dtypes, types, mode="cuda", **names):
    """Runs expressions of `a`, `b` (elements of the arrays) and compares each with Python's own run over NumPy's."""
    arrays = [np.asarray(values, dtype) for values, dtype in zip(dtypes, types, strict=True)]
    outs = [f"o{k}" for k in range(len(texts))]
    params = [f"x{k}" for k in range(len(arrays))]
    lines = [f"def kernel({', '.join(params + outs)}):", "    i = jit.grid(1)", "    if i < x0.size:"]
    lines += [f"        {name} = x{k}[i]" for k, name in zip(range(len(arrays)), "ab", strict=False)]
    lines += [f"        {out}[i] = {text}" for out, text in zip(outs, texts, strict=True)]
    expected = []
    with np.errstate(all="ignore"):
        for text in texts:
            scope = {"cp": np, "np": np, "math": math, **names}
            rows = [eval(text, scope, dict(zip("ab", row, strict=False))) for row in zip(*arrays, strict=True)]
            expected.append(np.asarray(rows))
    kernel = define("\n".join(lines) + "\n", mode, cp=cp, np=np, jit=jit, math=math, **names)
    results = [cp.zeros(len(arrays[0]), want.dtype) for want in expected]
    kernel((1,), (32,), (*map(cp.asarray, arrays), *results))
    for text, want, got in zip(texts, expected, results, strict=True):
        got = cp.asnumpy(got)
        if want.dtype.kind in "fc":
            exact = 4 * np.finfo(want.dtype).eps
            np.testing.assert_allclose(got, want, rtol=exact, atol=exact, err_msg=f"{text} {types}")
        else:
            np.testing.assert_array_equal(got, want, err_msg=f"{text} {types}")
