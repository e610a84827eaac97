"""The array libraries that can be compared, each behind the few names that the cases use."""

import contextlib
import importlib
import importlib.util
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy


@dataclass
class Library:
    """A library on one kind of device."""

    name: str
    group: str  # "cpu" or "gpu"
    version: str
    api: Any  # add, multiply, sin, exp, where, sum, max, mean, copy, astype, array
    module: Any  # the library itself
    device: Any = None

    def active(self) -> contextlib.AbstractContextManager:
        """Makes the library's device the current one."""
        return self.device if self.device is not None else contextlib.nullcontext()

    def wait(self) -> None:
        """Returns when everything that was asked of the device is done."""
        self.api.synchronize()


def numpy_like(xp: ModuleType, synchronize) -> SimpleNamespace:
    return SimpleNamespace(
        array=xp.asarray,
        add=xp.add,
        multiply=xp.multiply,
        sin=xp.sin,
        exp=xp.exp,
        where=xp.where,
        sum=xp.sum,
        max=xp.max,
        mean=xp.mean,
        copy=lambda a: a.copy(),
        astype=lambda a, name: a.astype(name),
        synchronize=synchronize,
    )


def torch_like(torch: ModuleType, device: str) -> SimpleNamespace:
    return SimpleNamespace(
        array=lambda a: torch.from_numpy(a).to(device),
        add=torch.add,
        multiply=torch.mul,
        sin=torch.sin,
        exp=torch.exp,
        where=torch.where,
        sum=torch.sum,
        max=torch.max,
        mean=torch.mean,
        copy=torch.clone,
        astype=lambda a, name: a.to(getattr(torch, name)),
        synchronize=torch.cuda.synchronize if device == "cuda" else lambda: None,
    )


def optional(name: str) -> ModuleType | None:
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def installed() -> list[Library]:
    """Every library and device that works here; within a group, the first one is the reference."""
    found = [Library("numpy", "cpu", numpy.__version__, numpy_like(numpy, lambda: None), numpy)]
    if cupy := optional("cupy"):
        with contextlib.suppress(cupy.cuda.runtime.CUDARuntimeError):
            cupy.cuda.runtime.getDeviceCount()
            wait = cupy.cuda.get_current_stream().synchronize
            found.append(Library("cupy", "gpu", cupy.__version__, numpy_like(cupy, wait), cupy))
    if torch := optional("torch"):
        found.append(Library("torch", "cpu", torch.__version__, torch_like(torch, "cpu"), torch))
        if torch.cuda.is_available():
            found.append(Library("torch", "gpu", torch.__version__, torch_like(torch, "cuda"), torch))
    if cuproxide := optional("cuproxide"):
        names = [f"{device.backend}:{device.id}" for device in cuproxide.available_devices()]
        for backend, group in [("cpu", "cpu"), ("cuda", "gpu")]:
            if f"{backend}:0" in names:
                device = cuproxide.Device(f"{backend}:0")
                api = numpy_like(cuproxide, lambda: cuproxide.cuda.get_current_stream().synchronize())
                found.append(Library("cuproxide", group, cuproxide.__version__, api, cuproxide, device))
    return found
