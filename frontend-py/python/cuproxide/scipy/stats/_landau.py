"""Landau's distribution in kernels: polynomials in three variables that make its share and density smooth.

With `level = pi / 2 * x + log(pi / 2)` the share below a point is the mean of `exp(-s * h(angle))` over the angles from
0 to pi, where `s = exp(-1 - level)` and `h(0) = 1` is the least value (J. P. Nolan, 1997). Far left that is `exp(-s)`
times a function of `1 / s`. Far right the inverse Laplace integral is a function of `w` alone, where
`1 / w + log(1 / w) = level`: about `w` itself for the share above, `w**2` for the density.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._lib import kernel as k
from ._pairs import Pair, exp_pair

#: Ends of intervals, and the powers of a polynomial on each, of a variable that goes from -1 to 1 there.
Pieces = tuple[tuple[float, float, tuple[float, ...]], ...]

# The coefficients are sums of Chebyshev's polynomials, of trapezoidal sums of the integrals to 30 digits.
_LEFT_DENSITY: Pieces = (
    (0.0, 0.08, (
        0.39959507549397805, 0.0006412713083020567, -1.098387512630553e-05, 4.995401718431664e-07,
        -3.631370359606637e-08, 3.5526306872176365e-09, -4.2950247956091625e-10, 6.103782386962826e-11,
        -9.866558958658579e-12, 1.7521480787153337e-12, -3.419514008354441e-13, 8.893601858732274e-14,
        -2.0960090153832625e-14,
    )),
    (0.08, 0.35, (
        0.40222272693197697, 0.00190940171535098, -7.86828736460169e-05, 7.539197973342076e-06,
        -1.0460320570552597e-06, 1.807563661255365e-07, -3.624264511773969e-08, 8.102928639369068e-09,
        -1.9703006468541514e-09, 5.120794303347948e-10, -1.406663018257507e-10, 4.106384969068161e-11,
        -1.2381429082937785e-11, 3.2286943777277845e-12, -9.810668736636574e-13, 6.703155921430375e-13,
        -2.3829395253744983e-13,
    )),
    (0.35, 1.0, (
        0.4080228337674658, 0.0037035708070329914, -0.00022480672717124748, 2.8298876533585697e-05,
        -4.807472727397978e-06, 9.688127565993476e-07, -2.1848290919249356e-07, 5.340935121319798e-08,
        -1.3879714187203833e-08, 3.785246510187983e-09, -1.0726150327248712e-09, 3.1414332426125584e-10,
        -9.625639103144834e-11, 2.987388890203326e-11, -7.806879191040816e-12, 2.4014192090688112e-12,
        -1.6373633747067719e-12, 5.661597981837399e-13,
    )),
)  # fmt: skip
_LEFT_SHARE: Pieces = (
    (0.0, 0.08, (
        0.39201746307703556, -0.006568421114956048, 0.00032731591516289995, -2.5928234341712315e-05,
        2.734524530662246e-06, -3.531188537996887e-07, 5.319583519409404e-08, -9.060970135793726e-09,
        1.7074734505823744e-09, -3.503867917310358e-10, 7.759869523000914e-11, -1.8299867263476336e-11,
        4.2850821545370745e-12, -1.0959695639227569e-12, 4.665581687074953e-13, -1.4025361064772715e-13,
    )),
    (0.08, 0.35, (
        0.36802813854005595, -0.0156785057361432, 0.0017131710760881398, -0.0002671764184456977,
        5.103527369995861e-05, -1.1160629290418945e-05, 2.6929798733790418e-06, -7.008522630945004e-07,
        1.9376475943708966e-07, -5.630072577927426e-08, 1.7057530401622937e-08, -5.358805041152537e-09,
        1.7364675193385219e-09, -5.731374326504921e-10, 1.9467708340921338e-10, -7.425602434458993e-11,
        2.709415121811221e-11, -4.72807515728064e-12, 1.4051257191533384e-12, -2.7784698623594757e-12,
        1.1191626768177651e-12,
    )),
    (0.35, 1.0, (
        0.32794518526558825, -0.02182990780951219, 0.003238535547673656, -0.0006320636720450065,
        0.00014305916465729587, -3.562194980541808e-05, 9.491403254063943e-06, -2.6615857685916975e-06,
        7.770286683876483e-07, -2.3439419853771815e-07, 7.266058605045543e-08, -2.305837298949337e-08,
        7.464134935059974e-09, -2.4451829949871368e-09, 8.16063248517351e-10, -2.93670706689261e-10,
        1.0230891284893179e-10, -2.2050341290931975e-11, 7.022222977175317e-12, -8.467465443624214e-12,
        3.165788525372403e-12,
    )),
)  # fmt: skip
_MIDDLE_SHARE: Pieces = (
    (-1, 0.25, (
        0.21927194805357825, 0.11230790319366094, 0.0025329734135368345, -0.0037163203527048223,
        0.0004938573420867706, 5.6471391849044384e-05, -3.179793529112691e-05, 4.730640666940927e-06,
        1.7343994725005155e-07, -2.2325881700015837e-07, 4.667615786148572e-08, -3.0215238539692925e-09,
        -9.516559998554737e-10, 3.4083627280795425e-10, -5.141540160107583e-11, 1.0111719325096633e-12,
        1.6661249484169956e-12, -3.91437570837769e-13,
    )),
    (0.25, 1.5, (
        0.43253818780148234, 0.09403696702669832, -0.008138998699502267, -0.00028529577197377546,
        0.0002291365366298471, -4.031056062845069e-05, 3.20143152031679e-06, 2.50918540400906e-07,
        -1.3073048585931653e-07, 2.3534315317389382e-08, -2.333641861410589e-09, 6.309806384584268e-13,
        5.1465838655569883e-11, -1.1714389813517395e-11, 1.5105992169843949e-12, -8.725760619323197e-14,
    )),
)  # fmt: skip
_MIDDLE_DENSITY: Pieces = (
    (-1, 0.25, (
        0.1796926451098575, 0.008105514923318038, -0.01783833769298318, 0.0031606869893463607,
        0.00045177113479310816, -0.0003052601786566703, 5.298317546311093e-05, 2.2200303775002495e-06,
        -3.2149269363988973e-06, 7.468219465908096e-07, -5.3178885473234365e-08, -1.8278761204284496e-08,
        7.089478020518857e-09, -1.143667295410943e-09, 2.4213041030731676e-11, 3.7753628879456423e-11,
        -1.0632412500253918e-11, 1.224792450004665e-12,
    )),
    (0.25, 1.5, (
        0.15045914724271733, -0.026044795838407103, -0.0013694197054743903, 0.0014664738344247169,
        -0.0003224844850213488, 3.0733742670695794e-05, 2.8102875974313217e-06, -1.673350615285306e-06,
        3.3889437653680213e-07, -3.733721301975741e-08, 1.0559914679365472e-11, 9.866454203808228e-10,
        -2.429652332297945e-10, 3.491339914176659e-11, -2.5518143451434484e-12, -3.0742190894746895e-13,
        1.2203514573490162e-13,
    )),
)  # fmt: skip
_RIGHT_SHARE: Pieces = (
    (0.0, 0.25, (
        0.9289346066167559, -0.07949225154503808, -0.0017514651221793912, 0.004299122723845557,
        -0.0017459822210000955, 0.0005104708771625998, -0.00011377897790628447, 1.4481206742329196e-05,
        2.9524644352732596e-06, -3.1576765411813775e-06, 1.5383951377806717e-06, -5.747750611073885e-07,
        1.7645693984690837e-07, -4.252675800414803e-08, 5.661989144655549e-09, 1.6905222687751046e-09,
        -1.8073561077494267e-09, 8.814147731364674e-10, -3.6167250044135377e-10, 1.9038719882672318e-10,
        -6.979817472417808e-11, -4.044295612739642e-12, 7.286695681201442e-12,
    )),
    (0.25, 0.8, (
        0.7085832318583087, -0.11979329693123492, 0.02006006713433106, -0.0027112671789973493,
        -2.2360896891469475e-05, 0.00023754626624432757, -0.00013687528456960717, 5.965344224986772e-05,
        -2.302429897916174e-05, 8.246608517112915e-06, -2.789010856799233e-06, 8.948498446394197e-07,
        -2.7119531666486167e-07, 7.63538502694537e-08, -1.9239613979710472e-08, 4.015925628465129e-09,
        -3.6572748986117234e-10, -4.0666128452940853e-10, 2.7968251173359455e-10, -2.7181148197677878e-11,
        1.9253018258934837e-11, -5.64064916724109e-11, 2.179464680298781e-11,
    )),
)  # fmt: skip
_RIGHT_DENSITY: Pieces = (
    (0.0, 0.25, (
        0.7550598711748603, -0.2283288153167045, 0.03216362197296002, 0.005504097124234626, -0.006102727875047354,
        0.0027937710044080417, -0.0009282718032514813, 0.00022711408283775783, -2.6876556090532825e-05,
        -1.1407311869814966e-05, 1.068934186521317e-05, -5.436527466438494e-06, 2.152343171348577e-06,
        -6.975825895704958e-07, 1.741852592133938e-07, -2.171468296168595e-08, -9.712050605110597e-09,
        1.0338797534878042e-08, -5.699296249918606e-09, 1.9868569445915165e-09, -6.953977945405203e-10,
        5.218095477520842e-10, -1.7878999180459138e-10, -6.74033762764e-11, 4.0035741665843986e-11,
    )),
    (0.25, 0.8, (
        0.3146799591585969, -0.16362662231296707, 0.05878646293010894, -0.01782432915517923, 0.004627785653143917,
        -0.0009280050008100206, 6.181067360452179e-05, 7.120378154815344e-05, -5.580843534942278e-05,
        2.9225338767383878e-05, -1.3065533127118274e-05, 5.323531596340116e-06, -2.0277788108026547e-06,
        7.294799816726902e-07, -2.4826352700048224e-07, 7.937990620518274e-08, -2.3283114493943346e-08,
        6.0182811314055266e-09, -1.3436964014852604e-09, 1.003731667058528e-10, 2.7026148652740136e-10,
        -1.6014929058005115e-10, -1.586352333266308e-11, 1.851788816360309e-12, 3.399155870297036e-11,
        -1.3437249267032776e-11,
    )),
)  # fmt: skip

# A factor and a sum, each with what its rounding leaves.
_HALF_PI = Pair(1.5707963267948966, 6.123233995736766e-17)
_LOG_HALF_PI = Pair(0.4515827052894549, -1.2924516975755169e-17)
# Ends of the middle, as levels.
_LOW, _HIGH = -1.0, 1.5
# Left of the first point the logarithms are below all numbers; right of the second `w` is the inverse of the level.
_LEFTMOST, _RIGHTMOST = -452.78, 1e300


def _value(t: Any, pieces: Pieces) -> Any:
    """The polynomial of the piece in which a number lies."""
    total: Any = 0.0
    for low, high, powers in pieces:
        y = k.clamp((2 * t - (low + high)) / (high - low), -1.0, 1.0)
        value: Any = powers[-1]
        for power in reversed(powers[:-1]):
            value = value * y + power
        total = k.where(t < low, total, value)
    return total


@k.function
def _level(x: Any) -> tuple[Any, Any]:
    level = Pair(k.clamp(x, _LEFTMOST, _RIGHTMOST)) * _HALF_PI + _LOG_HALF_PI
    return level.high, level.low


def _left(level: Any, rest: Any) -> Pair:
    """The number `s`."""
    return exp_pair(-(Pair(level, rest) + 1))


@k.function
def _right(level: Any, rest: Any) -> Any:
    """The number `1 / w` by Newton's method."""
    far = k.maximum(level, _HIGH)
    value = far - k.log(far) * (far / (1 + far))
    for _ in k.steps(4):
        value = value * ((1 + far - k.log(value)) / (1 + value))
    # The last step uses the residual with the rest of the level.
    return value + value / (1 + value) * (((far - value) - k.log(value)) + rest)


