"""Arguments at which one way loses its digits and another keeps them. Exact values are python-flint's."""

import cuproxide as cp
import numpy as np
import pytest

SINGLE = {float: np.float32, complex: np.complex64}
DOUBLE = [
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
    assert abs(result - expected) < 2e-11 * abs(expected)


@pytest.mark.parametrize(("name", "arguments", "expected"), NARROW)
def test_single(name, arguments, expected):
    arrays = [cp.asarray(value, SINGLE[type(value)]) for value in arguments]
    result = complex(getattr(cp.scipy.special, name)(*arrays))
    assert abs(result - expected) <= 1e-6 * abs(expected)
