"""Prices many European options with the formula of Black and Scholes.

One long chain of element-wise operations. The normal distribution function is Hart's rational approximation, good to
about 15 digits, written with `where` and arithmetic only.
"""

import numpy
from harness import NUMPY, Target, parser, report, targets, timed

# fmt: off
NUMERATOR = [
    0.0352624965998911, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871, 221.213596169931,
    220.206867912376,
]
DENOMINATOR = [
    0.0883883476483184, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674, 637.333633378831,
    793.826512519948, 440.413735824752,
]
# fmt: on


def polynomial(x, coefficients):
    """Horner's scheme, highest power first."""
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = value * x + coefficient
    return value


def normal_cdf(xp, x):
    """The standard normal distribution function."""
    distance = xp.minimum(xp.abs(x), 37.0)
    density = xp.exp(-0.5 * distance * distance)
    near = density * polynomial(distance, NUMERATOR) / polynomial(distance, DENOMINATOR)
    fraction = distance + 0.65
    for numerator in (4.0, 3.0, 2.0, 1.0):
        fraction = distance + numerator / fraction
    far = density / (fraction * 2.506628274631)
    tail = xp.where(distance < 7.07106781186547, near, far)
    return xp.where(x > 0, 1.0 - tail, tail)


def black_scholes(xp, spot, strike, years, rate, volatility):
    """Prices of calls and puts."""
    deviation = volatility * xp.sqrt(years)
    d1 = (xp.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation
    d2 = d1 - deviation
    discounted = strike * xp.exp(-rate * years)
    call = spot * normal_cdf(xp, d1) - discounted * normal_cdf(xp, d2)
    put = discounted * normal_cdf(xp, -d2) - spot * normal_cdf(xp, -d1)
    return call, put


def market(count: int) -> list[numpy.ndarray]:
    """Spot, strike and years to maturity of random options."""
    random = numpy.random.default_rng(0)
    return [random.uniform(low, high, count) for low, high in [(10, 50), (10, 50), (0.25, 2)]]


def run(target: Target, options: list[numpy.ndarray], repeats: int) -> tuple[list[numpy.ndarray], float]:
    """The prices on the host, and the seconds of the fastest run."""
    with target.active():
        spot, strike, years = (target.xp.asarray(values) for values in options)
        price = lambda: black_scholes(target.xp, spot, strike, years, rate=0.02, volatility=0.3)  # noqa: E731
        price()
        runs = [timed(target, price) for _ in range(repeats)]
        return [target.to_host(prices) for prices in runs[-1][0]], min(seconds for _, seconds in runs)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--options", type=int, default=2_000_000, help="how many (default 2 000 000)")
    options.add_argument("--repeats", type=int, default=5)
    arguments = options.parse_args()
    values = market(arguments.options)
    print(f"{arguments.options} options, float64\n")
    print(f"{'':24} {'ms':>10} {'million/s':>10} {'mean call':>10} {'mean put':>10}")

    def show(target: Target) -> list[numpy.ndarray]:
        (call, put), seconds = run(target, values, arguments.repeats)
        rate = arguments.options / seconds / 1e6
        print(f"{target.name:24} {seconds * 1e3:10.2f} {rate:10.1f} {call.mean():10.5f} {put.mean():10.5f}", flush=True)
        return [call, put]

    reference = show(NUMPY)
    results = [show(target) for target in targets(arguments) if target is not NUMPY]
    call, put = reference
    spot, strike, years = values
    parity = numpy.abs(call - put - (spot - strike * numpy.exp(-0.02 * years))).max()
    print()
    report(f"call - put = spot - discounted strike to {parity:.1e}", parity < 1e-10)
    if results:
        difference = max(numpy.abs(a - b).max() for result in results for a, b in zip(result, reference, strict=True))
        report(f"prices as NumPy's to {difference:.1e}", difference < 1e-9)


if __name__ == "__main__":
    main()