@k.function
def _inverse_level(x: Any, level: Any, rest: Any) -> Any:
    """The number `w`."""
    return k.where(x > _RIGHTMOST, 2 / np.pi / x, 1 / _right(level, rest))


@k.function
def landau_pdf(table: Any, x: Any) -> Any:
    level, rest = _level(x)
    s, w = _left(level, rest), _inverse_level(x, level, rest)
    shape = k.exp(-s.high)
    left = k.sqrt(s.high) * (shape - shape * s.low) * _value(1 / s.high, _LEFT_DENSITY)
    right = w * w * _value(w, _RIGHT_DENSITY)
    middle = _value(level, _MIDDLE_DENSITY)
    return np.pi / 2 * k.where(level < _LOW, left, k.where(level < _HIGH, middle, right))


@k.function
def _share(x: Any, upper: bool) -> Any:
    level, rest = _level(x)
    s, w = _left(level, rest), _inverse_level(x, level, rest)
    shape = k.exp(-s.high)
    left = (shape - shape * s.low) / k.sqrt(s.high) * _value(1 / s.high, _LEFT_SHARE)
    below = k.where(level < _LOW, left, _value(level, _MIDDLE_SHARE))
    above = w * _value(w, _RIGHT_SHARE)
    if upper:
        return k.where(level < _HIGH, 1 - below, above)
    return k.where(level < _HIGH, below, 1 - above)


