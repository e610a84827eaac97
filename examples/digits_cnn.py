"""Trains a small convolutional network on scikit-learn's handwritten digits and writes a picture of its answers.

Layers are calls of `cuproxide.cudnn`: by cuDNN where there is one, else by own kernels, on the CPU too. PyTorch, where
it is installed, trains the same network from the same numbers for comparison.
"""

import sys
import time
from pathlib import Path
from typing import Any

import cuproxide
import numpy
from cuproxide import cudnn
from harness import NUMPY, Target, parser, report, targets
from PIL import Image
from sklearn.datasets import load_digits

OPTIONS = {"auto_tune": False, "tensor_core": "auto"}
SAME, ONE = (1, 1), (1, 1)  # padding that keeps the size, and steps
WINDOW = (2, 2), (2, 2), (0, 0)
CHANNELS = (1, 16, 32)


def start(seed: int) -> dict[str, numpy.ndarray]:
    """The first weights: normal numbers that keep the variance of what they are multiplied with."""
    random = numpy.random.default_rng(seed)
    weights: dict[str, numpy.ndarray] = {}
    for layer, (into, out) in enumerate(zip(CHANNELS[:-1], CHANNELS[1:], strict=True)):
        weights[f"filters{layer}"] = random.normal(0, (2 / (9 * into)) ** 0.5, (out, into, 3, 3))
        weights[f"scale{layer}"], weights[f"shift{layer}"] = numpy.ones(out), numpy.zeros(out)
    inputs = CHANNELS[-1] * 4
    weights["dense"], weights["bias"] = random.normal(0, inputs**-0.5, (inputs, 10)), numpy.zeros(10)
    return {name: array.astype(numpy.float32) for name, array in weights.items()}


