"""Kernels in C++ as it stands: `RawKernel` and `RawModule`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any, Self

from .._cuproxide import Device, KernelFunction, KernelModule, MemoryPointer, UnownedMemory
from ._remaking import remade

__all__ = ["RawKernel", "RawModule"]

# What CUDA's C programs call complex numbers and their functions, in words of <cupy/complex.cuh>.
_CUCOMPLEX = {
    "cuComplex": "complex<float>",
    "cuFloatComplex": "complex<float>",
    "cuDoubleComplex": "complex<double>",
    "make_cuComplex": "complex<float>",
    "make_cuFloatComplex": "complex<float>",
    "make_cuDoubleComplex": "complex<double>",
    "cuComplexDoubleToFloat": "complex<float>",
    "cuComplexFloatToDouble": "complex<double>",
    "cuCreal": "real",
    "cuCrealf": "real",
    "cuCimag": "imag",
    "cuCimagf": "imag",
    "cuConj": "conj",
    "cuConjf": "conj",
    "cuCabs": "abs",
    "cuCabsf": "abs",
}
_CUCOMPLEX_OPERATORS = {"cuCadd": "+", "cuCsub": "-", "cuCmul": "*", "cuCdiv": "/"}


def _translate_cucomplex(code: str) -> str:
    """Rewrites the functions of cuComplex.h in terms of `complex<T>`."""
    functions = "\n".join(
        f"template <typename T> __device__ inline complex<T> {name}{suffix}(complex<T> a, complex<T> b)"
        f" {{ return a {operator} b; }}"
        for name, operator in _CUCOMPLEX_OPERATORS.items()
        for suffix in ("", "f")
    )
    functions += "".join(
        f"\ntemplate <typename T> __device__ inline complex<T> {name}(complex<T> a, complex<T> b, complex<T> c)"
        " { return a * b + c; }"
        for name in ("cuCfma", "cuCfmaf")
    )
    code = re.sub(r'#include\s*[<"]cuComplex\.h[>"]', "", code)
    code = re.sub(r"\b(\w+)\b", lambda match: _CUCOMPLEX.get(match[1], match[1]), code)
    return f"#include <cupy/complex.cuh>\n{functions}\n#line 1\n{code}"


def _options(options: Sequence[str]) -> tuple[str, ...]:
    if isinstance(options, str) or not all(isinstance(option, str) for option in options):
        raise TypeError(f"options must be a tuple of strings, not {options!r}")
    return tuple(options)


def _check_backend(backend: str) -> None:
    if backend not in ("nvrtc", "nvcc"):
        raise ValueError(f"backend must be 'nvrtc' or 'nvcc', not {backend!r}")


class RawKernel(KernelFunction):
    """A kernel that a program writes in CUDA's dialect of C++.

    Parameters
    ----------
    code : str
        The text.
    name : str
        The kernel's name in it: that of an `extern "C"` function, or a mangled one.
    options : tuple of str
        Options of the compiler, such as `-I` and `-D`.
    backend : {'nvrtc', 'nvcc'}
        Taken for compatibility; the device's own run-time compiler is used.
    translate_cucomplex : bool
        Whether to rewrite what is written with `cuComplex.h` for `complex<T>`.
    enable_cooperative_groups : bool
        Whether all blocks run at a time, so that `grid.sync()` may be called.
    jitify : bool
        Taken for compatibility; headers of the C++ library are found where they are installed.

    Notes
    -----
    `kernel(grid, block, args, *, shared_mem=0, stream=None)` queues the kernel: `grid` and `block` are tuples of one to
    three positive integers, `args` is a tuple with one value for each parameter, `shared_mem` counts bytes of dynamic
    shared memory, and `stream` is by default the current one. Arrays are passed as pointers to their first elements,
    with any strides; Python's bool, int, float and complex as `bool`, `long long`, `double` and
    `complex<double>`; NumPy's scalars, structured ones too, and NumPy's arrays of size one by value; textures and
    surfaces by their handles.

    The text is compiled at the first launch on a device; `compile` does so at once. On the CPU the host's C++ compiler
    compiles it, and the threads of a block take turns, so that barriers, shared memory, shuffles, votes and atomics
    mean what they mean on a GPU. `<cupy/complex.cuh>`, `<cupy/carray.cuh>`, `<cupy/cuda_workaround.h>` (traits of
    types) and `<cuda_fp16.h>` can be included on every device.

    Raises
    ------
    TypeError
        By a call, for an argument that does not fit its parameter, or a wrong number of them.
    ValueError
        By a call, for a grid or block that is not of one to three positive integers.
    CompileError
        If the text does not compile.
    DeviceError
        If the kernel cannot be launched or fails.

    Examples
    --------
    >>> import cuproxide as cp
    >>> add = cp.RawKernel(r'''
    ... extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
    ...     int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...     if (i < n) c[i] = a[i] + b[i];
    ... }''', "add")
    >>> a = cp.arange(5, dtype=cp.float32)
    >>> c = cp.empty_like(a)
    >>> add((1,), (32,), (a, a, c, a.size))
    >>> c
    array([0., 2., 4., 6., 8.], dtype=float32)
    """

    _code: str | None
    _path: str | None
    _name: str
    _backend: str
    _options: tuple[str, ...]
    _cooperative: bool
    _module: KernelModule
    _origin: tuple[Any, ...]
    """What makes the kernel again."""
    _settings: dict[str, int]
    """Attributes that were set."""

    def __new__(
        cls,
        code: str,
        name: str,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        *,
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        jitify: bool = False,
    ) -> Self:
        _check_backend(backend)
        flags = _options(options)
        text = _translate_cucomplex(code) if translate_cucomplex else code
        module = KernelModule(name, text, list(flags), [], None, enable_cooperative_groups)
        kernel = cls._made(module, name, code, None, flags, backend, enable_cooperative_groups)
        kernel._origin = (
            remade,
            (
                cls,
                (code, name, flags, backend),
                {
                    "translate_cucomplex": translate_cucomplex,
                    "enable_cooperative_groups": enable_cooperative_groups,
                    "jitify": jitify,
                },
            ),
        )
        return kernel

    @classmethod
    def _made(
        cls,
        module: KernelModule,
        name: str,
        code: str | None,
        path: str | None,
        options: tuple[str, ...],
        backend: str,
        cooperative: bool,
    ) -> Self:
        kernel = KernelFunction.__new__(cls, module, name)
        kernel._module, kernel._name, kernel._code, kernel._path = module, name, code, path
        kernel._options, kernel._backend, kernel._cooperative = options, backend, cooperative
        kernel._settings = {}
        return kernel

    @classmethod
    def _of(cls, module: RawModule, name: str) -> Self:
        options, backend, cooperative = module._options, module._backend, module._cooperative
        kernel = cls._made(module._module, name, module._code, module._path, options, backend, cooperative)
        kernel._origin = cls._of, (module, name)
        return kernel

    def __reduce__(self) -> tuple[Any, ...]:
        # Each process compiles for its own devices.
        return (*self._origin, dict(self._settings)) if self._settings else self._origin

    def __setstate__(self, settings: dict[str, int]) -> None:
        for name, value in settings.items():
            setattr(self, name, value)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def compile(self, log_stream: Any = None) -> None:
        """Compiles the kernel for the current device. `log_stream` is taken for compatibility."""
        self._module.compile()

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self._name

    @property
    def code(self) -> str | None:
        """The text; None for a kernel from a file."""
        return self._code

    @property
    def file_path(self) -> str | None:
        """The file; None for a kernel from a text."""
        return self._path

    @property
    def options(self) -> tuple[str, ...]:
        """Options of the compiler."""
        return self._options

    @property
    def backend(self) -> str:
        """The name of the compiler, as it was given."""
        return self._backend

    @property
    def enable_cooperative_groups(self) -> bool:
        """Whether all blocks run at a time."""
        return self._cooperative

    @property
    def kernel(self) -> KernelFunction:
        """The function below, which is the kernel itself."""
        return self

    @property
    def attributes(self) -> dict[str, int]:  # type: ignore[override]
        """The resources of the kernel as compiled for the current device: registers, shared memory and the like."""
        return KernelFunction.attributes(self)

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """Bytes of dynamic shared memory that a launch may ask for; can be set."""
        return self.attribute("max_dynamic_shared_size_bytes")

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, value: int) -> None:
        self.set_attribute("max_dynamic_shared_size_bytes", value)
        self._settings["max_dynamic_shared_size_bytes"] = value

    @property
    def preferred_shared_memory_carveout(self) -> int:
        """The share of the first-level cache that is wanted as shared memory, in percent, or -1; can be set."""
        return self.attribute("preferred_shared_memory_carveout")

    @preferred_shared_memory_carveout.setter
    def preferred_shared_memory_carveout(self, value: int) -> None:
        self.set_attribute("preferred_shared_memory_carveout", value)
        self._settings["preferred_shared_memory_carveout"] = value

    @property
    def max_threads_per_block(self) -> int:
        """Threads that a block may have."""
        return self.attribute("max_threads_per_block")

    @property
    def shared_size_bytes(self) -> int:
        """Bytes of static shared memory of a block; 0 on the CPU, which does not count them."""
        return self.attribute("shared_size_bytes")

    @property
    def const_size_bytes(self) -> int:
        """Bytes of constant memory."""
        return self.attribute("const_size_bytes")

    @property
    def local_size_bytes(self) -> int:
        """Bytes of memory of each thread beyond its registers."""
        return self.attribute("local_size_bytes")

    @property
    def num_regs(self) -> int:
        """Registers of a thread; 0 on the CPU."""
        return self.attribute("num_regs")

    @property
    def ptx_version(self) -> int:
        """Version of the intermediate code; 0 on the CPU."""
        return self.attribute("ptx_version")

    @property
    def binary_version(self) -> int:
        """Version of the machine code; 0 on the CPU."""
        return self.attribute("binary_version")

    @property
    def cache_mode_ca(self) -> int:
        """Whether global loads are cached in the first level; 0 on the CPU."""
        return self.attribute("cache_mode_ca")

    def __repr__(self) -> str:
        return f"<RawKernel {self._name}>"


class RawModule:
    """A text or file with kernels and variables.

    Parameters
    ----------
    code : str
        The text; or
    path : str
        a file of the device's compiler: a cubin or PTX for CUDA, a shared library that this package made for the CPU.
    options : tuple of str
        Options of the compiler.
    backend : {'nvrtc', 'nvcc'}
        Taken for compatibility.
    translate_cucomplex, enable_cooperative_groups, jitify : bool
        As for `RawKernel`.
    name_expressions : sequence of str
        Instances of templates, such as `scale<float>`, which `get_function` and `get_global` then know by these names.

    >>> import cuproxide as cp
    >>> module = cp.RawModule(code=r'''
    ... template <typename T> __global__ void triple(T* x) { x[threadIdx.x] *= 3; }
    ... ''', name_expressions=["triple<int>", "triple<double>"])
    >>> x = cp.arange(4)
    >>> module.get_function("triple<double>")((1,), (4,), (y := x.astype(float),))
    >>> y
    array([0., 3., 6., 9.])
    """

    def __init__(
        self,
        *,
        code: str | None = None,
        path: str | None = None,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Sequence[str] | None = None,
        jitify: bool = False,
    ) -> None:
        if (code is None) == (path is None):
            raise TypeError("exactly one of code and path must be given")
        if path is not None and (options or name_expressions or translate_cucomplex):
            raise ValueError("options, name_expressions and translate_cucomplex are for code, not for a path")
        _check_backend(backend)
        if name_expressions is not None and isinstance(name_expressions, str):
            raise TypeError("name_expressions must be a sequence of strings")
        self._code, self._path, self._backend = code, path, backend
        self._options = _options(options)
        self._given: dict[str, Any] = {
            "code": code,
            "path": path,
            "options": self._options,
            "backend": backend,
            "translate_cucomplex": translate_cucomplex,
            "enable_cooperative_groups": enable_cooperative_groups,
            "name_expressions": None if name_expressions is None else tuple(name_expressions),
            "jitify": jitify,
        }
        self._cooperative = enable_cooperative_groups
        self._expressions = tuple(name_expressions or ())
        if path is not None:
            with open(path, "rb") as file:
                image = file.read()
            self._module = KernelModule(os.path.basename(path), None, [], [], image, enable_cooperative_groups)
        else:
            text = _translate_cucomplex(code) if translate_cucomplex else code
            self._module = KernelModule(
                "module", text, list(self._options), list(self._expressions), None, enable_cooperative_groups
            )

    def __reduce__(self) -> tuple[Any, ...]:
        # A file is read again where the module is loaded.
        return remade, (type(self), (), self._given)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def compile(self, log_stream: Any = None) -> None:
        """Compiles or loads the module for the current device. `log_stream` is taken for compatibility."""
        self._module.compile()

    def get_function(self, name: str) -> RawKernel:
        """The kernel with a name: of an `extern "C"` function, an expression, or mangled.

        Raises AttributeError if there is none.
        """
        kernel = RawKernel._of(self, name)
        kernel.resolve()
        return kernel

    def get_global(self, name: str) -> MemoryPointer:
        """The address of a variable on the current device. It may be read and written: the memory of an array made
        over it is the variable.

        Raises AttributeError if there is none.
        """
        address, size = self._module.variable(name)
        return MemoryPointer(UnownedMemory(address, size, self, Device()), 0)

    @property
    def code(self) -> str | None:
        """The text."""
        return self._code

    @property
    def file_path(self) -> str | None:
        """The file."""
        return self._path

    @property
    def options(self) -> tuple[str, ...]:
        """Options of the compiler."""
        return self._options

    @property
    def backend(self) -> str:
        """The name of the compiler, as it was given."""
        return self._backend

    @property
    def name_expressions(self) -> tuple[str, ...]:
        """The instances of templates."""
        return self._expressions

    @property
    def enable_cooperative_groups(self) -> bool:
        """Whether all blocks of a kernel run at a time."""
        return self._cooperative

    @property
    def module(self) -> KernelModule:
        """The module below."""
        return self._module
