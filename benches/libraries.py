"""The array libraries that can be compared, each behind the few names that the cases use."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy


def plain(function: Callable[..., Any], operands: Sequence[Any]) -> Callable[[], Any]:
    """The call as it is written."""
    return functools.partial(function, *operands)


@dataclass
class Library:
    """A library on one kind of device, used in one way."""

    name: str
    group: str  # "cpu" or "gpu"
    version: str
    api: Any  # add, multiply, sin, exp, where, sum, max, mean, copy, astype, array
    module: Any  # the library itself
    device: Any = None
    #: Makes a call without arguments of a function and its operands: as it is, compiled, captured.
    bind: Callable[[Callable[..., Any], Sequence[Any]], Callable[[], Any]] = plain
    #: Waits for what the library compiles in the background.
    settle: Callable[[], None] | None = None

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


def optional(name: str, names: Collection[str] | None = None) -> ModuleType | None:
    """A module, if it is installed and wanted."""
    wanted = names is None or name in names
    return importlib.import_module(name) if wanted and importlib.util.find_spec(name) else None


def installed(names: Collection[str] | None = None) -> list[Library]:
    """Every library and device that works here, or of these names; the first of a group is the reference."""
    found = [Library("numpy", "cpu", numpy.__version__, numpy_like(numpy, lambda: None), numpy)]
    if cupy := optional("cupy", names):
        with contextlib.suppress(cupy.cuda.runtime.CUDARuntimeError):
            cupy.cuda.runtime.getDeviceCount()
            wait = cupy.cuda.get_current_stream().synchronize
            found.append(Library("cupy", "gpu", cupy.__version__, numpy_like(cupy, wait), cupy))
    if torch := optional("torch", names):
        found.append(Library("torch", "cpu", torch.__version__, torch_like(torch, "cpu"), torch))
        if torch.cuda.is_available():
            found.append(Library("torch", "gpu", torch.__version__, torch_like(torch, "cuda"), torch))
    if cuproxide := optional("cuproxide", names):
        names = [f"{device.backend}:{device.id}" for device in cuproxide.available_devices()]
        for backend, group in [("cpu", "cpu"), ("cuda", "gpu")]:
            if f"{backend}:0" in names:
                device = cuproxide.Device(f"{backend}:0")
                # Graphs have a stream of their own.
                api = numpy_like(cuproxide, cuproxide.cuda.Device().synchronize)
                # Without `evaluated` results that are dropped would never be computed.
                found.append(
                    Library(
                        "cuproxide",
                        group,
                        cuproxide.__version__,
                        api,
                        cuproxide,
                        device,
                        evaluated,
                        cuproxide.fusion.wait,
                    )
                )
    return found


def compared(group: str, names: Collection[str] | None = None) -> list[Library]:
    """What stands side by side on one kind of device: the installed libraries, and other ways of using them.

    `fuse` decorates the function, `graph` launches what was captured of it. Compiled PyTorch is `torch compiled`, and
    JAX compiles all that its tracing takes. With `names`, only these.
    """
    ways = {"fuse": "cuproxide", "graph": "cuproxide", "torch compiled": "torch"}
    wanted = None if names is None else {ways.get(name, name) for name in names}
    found = [library for library in installed(wanted) if library.group == group]
    out: list[Library] = []
    for library in found:
        if library.name == "cuproxide":
            out += [library, replace(library, name="fuse", bind=fused)]
            if group == "gpu":
                out.append(replace(library, name="graph", bind=captured))
        elif library.name == "torch":
            out += [library, replace(library, name="torch compiled", bind=torch_compiled)]
        else:
            out.append(library)
    if (names is None or "jax" in names) and (jax := jax_library(group)):
        out.append(jax)
    return [library for library in out if names is None or library.name in names]


def run(xp: Any, result: Any) -> Any:
    """Runs what a library has deferred of a result."""
    if isinstance(result, (tuple, list)):
        for part in result[:8]:
            run(xp, part)
    elif hasattr(xp, "evaluate") and isinstance(result, xp.ndarray):
        xp.evaluate(result)
    return result


def evaluated(function: Callable[..., Any], operands: Sequence[Any]) -> Callable[[], Any]:
    """The program as it is written, launched at the end of each call."""
    import cuproxide

    return lambda: run(cuproxide, function(*operands))


def fused(function: Callable[..., Any], operands: Sequence[Any]) -> Callable[[], Any]:
    """The function decorated with `fuse`."""
    import cuproxide

    decorated = cuproxide.fuse(lambda *arguments: function(*arguments))
    return lambda: run(cuproxide, decorated(*operands))


def captured(function: Callable[..., Any], operands: Sequence[Any]) -> Callable[[], Any]:
    """The function captured once and launched as a graph."""
    import cuproxide

    stream = cuproxide.cuda.Stream(non_blocking=True)
    with stream:
        for _ in range(3):
            run(cuproxide, function(*operands))
            stream.synchronize()
            cuproxide.fusion.wait()
        stream.begin_capture()
        made = run(cuproxide, function(*operands))
        graph = stream.end_capture()

    def launch(kept: Any = (made, operands)) -> None:
        graph.launch(stream)

    return launch


def torch_compiled(function: Callable[..., Any], operands: Sequence[Any]) -> Callable[[], Any]:
    """The function through `torch.compile`."""
    import torch

    # A new size would count as a recompilation, and after eight of them PyTorch gives up.
    torch._dynamo.reset()
    compiled = torch.compile(lambda *arguments: function(*arguments), dynamic=False)
    return lambda: compiled(*operands)


def jax_library(group: str) -> Library | None:
    """JAX with NumPy's types and full precision of products, compiled."""
    # It would take three quarters of the device's memory, which the others need.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = optional("jax")
    if jax is None:
        return None
    try:
        device = jax.devices("gpu" if group == "gpu" else "cpu")[0]
    except RuntimeError:
        return None
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_device", device)
    jax.config.update("jax_default_matmul_precision", "highest")
    last: list[Any] = [()]

    def bind(function: Callable[..., Any], operands: Sequence[Any]) -> Callable[[], Any]:
        # Without operands all would be a constant, computed once by the compiler.
        compiled = jax.jit(function) if operands else function
        try:
            jax.block_until_ready(compiled(*operands))
        except (jax.errors.JAXTypeError, jax.errors.JAXIndexError):
            # Its results have shapes that depend on values, so it cannot be traced.
            compiled = function

        def call() -> None:
            last[0] = compiled(*operands)

        return call

    api = numpy_like(jax.numpy, lambda: jax.block_until_ready(last[0]))
    api.array = lambda a: jax.device_put(a, device)
    return Library("jax", group, jax.__version__, api, jax.numpy, bind=bind)
