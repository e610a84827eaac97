"""Takes a periodic pattern out of a photograph in its spectrum, and writes both and the spectrum beside each other.

The pattern is a few bright points of the two-dimensional Fourier transform. Points that stand out from their
neighbours, but for the middle, are replaced by the median of those neighbours.
"""

from pathlib import Path

import numpy
from harness import parser, report, targets, timed, write
from PIL import Image
from sklearn.datasets import load_sample_image


def disturbed(photo: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Grey levels of the photograph, and the same under stripes of three directions."""
    grey = photo.astype(numpy.float32) @ numpy.array([0.299, 0.587, 0.114], numpy.float32) / 255
    height, width = grey.shape
    y, x = numpy.mgrid[:height, :width]
    waves = [(40, 17), (61, -90), (3, 120)]
    stripes = sum(numpy.sin(2 * numpy.pi * (a * y / height + b * x / width)) for a, b in waves)
    return grey, (grey + 0.12 * stripes).astype(numpy.float32)


def filtered(xp, image, keep=12, threshold=8.0):
    """The image without the points of its spectrum that stand out, and the spectrum's levels."""
    spectrum = xp.fft.fftshift(xp.fft.fft2(image))
    size = abs(spectrum)
    around = xp.scipy.ndimage.median_filter(size, 9)
    rows, columns = (xp.arange(n) - n // 2 for n in image.shape)
    outside = rows[:, None] ** 2 + columns**2 > keep**2
    peaks = outside & (size > threshold * around)
    # Each point keeps its phase and takes the size of its neighbours.
    calm = xp.where(peaks, spectrum * (around / xp.maximum(size, 1e-20)), spectrum)
    return xp.fft.ifft2(xp.fft.ifftshift(calm)).real, xp.log1p(size)


def error(image: numpy.ndarray, truth: numpy.ndarray) -> float:
    """The root of the mean squared difference."""
    return float(numpy.sqrt(((image - truth) ** 2).mean()))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--output", type=Path, default=Path("filter_image.png"))
    arguments = options.parse_args()
    if arguments.backend == "numpy":
        options.error("NumPy has no median filter")
    truth, noisy = disturbed(load_sample_image("china.jpg"))
    print(f"{noisy.shape[1]} x {noisy.shape[0]} pixels, float32\n")
    results = []
    for target in targets(arguments):
        xp = target.xp
        with target.active():
            image = xp.asarray(noisy)
            filtered(xp, image)  # compiles
            (result, levels), seconds = timed(target, lambda xp=xp, image=image: filtered(xp, image))
            results.append([target.to_host(part) for part in (result, levels)])
        print(f"{target.name:24} {seconds * 1e3:8.2f} ms, error {error(results[-1][0], truth):.4f}", flush=True)

    result, levels = results[0]
    parts = [noisy, result, levels / levels.max()]
    picture = (numpy.concatenate(parts, axis=1).clip(0, 1) * 255).astype(numpy.uint8)
    write(Image.fromarray(picture).resize((picture.shape[1] // 2, picture.shape[0] // 2)), arguments.output)
    report("the error is a fourth of what it was", error(result, truth) < error(noisy, truth) / 4)
    if len(results) > 1:
        difference = max(float(abs(other[0] - result).max()) for other in results[1:])
        report(f"devices agree to {difference:.1e}", difference < 1e-3)


if __name__ == "__main__":
    main()
