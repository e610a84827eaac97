#!/usr/bin/env bash
# Weights of Gauss-Legendre rules with many nodes (NumPy 2.4.6, SciPy 1.17.1): those next to the ends of the interval lose
# digits, eight are left at 1,000 nodes and seven at 3,000 (NumPy's manual says that leggauss was tested up to 100 nodes,
# SciPy's of roots_legendre names no bound). The weights still add up to 2 in all digits, so that the usual test is blind to
# it. The reference: the same node in 50 digits by Newton's method, and 2 (1 - x^2) / (n P)^2 with the polynomial P of one
# order less there (DLMF 3.5(v)).
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1 mpmath==1.3.0" "numpy, 1000 nodes: first weight off by more than 1e-9 True, sum off by less than 1e-12 True
numpy, 3000 nodes: first weight off by more than 1e-9 True, sum off by less than 1e-12 True
scipy, 1000 nodes: first weight off by more than 1e-9 True, sum off by less than 1e-12 True
scipy, 3000 nodes: first weight off by more than 1e-9 True, sum off by less than 1e-12 True" <<'PROGRAM'
import mpmath
import numpy
import scipy.special

mpmath.mp.dps = 50


def exact(n, x):
    x = mpmath.mpf(float(x))
    for last in (False, False, False, True):
        before, here = mpmath.mpf(1), x
        for j in range(1, n):
            before, here = here, ((2 * j + 1) * x * here - j * before) / (j + 1)
        if not last:
            x -= here * (1 - x * x) / (n * (before - x * here))
    return 2 * (1 - x * x) / (n * before) ** 2


for name, rule in (("numpy", numpy.polynomial.legendre.leggauss), ("scipy", scipy.special.roots_legendre)):
    for n in (1000, 3000):
        nodes, weights = rule(n)
        off = abs(float(weights[0] / exact(n, nodes[0]) - 1))
        total = abs(weights.sum() - 2)
        print(f"{name}, {n} nodes: first weight off by more than 1e-9 {off > 1e-9}, sum off by less than 1e-12 {total < 1e-12}")
PROGRAM
