"""Cooperative groups for kernels written in Python: threads that wait for each other and copy together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._builtins import INT64, NOTHING, Builtin, known_integer, number_text
from ._types import Array, Group, Rejected, Shared, Value

if TYPE_CHECKING:
    from ._compile import Function

__all__ = ["memcpy_async", "sync", "this_grid", "this_thread_block", "wait", "wait_prior"]


def _group(function: Function, thing: Any) -> Value:
    value = function.value(thing)
    if not isinstance(value.type, Group):
        raise Rejected(TypeError, f"a cooperative group is needed, not {value.type}")
    return value


@Builtin
def this_grid(function: Function) -> Value:
    """All threads of the grid as a group; a kernel that asks for it is launched so that all blocks run at a time."""
    function.module.groups = function.module.cooperative = True
    return Value("jit_groups::this_grid()", Group("grid_group"))


@Builtin
def this_thread_block(function: Function) -> Value:
    """The threads of the block as a group."""
    function.module.groups = True
    return Value("jit_groups::this_thread_block()", Group("thread_block"))


@Builtin
def sync(function: Function, group: Any) -> Value:
    """Waits for all threads of a group."""
    return Value(f"jit_groups::sync({_group(function, group).code})", NOTHING)


@Builtin
def wait(function: Function, group: Any) -> Value:
    """Waits until the copies that the group has begun with `memcpy_async` are done."""
    return Value(f"jit_groups::wait({_group(function, group).code})", NOTHING)


@Builtin
def wait_prior(function: Function, group: Any, step: Any) -> Value:
    """Waits until all but the last `step` copies of the group are done; `step` is a constant."""
    count = known_integer(function, step, "step")
    if count < 0:
        raise Rejected(ValueError, f"step must not be negative, not {count}")
    return Value(f"jit_groups::wait_prior<{count}>({_group(function, group).code})", NOTHING)


@Builtin
def memcpy_async(
    function: Function,
    group: Any,
    dst: Any,
    dst_idx: Any,
    src: Any,
    src_idx: Any,
    size: Any,
    *,
    aligned_size: Any = None,
) -> Value:
    """Begins a copy of `size` bytes from `src[src_idx]` to `dst[dst_idx]` by the threads of a group.

    Only whole elements are copied, as by CUDA's header.
    Both arrays are contiguous and indexed in C order. `aligned_size`, a constant, promises the compiler that both
    places are aligned to so many bytes. `wait` and `wait_prior` wait for the copy.
    """
    if function.known(aligned_size) is not None:
        align = known_integer(function, aligned_size, "aligned_size")
        if align < 1 or align & (align - 1):
            raise Rejected(ValueError, f"aligned_size must be a power of two, not {align}")
    places, dtypes = [], []
    for array, index in ((dst, dst_idx), (src, src_idx)):
        value = function.value(array)
        at = number_text(function, index, INT64)
        if isinstance(value.type, Array):
            if not value.type.contiguous:
                raise Rejected(TypeError, "memcpy_async copies contiguous arrays")
            places.append(f"{value.code}.data_ + {at}")
        elif isinstance(value.type, Shared):
            places.append(f"{value.code} + {at}")
        else:
            raise Rejected(TypeError, f"memcpy_async copies arrays, not {value.type}")
        dtypes.append(value.type.dtype)
    if dtypes[0] != dtypes[1]:
        raise Rejected(TypeError, f"memcpy_async copies arrays of one dtype, not {dtypes[1]} to {dtypes[0]}")
    code = (
        f"jit_groups::memcpy_async({_group(function, group).code}, {places[0]}, {places[1]}, "
        f"(size_t){number_text(function, size, INT64)})"
    )
    return Value(code, NOTHING)
