"""Trains a small convolutional network on scikit-learn's handwritten digits and writes a picture of its answers.

Layers are calls of `cuproxide.cudnn`: by cuDNN where there is one, else by own kernels, on the CPU too. PyTorch, where
it is installed, trains the same network from the same numbers for comparison.
"""

import importlib.util
import time
from pathlib import Path
from typing import Any

import numpy
from cuproxide import cudnn
from digits_network import Network
from harness import Target, parser, report, targets, write
from sklearn.datasets import load_digits


def train(name: str, learn: Any, x: Any, wanted: Any, epochs: int, batch: int) -> tuple[list[float], float]:
    """The mean loss of each epoch, with a line for each, and the seconds that all took but the first batch."""
    order, losses, begun, before = numpy.random.default_rng(0), [], 0.0, 0.0
    for epoch in range(epochs):
        chosen = order.permutation(len(x))
        total = 0.0
        for first in range(0, len(x) - batch + 1, batch):
            rows = chosen[first : first + batch].tolist()
            total = total + learn(x[rows], wanted[rows], 0.1 * 0.5 ** (4 * epoch / epochs))
            if begun == 0.0:
                float(total)  # compiles
                begun = before = time.perf_counter()
        losses.append(float(total) / (len(x) // batch))
        now = time.perf_counter()
        print(f"{name:20} epoch {epoch + 1:2}/{epochs}: loss {losses[-1]:.4f}, {now - before:.2f} s", flush=True)
        before = now
    return losses, before - begun


def picture(images: numpy.ndarray, answers: numpy.ndarray, wanted: numpy.ndarray) -> numpy.ndarray:
    """Digits in rows by what they were taken for, the wrong ones in red."""
    shown = numpy.full((10, 24, 24, 24, 3), 255, numpy.uint8)
    for digit in range(10):
        for place, number in enumerate(numpy.flatnonzero(answers == digit)[:24]):
            shown[digit, place] = (255 - numpy.kron(images[number, 0] * 255, numpy.ones((3, 3))))[..., None]
            shown[digit, place, ..., 1:] //= 1 if wanted[number] == digit else 3
    return shown.swapaxes(1, 2).reshape(10 * 24, 24 * 24, 3)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--epochs", type=int, default=8)
    options.add_argument("--batch", type=int, default=64)
    options.add_argument("--output", type=Path, default=Path("digits_cnn.png"))
    arguments = options.parse_args()
    if arguments.epochs < 1 or arguments.batch < 2:
        options.error("--epochs must be positive and --batch at least 2")
    if arguments.backend == "numpy":
        options.error("NumPy has no convolutions of images")
    digits = load_digits()
    images = (digits.images[:, None] / 16).astype(numpy.float32)
    mixed = numpy.random.default_rng(1).permutation(len(images))
    images, numbers = images[mixed], digits.target[mixed]
    count = len(images) * 4 // 5
    wanted = numpy.eye(10, dtype=numpy.float32)[numbers]
    print(f"{count} digits of 8 x 8 pixels to learn from, {len(images) - count} to be tested with\n")

    def learned(target: Target) -> tuple[float, numpy.ndarray, float]:
        with target.active():
            version = cudnn.getVersion()
            how = f"library {version}" if version else "own kernels"
            network = Network(target.xp, seed=2)
            x, rows = target.xp.array(images[:count]), target.xp.array(wanted[:count])
            losses, seconds = train(target.name, network.learn, x, rows, arguments.epochs, arguments.batch)
            answer, _ = network.forward(target.xp.array(images[count:]), training=False)
            answers = target.to_host(answer.argmax(1))
        accuracy = float((answers == numbers[count:]).mean())
        print(f"{target.name:20} {how}: {seconds:.2f} s, {accuracy:.1%} of the test digits\n", flush=True)
        return accuracy, answers, losses[0]

    results = [learned(target) for target in targets(arguments)]
    if importlib.util.find_spec("torch"):
        from digits_network_torch import learned as learned_by_torch

        loss = learned_by_torch(train, images, wanted, count, arguments.epochs, arguments.batch)
        report("the first epoch goes as PyTorch's", abs(loss - results[-1][2]) < 0.02)
    write(picture(images[count:], results[-1][1], numbers[count:]), arguments.output)
    report("at least 95 % of the test digits", all(accuracy >= 0.95 for accuracy, *_ in results))


if __name__ == "__main__":
    main()
