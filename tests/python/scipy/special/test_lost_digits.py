"""Points at which rounded angles, sums or products had cost the digits of special functions."""

import cuproxide as cp
import mpmath
import numpy as np
import pytest

# Values of python-flint.
POINTS = [
    ("beta", (-25.99999999999992, -39.99999999969994), 2.0250712152667368e31),
    ("betaln", (-7.342563583391141e-10, -5294071006.843467), 21.032162898806774),
    (
        "digamma",
        ((2.444298163331874e-238 + 2.9561503698570596e-177j),),
        (-2.797055852196257e115 + 3.3827778525635473e176j),
    ),
    ("eval_chebys", (11.0, -1.4805835052722757e-09), 8.883501031633653e-09),
    ("eval_chebys", (1.0, 1.4835937732647392e-11), 1.4835937732647392e-11),
    ("eval_chebyt", (15.0, -1.3738546164795622e-12), 2.060781924719343e-11),
    ("eval_chebyt", (34.5, -1.0), 0.0),
    (
        "eval_chebyu",
        (36.999999999998295, (-7.206957349255746e-10 - 9.423885713435402e-10j)),
        (-2.7383759244164147e-08 - 3.5810765711052915e-08j),
    ),
    (
        "eval_gegenbauer",
        (27.0, 3.7171341154365756, (1.482476190046398e-34 - 5.648657060638423e-85j)),
        (-1.7752739056124e-30 + 6.764299857787789e-81j),
    ),
    (
        "eval_gegenbauer",
        (27.0, 2.534492091723433e-07, (5.562059487901969e-257 + 1.422011405182705e-36j)),
        (-6.871306733122311e-72 - 7.208159131342932e-43j),
    ),
    (
        "eval_gegenbauer",
        (3.000000000000003, 6.0, (-1.0000000000004545 - 8.881252392222046e-14j)),
        (-3.197761605379942e51 - 1.7865515712543893e51j),
    ),
    ("eval_gegenbauer", (147.0, -33.654947672291215, 0.10484778863285095), 5.7414500747028794e-24),
    ("eval_gegenbauer", (346.0, -59.90990856924685, -0.133952197656249), -2.4107449620632874e-51),
    ("eval_gegenbauer", (452.0, -78.98392705039284, 0.1955867829660654), 1.1052256147925462e-67),
    ("eval_gegenbauer", (727.0, -6.930814531466759, -0.2435568003938877), -1.217829519554223e-18),
    ("eval_jacobi", (37.0, 14.0, -7.0, 0.11951643973588943), 17.41680936596506),
    ("eval_jacobi", (12.0, -4.0, -3.0, 0.3), 0.00040938406893261807),
    (
        "eval_legendre",
        (11.0, (-8.031777266273032e-253 - 1.729364305695151e-293j)),
        (2.174227205284067e-252 + 4.6814432181513266e-293j),
    ),
    (
        "eval_legendre",
        (5.0, (-1.2319529093626442e-79 + 2.4071050654805485e-169j)),
        (-2.3099117050549578e-79 + 4.513321997776028e-169j),
    ),
    ("eval_sh_chebyt", (19.0, 0.49999999711126986), 1.0977174547122081e-07),
    ("eval_sh_chebyu", (5.372701763219489e-06, 5.469446838952515e-15), -113.11451466349632),
    (
        "eval_sh_chebyu",
        (2.3136765003161171e-10, (1.3189045472670636e-117 + 2.1951601309242002e-278j)),
        (-1.0007274894014699e49 + 1.0288520937324337e-96j),
    ),
    ("eval_sh_chebyu", (0.018040320208323822, 1.8080257389508736e-17), -6660843.413946621),
    ("eval_sh_chebyu", (8.0, -4.225360477299245e-17), 9.00000000000002),
    ("eval_sh_chebyu", (9.0, 6.393768299429827e-19), -10.0),
    (
        "eval_sh_jacobi",
        (14.0, 2.651409193730366e-12, 2.746319140278282e-11, -1.1516084761205147e-19),
        9.779782639554164e-20,
    ),
    (
        "eval_sh_jacobi",
        (1.0, 4.8242343220117085, 4.970854405203263e-12, (5.181821845467357e-245 - 8.401461832214198e-232j)),
        (-8.534777500995727e-13 - 8.401461832214198e-232j),
    ),
    (
        "eval_sh_jacobi",
        (35.99960799354606, 8.000000000000002, 18.0, (-1.0006383410726638 + 0.0004947102999561983j)),
        (53373268.59342597 - 658087.1970413737j),
    ),
    ("eval_sh_jacobi", (519.0, 49.424183329328905, 23.738720273997252, -0.3593880140329548), -2.919154908257858e-56),
    ("eval_sh_jacobi", (18.0, 11.0, 13.0, 1.0), 0.0),
    ("log_wright_bessel", (16.99999999999886, 2.0000000000000075, 33.9999998906421), 2.118713009971359e-15),
    ("lpmv", (0.0, 33.0, -2.3396178216507284e-14), -1.0805168877991246e-13),
    ("lpmv", (3.0, 19.999999999897693, 1.9421478793579205e-14), -2.4330358135363777e-07),
    ("lpmv", (2.0, 1.3397684915057137e-154, -1.5129504605236753e-252), -1.3397684915057137e-154),
    ("lpmv", (2.0, 1.0499086510419144e-223, 2.8287483136752797e-199), -1.0499086510419144e-223),
    ("nctdtr", (10.796611874829358, 2.4501986522311805, -1.4439925114763812e-08), 0.0071388706796386885),
    (
        "psi",
        ((-2.4258287580600493e-208 - 1.0169165199567395e-189j),),
        (2.3457921852508847e170 - 9.833648882432758e188j),
    ),
    ("tklmbda", (0.0, 34.99999882581462), 0.5),
    # Duplication divides a large p by 4 in each step only.
    (
        "elliprj",
        (4.8393356019571367e-23, 1.1729247619725775e-27, 1.356076319466656e-28, 1.3183829921394716e27),
        2.095908898572265e-15,
    ),
    ("elliprj", (1e-110, 3e-105, 2e-100, 1e95), 1.4718193041606858e-44),
    ("elliprj", (1e-30, 3e-25, 2e-20 + 1e-21j, 1e20 + 3e20j), 1.376363445069938e-10 - 4.4435672743106846e-10j),
    # The distance of an order from -1, and phases of thousands.
    ("eval_chebyu", (-0.9999999999999879, 0.14541426732705132), 1.7428147479732482e-14),
    ("eval_chebyu", (-1.00000000001, -0.3), -1.966046822693906e-11),
    ("spherical_jn", (139, 3546.6590250813183), 0.00023329175150358278),
    ("spherical_yn", (133, 6513.716504207009), 8.39596067475921e-05),
    # Two negative numbers of different size.
    ("betaln", (-16.518673080347703, -1151552047.0129077), 316.8647753127245),
    ("betaln", (-5.794387140785202, -324358165.4298772), 108.59963730245268),
    # Next to the logistic distribution.
    ("tklmbda", (0.7267314399170317, 2.6569776563402286e-05), 0.6740908146757677),
    ("tklmbda", (0.3970974143736339, 1.8548255778758356e-05), 0.5979913453927068),
    ("tklmbda", (2.0, 1e-9), 0.8807970782145229),
    ("lpmv", (57.0, 47.994505493531896, 0.9999999999998969), 1.172048969768555e-285),
    ("lpmv", (60.0, 52.18121955132102, 0.9999999999996183), -8.848635956168478e-279),
    ("lpmv", (26.0, 46.66406868732113, -0.7993515151122725), -9.699721689447227e41),
    ("lpmv", (30.0, 98.09429317962662, -0.9503776472300465), 4.384943792132411e58),
    ("lpmv", (56.0, 84.84553607379671, -0.6556670875304211), 1.4006512089857364e105),
    (
        "eval_jacobi",
        (1.0, 8.541328280887521e-13, 1.7233481037741445e-10, -6.981388098637703e-19),
        -8.574033947280167e-11,
    ),
    (
        "eval_jacobi",
        (9.0, 3.382823906803057e-14, -2.2582244659751808e-13, -1.1839775514807838e-16),
        5.246305554854886e-14,
    ),
    ("eval_jacobi", (11.0, 0.5, 0.5, -0.5), 0.0),
    ("eval_jacobi", (3.0, 0.3, 0.3, 0.0), 0.0),
    (
        "eval_sh_jacobi",
        (2.262531869933741e-10, 2.2324168519366362e-13, 3.138433140663805e-14, 0.2362465125134468),
        1.9990142829145787,
    ),
    # Probabilities next to 1 and to 1/2.
    ("fdtridfd", (0.6631479220643006, 0.999999999998446, 251.8490264741122), 23.553985840065796),
    ("ncfdtri", (64.8891718999548, 15.985354666653299, 24.307354224680616, 0.9999999856846329), 29.183869349521864),
    ("ncfdtrinc", (3.39465746923733, 33.07932538488126, 0.9999999882952023, 23.163284667465117), 0.0018157624408838707),
    ("ncfdtrinc", (38.500004388862116, 22.00000004431149, 0.9999999965126808, 27.500000057672803), 35.50000006252839),
    ("ncfdtrinc", (16.345001980280838, 29.02085545319619, 0.9999999999848496, 91.90863492640571), 88.25074844013383),
    ("stdtridf", (0.5000000000039228, 35.00402817470169), 4.242453258212265e-13),
]