class Network:
    """Two layers of convolution, normalisation, ReLU and pooling, then a dense one."""

    def __init__(self, xp: Any, seed: int) -> None:
        self.xp = xp
        self.weights = {name: xp.array(array) for name, array in start(seed).items()}
        self.speeds = {name: xp.zeros_like(array) for name, array in self.weights.items()}
        self.averages = [(xp.zeros(out, "float32"), xp.ones(out, "float32")) for out in CHANNELS[1:]]

    def forward(self, x: Any, training: bool) -> tuple[Any, list[dict[str, Any]]]:
        """The logarithms of the probabilities of the digits, and what the gradients need."""
        kept = []
        for layer, averages in enumerate(self.averages):
            filters, scale, shift = (self.weights[f"{name}{layer}"] for name in ("filters", "scale", "shift"))
            made = {"x": x, "sums": self.xp.empty((len(x), len(filters), *x.shape[2:]), "float32")}
            cudnn.convolution_forward(x, filters, None, made["sums"], SAME, ONE, ONE, 1, **OPTIONS)
            mode = cudnn.CUDNN_BATCHNORM_SPATIAL
            if training:
                normal, made["mean"], made["inverse"] = cudnn.batch_normalization_forward_training(
                    made["sums"], scale, shift, *averages, None, None, 1e-5, 0.9, True, mode, False
                )
            else:
                normal = cudnn.batch_normalization_forward_inference(
                    made["sums"], scale, shift, *averages, 1e-5, True, mode
                )
            made["normal"], made["active"] = normal, cudnn.activation_forward(normal, cudnn.CUDNN_ACTIVATION_RELU)
            x = self.xp.empty((*normal.shape[:2], normal.shape[2] // 2, normal.shape[3] // 2), "float32")
            made["pooled"] = cudnn.pooling_forward(made["active"], x, *WINDOW, cudnn.CUDNN_POOLING_MAX)
            kept.append(made)
        flat = x.reshape(len(x), -1)
        sums = flat @ self.weights["dense"] + self.weights["bias"]
        return cudnn.softmax_forward(sums, 1, cudnn.CUDNN_SOFTMAX_LOG), kept

    def gradients(self, answer: Any, kept: list[dict[str, Any]], wanted: Any) -> dict[str, Any]:
        """The gradients of the mean cross entropy for all weights."""
        slopes = cudnn.softmax_backward(answer, -wanted / len(wanted), 1, cudnn.CUDNN_SOFTMAX_LOG)
        pooled = kept[-1]["pooled"]
        made = {"dense": pooled.reshape(len(pooled), -1).T @ slopes, "bias": slopes.sum(0)}
        slopes = (slopes @ self.weights["dense"].T).reshape(pooled.shape)
        for layer in reversed(range(len(kept))):
            one, filters = kept[layer], self.weights[f"filters{layer}"]
            active = one["active"]
            slopes = cudnn.pooling_backward(active, one["pooled"], slopes, *WINDOW, cudnn.CUDNN_POOLING_MAX)
            slopes = cudnn.activation_backward(one["normal"], active, slopes, cudnn.CUDNN_ACTIVATION_RELU)
            slopes, made[f"scale{layer}"], made[f"shift{layer}"] = cudnn.batch_normalization_backward(
                one["sums"], self.weights[f"scale{layer}"], slopes, one["mean"], one["inverse"], 1e-5, True,
                cudnn.CUDNN_BATCHNORM_SPATIAL, False,
            )  # fmt: skip
            made[f"filters{layer}"] = gradient = self.xp.empty_like(filters)
            cudnn.convolution_backward_filter(
                one["x"], slopes, gradient, SAME, ONE, ONE, 1, deterministic=True, **OPTIONS
            )
            if layer:
                images = self.xp.empty_like(one["x"])
                cudnn.convolution_backward_data(
                    filters, slopes, None, images, SAME, ONE, ONE, 1, deterministic=True, **OPTIONS
                )
                slopes = images
        return made

    def learn(self, x: Any, wanted: Any, rate: float) -> Any:
        """A step of gradient descent with momentum; the mean cross entropy before it."""
        answer, kept = self.forward(x, training=True)
        for name, gradient in self.gradients(answer, kept, wanted).items():
            self.speeds[name] = 0.9 * self.speeds[name] - rate * gradient
            self.weights[name] = self.weights[name] + self.speeds[name]
        return -(answer * wanted).sum() / len(x)


class TorchNetwork:
    """The same network by PyTorch."""

    def __init__(self, device: str, seed: int) -> None:
        import torch

        self.torch, self.device, nn = torch, device, torch.nn
        first, weights = [], start(seed)
        for layer, (into, out) in enumerate(zip(CHANNELS[:-1], CHANNELS[1:], strict=True)):
            convolution = nn.Conv2d(into, out, 3, padding=1, bias=False)
            convolution.weight.data = torch.tensor(weights[f"filters{layer}"])
            first += [convolution, nn.BatchNorm2d(out), nn.ReLU(), nn.MaxPool2d(2)]
        dense = nn.Linear(CHANNELS[-1] * 4, 10)
        dense.weight.data, dense.bias.data = torch.tensor(weights["dense"].T.copy()), torch.tensor(weights["bias"])
        self.net = nn.Sequential(*first, nn.Flatten(), dense, nn.LogSoftmax(1)).to(device)
        self.steps = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.9)

    def learn(self, x: Any, wanted: Any, rate: float) -> Any:
        """A step of gradient descent with momentum; the mean cross entropy before it."""
        for group in self.steps.param_groups:
            group["lr"] = rate
        self.net.train()
        self.steps.zero_grad()
        loss = -(self.net(x) * wanted).sum() / len(x)
        loss.backward()
        self.steps.step()
        return loss.detach()


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


def picture(images: numpy.ndarray, answers: numpy.ndarray, wanted: numpy.ndarray) -> Image.Image:
    """Digits in rows by what they were taken for, the wrong ones in red."""
    rows = []
    for digit in range(10):
        found = numpy.flatnonzero(answers == digit)[:24]
        row = numpy.full((24, 24 * 24, 3), 255, numpy.uint8)
        for place, number in enumerate(found):
            grey = 255 - numpy.kron(images[number, 0] * 255, numpy.ones((3, 3))).astype(numpy.uint8)
            tile = numpy.repeat(grey[..., None], 3, axis=2)
            if wanted[number] != digit:
                tile[..., 1:] //= 3
            row[:, place * 24 : place * 24 + 24] = tile
        rows.append(row)
    return Image.fromarray(numpy.concatenate(rows))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--epochs", type=int, default=8)
    options.add_argument("--batch", type=int, default=64)
    options.add_argument("--output", type=Path, default=Path("digits_cnn.png"))
    arguments = options.parse_args()
    if arguments.epochs < 1 or arguments.batch < 2:
        options.error("--epochs must be positive and --batch at least 2")
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

    devices = [target for target in targets(arguments) if target is not NUMPY] or [
        Target("cuproxide", cuproxide, "cpu")
    ]
    results = [learned(target) for target in devices]
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed: no comparison", file=sys.stderr)
    else:
        device = "cuda" if torch.cuda.is_available() else "cpu"
        other = TorchNetwork(device, seed=2)
        x, rows = (torch.tensor(array[:count], device=device) for array in (images, wanted))
        losses, seconds = train(f"torch {device}", other.learn, x, rows, arguments.epochs, arguments.batch)
        other.net.eval()
        answers = other.net(torch.tensor(images[count:], device=device)).argmax(1).cpu().numpy()
        print(f"{f'torch {device}':20} {seconds:.2f} s, {(answers == numbers[count:]).mean():.1%} of the test digits\n")
        report("the first epoch goes as PyTorch's", abs(losses[0] - results[-1][2]) < 0.02)

    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    picture(images[count:], results[-1][1], numbers[count:]).save(arguments.output)
    print(f"wrote {arguments.output}")
    report("at least 95 % of the test digits", all(accuracy >= 0.95 for accuracy, *_ in results))


if __name__ == "__main__":
    main()
