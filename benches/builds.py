"""What calls of all packages cost on the CPU in instructions, by two builds of this package.

    python benches/builds.py BEFORE AFTER [--markdown FILE] [--most 1.03]

BEFORE and AFTER are folders that hold a built `cuproxide`. Instructions are counted by `valgrind --tool=callgrind`
between two marks as in `instructions.py`, after calls that prepare kernels; arrays are small, so that the way of a call
is counted.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Calls that prepare, and calls that are counted.
WARM, COUNT = 8, 12

#: By package: the names that its calls use, and the calls, as expressions.
CALLS: dict[str, tuple[str, list[str]]] = {
    "": (
        "",
        [
            "a + b",
            "cp.sin(a) * b + 1",
            "a.sum(), a.max(), a.mean()",
            "cp.std(m, axis=0)",
            "a[10:50], m[:, 3], a[i]",
            "cp.where(a > 0, a, b)",
            "cp.concatenate((a, b))",
            "cp.sort(a), cp.argsort(b)",
            "cp.unique(i)",
            "cp.percentile(a, [25, 50])",
            "cp.histogram(a, 10)",
            "cp.cumsum(a)",
            "cp.einsum('ij,jk->ik', m, m)",
            "cp.pad(m, 2)",
            "cp.interp(b, cp.sort(a), b)",
            "cp.isin(i, i[:10])",
            "cp.median(m, axis=1)",
            "cp.gradient(a)",
        ],
    ),
    "linalg": (
        "",
        ["m @ m", "cp.linalg.solve(m, v)", "cp.linalg.svd(m)", "cp.linalg.eigh(m + m.T)", "cp.linalg.norm(m)"],
    ),
    "fft": ("", ["cp.fft.fft(a)", "cp.fft.rfft2(m)"]),
    "random": (
        "g = cp.random.default_rng(1)",
        ["g.normal(size=100)", "g.integers(0, 9, 100)", "g.gamma(2.0, size=100)"],
    ),
    "polynomial": ("", ["cp.polynomial.polynomial.polyval(a, [1.0, 2.0, 3.0])", "cp.polyfit(a, b, 2)"]),
    "special": (
        "from cuproxide.scipy import special",
        [
            "special.gamma(p)",
            "special.jv(1.5, p)",
            "special.erf(a)",
            "special.logsumexp(a)",
            "special.betainc(2.0, 3.0, p / 9)",
        ],
    ),
    "stats": (
        "from cuproxide.scipy import stats",
        [
            "stats.norm.cdf(a)",
            "stats.gamma.pdf(p, 2.0)",
            "stats.poisson.pmf(i, 3.0)",
            "stats.ttest_ind(a, b)",
            "stats.pearsonr(a, b)",
            "stats.zscore(a)",
            "stats.rankdata(a)",
            "stats.t.ppf(p / 9, 5.0)",
        ],
    ),
    "linalg of SciPy": (
        "from cuproxide.scipy import linalg",
        ["linalg.lu(m)", "linalg.expm(m)", "linalg.solve_triangular(m, v, lower=True)", "linalg.cholesky(m @ m.T)"],
    ),
    "sparse": (
        "from cuproxide.scipy import sparse; from cuproxide.scipy.sparse import linalg as spl\n"
        "s = sparse.csr_array(cp.where(m > 0.6, m, 0.0)); t = s + sparse.eye_array(12)",
        [
            "s @ v",
            "s @ s",
            "s + s",
            "s.T.tocsr()",
            "s[2:5]",
            "s.sum(axis=0)",
            "spl.cg(t @ t.T, v, maxiter=5)",
            "s.tocoo()",
        ],
    ),
    "ndimage": (
        "from cuproxide.scipy import ndimage",
        [
            "ndimage.gaussian_filter(m, 1.0)",
            "ndimage.median_filter(m, 3)",
            "ndimage.label(m > 0.5)",
            "ndimage.zoom(m, 2)",
            "ndimage.grey_erosion(m, 3)",
            "ndimage.uniform_filter(m, 3)",
        ],
    ),
    "signal": (
        "from cuproxide.scipy import signal",
        [
            "signal.convolve(a, b)",
            "signal.lfilter([1.0], [1.0, -0.5], a)",
            "signal.butter(3, 0.3)",
            "signal.welch(a, nperseg=32)",
            "signal.windows.hann(64)",
            "signal.find_peaks(a)",
        ],
    ),
    "interpolate": (
        "from cuproxide.scipy import interpolate; x = cp.linspace(0, 1, 100); f = interpolate.CubicSpline(x, a)",
        ["interpolate.CubicSpline(x, a)", "f(x)", "interpolate.make_interp_spline(x, a)"],
    ),
    "integrate": (
        "from cuproxide.scipy import integrate",
        ["integrate.trapezoid(a)", "integrate.simpson(a)", "integrate.quad(lambda x: x * x, 0, 1)"],
    ),
    "optimize": (
        "from cuproxide.scipy import optimize",
        ["optimize.brentq(lambda x: x * x - 2, 0, 2)", "optimize.linear_sum_assignment(m)", "optimize.nnls(m, abs(v))"],
    ),
    "spatial": (
        "from cuproxide.scipy import spatial; tree = spatial.KDTree(m)",
        ["spatial.distance.cdist(m, m)", "tree.query(m)", "spatial.distance.pdist(m)"],
    ),
    "cluster": ("from cuproxide.scipy.cluster import vq", ["vq.vq(m, m[:3])", "vq.whiten(m)"]),
}
SETUP = """
a, b = cp.asarray(r.normal(size=100)), cp.asarray(r.normal(size=100))
p, i = cp.asarray(r.uniform(0.1, 9, 100)), cp.asarray(r.integers(0, 20, 100))
m = cp.asarray(r.uniform(size=(12, 12)) + 3 * np.eye(12)); v = m[0].copy()
"""


def loop() -> None:
    """Makes each call so many times between two marks."""
    import cuproxide as cp
    import numpy as np
    from cuproxide import _cuproxide

    warnings.simplefilter("ignore")
    for setup, calls in CALLS.values():
        names: dict[str, Any] = {"cp": cp, "np": np, "r": np.random.default_rng(0)}
        exec(SETUP + setup, names)
        for text in calls:
            call: Callable[[], Any] = eval(f"lambda: ({text})", names)
            made = True
            for _ in range(WARM):
                try:
                    finish(cp, call())
                except Exception as error:
                    print(text, repr(error), file=sys.stderr)
                    made = False
                    break
                _cuproxide.wait_for_compiler()
            gc.collect()
            gc.disable()
            os.getppid()
            for _ in range(COUNT if made else 0):
                finish(cp, call())
            os.getppid()
            gc.enable()


def finish(cp: Any, result: Any) -> None:
    """Evaluates the arrays of a result."""
    for part in result if isinstance(result, tuple) else (result,):
        if isinstance(part, cp.ndarray):
            cp.evaluate(part)


def costs(folder: str) -> list[int]:
    """Instructions of one call of each kind, by the build in a folder; 0 where it has not got the function."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "counts"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--dump-before=getppid"]
        settings = {"PYTHONPATH": folder, "CUPROXIDE_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
        environment = os.environ | settings | {"CUPROXIDE_BACKEND": "cpu"}
        subprocess.run(
            [*command, sys.executable, __file__, "--loop"], env=environment, check=True, stdout=subprocess.DEVNULL
        )
        total = sum(len(calls) for _, calls in CALLS.values())
        # Every second part lies between the two marks of a call.
        texts = [Path(f"{out}.{2 * number + 2}").read_text() for number in range(total)]
    counts = [int(re.findall(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)[-1]) for text in texts]
    return [count // COUNT for count in counts]


def main() -> None:
    """Runs the benchmark, or the loops of one build."""
    if sys.argv[1:] == ["--loop"]:
        loop()
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--markdown")
    parser.add_argument("--most", type=float, default=1.03, help="ratios above it are marked")
    options = parser.parse_args()
    before, after = costs(options.before), costs(options.after)
    lines = ["| package | call | before | after | after / before |", "| --- | --- | ---: | ---: | ---: |"]
    rows = [(package or "root", text) for package, (_, calls) in CALLS.items() for text in calls]
    for (package, text), old, new in zip(rows, before, after, strict=True):
        ratio = new / old if old else float("nan")
        mark = " above" if ratio > options.most else ""
        lines.append(f"| {package} | `{text.replace('|', '/')}` | {old} | {new} | {ratio:.3f}{mark} |")
        print(lines[-1], flush=True)
    with contextlib.ExitStack() as stack:
        if options.markdown:
            stack.enter_context(open(options.markdown, "w", encoding="utf-8")).write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
