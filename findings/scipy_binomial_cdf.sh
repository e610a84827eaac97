#!/usr/bin/env bash
# The cdf of a discrete distribution is a step function. scipy.stats.Binomial of the new interface interpolates between
# whole numbers: its cdf at 1.5 lies between those at 1 and 2, while its pmf at 1.5 is 0 (SciPy 1.17.1 and 1.18.1).
# scipy.stats.binom and Cuproxide's Binomial return the cdf at 1.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1" "Binomial [0.5, 0.7122, 0.875] pmf(1.5) 0.0
binom [0.5, 0.5, 0.875]" <<'PROGRAM'
from scipy import stats

x = (1, 1.5, 2)
new = stats.Binomial(n=3, p=0.5)
print("Binomial", [round(float(new.cdf(v)), 4) for v in x], "pmf(1.5)", float(new.pmf(1.5)))
print("binom", [round(float(stats.binom.cdf(v, 3, 0.5)), 4) for v in x])
PROGRAM