@pytest.mark.parametrize(("name", "arguments", "value"), POINTS, ids=lambda item: item if isinstance(item, str) else "")
def test_value(name, arguments, value):
    found = getattr(cp.scipy.special, name)(*map(cp.asarray, arguments))
    np.testing.assert_allclose(found.get(), value, rtol=1e-11, atol=0)


@pytest.mark.parametrize("x", [-9455.400718467656, -8512.961668605738, -20.25, -0.3, -1e-9, 0.3, 9310.346007873124])
def test_phases_of_modified_fresnel_integrals(x):
    with mpmath.workdps(40):
        square = mpmath.mpf(x) ** 2
        whole = mpmath.erfc(mpmath.expjpi(-0.25) * x) * mpmath.sqrt(mpmath.pi) / 2 * mpmath.expjpi(0.25)
        scaled = complex(whole * mpmath.expj(-square) * mpmath.expjpi(-0.25) / mpmath.sqrt(mpmath.pi))
        whole = complex(whole)
    for name, turned in (("modfresnelp", False), ("modfresnelm", True)):
        for found, value in zip(getattr(cp.scipy.special, name)(cp.asarray(x)), (whole, scaled), strict=True):
            assert found.item() == pytest.approx(value.conjugate() if turned else value, rel=1e-14)


