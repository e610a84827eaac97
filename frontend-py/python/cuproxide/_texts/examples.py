"""Examples of functions whose docstrings are made from a template: ufuncs, Fourier transforms, series."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import special_examples


def of(name: str) -> str:
    """The example of a function by its name below the package; nothing if there is none."""
    return EXAMPLES.get(name, "")


def attach(module: str, functions: Iterable[Any]) -> None:
    """Ends the docstrings of functions of a module with their examples."""
    for function in functions:
        text = of(f"{module}.{function.__name__}")
        if text and text not in (function.__doc__ or ""):
            function.__doc__ = f"{(function.__doc__ or '').rstrip()}\n\n{text}\n"


EXAMPLES = {
    **special_examples.EXAMPLES,
    "exp": ">>> cp.exp(cp.asarray([0.25, 0.5]))\narray([1.28402542, 1.64872127])",
    "exp2": ">>> cp.exp2(cp.asarray([0.25, 0.5]))\narray([1.18920712, 1.41421356])",
    "expm1": ">>> cp.expm1(cp.asarray([0.25, 0.5]))\narray([0.28402542, 0.64872127])",
    "log": ">>> cp.log(cp.asarray([0.25, 0.5]))\narray([-1.38629436, -0.69314718])",
    "log2": ">>> cp.log2(cp.asarray([0.25, 0.5]))\narray([-2., -1.])",
    "log10": ">>> cp.log10(cp.asarray([0.25, 0.5]))\narray([-0.60205999, -0.30103   ])",
    "log1p": ">>> cp.log1p(cp.asarray([0.25, 0.5]))\narray([0.22314355, 0.40546511])",
    "sqrt": ">>> cp.sqrt(cp.asarray([0.25, 0.5]))\narray([0.5       , 0.70710678])",
    "rsqrt": ">>> cp.rsqrt(cp.asarray([0.25, 0.5]))\narray([2.        , 1.41421356])",
    "cbrt": ">>> cp.cbrt(cp.asarray([0.25, 0.5]))\narray([0.62996052, 0.79370053])",
    "sin": ">>> cp.sin(cp.asarray([0.25, 0.5]))\narray([0.24740396, 0.47942554])",
    "cos": ">>> cp.cos(cp.asarray([0.25, 0.5]))\narray([0.96891242, 0.87758256])",
    "tan": ">>> cp.tan(cp.asarray([0.25, 0.5]))\narray([0.25534192, 0.54630249])",
    "asin": ">>> cp.asin(cp.asarray([0.25, 0.5]))\narray([0.25268026, 0.52359878])",
    "arcsin": ">>> cp.arcsin(cp.asarray([0.25, 0.5]))\narray([0.25268026, 0.52359878])",
    "acos": ">>> cp.acos(cp.asarray([0.25, 0.5]))\narray([1.31811607, 1.04719755])",
    "arccos": ">>> cp.arccos(cp.asarray([0.25, 0.5]))\narray([1.31811607, 1.04719755])",
    "atan": ">>> cp.atan(cp.asarray([0.25, 0.5]))\narray([0.24497866, 0.46364761])",
    "arctan": ">>> cp.arctan(cp.asarray([0.25, 0.5]))\narray([0.24497866, 0.46364761])",
    "sinh": ">>> cp.sinh(cp.asarray([0.25, 0.5]))\narray([0.25261232, 0.52109531])",
    "cosh": ">>> cp.cosh(cp.asarray([0.25, 0.5]))\narray([1.0314131 , 1.12762597])",
    "tanh": ">>> cp.tanh(cp.asarray([0.25, 0.5]))\narray([0.24491866, 0.46211716])",
    "asinh": ">>> cp.asinh(cp.asarray([0.25, 0.5]))\narray([0.24746646, 0.48121183])",
    "arcsinh": ">>> cp.arcsinh(cp.asarray([0.25, 0.5]))\narray([0.24746646, 0.48121183])",
    "atanh": ">>> cp.atanh(cp.asarray([0.25, 0.5]))\narray([0.25541281, 0.54930614])",
    "arctanh": ">>> cp.arctanh(cp.asarray([0.25, 0.5]))\narray([0.25541281, 0.54930614])",
    "degrees": ">>> cp.degrees(cp.asarray([0.25, 0.5]))\narray([14.32394488, 28.64788976])",
    "rad2deg": ">>> cp.rad2deg(cp.asarray([0.25, 0.5]))\narray([14.32394488, 28.64788976])",
    "radians": ">>> cp.radians(cp.asarray([0.25, 0.5]))\narray([0.00436332, 0.00872665])",
    "deg2rad": ">>> cp.deg2rad(cp.asarray([0.25, 0.5]))\narray([0.00436332, 0.00872665])",
    "acosh": ">>> cp.acosh(cp.asarray([1.0, 2.0]))\narray([0.       , 1.3169579])",
    "arccosh": ">>> cp.arccosh(cp.asarray([1.0, 2.0]))\narray([0.       , 1.3169579])",
    "floor": ">>> cp.floor(cp.asarray([-1.5, 2.5]))\narray([-2.,  2.])",
    "ceil": ">>> cp.ceil(cp.asarray([-1.5, 2.5]))\narray([-1.,  3.])",
    "trunc": ">>> cp.trunc(cp.asarray([-1.5, 2.5]))\narray([-1.,  2.])",
    "rint": ">>> cp.rint(cp.asarray([-1.5, 2.5]))\narray([-2.,  2.])",
    "fabs": ">>> cp.fabs(cp.asarray([-1.5, 2.5]))\narray([1.5, 2.5])",
    "sign": ">>> cp.sign(cp.asarray([-1.5, 2.5]))\narray([-1.,  1.])",
    "negative": ">>> cp.negative(cp.asarray([-1.5, 2.5]))\narray([ 1.5, -2.5])",
    "positive": ">>> cp.positive(cp.asarray([-1.5, 2.5]))\narray([-1.5,  2.5])",
    "abs": ">>> cp.abs(cp.asarray([-1.5, 2.5]))\narray([1.5, 2.5])",
    "absolute": ">>> cp.absolute(cp.asarray([-1.5, 2.5]))\narray([1.5, 2.5])",
    "square": ">>> cp.square(cp.asarray([-1.5, 2.5]))\narray([2.25, 6.25])",
    "reciprocal": ">>> cp.reciprocal(cp.asarray([-1.5, 2.5]))\narray([-0.66666667,  0.4       ])",
    "signbit": ">>> cp.signbit(cp.asarray([-1.5, 2.5]))\narray([ True, False])",
    "spacing": ">>> cp.spacing(cp.asarray([-1.5, 2.5]))\narray([-2.22044605e-16,  4.44089210e-16])",
    "conj": ">>> cp.conj(cp.asarray([1 + 2j]))\narray([1.-2.j])",
    "conjugate": ">>> cp.conjugate(cp.asarray([1 + 2j]))\narray([1.-2.j])",
    "isfinite": ">>> cp.isfinite(cp.asarray([1.0, cp.inf, cp.nan]))\narray([ True, False, False])",
    "isinf": ">>> cp.isinf(cp.asarray([1.0, cp.inf, cp.nan]))\narray([False,  True, False])",
    "isnan": ">>> cp.isnan(cp.asarray([1.0, cp.inf, cp.nan]))\narray([False, False,  True])",
    "logical_not": ">>> cp.logical_not(cp.asarray([0, 2]))\narray([ True, False])",
    "bitwise_not": ">>> cp.bitwise_not(cp.asarray([0, 5]))\narray([-1, -6])",
    "bitwise_invert": ">>> cp.bitwise_invert(cp.asarray([0, 5]))\narray([-1, -6])",
    "invert": ">>> cp.invert(cp.asarray([0, 5]))\narray([-1, -6])",
    "bitwise_count": ">>> cp.bitwise_count(cp.asarray([0, 5, 255]))\narray([0, 2, 8], dtype=uint8)",
    "modf": ">>> cp.modf(cp.asarray([1.5, -4.0]))\n(array([ 0.5, -0. ]), array([ 1., -4.]))",
    "frexp": ">>> cp.frexp(cp.asarray([1.5, -4.0]))\n(array([ 0.75, -0.5 ]), array([1, 3], dtype=int32))",
    "add": ">>> cp.add(cp.asarray([2, 7]), 3)\narray([ 5, 10])",
    "subtract": ">>> cp.subtract(cp.asarray([2, 7]), 3)\narray([-1,  4])",
    "multiply": ">>> cp.multiply(cp.asarray([2, 7]), 3)\narray([ 6, 21])",
    "true_divide": ">>> cp.true_divide(cp.asarray([2, 7]), 3)\narray([0.66666667, 2.33333333])",
    "divide": ">>> cp.divide(cp.asarray([2, 7]), 3)\narray([0.66666667, 2.33333333])",
    "floor_divide": ">>> cp.floor_divide(cp.asarray([2, 7]), 3)\narray([0, 2])",
    "mod": ">>> cp.mod(cp.asarray([2, 7]), 3)\narray([2, 1])",
    "remainder": ">>> cp.remainder(cp.asarray([2, 7]), 3)\narray([2, 1])",
    "divmod": ">>> cp.divmod(cp.asarray([2, 7]), 3)\n(array([0, 2]), array([2, 1]))",
    "fmod": ">>> cp.fmod(cp.asarray([2, 7]), 3)\narray([2, 1])",
    "pow": ">>> cp.pow(cp.asarray([2, 7]), 3)\narray([  8, 343])",
    "power": ">>> cp.power(cp.asarray([2, 7]), 3)\narray([  8, 343])",
    "maximum": ">>> cp.maximum(cp.asarray([2, 7]), 3)\narray([3, 7])",
    "minimum": ">>> cp.minimum(cp.asarray([2, 7]), 3)\narray([2, 3])",
    "fmax": ">>> cp.fmax(cp.asarray([2, 7]), 3)\narray([3, 7])",
    "fmin": ">>> cp.fmin(cp.asarray([2, 7]), 3)\narray([2, 3])",
    "greater": ">>> cp.greater(cp.asarray([2, 7]), 3)\narray([False,  True])",
    "greater_equal": ">>> cp.greater_equal(cp.asarray([2, 7]), 3)\narray([False,  True])",
    "less": ">>> cp.less(cp.asarray([2, 7]), 3)\narray([ True, False])",
    "less_equal": ">>> cp.less_equal(cp.asarray([2, 7]), 3)\narray([ True, False])",
    "not_equal": ">>> cp.not_equal(cp.asarray([2, 7]), 3)\narray([ True,  True])",
    "equal": ">>> cp.equal(cp.asarray([2, 7]), 3)\narray([False, False])",
    "gcd": ">>> cp.gcd(cp.asarray([2, 7]), 3)\narray([1, 1])",
    "lcm": ">>> cp.lcm(cp.asarray([2, 7]), 3)\narray([ 6, 21])",
    "float_power": ">>> cp.float_power(cp.asarray([2, 4]), -1)\narray([0.5 , 0.25])",
    "bitwise_and": ">>> cp.bitwise_and(cp.asarray([1, 6]), 2)\narray([0, 2])",
    "bitwise_or": ">>> cp.bitwise_or(cp.asarray([1, 6]), 2)\narray([3, 6])",
    "bitwise_xor": ">>> cp.bitwise_xor(cp.asarray([1, 6]), 2)\narray([3, 4])",
    "bitwise_left_shift": ">>> cp.bitwise_left_shift(cp.asarray([1, 6]), 2)\narray([ 4, 24])",
    "left_shift": ">>> cp.left_shift(cp.asarray([1, 6]), 2)\narray([ 4, 24])",
    "bitwise_right_shift": ">>> cp.bitwise_right_shift(cp.asarray([1, 6]), 2)\narray([0, 1])",
    "right_shift": ">>> cp.right_shift(cp.asarray([1, 6]), 2)\narray([0, 1])",
    "logical_and": ">>> cp.logical_and(cp.asarray([0, 2]), cp.asarray([3, 3]))\narray([False,  True])",
    "logical_or": ">>> cp.logical_or(cp.asarray([0, 2]), cp.asarray([3, 3]))\narray([ True,  True])",
    "logical_xor": ">>> cp.logical_xor(cp.asarray([0, 2]), cp.asarray([3, 3]))\narray([ True, False])",
    "logaddexp": ">>> cp.logaddexp(cp.asarray([3.0, 1.0]), cp.asarray([4.0, 1.0]))\narray([4.31326169, 1.69314718])",
    "logaddexp2": ">>> cp.logaddexp2(cp.asarray([3.0, 1.0]), cp.asarray([4.0, 1.0]))\narray([4.5849625, 2.       ])",
    "atan2": ">>> cp.atan2(cp.asarray([3.0, 1.0]), cp.asarray([4.0, 1.0]))\narray([0.64350111, 0.78539816])",
    "arctan2": ">>> cp.arctan2(cp.asarray([3.0, 1.0]), cp.asarray([4.0, 1.0]))\narray([0.64350111, 0.78539816])",
    "hypot": ">>> cp.hypot(cp.asarray([3.0, 1.0]), cp.asarray([4.0, 1.0]))\narray([5.        , 1.41421356])",
    "copysign": ">>> cp.copysign(cp.asarray([1.0, 2.0]), -1.0)\narray([-1., -2.])",
    "heaviside": ">>> cp.heaviside(cp.asarray([-1.0, 0.0, 2.0]), 0.5)\narray([0. , 0.5, 1. ])",
    "nextafter": ">>> cp.nextafter(cp.asarray(1.0), 2.0) > 1\narray(True)",
    "ldexp": ">>> cp.ldexp(cp.asarray([0.5, 1.0]), cp.asarray([1, 3]))\narray([1., 8.])",
    "fft.fft": ">>> cp.fft.fft(cp.asarray([1.0, 0.0, 0.0, 0.0]))\narray([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])",
    "fft.ifft": ">>> cp.fft.ifft(cp.asarray([1.0, 0.0, 0.0, 0.0]))\narray([0.25+0.j, 0.25+0.j, 0.25+0.j, 0.25+0.j])",
    "fft.fft2": (">>> cp.fft.fft2(cp.ones((2, 2))).real\narray([[4., 0.],\n       [0., 0.]])"),
    "fft.ifft2": (">>> cp.fft.ifft2(cp.ones((2, 2))).real\narray([[1., 0.],\n       [0., 0.]])"),
    "fft.fftn": (">>> cp.fft.fftn(cp.ones((2, 2))).real\narray([[4., 0.],\n       [0., 0.]])"),
    "fft.ifftn": (">>> cp.fft.ifftn(cp.ones((2, 2))).real\narray([[1., 0.],\n       [0., 0.]])"),
    "fft.rfft": ">>> cp.fft.rfft(cp.asarray([1.0, 2.0, 3.0, 4.0]))\narray([10.+0.j, -2.+2.j, -2.+0.j])",
    "fft.irfft": ">>> cp.fft.irfft(cp.asarray([4.0, 0.0, 0.0]))\narray([1., 1., 1., 1.])",
    "fft.rfft2": ">>> cp.fft.rfft2(cp.ones((2, 2))).shape\n(2, 2)",
    "fft.rfftn": ">>> cp.fft.rfftn(cp.ones((2, 2))).shape\n(2, 2)",
    "fft.irfft2": ">>> cp.fft.irfft2(cp.ones((2, 3))).shape\n(2, 4)",
    "fft.irfftn": ">>> cp.fft.irfftn(cp.ones((2, 3))).shape\n(2, 4)",
    "scipy.fft.fft": (
        ">>> cp.scipy.fft.fft(cp.asarray([1.0, 0.0, 0.0, 0.0]))\narray([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])"
    ),
    "scipy.fft.ifft": (
        ">>> cp.scipy.fft.ifft(cp.asarray([1.0, 0.0, 0.0, 0.0]))\narray([0.25+0.j, 0.25+0.j, 0.25+0.j, 0.25+0.j])"
    ),
    "scipy.fft.fft2": (">>> cp.scipy.fft.fft2(cp.ones((2, 2))).real\narray([[4., 0.],\n       [0., 0.]])"),
    "scipy.fft.ifft2": (">>> cp.scipy.fft.ifft2(cp.ones((2, 2))).real\narray([[1., 0.],\n       [0., 0.]])"),
    "scipy.fft.fftn": (">>> cp.scipy.fft.fftn(cp.ones((2, 2))).real\narray([[4., 0.],\n       [0., 0.]])"),
    "scipy.fft.ifftn": (">>> cp.scipy.fft.ifftn(cp.ones((2, 2))).real\narray([[1., 0.],\n       [0., 0.]])"),
    "scipy.fft.rfft": ">>> cp.scipy.fft.rfft(cp.asarray([1.0, 2.0, 3.0, 4.0]))\narray([10.+0.j, -2.+2.j, -2.+0.j])",
    "scipy.fft.irfft": ">>> cp.scipy.fft.irfft(cp.asarray([4.0, 0.0, 0.0]))\narray([1., 1., 1., 1.])",
    "scipy.fft.rfft2": ">>> cp.scipy.fft.rfft2(cp.ones((2, 2))).shape\n(2, 2)",
    "scipy.fft.rfftn": ">>> cp.scipy.fft.rfftn(cp.ones((2, 2))).shape\n(2, 2)",
    "scipy.fft.irfft2": ">>> cp.scipy.fft.irfft2(cp.ones((2, 3))).shape\n(2, 4)",
    "scipy.fft.irfftn": ">>> cp.scipy.fft.irfftn(cp.ones((2, 3))).shape\n(2, 4)",
    "scipy.fft.hfft": ">>> cp.scipy.fft.hfft(cp.asarray([1.0, 0.0, 0.0])).shape\n(4,)",
    "scipy.fft.ihfft": ">>> cp.scipy.fft.ihfft(cp.asarray([1.0, 0.0, 0.0, 0.0])).shape\n(3,)",
    "scipy.fft.hfft2": ">>> cp.scipy.fft.hfft2(cp.ones((2, 3))).shape\n(2, 4)",
    "scipy.fft.hfftn": ">>> cp.scipy.fft.hfftn(cp.ones((2, 3))).shape\n(2, 4)",
    "scipy.fft.ihfft2": ">>> cp.scipy.fft.ihfft2(cp.ones((2, 4))).shape\n(2, 3)",
    "scipy.fft.ihfftn": ">>> cp.scipy.fft.ihfftn(cp.ones((2, 4))).shape\n(2, 3)",
    "scipy.fft.dct": ">>> cp.scipy.fft.dct(cp.asarray([1.0, 1.0])).round(6)\narray([4., 0.])",
    "scipy.fft.dst": ">>> cp.scipy.fft.dst(cp.asarray([1.0, 1.0])).round(6)\narray([2.828427, 0.      ])",
    "scipy.fft.idct": ">>> cp.scipy.fft.idct(cp.asarray([1.0, 1.0])).round(6)\narray([ 0.603553, -0.103553])",
    "scipy.fft.idst": ">>> cp.scipy.fft.idst(cp.asarray([1.0, 1.0])).round(6)\narray([0.603553, 0.103553])",
    "scipy.fft.dctn": ">>> cp.scipy.fft.dctn(cp.ones((2, 2))).shape\n(2, 2)",
    "scipy.fft.dstn": ">>> cp.scipy.fft.dstn(cp.ones((2, 2))).shape\n(2, 2)",
    "scipy.fft.idctn": ">>> cp.scipy.fft.idctn(cp.ones((2, 2))).shape\n(2, 2)",
    "scipy.fft.idstn": ">>> cp.scipy.fft.idstn(cp.ones((2, 2))).shape\n(2, 2)",
    "scipy.fftpack.dct": ">>> cp.scipy.fftpack.dct(cp.asarray([1.0, 1.0])).round(6)\narray([4., 0.])",
    "scipy.fftpack.dst": ">>> cp.scipy.fftpack.dst(cp.asarray([1.0, 1.0])).round(6)\narray([2.828427, 0.      ])",
    "scipy.fftpack.idct": ">>> cp.scipy.fftpack.idct(cp.asarray([1.0, 1.0])).round(6)\narray([ 2.414214, -0.414214])",
    "scipy.fftpack.idst": ">>> cp.scipy.fftpack.idst(cp.asarray([1.0, 1.0])).round(6)\narray([2.414214, 0.414214])",
    "scipy.fftpack.dctn": ">>> cp.scipy.fftpack.dctn(cp.ones((2, 2))).shape\n(2, 2)",
    "scipy.fftpack.dstn": ">>> cp.scipy.fftpack.dstn(cp.ones((2, 2))).shape\n(2, 2)",
    "scipy.fftpack.idctn": ">>> cp.scipy.fftpack.idctn(cp.ones((2, 2))).shape\n(2, 2)",
    "scipy.fftpack.idstn": ">>> cp.scipy.fftpack.idstn(cp.ones((2, 2))).shape\n(2, 2)",
    "scipy.fftpack.fft": (
        ">>> cp.scipy.fftpack.fft(cp.asarray([1.0, 0.0, 0.0, 0.0]))\narray([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])"
    ),
    "scipy.fftpack.ifft": (
        ">>> cp.scipy.fftpack.ifft(cp.asarray([1.0, 0.0, 0.0, 0.0]))\narray([0.25+0.j, 0.25+0.j, 0.25+0.j, 0.25+0.j])"
    ),
    "scipy.fftpack.fft2": (">>> cp.scipy.fftpack.fft2(cp.ones((2, 2))).real\narray([[4., 0.],\n       [0., 0.]])"),
    "scipy.fftpack.ifft2": (">>> cp.scipy.fftpack.ifft2(cp.ones((2, 2))).real\narray([[1., 0.],\n       [0., 0.]])"),
    "scipy.fftpack.fftn": (">>> cp.scipy.fftpack.fftn(cp.ones((2, 2))).real\narray([[4., 0.],\n       [0., 0.]])"),
    "scipy.fftpack.ifftn": (">>> cp.scipy.fftpack.ifftn(cp.ones((2, 2))).real\narray([[1., 0.],\n       [0., 0.]])"),
    "polynomial.chebyshev.chebadd": ">>> cp.polynomial.chebyshev.chebadd([1, 2], [3]).shape\n(2,)",
    "polynomial.chebyshev.chebsub": ">>> cp.polynomial.chebyshev.chebsub([1, 2], [3]).shape\n(2,)",
    "polynomial.chebyshev.chebmul": ">>> cp.polynomial.chebyshev.chebmul([1, 2], [3, 4]).shape\n(3,)",
    "polynomial.chebyshev.chebmulx": ">>> cp.polynomial.chebyshev.chebmulx([1, 2]).shape\n(3,)",
    "polynomial.chebyshev.chebpow": ">>> cp.polynomial.chebyshev.chebpow([1, 2], 2).shape\n(3,)",
    "polynomial.chebyshev.chebdiv": ">>> cp.polynomial.chebyshev.chebdiv([1, 2, 3], [3, 2])[0].shape\n(2,)",
    "polynomial.chebyshev.chebder": ">>> cp.polynomial.chebyshev.chebder([1, 2, 3]).shape\n(2,)",
    "polynomial.chebyshev.chebint": ">>> cp.polynomial.chebyshev.chebint([1, 2]).shape\n(3,)",
    "polynomial.chebyshev.chebline": ">>> cp.polynomial.chebyshev.chebline(1, 2).shape\n(2,)",
    "polynomial.chebyshev.chebfromroots": ">>> cp.polynomial.chebyshev.chebfromroots([1.0, 2.0]).shape\n(3,)",
    "polynomial.chebyshev.chebcompanion": ">>> cp.polynomial.chebyshev.chebcompanion([1.0, 2.0, 3.0]).shape\n(2, 2)",
    "polynomial.chebyshev.chebval": ">>> cp.polynomial.chebyshev.chebval([0.5, 1.0], [1.0, 2.0]).shape\n(2,)",
    "polynomial.chebyshev.chebval2d": (
        ">>> cp.polynomial.chebyshev.chebval2d(1.0, 2.0, [[1.0, 2.0], [3.0, 4.0]]).shape\n()"
    ),
    "polynomial.chebyshev.chebval3d": (
        ">>> cp.polynomial.chebyshev.chebval3d(1.0, 2.0, 3.0, [[[1.0, 2.0]]]).shape\n()"
    ),
    "polynomial.chebyshev.chebvalnd": (
        ">>> cp.polynomial.chebyshev.chebvalnd((1.0, 2.0), [[1.0, 2.0], [3.0, 4.0]]).shape\n()"
    ),
    "polynomial.chebyshev.chebgrid2d": (
        ">>> cp.polynomial.chebyshev.chebgrid2d([0.0, 1.0], [2.0], [[1.0, 2.0], [3.0, 4.0]]).shape\n(2, 1)"
    ),
    "polynomial.chebyshev.chebgrid3d": (
        ">>> cp.polynomial.chebyshev.chebgrid3d([0.0], [2.0], [1.0], [[[1.0, 2.0]]]).shape\n(1, 1, 1)"
    ),
    "polynomial.chebyshev.chebvander": ">>> cp.polynomial.chebyshev.chebvander([1.0, 2.0], 2).shape\n(2, 3)",
    "polynomial.chebyshev.chebvander2d": (
        ">>> cp.polynomial.chebyshev.chebvander2d([1.0], [2.0], [1, 1]).shape\n(1, 4)"
    ),
    "polynomial.chebyshev.chebvander3d": (
        ">>> cp.polynomial.chebyshev.chebvander3d([1.0], [2.0], [3.0], [1, 0, 1]).shape\n(1, 4)"
    ),
    "polynomial.chebyshev.chebroots": ">>> cp.polynomial.chebyshev.chebroots([1.0, 2.0, 3.0]).shape\n(2,)",
    "polynomial.chebyshev.chebfit": (
        ">>> cp.polynomial.chebyshev.chebfit(cp.arange(3.0), cp.arange(3.0), 1).shape\n(2,)"
    ),
    "polynomial.chebyshev.chebgauss": ">>> cp.polynomial.chebyshev.chebgauss(3)[0].shape\n(3,)",
    "polynomial.chebyshev.chebweight": ">>> cp.polynomial.chebyshev.chebweight(0.5).shape\n()",
    "polynomial.chebyshev.chebtrim": ">>> cp.polynomial.chebyshev.chebtrim([1.0, 2.0, 0.0]).shape\n(2,)",
    "polynomial.chebyshev.cheb2poly": ">>> cp.polynomial.chebyshev.cheb2poly([1.0, 2.0])\narray([1., 2.])",
    "polynomial.chebyshev.poly2cheb": ">>> cp.polynomial.chebyshev.poly2cheb([1.0, 2.0])\narray([1., 2.])",
    "polynomial.legendre.legadd": ">>> cp.polynomial.legendre.legadd([1, 2], [3]).shape\n(2,)",
    "polynomial.legendre.legsub": ">>> cp.polynomial.legendre.legsub([1, 2], [3]).shape\n(2,)",
    "polynomial.legendre.legmul": ">>> cp.polynomial.legendre.legmul([1, 2], [3, 4]).shape\n(3,)",
    "polynomial.legendre.legmulx": ">>> cp.polynomial.legendre.legmulx([1, 2]).shape\n(3,)",
    "polynomial.legendre.legpow": ">>> cp.polynomial.legendre.legpow([1, 2], 2).shape\n(3,)",
    "polynomial.legendre.legdiv": ">>> cp.polynomial.legendre.legdiv([1, 2, 3], [3, 2])[0].shape\n(2,)",
    "polynomial.legendre.legder": ">>> cp.polynomial.legendre.legder([1, 2, 3]).shape\n(2,)",
    "polynomial.legendre.legint": ">>> cp.polynomial.legendre.legint([1, 2]).shape\n(3,)",
    "polynomial.legendre.legline": ">>> cp.polynomial.legendre.legline(1, 2).shape\n(2,)",
    "polynomial.legendre.legfromroots": ">>> cp.polynomial.legendre.legfromroots([1.0, 2.0]).shape\n(3,)",
    "polynomial.legendre.legcompanion": ">>> cp.polynomial.legendre.legcompanion([1.0, 2.0, 3.0]).shape\n(2, 2)",
    "polynomial.legendre.legval": ">>> cp.polynomial.legendre.legval([0.5, 1.0], [1.0, 2.0]).shape\n(2,)",
    "polynomial.legendre.legval2d": (
        ">>> cp.polynomial.legendre.legval2d(1.0, 2.0, [[1.0, 2.0], [3.0, 4.0]]).shape\n()"
    ),
    "polynomial.legendre.legval3d": ">>> cp.polynomial.legendre.legval3d(1.0, 2.0, 3.0, [[[1.0, 2.0]]]).shape\n()",
    "polynomial.legendre.legvalnd": (
        ">>> cp.polynomial.legendre.legvalnd((1.0, 2.0), [[1.0, 2.0], [3.0, 4.0]]).shape\n()"
    ),
    "polynomial.legendre.leggrid2d": (
        ">>> cp.polynomial.legendre.leggrid2d([0.0, 1.0], [2.0], [[1.0, 2.0], [3.0, 4.0]]).shape\n(2, 1)"
    ),
    "polynomial.legendre.leggrid3d": (
        ">>> cp.polynomial.legendre.leggrid3d([0.0], [2.0], [1.0], [[[1.0, 2.0]]]).shape\n(1, 1, 1)"
    ),
    "polynomial.legendre.legvander": ">>> cp.polynomial.legendre.legvander([1.0, 2.0], 2).shape\n(2, 3)",
    "polynomial.legendre.legvander2d": ">>> cp.polynomial.legendre.legvander2d([1.0], [2.0], [1, 1]).shape\n(1, 4)",
    "polynomial.legendre.legvander3d": (
        ">>> cp.polynomial.legendre.legvander3d([1.0], [2.0], [3.0], [1, 0, 1]).shape\n(1, 4)"
    ),
    "polynomial.legendre.legroots": ">>> cp.polynomial.legendre.legroots([1.0, 2.0, 3.0]).shape\n(2,)",
    "polynomial.legendre.legfit": ">>> cp.polynomial.legendre.legfit(cp.arange(3.0), cp.arange(3.0), 1).shape\n(2,)",
    "polynomial.legendre.leggauss": ">>> cp.polynomial.legendre.leggauss(3)[0].shape\n(3,)",
    "polynomial.legendre.legweight": ">>> cp.polynomial.legendre.legweight(0.5).shape\n()",
    "polynomial.legendre.legtrim": ">>> cp.polynomial.legendre.legtrim([1.0, 2.0, 0.0]).shape\n(2,)",
    "polynomial.legendre.leg2poly": ">>> cp.polynomial.legendre.leg2poly([1.0, 2.0])\narray([1., 2.])",
    "polynomial.legendre.poly2leg": ">>> cp.polynomial.legendre.poly2leg([1.0, 2.0])\narray([1., 2.])",
    "polynomial.laguerre.lagadd": ">>> cp.polynomial.laguerre.lagadd([1, 2], [3]).shape\n(2,)",
    "polynomial.laguerre.lagsub": ">>> cp.polynomial.laguerre.lagsub([1, 2], [3]).shape\n(2,)",
    "polynomial.laguerre.lagmul": ">>> cp.polynomial.laguerre.lagmul([1, 2], [3, 4]).shape\n(3,)",
    "polynomial.laguerre.lagmulx": ">>> cp.polynomial.laguerre.lagmulx([1, 2]).shape\n(3,)",
    "polynomial.laguerre.lagpow": ">>> cp.polynomial.laguerre.lagpow([1, 2], 2).shape\n(3,)",
    "polynomial.laguerre.lagdiv": ">>> cp.polynomial.laguerre.lagdiv([1, 2, 3], [3, 2])[0].shape\n(2,)",
    "polynomial.laguerre.lagder": ">>> cp.polynomial.laguerre.lagder([1, 2, 3]).shape\n(2,)",
    "polynomial.laguerre.lagint": ">>> cp.polynomial.laguerre.lagint([1, 2]).shape\n(3,)",
    "polynomial.laguerre.lagline": ">>> cp.polynomial.laguerre.lagline(1, 2).shape\n(2,)",
    "polynomial.laguerre.lagfromroots": ">>> cp.polynomial.laguerre.lagfromroots([1.0, 2.0]).shape\n(3,)",
    "polynomial.laguerre.lagcompanion": ">>> cp.polynomial.laguerre.lagcompanion([1.0, 2.0, 3.0]).shape\n(2, 2)",
    "polynomial.laguerre.lagval": ">>> cp.polynomial.laguerre.lagval([0.5, 1.0], [1.0, 2.0]).shape\n(2,)",
    "polynomial.laguerre.lagval2d": (
        ">>> cp.polynomial.laguerre.lagval2d(1.0, 2.0, [[1.0, 2.0], [3.0, 4.0]]).shape\n()"
    ),
    "polynomial.laguerre.lagval3d": ">>> cp.polynomial.laguerre.lagval3d(1.0, 2.0, 3.0, [[[1.0, 2.0]]]).shape\n()",
    "polynomial.laguerre.lagvalnd": (
        ">>> cp.polynomial.laguerre.lagvalnd((1.0, 2.0), [[1.0, 2.0], [3.0, 4.0]]).shape\n()"
    ),
    "polynomial.laguerre.laggrid2d": (
        ">>> cp.polynomial.laguerre.laggrid2d([0.0, 1.0], [2.0], [[1.0, 2.0], [3.0, 4.0]]).shape\n(2, 1)"
    ),
    "polynomial.laguerre.laggrid3d": (
        ">>> cp.polynomial.laguerre.laggrid3d([0.0], [2.0], [1.0], [[[1.0, 2.0]]]).shape\n(1, 1, 1)"
    ),
    "polynomial.laguerre.lagvander": ">>> cp.polynomial.laguerre.lagvander([1.0, 2.0], 2).shape\n(2, 3)",
    "polynomial.laguerre.lagvander2d": ">>> cp.polynomial.laguerre.lagvander2d([1.0], [2.0], [1, 1]).shape\n(1, 4)",
    "polynomial.laguerre.lagvander3d": (
        ">>> cp.polynomial.laguerre.lagvander3d([1.0], [2.0], [3.0], [1, 0, 1]).shape\n(1, 4)"
    ),
    "polynomial.laguerre.lagroots": ">>> cp.polynomial.laguerre.lagroots([1.0, 2.0, 3.0]).shape\n(2,)",
    "polynomial.laguerre.lagfit": ">>> cp.polynomial.laguerre.lagfit(cp.arange(3.0), cp.arange(3.0), 1).shape\n(2,)",
    "polynomial.laguerre.laggauss": ">>> cp.polynomial.laguerre.laggauss(3)[0].shape\n(3,)",
    "polynomial.laguerre.lagweight": ">>> cp.polynomial.laguerre.lagweight(0.5).shape\n()",
    "polynomial.laguerre.lagtrim": ">>> cp.polynomial.laguerre.lagtrim([1.0, 2.0, 0.0]).shape\n(2,)",
    "polynomial.laguerre.lag2poly": ">>> cp.polynomial.laguerre.lag2poly([1.0, 2.0])\narray([ 3., -2.])",
    "polynomial.laguerre.poly2lag": ">>> cp.polynomial.laguerre.poly2lag([1.0, 2.0])\narray([ 3., -2.])",
    "polynomial.hermite.hermadd": ">>> cp.polynomial.hermite.hermadd([1, 2], [3]).shape\n(2,)",
    "polynomial.hermite.hermsub": ">>> cp.polynomial.hermite.hermsub([1, 2], [3]).shape\n(2,)",
    "polynomial.hermite.hermmul": ">>> cp.polynomial.hermite.hermmul([1, 2], [3, 4]).shape\n(3,)",
    "polynomial.hermite.hermmulx": ">>> cp.polynomial.hermite.hermmulx([1, 2]).shape\n(3,)",
    "polynomial.hermite.hermpow": ">>> cp.polynomial.hermite.hermpow([1, 2], 2).shape\n(3,)",
    "polynomial.hermite.hermdiv": ">>> cp.polynomial.hermite.hermdiv([1, 2, 3], [3, 2])[0].shape\n(2,)",
    "polynomial.hermite.hermder": ">>> cp.polynomial.hermite.hermder([1, 2, 3]).shape\n(2,)",
    "polynomial.hermite.hermint": ">>> cp.polynomial.hermite.hermint([1, 2]).shape\n(3,)",
    "polynomial.hermite.hermline": ">>> cp.polynomial.hermite.hermline(1, 2).shape\n(2,)",
    "polynomial.hermite.hermfromroots": ">>> cp.polynomial.hermite.hermfromroots([1.0, 2.0]).shape\n(3,)",
    "polynomial.hermite.hermcompanion": ">>> cp.polynomial.hermite.hermcompanion([1.0, 2.0, 3.0]).shape\n(2, 2)",
    "polynomial.hermite.hermval": ">>> cp.polynomial.hermite.hermval([0.5, 1.0], [1.0, 2.0]).shape\n(2,)",
    "polynomial.hermite.hermval2d": (
        ">>> cp.polynomial.hermite.hermval2d(1.0, 2.0, [[1.0, 2.0], [3.0, 4.0]]).shape\n()"
    ),
    "polynomial.hermite.hermval3d": ">>> cp.polynomial.hermite.hermval3d(1.0, 2.0, 3.0, [[[1.0, 2.0]]]).shape\n()",
    "polynomial.hermite.hermvalnd": (
        ">>> cp.polynomial.hermite.hermvalnd((1.0, 2.0), [[1.0, 2.0], [3.0, 4.0]]).shape\n()"
    ),
    "polynomial.hermite.hermgrid2d": (
        ">>> cp.polynomial.hermite.hermgrid2d([0.0, 1.0], [2.0], [[1.0, 2.0], [3.0, 4.0]]).shape\n(2, 1)"
    ),
    "polynomial.hermite.hermgrid3d": (
        ">>> cp.polynomial.hermite.hermgrid3d([0.0], [2.0], [1.0], [[[1.0, 2.0]]]).shape\n(1, 1, 1)"
    ),
    "polynomial.hermite.hermvander": ">>> cp.polynomial.hermite.hermvander([1.0, 2.0], 2).shape\n(2, 3)",
    "polynomial.hermite.hermvander2d": ">>> cp.polynomial.hermite.hermvander2d([1.0], [2.0], [1, 1]).shape\n(1, 4)",
    "polynomial.hermite.hermvander3d": (
        ">>> cp.polynomial.hermite.hermvander3d([1.0], [2.0], [3.0], [1, 0, 1]).shape\n(1, 4)"
    ),
    "polynomial.hermite.hermroots": ">>> cp.polynomial.hermite.hermroots([1.0, 2.0, 3.0]).shape\n(2,)",
    "polynomial.hermite.hermfit": ">>> cp.polynomial.hermite.hermfit(cp.arange(3.0), cp.arange(3.0), 1).shape\n(2,)",
    "polynomial.hermite.hermgauss": ">>> cp.polynomial.hermite.hermgauss(3)[0].shape\n(3,)",
    "polynomial.hermite.hermweight": ">>> cp.polynomial.hermite.hermweight(0.5).shape\n()",
    "polynomial.hermite.hermtrim": ">>> cp.polynomial.hermite.hermtrim([1.0, 2.0, 0.0]).shape\n(2,)",
    "polynomial.hermite.herm2poly": ">>> cp.polynomial.hermite.herm2poly([1.0, 2.0])\narray([1., 4.])",
    "polynomial.hermite.poly2herm": ">>> cp.polynomial.hermite.poly2herm([1.0, 2.0])\narray([1., 1.])",
    "polynomial.hermite_e.hermeadd": ">>> cp.polynomial.hermite_e.hermeadd([1, 2], [3]).shape\n(2,)",
    "polynomial.hermite_e.hermesub": ">>> cp.polynomial.hermite_e.hermesub([1, 2], [3]).shape\n(2,)",
    "polynomial.hermite_e.hermemul": ">>> cp.polynomial.hermite_e.hermemul([1, 2], [3, 4]).shape\n(3,)",
    "polynomial.hermite_e.hermemulx": ">>> cp.polynomial.hermite_e.hermemulx([1, 2]).shape\n(3,)",
    "polynomial.hermite_e.hermepow": ">>> cp.polynomial.hermite_e.hermepow([1, 2], 2).shape\n(3,)",
    "polynomial.hermite_e.hermediv": ">>> cp.polynomial.hermite_e.hermediv([1, 2, 3], [3, 2])[0].shape\n(2,)",
    "polynomial.hermite_e.hermeder": ">>> cp.polynomial.hermite_e.hermeder([1, 2, 3]).shape\n(2,)",
    "polynomial.hermite_e.hermeint": ">>> cp.polynomial.hermite_e.hermeint([1, 2]).shape\n(3,)",
    "polynomial.hermite_e.hermeline": ">>> cp.polynomial.hermite_e.hermeline(1, 2).shape\n(2,)",
    "polynomial.hermite_e.hermefromroots": ">>> cp.polynomial.hermite_e.hermefromroots([1.0, 2.0]).shape\n(3,)",
    "polynomial.hermite_e.hermecompanion": (
        ">>> cp.polynomial.hermite_e.hermecompanion([1.0, 2.0, 3.0]).shape\n(2, 2)"
    ),
    "polynomial.hermite_e.hermeval": ">>> cp.polynomial.hermite_e.hermeval([0.5, 1.0], [1.0, 2.0]).shape\n(2,)",
    "polynomial.hermite_e.hermeval2d": (
        ">>> cp.polynomial.hermite_e.hermeval2d(1.0, 2.0, [[1.0, 2.0], [3.0, 4.0]]).shape\n()"
    ),
    "polynomial.hermite_e.hermeval3d": (
        ">>> cp.polynomial.hermite_e.hermeval3d(1.0, 2.0, 3.0, [[[1.0, 2.0]]]).shape\n()"
    ),
    "polynomial.hermite_e.hermevalnd": (
        ">>> cp.polynomial.hermite_e.hermevalnd((1.0, 2.0), [[1.0, 2.0], [3.0, 4.0]]).shape\n()"
    ),
    "polynomial.hermite_e.hermegrid2d": (
        ">>> cp.polynomial.hermite_e.hermegrid2d([0.0, 1.0], [2.0], [[1.0, 2.0], [3.0, 4.0]]).shape\n(2, 1)"
    ),
    "polynomial.hermite_e.hermegrid3d": (
        ">>> cp.polynomial.hermite_e.hermegrid3d([0.0], [2.0], [1.0], [[[1.0, 2.0]]]).shape\n(1, 1, 1)"
    ),
    "polynomial.hermite_e.hermevander": ">>> cp.polynomial.hermite_e.hermevander([1.0, 2.0], 2).shape\n(2, 3)",
    "polynomial.hermite_e.hermevander2d": (
        ">>> cp.polynomial.hermite_e.hermevander2d([1.0], [2.0], [1, 1]).shape\n(1, 4)"
    ),
    "polynomial.hermite_e.hermevander3d": (
        ">>> cp.polynomial.hermite_e.hermevander3d([1.0], [2.0], [3.0], [1, 0, 1]).shape\n(1, 4)"
    ),
    "polynomial.hermite_e.hermeroots": ">>> cp.polynomial.hermite_e.hermeroots([1.0, 2.0, 3.0]).shape\n(2,)",
    "polynomial.hermite_e.hermefit": (
        ">>> cp.polynomial.hermite_e.hermefit(cp.arange(3.0), cp.arange(3.0), 1).shape\n(2,)"
    ),
    "polynomial.hermite_e.hermegauss": ">>> cp.polynomial.hermite_e.hermegauss(3)[0].shape\n(3,)",
    "polynomial.hermite_e.hermeweight": ">>> cp.polynomial.hermite_e.hermeweight(0.5).shape\n()",
    "polynomial.hermite_e.hermetrim": ">>> cp.polynomial.hermite_e.hermetrim([1.0, 2.0, 0.0]).shape\n(2,)",
    "polynomial.hermite_e.herme2poly": ">>> cp.polynomial.hermite_e.herme2poly([1.0, 2.0])\narray([1., 2.])",
    "polynomial.hermite_e.poly2herme": ">>> cp.polynomial.hermite_e.poly2herme([1.0, 2.0])\narray([1., 2.])",
}