@k.function
def landau_cdf(table: Any, x: Any) -> Any:
    return _share(x, False)


@k.function
def landau_sf(table: Any, x: Any) -> Any:
    return _share(x, True)


@k.kernel
def landau_logpdf(x: k.Each):
    """Sums the logarithms of the factors: far left the density is below all numbers."""
    x = k.value(x, np.float64)
    level, rest = _level(x)
    s, omega = _left(level, rest), _right(level, rest)
    left = 0.5 * k.log(s.high) + k.log(np.pi / 2 * _value(1 / s.high, _LEFT_DENSITY)) - s.low - s.high
    middle = k.log(np.pi / 2 * _value(level, _MIDDLE_DENSITY))
    log_omega = k.where(x > _RIGHTMOST, k.log(x) + _LOG_HALF_PI.high, k.log(omega))
    right = k.log(np.pi / 2 * _value(1 / omega, _RIGHT_DENSITY)) - 2 * log_omega
    value = k.where(level < _LOW, left, k.where(level < _HIGH, middle, right))
    return k.where(k.isnan(x), np.nan, k.where((x < _LEFTMOST) | (x == np.inf), -np.inf, value))


@k.kernel
def landau_far_logcdf(x: k.Each):
    """The logarithm of the share below a point far left."""
    x = k.value(x, np.float64)
    s = _left(*_level(x))
    value = k.log(_value(1 / s.high, _LEFT_SHARE)) - 0.5 * k.log(s.high) - s.low - s.high
    return k.where(x < _LEFTMOST, -np.inf, value)