# Values of python-flint at which a rounded exponent or too short a sum had cost some hundred units of the last place.
SHARP = [
    ("bdtr", (19.0, 39.0, 0.9999999999995431), 1.0813523437441141e-236),
    ("betaincc", (30.016628461782577, 276.6437214581376, 0.7867273308385074), 7.756597312498854e-149),
    ("gdtr", (95.964108734234, 80.54001240256207, 0.14355886108638627), 9.092666521815424e-35),
    ("smirnov", (28.0, 0.9999999156429635), 8.538799143829585e-199),
    ("smirnovi", (17.0, 0.9984625465204903), 0.0015009969456902237),
    ("zeta", (35.9999999999993, 21.0), 3.1050661238791495e-48),
]


@pytest.mark.parametrize(("name", "arguments", "value"), SHARP, ids=lambda item: item if isinstance(item, str) else "")
def test_exponent_is_not_rounded(name, arguments, value):
    found = getattr(cp.scipy.special, name)(*map(cp.asarray, arguments))
    np.testing.assert_allclose(found.get(), value, rtol=4e-15, atol=0)


def test_decaying_cylinder_function():
    value, slope = cp.scipy.special.pbwa(cp.asarray(4.897788193684462), 4.897788193684462)
    np.testing.assert_allclose(
        [value.get(), slope.get()], [0.00015687322662556006, -0.00035251123218602416], rtol=1e-13, atol=0
    )


