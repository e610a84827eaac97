"""Takes the noise from a chirp and writes a picture of its spectrogram before and after.

A band-pass filter runs forwards and backwards, then a short-time transform is cut off where there is noise only.
"""

from pathlib import Path

import numpy
from harness import parser, report, targets, timed, write

# Black, purple, red, yellow, white: levels from 0 to 1.
PALETTE = numpy.array([[0, 0, 4], [87, 16, 110], [188, 55, 84], [249, 142, 9], [252, 255, 164]], float)
RATE = 8000.0
LOW, HIGH = 300.0, 2500.0
SEGMENT = 512


def denoised(xp, noisy):
    """The signal without most of its noise."""
    signal = xp.scipy.signal
    sections = signal.butter(6, [LOW * 0.8, HIGH * 1.1], btype="band", fs=RATE, output="sos")
    passed = signal.sosfiltfilt(sections, noisy)
    _, _, transform = signal.stft(passed, RATE, nperseg=SEGMENT, noverlap=SEGMENT * 3 // 4)
    # What rises above the noise: its level is the median of the band that the filter passes.
    size = abs(transform)
    band = size[int(LOW * SEGMENT / RATE) : int(HIGH * SEGMENT / RATE)]
    kept = xp.where(size > 4 * xp.median(band), transform, 0)
    return signal.istft(kept, RATE, nperseg=SEGMENT, noverlap=SEGMENT * 3 // 4)[1][: noisy.size]


def spectrogram(xp, x):
    """Frequencies, and levels from -60 dB to the greatest as numbers from 0 to 1."""
    f, _, power = xp.scipy.signal.spectrogram(x, RATE, nperseg=SEGMENT, noverlap=SEGMENT * 7 // 8)
    level = 10 * xp.log10(power / power.max() + 1e-12)
    return f, xp.clip(1 + level / 60, 0, 1)


def picture(levels: numpy.ndarray) -> numpy.ndarray:
    """The colours of levels, low frequencies at the bottom."""
    knots = numpy.linspace(0, 1, len(PALETTE))
    channels = [numpy.interp(levels[::-1], knots, PALETTE[:, channel]) for channel in range(3)]
    return numpy.stack(channels, axis=-1).astype(numpy.uint8)


def ratio(found: numpy.ndarray, clean: numpy.ndarray) -> float:
    """Signal to noise in decibels."""
    return float(10 * numpy.log10((clean**2).sum() / ((found - clean) ** 2).sum()))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--noise", type=float, default=1.0, help="deviation of the noise (the chirp has 0.7)")
    options.add_argument("--output", type=Path, default=Path("denoise_chirp.png"))
    arguments = options.parse_args()
    if arguments.backend == "numpy":
        options.error("NumPy has no filters")
    if arguments.seconds < 1 or arguments.noise <= 0:
        options.error("--seconds must be at least 1 and --noise positive")
    count = int(arguments.seconds * RATE)
    time = numpy.arange(count) / RATE
    print(f"{count} samples, float32\n")
    print(f"{'':24} {'ms':>10} {'SNR before':>12} {'after':>8}")
    results = []
    for target in targets(arguments):
        xp = target.xp
        with target.active():
            clean = xp.scipy.signal.chirp(xp.asarray(time), LOW, arguments.seconds, HIGH, "quadratic")
            noise = numpy.random.default_rng(1).normal(0, arguments.noise, count)
            noisy = (clean + xp.asarray(noise)).astype(xp.float32)
            denoised(xp, noisy)
            result, seconds = timed(target, lambda xp=xp, noisy=noisy: denoised(xp, noisy))
            f, after = spectrogram(xp, result)
            before = spectrogram(xp, noisy)[1]
            # The strongest frequency of each time, where the chirp has lasted for a while.
            ridge = f[after.argmax(axis=0)]
            host = [target.to_host(part) for part in (result, clean, noisy, before, after, ridge)]
        results.append(host)
        snr = ratio(host[2], host[1]), ratio(host[0], host[1])
        print(f"{target.name:24} {seconds * 1e3:10.2f} {snr[0]:9.1f} dB {snr[1]:5.1f} dB", flush=True)

    result, clean, noisy, before, after, ridge = results[0]
    write(numpy.concatenate([picture(before), picture(after)], axis=0), arguments.output)
    report("noise is at least 8 dB lower", ratio(result, clean) > ratio(noisy, clean) + 8)
    middle = (numpy.arange(len(ridge)) * (SEGMENT // 8) + SEGMENT / 2) / RATE
    truth = LOW + (HIGH - LOW) * (middle / arguments.seconds) ** 2
    report("the strongest frequency is the chirp's", float(numpy.median(abs(ridge - truth))) < RATE / SEGMENT)
    if len(results) > 1:
        difference = max(float(abs(other[0] - result).max()) for other in results[1:])
        report(f"devices agree to {difference:.1e}", difference < 1e-3)


if __name__ == "__main__":
    main()
