"""Arguments at which one way loses its digits and another keeps them. Exact values are python-flint's."""

import cuproxide as cp
import mpmath
import numpy as np
import pytest

SINGLE = {float: np.float32, complex: np.complex64}
DOUBLE = [
    (
        "hyp2f1",
        (4.999999, 24.9999990000001, 15.999999999999998, 9.63e52 + 1e20j),
        -8.53193317289881e-267 + 2.68038585807e-272j,
    ),
    (
        "eval_sh_legendre",
        (35.00000000015714, -4.112562271186658e-08 + 3.022906783633513e-08j),
        -1.0000518172574497 + 3.808921661848412e-05j,
    ),
    (
        "hyp2f1",
        (-1.5, -0.999999999, -1.999999999, 0.9999999978580536 - 2.1288190092864906e-09j),
        3.812984720349403e-05 + 1.5713841159875813e-05j,
    ),
    ("eval_gegenbauer", (131.2850798073649, -1.0000001, 0.052095899673908264), -1.3878337627222891e-12),
    ("eval_jacobi", (127.47477208259357, -1.0000001, 0.79637, 0.9999999999951636), -1.094650641926221e-09),
    ("eval_jacobi", (300.25, -2.0000001, 0.5, 0.3), 0.008635117795443053),
    (
        "kve",
        (982.2535223362747, -501.11562187163776 - 59.06019336184461j),
        2.837021134288531e-93 + 2.812387946976851e-93j,
    ),
    (
        "kv",
        (1204.4502903952434, -453.16021296392887 - 173.43016355307267j),
        5.757939262989644e297 + 4.8679555571915237e297j,
    ),
    (
        "hyp2f1",
        (-2.7598280447994403, -115.04155901009887, -169.62248017330177, -0.3820041063154252 + 2.697502713283982j),
        -8.02479412159356 - 4.114736637869584j,
    ),
    (
        "hyp2f1",
        (-179.45402541416937, -6.532718955036881, 53.47111989601656, 3.245540941370567 + 2.4199966213823116j),
        5.3963585823138775e20 + 2.457672336414128e20j,
    ),
    ("eval_jacobi", (290.0, -58.80455992992074, 2.3962099258904233, -0.6450622794486316), -0.0010001197458699425),
    (
        "eval_sh_jacobi",
        (99.37843734419677, 3.0370527888934194e-06, 6.758679276155317, -0.10681947024265703 + 0.12347877340444446j),
        1.4444729907203294e-26 + 4.6140117829060655e-27j,
    ),
    # Gegenbauer polynomials of negative half numbers, whose hypergeometric functions have poles.
    ("eval_gegenbauer", (2.0, -1.5, 1 + 1j), 1.5 + 3j),
    ("eval_gegenbauer", (30.0, -9.5, -0.7), -4.785074219115997e-07),
    ("eval_gegenbauer", (61.0, -40.5, 1.25), -1.6108377065017285e20),
    ("eval_gegenbauer", (75.0, -12.5, 0.3), -5.177694453775166e-13),
    (
        "eval_gegenbauer",
        (51.0, -21.5, -1 - 0.06187290572223036j),
        5.234265500370115e-22 + 1.2312582618108776e-21j,
    ),
    ("eval_gegenbauer", (2.5, -1.5, 0.3), 0.6666514916273639),
    ("eval_gegenbauer", (2.5, -1.5, 0.3 + 0.1j), 0.6561342721609772 - 0.18028852686934074j),
    # Of other negative numbers.
    (
        "eval_gegenbauer",
        (28.0, -24.96113993206692, 0.5 - 0.0009338547501886015j),
        60150687678.19631 - 943414879.0783845j,
    ),
    # Orders that are not whole, from which gamma functions leave the range.
    ("eval_gegenbauer", (300.5, -1.3, 0.3), -2.096118294443622e-06),
    ("eval_gegenbauer", (1500.25, 2.75, -0.4), -85230.37395205267),
    # Jacobi functions with zeros at one end or both.
    ("eval_jacobi", (1.0, -1.0, -2.0, 0.5), 0.25),
    ("eval_jacobi", (9.0, -3.0, -11.0, 1.7), -0.0814625),
    ("eval_jacobi", (20.0, -4.0, -2.0, 0.3 + 0.2j), -0.19402057731732228 + 0.13711906089254067j),
    ("eval_jacobi", (6.0, -2.0, -9.0, -1.5 + 0.4j), 50.3930375 - 27.007j),
    ("eval_jacobi", (2.5, -2.0, -1.0, 0.4), 0.0292090014795298),
    ("eval_jacobi", (3.25, -1.0, 0.5, 0.2 - 0.7j), 0.9453091674515296 + 1.3331674447107569j),
    # Euler's transformation leaves the range; a series that diverges; recurrences in the degree; next to a pole.
    ("hyp2f1", (-0.0061, 17.5, 256.01, 11.2 - 20.3j), 1.0020156432459764 + 0.00838507586441802j),
    (
        "hyp2f1",
        (0.05281569536217517, -0.007074222357043453, 283.6714589343384, 41.34640785251117 + 98.12719353445722j),
        0.9999704275834917 - 0.00013803599729846918j,
    ),
    # U next to polynomials, and polynomials whose recurrence loses digits.
    ("hyperu", (-7.9999999999939275, 57.25, 0.09085048959583393), 3.70566527378354e125),
    ("hyperu", (-44.999, -13.999, 0.06129664685855424), -4.988882677439925e28),
    ("hyperu", (-35.0, -29.999, 0.5100955646578194), -1.1531555969892374e31),
    ("hyperu", (-35.0, -16.999999999, 0.3268893936957842), 2.4988010479271533e20),
    ("hyperu", (-8.998999999999999, 26.001, 4.917133010661859), -4587106751612.701),
    ("hyperu", (-10.330185393447067, 19.669814606552933, 1.145240540840284), -2.9066676237847227e21),
    ("hyp1f1", (0.0, -20.0, -0.001), 1.0),
    ("hyp1f1", (91.02, -0.99999999801, -0.42), 2478715962.1403794),
    # Beside a pole in c.
    (
        "hyp2f1",
        (-3.9999, 0.00010000000000021103, -5.999999999, 2.498480716951241 + 0j),
        -42.60768622785308 + 31.40299133490847j,
    ),
    # Scaled functions of orders whose unscaled ones leave the range.
    ("yve", (-630.0, -0.76 + 394j), 2.318913120927363e-155 - 1.6793594771967712e-154j),
    ("jve", (-656.5, 0.17 + 393.6j), 1.8171174402787285e-139 - 8.88404434634398e-140j),
    ("yve", (449.0, 0.1 + 77j), -2.7438662019116292e247 + 4.083471216433204e247j),
    ("hankel1e", (700.0, 2 + 300j), 1.5503211265364208e278 + 2.4205374913730095e279j),
    ("hankel2e", (640.5, -1 + 330j), -1.7275548005118122e-64 - 1.587907706998226e-64j),
    ("yve", (520.25, 3 - 260j), -1.8955306992544355e-41 + 6.787406192235654e-43j),
]
# Exact to a few units: sums without rounded exponents, the series with a logarithm, and large noncentralities.
CLOSE = [
    # Exponents that differ by a whole number or nearly, far out, beside the cut and next to 1.
    ("hyp2f1", (-6.5, -3.5, 12.5, 43.26 + 2e-72j), 23088.22328354947 - 2163.398595927573j),
    ("hyp2f1", (2.5, 0.5, 9.5, 40 + 1e-300j), 0.012792751718193024 + 0.39245385016231654j),
    ("hyp2f1", (0.3, 2.300000001, 1.7, 5 - 3j), 0.3769038007476108 - 0.36931922816146795j),
    ("hyp2f1", (0.5, 4.4999, 3.2, -3 + 50j), 0.08367248126927151 + 0.07791600620896003j),
    ("hyp2f1", (0.5, 0.5000001, 1.25, -3 + 8e5j), 0.005627731798352426 + 0.004591256135849131j),
    ("hyp2f1", (1.25, 1.25, 2.5000001, 0.7 + 0.2j), 1.7371158999977383 + 0.5399694339269377j),
    ("hyp2f1", (1.25, 0.5, 3.75003, 1.3 + 0.4j), 1.2719133207968274 + 0.2838294917075424j),
    ("hyp2f1", (2.5, 0.75, 1.25, 0.8 - 0.3j), -0.974222465233613 - 4.801661818623478j),
    (
        "eval_sh_legendre",
        (36.18183555190029, -0.00046536806772815476 - 4.50434262281173e-05j),
        1.4336520905295365 - 0.8601872585798237j,
    ),
    (
        "eval_sh_legendre",
        (12.169031247583455, -0.004943740707426944 + 0.003854508993810542j),
        2.0069703811136015 + 0.14020893166240467j,
    ),
    (
        "eval_sh_legendre",
        (28.991071321440153, -1.1127771959181395e-07 - 1.3392349208936896e-29j),
        -1.071922504329963 - 0.028049306363904902j,
    ),
    ("eval_sh_legendre", (2.5, 1e-300 - 1e-301j), -218.80933778483765 - 0.031725517430553574j),
    (
        "eval_sh_legendre",
        (18.00000000000002, -1.5849728422460226e-11 + 3.909636936536157e-12j),
        1.0000000054202267 - 1.3370340239766873e-09j,
    ),
    ("eval_sh_legendre", (0.25, -0.3 + 0.2j), 0.6158673014989107 + 0.6534852700000449j),
    # Mixtures whose first gains are smaller than the smallest numbers, and a step far from the peak.
    ("nctdtr", (520.2382804276418, -2.197001392410936, 87.38915513568516), 1.0),
    ("nctdtr", (520.0, 2.197, 87.0), 1.0),
    ("nctdtr", (250.0, 1.5, -45.0), 3.46549902701398271e-132),
    ("nctdtr", (0.08375402284809762, -25.264269524389604, -6.061635051562398), 0.984580920721852376),
    ("nctdtr", (0.028763973057300586, -35.1247505027628, -4.81275583728873), 0.995178184735261735),
    ("hyp2f1", (-9.25, -15.25, 8.8125, 5.5 - 30j), 14043292769217.898 + 5727653648109.038j),
    ("hyp2f1", (16.5, 7.5, 3.4375, 6 - 35j), -7.387505654892998e-20 + 5.248539023722256e-20j),
    ("hyp2f1", (-2.8125, -5.8125, -13.8125, 33.25 + 2.5j), -640.2127659177361 - 688.2170315376824j),
    ("hyp2f1", (13.25, 4.25, -9.6875, 16 - 15.5j), -3.89253869820976e-07 + 5.480658586616248e-07j),
    ("hyp2f1", (4.0625, 4.0625, 2.625, -3 + 0.5j), -0.0005305629374359194 - 0.00022972828056577746j),
    ("hyp2f1", (2.5, 5.5, 1.125, 1.5 - 0.25j), 636.4883288868399 + 165.40985418543107j),
    ("nctdtr", (9.5945, 10000.0, 10904.8), 0.5846657947813974),
    ("nctdtr", (9.5945, -10000.0, -10904.8), 1 - 0.5846657947813974),
    ("nctdtr", (3.0, 60.0, 20.0), 6.44050571464626e-06),
    ("nctdtr", (40.0, 5000.0, 2500.0), 2.791400193096391e-16),
    ("nctdtr", (0.5, 1e6, 3e6), 0.5520779747962725),
    ("nctdtr", (14.0, 0.24, -1e200), 0.0),
    ("nctdtr", (14.0, -1e4, 3.0), 1.0),
    ("kolmogi", (1e-300,), 18.593932815286465),
    ("kolmogi", (3.1708386503e-314,), 19.00724691097224),
    ("kolmogi", (9e-07,), 2.7031480031790753),
    ("smirnov", (319.0, 0.8416148926833587), 7.192373478152572e-255),
    ("smirnov", (1000.0, 0.55), 6.781496183956065e-285),
    ("smirnov", (5000.0, 0.2), 4.5021447869275025e-176),
    ("smirnov", (20000.0, 0.12), 1.017598615866214e-251),
    ("radian", (-9.5, 15.499999999999975, 1.4709497561970892), -0.16129038033948234),
]
# Ways that lost all digits returned numbers here.
NUMBER_OR_NAN = [
    (
        "hyp2f1",
        (-2.0688434296697897, -7.130132541567401, -284.36753704090717, 1.3035908833312488 + 0.5318884087803134j),
        3.6272376541292654e78 + 2.961806073887457e78j,
    ),
    (
        "hyp2f1",
        (-28.0, -29.5, -23.85656613093315, 0.12441597729827247 + 0.05044927605955829j),
        -0.004304370982517978 - 0.009848230131868266j,
    ),
    (
        "hyp2f1",
        (14.0, -27.0, 13.0, 1.0502245404424562 - 0.10678338290714959j),
        4.75666836662112e-25 - 1.6006124509723747e-24j,
    ),
    (
        "hyp2f1",
        (-0.18480868674794884, -27.999999999, -59.999999999, 1.1057460432944823 + 0.33815247323268766j),
        0.9192392567552015 - 0.06669343914420912j,
    ),
    (
        "hyp2f1",
        (-104.0538843445994, 9.799279993274787, 254.95797887195135, 40.106212154881014 + 57.830305586358726j),
        -1.6668612200829638e111 - 7.092884299467665e110j,
    ),
    ("hyp2f1", (-18.84, -1.504, 21.48, 1.748 - 1.467j), 3.62227996491434 - 3.042146842854331j),
    ("hyperu", (-55.998999999999995, -22.999, 0.08305179750251743), 2.9506513055522217e43),
    (
        "eval_gegenbauer",
        (106.0, -53.136433774448776, 0.08313198632694267 - 1.319531909612455j),
        3.504010689768058e21 + 6.4287484903716e21j,
    ),
]
NARROW = [
    ("hyp1f1", (54.473637, -159.92387, -125.52835), -1.0796310451690824e25),
    ("hyperu", (-20.5, 18.999968, 0.6827747), -5.936332319497089e36),
    ("hyp2f1", (32.0, 0.60323834, -31.5, 1.1091133 + 1.4892657j), -5.4893234337380264e16 - 1.6824510808191274e16j),
    ("hyp2f1", (-25.973824, -26.762836, 47.72454, 1.6986098 + 1.5278822j), 1727943.9704632952 + 6036378.748277575j),
    ("eval_gegenbauer", (905.0, -46.56628, -0.89813024), 0.0),
    ("eval_gegenbauer", (375.0, -68.6522, -0.7200316), 0.0),
    ("eval_gegenbauer", (17.00036, 28.0, -1.9786187 - 3.0747633e-09j), -6.509001961762986e21 + 7.37132742531875e18j),
    ("eval_jacobi", (227.0, -99.134895, 23.8409, 0.115338944), 8.285172444586062e-14),
    ("eval_jacobi", (26.49995, 1.0000001, 25.0, -2 - 3.4946e-09j), 2.1111001563945357e18 - 1.3546772430174021e22j),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), DOUBLE)
