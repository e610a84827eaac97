"""The network of digits_cnn.py by PyTorch, with the same numbers to start from."""

from typing import Any

import torch
from digits_network import CHANNELS, start


class TorchNetwork:
    """The same network by PyTorch."""

    def __init__(self, device: str, seed: int) -> None:
        nn = torch.nn
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


def learned(train: Any, images: Any, wanted: Any, count: int, *how: int) -> float:
    """Trains the network with the first images, tests it with the others, and returns the loss of the first epoch."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, rows = (torch.tensor(array, device=device) for array in (images, wanted))
    network = TorchNetwork(device, seed=2)
    losses, seconds = train(f"torch {device}", network.learn, x[:count], rows[:count], *how)
    network.net.eval()
    right = network.net(x[count:]).argmax(1) == rows[count:].argmax(1)
    print(f"{f'torch {device}':20} {seconds:.2f} s, {float(right.float().mean()):.1%} of the test digits\n")
    return losses[0]
