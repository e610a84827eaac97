#!/usr/bin/env bash
# The beta function of jax.scipy.special in float64 (JAX 0.10.2 with jax_enable_x64): B(1, b) is 1 / b, but from b = 8 on the
# result is right to seven digits only, without a warning; below 8, and where both arguments are equal, it is right to 15. So
# are betaln, the density of stats.beta and the probabilities of stats.betabinom. gammaln and betainc have their digits:
# betaln from three gammaln is better for such arguments.
. "$(dirname "$0")/run.sh"

finding "jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6 scipy==1.17.1" "beta(1, 7.75) * 7.75 - 1 below 1e-13
beta(1, 8) * 8 - 1 = 9e-07
beta(1, 9) * 9 - 1 = 6e-07
beta(1, 50) * 50 - 1 = 8e-10
three gammaln for beta(1, 9) below 1e-13
stats.beta(1, 9), mass by quadrature - 1 = -6e-07
stats.betabinom(10, 1, 2), pmf(3) * 132 / 16 - 1 = -3e-07" <<'PROGRAM'
import jax

jax.config.update("jax_enable_x64", True)
import numpy
from jax.scipy import special, stats


def off(label, value):
    value = float(value) - 1
    print(label, "below 1e-13" if abs(value) < 1e-13 else f"= {value:.0e}")


for b in (7.75, 8, 9, 50):
    off(f"beta(1, {b}) * {b} - 1", special.beta(1.0, float(b)) * b)
by_gamma = numpy.exp(sum(sign * float(special.gammaln(x)) for sign, x in ((1, 1.0), (1, 9.0), (-1, 10.0))))
off("three gammaln for beta(1, 9)", by_gamma * 9)
# A rule of Gauss with five points is exact for the density 9 (1 - x)^8.
nodes, weights = numpy.polynomial.legendre.leggauss(5)
off("stats.beta(1, 9), mass by quadrature - 1", stats.beta.pdf((nodes + 1) / 2, 1.0, 9.0) @ weights / 2)
off("stats.betabinom(10, 1, 2), pmf(3) * 132 / 16 - 1", stats.betabinom.pmf(3, 10, 1.0, 2.0) * 132 / 16)
PROGRAM
