"""Image filters written with slices: blur, edges, sharpening, median, morphology, histogram equalisation.

python image_filters.py --size 128
python image_filters.py --cpu
"""

import argparse

import cupy as cp
import numpy as np


def synthetic(size, seed):
    """A grey image with a gradient, discs, stripes and noise, as 8-bit integers."""
    rng = np.random.RandomState(seed)
    y, x = np.mgrid[0:size, 0:size]
    image = 60 + 80 * x / size
    for _ in range(8):
        cy, cx, r = rng.randint(0, size, 2).tolist() + [rng.randint(size // 16, size // 6)]
        image[(y - cy) ** 2 + (x - cx) ** 2 < r * r] += rng.randint(-50, 80)
    image[:, size // 3 : size // 3 + 4] = 250
    image += rng.normal(scale=6, size=image.shape)
    return np.clip(image, 0, 255).astype(np.uint8)


def convolve(image, kernel):
    """Correlation with a small kernel by shifted slices; edges are repeated."""
    xp = cp.get_array_module(image)
    kernel = np.asarray(kernel, dtype=np.float32)
    ry, rx = kernel.shape[0] // 2, kernel.shape[1] // 2
    padded = xp.pad(image.astype(np.float32), ((ry, ry), (rx, rx)), mode="edge")
    out = xp.zeros(image.shape, dtype=np.float32)
    height, width = image.shape
    for i in range(kernel.shape[0]):
        for j in range(kernel.shape[1]):
            if kernel[i, j]:
                out += kernel[i, j] * padded[i : i + height, j : j + width]
    return out


def gaussian(image, sigma):
    """Separable Gaussian blur."""
    radius = int(3 * sigma + 0.5)
    t = np.arange(-radius, radius + 1)
    weights = np.exp(-0.5 * (t / sigma) ** 2)
    weights /= weights.sum()
    return convolve(convolve(image, weights[None, :]), weights[:, None])


def sobel(image):
    """Size and direction of the gradient."""
    xp = cp.get_array_module(image)
    kx = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
    gx = convolve(image, kx)
    gy = convolve(image, np.transpose(kx))
    return xp.hypot(gx, gy), xp.arctan2(gy, gx)


def windows(image, radius, mode="reflect"):
    """All shifts of an image within a radius, stacked along a new first axis."""
    xp = cp.get_array_module(image)
    padded = xp.pad(image, radius, mode=mode)
    height, width = image.shape
    side = 2 * radius + 1
    return xp.stack([padded[i : i + height, j : j + width] for i in range(side) for j in range(side)])


def median(image, radius=1):
    return cp.get_array_module(image).median(windows(image, radius), axis=0).astype(image.dtype)


def morphology(image, radius=1):
    """Opening and closing."""
    opened = windows(windows(image, radius).min(axis=0), radius).max(axis=0)
    closed = windows(windows(image, radius).max(axis=0), radius).min(axis=0)
    return opened, closed


def equalise(image):
    """Histogram equalisation by a table."""
    xp = cp.get_array_module(image)
    counts = xp.bincount(image.ravel(), minlength=256)
    cdf = counts.cumsum()
    low = cdf[xp.nonzero(counts)[0][0]]
    table = xp.rint((cdf - low) * 255.0 / (image.size - low)).clip(0, 255).astype(np.uint8)
    return table[image]


def sharpen(image, amount=1.5):
    xp = cp.get_array_module(image)
    detail = image.astype(np.float32) - gaussian(image, 1.0)
    return xp.clip(image + amount * detail, 0, 255).astype(np.uint8)


def downsample(image):
    """Means of blocks of two by two."""
    even = image[: image.shape[0] // 2 * 2, : image.shape[1] // 2 * 2].astype(np.float32)
    return (even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2]) / 4


def describe(name, image):
    xp = cp.get_array_module(image)
    values = image.astype(np.float64)
    checks = [values.mean(), values.std(), values.min(), values.max(), values[::7, ::5].sum()]
    print(name, image.dtype, *image.shape, " ".join("%.3f" % float(value) for value in checks))
    assert bool(xp.isfinite(values).all())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default=96, type=int)
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--cpu", action="store_true")
    args = parser.parse_args()

    image = synthetic(args.size, args.seed)
    if not args.cpu:
        image = cp.array(image)
    describe("input", image)
    describe("gaussian", gaussian(image, 1.7))
    size, direction = sobel(image)
    describe("sobel", size)
    edges = size > size.mean() + 2 * size.std()
    print("edges", int(edges.sum()), "steep", int((abs(direction[edges]) > np.pi / 2).sum()))
    describe("median", median(image))
    for name, result in zip(("opened", "closed"), morphology(image), strict=True):
        describe(name, result)
    describe("equalised", equalise(image))
    describe("sharpened", sharpen(image))
    describe("small", downsample(image))
    describe("flipped", image[::-1, ::-1].T)
    swapped = image.copy()
    swapped[edges] = 255 - swapped[edges]
    swapped[:8, :8] ^= 0xFF
    describe("swapped", swapped)


if __name__ == "__main__":
    main()