def test_double(name, arguments, expected):
    result = complex(getattr(cp.scipy.special, name)(*map(cp.asarray, arguments)))
    # Polynomials of degree 99 between zeros lose half a digit more.
    assert abs(result - expected) < (5e-11 if name == "eval_sh_jacobi" else 2e-11) * abs(expected)


@pytest.mark.parametrize(("name", "arguments", "expected"), CLOSE)
def test_close(name, arguments, expected):
    result = complex(getattr(cp.scipy.special, name)(*map(cp.asarray, arguments)))
    assert abs(result - expected) <= 2e-14 * abs(expected)


def test_parabolic_cylinder_functions_beside_the_end_of_the_range():
    value, slope = cp.scipy.special.pbdv(-91.3125, -45.125)
    np.testing.assert_allclose([float(value), float(slope)], [8.70741183880148e232, -2.131837187879359e234], rtol=1e-13)


def test_hermite_polynomials_beyond_the_range_have_a_sign():
    degrees, x = [274, 288, 268, 270, 438], [1.1909222354354136, 4.402738162183331, 1.1909222354354136, -7.5, -3.848805]
    found = cp.scipy.special.eval_hermite(cp.asarray(degrees), cp.asarray(x)).tolist()
    assert found[:2] + found[3:] == [np.inf, -np.inf, np.inf, -np.inf]
    assert found[2] == pytest.approx(-7.2252008313728454913e307, rel=1e-12)
    # Far out the first term decides, also where differences of the others are infinite.
    far = cp.asarray([1e200, -1e200, 1e120, -1e120])
    for function in (cp.scipy.special.eval_hermite, cp.scipy.special.eval_hermitenorm):
        assert function(4, far).tolist() == [np.inf] * 4
        assert function(5, far).tolist() == [np.inf, -np.inf, np.inf, -np.inf]
        assert function(10, 1e300) == function(271, 1e150) == -function(271, -1e150) == np.inf
        # Odd ones next to 0, where the even ones beside them are far out of range.
        assert function(633, cp.asarray([1e-300, -1e-300])).tolist() == [np.inf, -np.inf]
    near = cp.scipy.special.eval_hermite(cp.asarray([301, 401, 401, 301]), cp.asarray([5e-324, 5e-324, -3e-200, 1e-30]))
    exact = [1.593275144143672175701e31, 3.217248172472629925e173, -1.953534838671862173827e297, np.inf]
    assert near.tolist() == pytest.approx(exact, rel=1e-14)
    assert cp.scipy.special.eval_hermite(633, 0.0) == 0


