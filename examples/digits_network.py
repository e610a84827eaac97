"""The network of digits_cnn.py: layers are calls of `cuproxide.cudnn`, and gradients are written out."""

from typing import Any

import numpy
from cuproxide import cudnn

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