@pytest.mark.parametrize("a", [1.5, 3.0, 4.9])
@pytest.mark.parametrize("x", [0.3, 2.0, 4.4, 5.0])
def test_cylinder_functions_of_both_sides_have_their_wronskian(a, x):
    (right, right_slope), (left, left_slope) = (cp.scipy.special.pbwa(cp.asarray(a), point) for point in (x, -x))
    wronskian = right * -left_slope - right_slope * left
    np.testing.assert_allclose(wronskian.get(), 1.0, rtol=1e-12, atol=0)


@pytest.mark.parametrize(("a", "b"), [(-0.3, -20.7), (-25.1, -7.9), (-40.2, -3.8), (60.1, -80.1), (-33.3, -66.7)])
def test_beta_beside_a_pole_of_the_sum(a, b):
    with mpmath.workdps(40):
        value = mpmath.gamma(a) * mpmath.gamma(b) * mpmath.rgamma(mpmath.mpf(a) + mpmath.mpf(b))
        logarithm = mpmath.log(abs(value)) if value else -mpmath.inf
    np.testing.assert_allclose(cp.scipy.special.beta(cp.asarray(a), b).get(), float(value), rtol=1e-12, atol=0)
    np.testing.assert_allclose(cp.scipy.special.betaln(cp.asarray(a), b).get(), float(logarithm), rtol=1e-12, atol=0)


def test_cancelled_sums_have_no_value():
    """Functions that are far below the terms of their sums; next to a root nothing is lost."""
    special = cp.scipy.special
    assert np.isnan(special.mathieu_cem(cp.asarray(0.0), 2000.0, 0.0)[0].get())
    assert np.isnan(special.pro_rad1(0, 5, 31.973353967744362, cp.asarray(12.000000000000004))[0].get())
    near_root = special.mathieu_cem(cp.asarray(1.0), 2.0, 90.0 + 1e-9)[0]
    assert 0 < abs(near_root.get()) < 1e-9


@pytest.mark.parametrize("z", [1e-250j, 1e-160 + 1e-160j, -3e-200 + 0j, 5e-311 - 5e-311j, 1e-320j])
def test_spherical_functions_of_tiny_complex_numbers(z):
    """Bessel functions of half numbers underflow before these do."""
    one, two = (cp.scipy.special.spherical_jn(n, z).item() for n in (1, 2))
    assert one == pytest.approx(z / 3, rel=1e-12, abs=1e-323)
    assert two == pytest.approx(z * z / 15, rel=1e-12, abs=1e-323)
    assert cp.scipy.special.spherical_in(1, z).item() == pytest.approx(z / 3, rel=1e-12, abs=1e-323)
    near = cp.scipy.special.spherical_jn(2, cp.asarray([0.99e-9j, 1.01e-9j])) / cp.asarray([0.99e-9j, 1.01e-9j]) ** 2
    assert abs(cp.asnumpy(near) * 15 - 1).max() < 1e-13


@pytest.mark.parametrize(
    ("name", "args", "exact"),
    [
        ("betainc", (2.0, 5e300, 8e-301), 0.90842180555632910),
        ("betainc", (300.0, 1e304, 3.1e-302), 0.7224887541718604),
        (
            "ncfdtr",
            (10.754633033804003, 0.7153366265332476, 112.52255408015597, 2.8377861505369934e-52),
            6.858606219042904e-297,
        ),
        (
            "ncfdtr",
            (4.964813321535809, 22.89764163321293, 318.78130217589535, 1.570751687533969e-92),
            2.606500721546332e-297,
        ),
        # Roots in the denominator far below what they differ from 1 by.
        ("nctdtr", (14.0, 0.25, -1e13), 4.1923590081059232e-176),
        ("nctdtr", (0.5, 0.25, -1e40), 2.4223919935038358e-21),
        # Powers of both probabilities are below all numbers.
        ("tklmbda", (0.0, 2077.0), 0.5),
        ("hyp2f1", (5.0, 3.04e-14, -38.99999999962, -159.02), 0.9999200003084475),
        ("hyp2f1", (3.04e-14, 5.0, -38.9, -159.02), 0.9999999999996199),
    ],
)
def test_small_parts_keep_their_digits(name, args, exact):
    found = getattr(cp.scipy.special, name)(*args).item()
    assert found == pytest.approx(exact, rel=1e-13)