def test_legendre_functions_on_the_cut_lie_on_one_side():
    orders = cp.asarray([0.3, 2.5, 23.5])
    expected = [
        0.5215643640028434786 - 0.9423321150275260498j,
        -0.006429440539757286434 - 9.583124034019361076j,
        3318130777718.919429j,
    ]
    for imaginary in (0.0, -0.0):
        x = cp.full(3, complex(-2.0, imaginary))
        found = cp.scipy.special.eval_legendre(orders, x).get()
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    # One at a time, too: all ways to compute them lie on that side.
    for n in (0.3, 2.5, 13.48, 23.5, 36.5):
        for x in (-1.5, -2.646, -3.0, -7.0):
            found = complex(cp.scipy.special.eval_legendre(n, complex(x)))
            exact = complex(mpmath.hyp2f1(-n, n + 1, 1, mpmath.mpc((1 - x) / 2, 1e-30)))
            assert abs(found - exact) <= 1e-9 * abs(exact), (n, x)


@pytest.mark.parametrize(("name", "arguments", "expected"), NUMBER_OR_NAN)
def test_no_wrong_number(name, arguments, expected):
    result = complex(getattr(cp.scipy.special, name)(*map(cp.asarray, arguments)))
    assert np.isnan(result) or abs(result - expected) < 1e-8 * abs(expected)


@pytest.mark.parametrize(("name", "arguments", "expected"), NARROW)
def test_single(name, arguments, expected):
    arrays = [cp.asarray(value, SINGLE[type(value)]) for value in arguments]
    result = complex(getattr(cp.scipy.special, name)(*arrays))
    assert abs(result - expected) <= 1e-6 * abs(expected)
