"""Functions of parameters whose reciprocals are infinite, or that are some roundings off whole numbers."""

import cuproxide as cp
import pytest
from cuproxide.scipy import special

LEAST = 5e-324

# Values of mpmath.
POINTS = [
    ("hyperu", (1e-310, 0.5, 1.06), 1.0),
    ("hyperu", (-1e-310, 0.5, 1.06), 1.0),
    ("hyperu", (1e-310, 3.0, 1e-3), 1.0),
    ("hyperu", (LEAST, 1.0, 2.0), 1.0),
    ("hyperu", (1e-310, 3.0, 1e-157), 10001.0),
    ("hyperu", (-12.784987182281036, -9.0, 0.02440059308271207), -344756.11979481846),
    ("hyp1f1", (LEAST, 0.5, 100.0), 1.0),
    ("hyp1f1", (1e-30, 0.5, 100.0), 4788753000994.948),
    ("hyp1f1", (1e-60, 0.5, 100.0), 1.0),
    ("eval_laguerre", (-LEAST, 0.5), 1.0),
    ("eval_laguerre", (-LEAST, 100.0), 1.0),
    ("eval_genlaguerre", (-LEAST, 0.5, 100.0), 1.0),
    ("binom", (-LEAST, -LEAST), 1.0),
    ("binom", (-LEAST, LEAST), 1.0),
    ("binom", (0.3, LEAST), 1.0),
    ("binom", (-0.7, -0.7), 1.0),
    ("binom", (LEAST, 0.5), 0.6366197723675814),
    ("poch", (LEAST, LEAST), 0.5),
    ("poch", (1e-310, 2e-310), 1 / 3),
    ("poch", (0.5, LEAST), 1.0),
    ("eval_jacobi", (4.0, -1 + 2.0**-53, 1.25, -0.5), -0.5579166412353516),
    ("eval_jacobi", (4.0, -1 + 2.0**-52, 1.25, -0.5), -0.5579166412353517),
    ("eval_jacobi", (4.0, -1 + 3 * 2.0**-53, 1.25, -0.5), -0.5579166412353517),
    # Beyond 1 the imaginary part is 3e-35.
    ("hyp2f1", (-5.000000000000001, -1.9, 9.5, 1.1903406298571568), 2.4308522351552772),
    ("hyp2f1", (-5.0000001, -1.9, 9.5, 1.1903406298571568), float("inf")),
]


@pytest.mark.parametrize(("name", "arguments", "value"), POINTS)
def test_value(name, arguments, value):
    found = getattr(special, name)(*(cp.asarray(argument) for argument in arguments)).item()
    assert found == pytest.approx(value, rel=1e-11)
