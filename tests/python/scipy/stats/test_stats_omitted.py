"""Tests of ranks and empirical distributions on rows of which each lacks other elements, beside SciPy's row by row."""

import warnings

import cuproxide as cp
import cuproxide.scipy.stats as ours
import numpy as np
import pytest
import scipy.stats as theirs

RANDOM = np.random.default_rng(11)
POLICIES = ("omit", "propagate", "raise")


def rows(shape, discrete):
    """Rows with gaps; the first has no element at all, the second one."""
    x = RANDOM.normal(size=shape)
    x = np.round(x * 2) if discrete else x
    x[RANDOM.random(shape) < 0.15] = np.nan
    x[0], x[1, 1:] = np.nan, np.nan
    x[1, 0] = RANDOM.normal()
    return x


def host(value):
    return np.asarray(value.get() if isinstance(value, cp.ndarray) else value, float)


def parts(result):
    fields = [result.statistic, result.pvalue] if hasattr(result, "pvalue") else [result]
    extra = [getattr(result, name) for name in ("statistic_location", "statistic_sign") if hasattr(result, name)]
    return [host(v) for v in (*fields, *extra)]


def same(name, arrays, more, options, bound=1e-7):
    ours_more, theirs_more = more if isinstance(more, tuple) else ((), ())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = getattr(theirs, name)(*arrays, *theirs_more, **options)
        except ValueError:
            with pytest.raises(ValueError):
                getattr(ours, name)(*map(cp.asarray, arrays), *ours_more, **options)
            return
        actual = getattr(ours, name)(*map(cp.asarray, arrays), *ours_more, **options)
    for one, other in zip(parts(actual), parts(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=bound, atol=1e-9)


TWO = ("mannwhitneyu", "ranksums", "brunnermunzel", "mood", "ansari", "kruskal", "fligner", "levene", "ks_2samp", "cramervonmises_2samp")  # fmt: skip  # noqa: E501


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("name", TWO)
def test_two_samples(name, discrete):
    for n1, n2 in ((5, 7), (12, 9), (20, 30)):
        arrays = rows((4, n1), discrete), rows((4, n2), discrete)
        for policy in POLICIES:
            for axis in (1, None):
                same(name, arrays, None, {"nan_policy": policy, "axis": axis})


@pytest.mark.parametrize("alternative", ["less", "greater"])
@pytest.mark.parametrize("name", ["mannwhitneyu", "ansari", "ks_2samp", "mood"])
def test_one_sided(name, alternative):
    same(name, (rows((4, 9), False), rows((4, 12), False)), None, {"nan_policy": "omit", "axis": 1, "alternative": alternative})  # fmt: skip  # noqa: E501


@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
def test_signed_ranks(zeros, method):
    # Of up to 13 ranks with ties SciPy goes through all signs, which takes it a second: that many for one rule only.
    for n in (6, 13 if zeros == "wilcox" else 9, 30, 60):
        for discrete in (False, True):
            x, y = rows((4, n), discrete), rows((4, n), discrete)
            for policy in POLICIES:
                same("wilcoxon", (x, y), None, {"nan_policy": policy, "axis": 1, "zero_method": zeros, "method": method})  # fmt: skip  # noqa: E501


def test_several_samples():
    a, b = rows((4, 9), True), rows((4, 9), True)
    c = np.roll(a, 1, axis=0)
    for policy in POLICIES:
        options = {"nan_policy": policy, "axis": 1}
        same("friedmanchisquare", (a, b, c), None, options)
        same("kruskal", (a, b, c), None, options)
        same("fligner", (a, b, c), None, {**options, "center": "trimmed", "proportiontocut": 0.2})
        same("levene", (a, b, c), None, {**options, "center": "mean"})
        same("trim_mean", (a,), ((0.2,), (0.2,)), options)


def test_one_sample():
    x = rows((4, 12), False)
    for policy in POLICIES:
        for name in ("ks_1samp", "cramervonmises"):
            same(name, (x,), ((ours.norm.cdf,), (theirs.norm.cdf,)), {"nan_policy": policy, "axis": 1})
        same("spearmanrho", (x, x[:, ::-1] + 0.1 * x), None, {"nan_policy": policy, "axis": 1})


def test_launches_do_not_grow_with_rows(monkeypatch):
    """A row with NaN once meant a call for that row."""
    calls = []
    original = cp.scipy.stats.rankdata.__globals__["_rank"]
    module = cp.scipy.stats.rankdata.__globals__
    monkeypatch.setitem(module, "_rank", lambda *a, **k: calls.append(1) or original(*a, **k))
    for count in (2, 50):
        calls.clear()
        x = RANDOM.normal(size=(count, 30))
        x[:, 3] = np.nan
        ours.mannwhitneyu(cp.asarray(x), cp.asarray(x[:, ::-1] + 1), axis=1, nan_policy="omit")
        assert len(calls) == 1
